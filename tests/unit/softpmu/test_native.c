/*
 * Episodes against the processor: a program is run twice over at the same time, a few instructions
 * natively here and then the same ones by single steps, and all registers and memory written are
 * compared. Called with a program and its arguments, does so with that program to its end.
 */
#include <check.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/softpmu/native.h"

enum { FLAG_RESUME = 1 << 16, FLAG_TRAP = 1 << 8 };

struct lockstep {
	struct native *native;
	pid_t tid;
	unsigned long native_instructions, stepped, episodes;
	bool ended;
};

static unsigned random_below(unsigned limit)
{
	static unsigned long state = 12345;

	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 40) % limit;
}

/* One step of the program; false when it has ended. */
static bool step(struct lockstep *lockstep)
{
	int status, signal = 0;

	do {
		if (ptrace(PTRACE_SINGLESTEP, lockstep->tid, 0, (void *)(long)signal) < 0 ||
		    waitpid(lockstep->tid, &status, 0) != lockstep->tid || !WIFSTOPPED(status)) {
			lockstep->ended = true;
			return false;
		}
		signal = WSTOPSIG(status);
	} while (signal != SIGTRAP);
	return true;
}

static bool same_registers(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	static const size_t field[] = {offsetof(struct user_regs_struct, rax),
	    offsetof(struct user_regs_struct, rbx), offsetof(struct user_regs_struct, rcx),
	    offsetof(struct user_regs_struct, rdx), offsetof(struct user_regs_struct, rsi),
	    offsetof(struct user_regs_struct, rdi), offsetof(struct user_regs_struct, rbp),
	    offsetof(struct user_regs_struct, rsp), offsetof(struct user_regs_struct, r8),
	    offsetof(struct user_regs_struct, r9), offsetof(struct user_regs_struct, r10),
	    offsetof(struct user_regs_struct, r11), offsetof(struct user_regs_struct, r12),
	    offsetof(struct user_regs_struct, r13), offsetof(struct user_regs_struct, r14),
	    offsetof(struct user_regs_struct, r15), offsetof(struct user_regs_struct, rip)};

	for (size_t i = 0; i < sizeof field / sizeof field[0]; i++) {
		if (memcmp((const char *)a + field[i], (const char *)b + field[i], 8) != 0) {
			fprintf(stderr, "register at offset %zu: 0x%lx, stepped 0x%lx\n", field[i],
			    *(const unsigned long *)((const char *)a + field[i]),
			    *(const unsigned long *)((const char *)b + field[i]));
			return false;
		}
	}
	if ((a->eflags ^ b->eflags) & ~(unsigned long long)(FLAG_RESUME | FLAG_TRAP)) {
		fprintf(stderr, "eflags 0x%llx, stepped 0x%llx\n", a->eflags, b->eflags);
		return false;
	}
	return true;
}

/* Some instructions both ways; false when they differ. */
static bool compare_episode(struct lockstep *lockstep)
{
	struct native_episode episode = {.tid = lockstep->tid,
	    .dry = true,
	    .most_branches = ~0ull,
	    .most_instructions = 1 + random_below(40)};
	struct user_regs_struct before, here, there;
	uint64_t where = 0;

	if (ptrace(PTRACE_GETREGS, lockstep->tid, 0, &before) < 0)
		return false;
	here = before;
	if (!native_run(lockstep->native, &episode, &here)) {
		lockstep->stepped++;
		step(lockstep);
		return true;
	}
	for (uint64_t i = 0; i < episode.instructions; i++) {
		if (!step(lockstep))
			return false;
	}
	lockstep->native_instructions += episode.instructions;
	lockstep->episodes++;
	if (ptrace(PTRACE_GETREGS, lockstep->tid, 0, &there) < 0)
		return false;
	if (same_registers(&here, &there) && native_agrees(lockstep->native, &where))
		return true;
	fprintf(stderr, "from 0x%llx, %lu instructions: differs (memory or vector 0x%lx)\n",
	    before.rip, (unsigned long)episode.instructions, (unsigned long)where);
	return false;
}

/* A program with the same memory at two addresses; its exit status. */
static int write_here_and_read_there(void)
{
	enum { SIZE = 4096, ROUNDS = 100 };
	int fd = memfd_create("aliases", 0), wrong = 0;
	volatile unsigned *here, *there;

	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		return EXIT_FAILURE;
	here = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	there = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (here == MAP_FAILED || there == MAP_FAILED)
		return EXIT_FAILURE;
	for (unsigned i = 1; i <= ROUNDS; i++) {
		here[i % 4] = i;
		wrong += there[i % 4] != i;
	}
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A program that counts with rcx; its exit status. */
static int count_with_rcx(void)
{
	unsigned long rounds = 0;

	__asm__ volatile("mov $1000, %%ecx\n"
			 "1: inc %0\n"
			 "loop 1b\n"
			 "mov $100, %%ecx\n"
			 "2: inc %0\n"
			 "cmp %%rcx, %%rcx\n"
			 "loope 2b\n"
			 "mov $100, %%ecx\n"
			 "3: inc %0\n"
			 "cmp $60, %%rcx\n"
			 "loopne 3b\n"
			 "4: jrcxz 5f\n"
			 "dec %%rcx\n"
			 "jmp 4b\n"
			 "5:\n"
			 : "+r"(rounds)
			 :
			 : "rcx", "cc");
	return rounds == 1000 + 100 + 41 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Of a child that is program, or of argv when that is NULL. */
static bool run_in_lockstep(
    char **argv, int (*program)(void), unsigned long most, struct lockstep *lockstep)
{
	static struct native *volatile native; /* lives as long as the process, as in rr */
	bool same = true;
	int status;

	native = native_new();
	*lockstep = (struct lockstep){.native = native, .tid = fork()};
	if (lockstep->tid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		if (program) {
			raise(SIGSTOP);
			_exit(program());
		}
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(lockstep->tid, &status, 0);
	while (same && !lockstep->ended && lockstep->native_instructions < most)
		same = compare_episode(lockstep);
	kill(lockstep->tid, SIGKILL);
	waitpid(lockstep->tid, &status, 0);
	return same || lockstep->ended;
}

START_TEST(episodes_compute_what_the_processor_does)
{
	char *argv[] = {"/bin/true", NULL};
	struct lockstep lockstep;

	ck_assert(run_in_lockstep(argv, NULL, 20000, &lockstep));
	ck_assert_uint_gt(lockstep.native_instructions, 10000);
	ck_assert_uint_lt(lockstep.stepped, lockstep.native_instructions / 20);
}
END_TEST

START_TEST(what_is_written_at_one_address_is_read_at_another)
{
	struct lockstep lockstep;

	ck_assert(run_in_lockstep(NULL, write_here_and_read_there, ~0ul, &lockstep));
	ck_assert(lockstep.ended);
	ck_assert_uint_gt(lockstep.stepped, 2 * 100);
}
END_TEST

START_TEST(loops_that_count_with_rcx_stay_in_the_episode)
{
	struct lockstep lockstep;

	ck_assert(run_in_lockstep(NULL, count_with_rcx, ~0ul, &lockstep));
	ck_assert(lockstep.ended);
	ck_assert_uint_gt(lockstep.native_instructions, 2 * 1000 + 3 * 141 + 3 * 59);
	ck_assert_uint_lt(lockstep.stepped, 100);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite;
	TCase *tests;
	SRunner *runner;
	int failed;

	if (argc > 1) {
		struct lockstep lockstep;
		bool same = run_in_lockstep(argv + 1, NULL, ~0ul, &lockstep);

		printf("%s: %lu instructions in %lu episodes, %lu stepped\n",
		    same ? "same" : "DIFFERS", lockstep.native_instructions, lockstep.episodes,
		    lockstep.stepped);
		return same ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	suite = suite_create("softpmu native");
	tests = tcase_create("episodes");
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, episodes_compute_what_the_processor_does);
	tcase_add_test(tests, what_is_written_at_one_address_is_read_at_another);
	tcase_add_test(tests, loops_that_count_with_rcx_stay_in_the_episode);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
