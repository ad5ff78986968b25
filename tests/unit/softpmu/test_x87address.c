/*
 * The address of the last x87 instruction in the frame of a signal, in a tracee that has the same
 * memory as the test.
 */
#include "worker/softpmu/cache/x87address.h"

#include <check.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tracees.h"

enum { PART = 0x58000000, ORIGINAL = 0x401234, PLACE = 0x40 };

static ucontext_t context;
static struct _libc_fpstate state;

static struct tracee begin(struct space *space, uint64_t address, struct _libc_fpstate *told)
{
	const struct place place = {.offset = PLACE, .kind = PLACE_AT, .original = ORIGINAL};
	struct tracee tracee = {.space = space};

	*space = (struct space){.arena.part[0].address = PART};
	ck_assert(places_add(&space->places[0], &place));
	state.rip = address;
	context.uc_mcontext.fpregs = told;
	tracee.tid = fork();
	if (tracee.tid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(tracee.tid, NULL, 0), tracee.tid);
	return tracee;
}

/* What the frame says after it has been corrected. */
static uint64_t corrected(uint64_t address, bool cached)
{
	struct space space;
	struct tracee tracee = begin(&space, address, &state);
	uint64_t found;

	if (!cached)
		tracee.space = NULL;
	x87address_correct_frame(&tracee, (uint64_t)(uintptr_t)&context);
	found = (uint64_t)ptrace(PTRACE_PEEKDATA, tracee.tid, &state.rip, 0);
	kill(tracee.tid, SIGKILL);
	waitpid(tracee.tid, NULL, 0);
	places_free(&space.places[0]);
	return found;
}

START_TEST(an_address_in_the_cache_becomes_the_programs_own)
{
	ck_assert_uint_eq(corrected(PART + PLACE, true), ORIGINAL);
}
END_TEST

START_TEST(one_whose_translation_is_gone_becomes_none)
{
	ck_assert_uint_eq(corrected(PART + PLACE + 1, true), 0);
}
END_TEST

START_TEST(the_programs_own_stays)
{
	ck_assert_uint_eq(corrected(ORIGINAL, true), ORIGINAL);
	ck_assert_uint_eq(corrected(PART + PLACE, false), PART + PLACE);
}
END_TEST

START_TEST(a_frame_without_such_a_state_is_left_alone)
{
	struct space space;
	struct tracee tracee = begin(&space, PART + PLACE, NULL);

	x87address_correct_frame(&tracee, (uint64_t)(uintptr_t)&context);
	x87address_correct_frame(&tracee, 0);
	ck_assert_uint_eq(
	    (uint64_t)ptrace(PTRACE_PEEKDATA, tracee.tid, &state.rip, 0), PART + PLACE);
	kill(tracee.tid, SIGKILL);
	waitpid(tracee.tid, NULL, 0);
	places_free(&space.places[0]);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {an_address_in_the_cache_becomes_the_programs_own, 1},
	    {one_whose_translation_is_gone_becomes_none, 1},
	    {the_programs_own_stays, 1},
	    {a_frame_without_such_a_state_is_left_alone, 1},
	    {NULL, 0},
	};

	return run_loops("x87 address", tests, NULL, NULL);
}
