/*
 * What a debug trap was whose status is lost, in a tracee that has the same memory as the test.
 */
#include "worker/softpmu/legs/trapcode.h"

#include <check.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/x86/eflags.h"

enum {
	WATCHED = 0x5000,
	AT = 20, /* of the code: what a leg begins with, or has ended behind */
	WRITES = 9,
	READS = 11, /* of the control register: 8 bytes, written; the same, or read */
};

static uint8_t code[64] __attribute__((aligned(64)));
static struct tracee tracee;
static struct user_regs_struct regs;
static uint64_t elsewhere; /* 0: the trap is where the tracee stands */

static void begin(void)
{
	processor_probe("");
	memset(code, 0x90, sizeof code);
	tracee = (struct tracee){.tid = fork()};
	if (tracee.tid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(tracee.tid, NULL, 0), tracee.tid);
	tracee.began = (struct user_regs_struct){.rip = (uint64_t)(uintptr_t)code + AT,
	    .rax = WATCHED,
	    .rcx = 7,
	    .rsp = 0x9000,
	    .rdi = 0x6000};
	regs = tracee.began;
}

static void end(void)
{
	kill(tracee.tid, SIGKILL);
	waitpid(tracee.tid, NULL, 0);
}

static void put(unsigned at, const char *bytes, size_t length)
{
	uint64_t word = 0;

	memcpy(code + at, bytes, length);
	for (size_t i = 0; i < sizeof code; i += sizeof word) {
		memcpy(&word, code + i, sizeof word);
		ck_assert_int_eq(ptrace(PTRACE_POKEDATA, tracee.tid, code + i, word), 0);
	}
}

#define PUT(at, bytes) put(at, bytes, sizeof(bytes) - 1)

/* rr has a debug register there, of this kind; 0: a breakpoint. */
static void watch(unsigned i, uint64_t address, unsigned kind)
{
	tracee.debug.rr_control |= 1ull << 2 * i | (uint64_t)kind << (16 + 4 * i);
	tracee.debug.rr_address[i] = address;
}

/* What the kernel says then is the same as what we are told. */
static void expect(int said, int code_then, uint64_t status)
{
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = said}, kernels;
	uint64_t had;

	info.si_addr = (void *)(uintptr_t)(regs.rip + elsewhere);
	ck_assert_int_eq(ptrace(PTRACE_SETSIGINFO, tracee.tid, 0, &info), 0);
	ck_assert_int_eq(
	    ptrace(PTRACE_POKEUSER, tracee.tid, debug_registers_offset(DEBUG_STATUS), 0), 0);
	trapcode_correct(&tracee, &info, &regs);
	ck_assert_int_eq(info.si_code, code_then);
	ck_assert_int_eq(ptrace(PTRACE_GETSIGINFO, tracee.tid, 0, &kernels), 0);
	ck_assert_int_eq(kernels.si_code, code_then);
	had =
	    (uint64_t)ptrace(PTRACE_PEEKUSER, tracee.tid, debug_registers_offset(DEBUG_STATUS), 0);
	ck_assert_uint_eq(had, status);
}

START_TEST(a_step_that_has_moved_has_retired)
{
	regs.rip++;
	expect(TRAP_BRKPT, TRAP_TRACE, DEBUG_STATUS_STEP);
	expect(TRAP_TRACE, TRAP_TRACE, 0); /* believed, and left alone */
	regs.eflags = FLAG_RESUME;
	expect(TRAP_HWBKPT, TRAP_TRACE, DEBUG_STATUS_STEP);
	ck_assert_uint_eq(regs.eflags, 0);
}
END_TEST

START_TEST(a_step_that_has_not_moved_has_not_retired)
{
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
	ck_assert(!trapcode_has_stepped(&tracee, &regs));
	PUT(AT, "\x75\x05"); /* jne further */
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
	ck_assert(!trapcode_has_stepped(&tracee, &regs));
}
END_TEST

START_TEST(a_branch_to_itself_has_retired)
{
	PUT(AT, "\x75\xfe"); /* jne to itself */
	expect(TRAP_BRKPT, TRAP_TRACE, DEBUG_STATUS_STEP);
	ck_assert(trapcode_has_stepped(&tracee, &regs));
	PUT(AT, "\xe2\xfe"); /* loop */
	regs.rcx--;
	expect(TRAP_BRKPT, TRAP_TRACE, DEBUG_STATUS_STEP);
}
END_TEST

START_TEST(a_repetition_changes_its_registers)
{
	PUT(AT, "\xf3\xa4"); /* rep movsb */
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
	regs.rcx--;
	expect(TRAP_BRKPT, TRAP_TRACE, DEBUG_STATUS_STEP);
}
END_TEST

START_TEST(a_system_call_says_so_itself)
{
	static const struct {
		const char *bytes;
		size_t length;
	} calls[] = {{"\x0f\x05", 2}, {"\x48\x0f\x05", 3}, {"\xcd\x80", 2}, {"\xf1", 1}};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		put(AT, calls[i].bytes, calls[i].length);
		regs.rip = tracee.began.rip + calls[i].length;
		expect(TRAP_BRKPT, TRAP_BRKPT, 0);
	}
	PUT(AT, "\x90\x90\x90");
	tracee.in_call = true;
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
}
END_TEST

START_TEST(a_breakpoint_of_rrs_comes_before_the_step)
{
	PUT(AT, "\x75\xfe");
	watch(2, tracee.began.rip, 0);
	expect(TRAP_BRKPT, TRAP_HWBKPT, 4);
	expect(TRAP_TRACE, TRAP_HWBKPT, 4);
	expect(TRAP_HWBKPT, TRAP_HWBKPT, 4);
	tracee.began.eflags = regs.eflags = FLAG_RESUME;
	expect(TRAP_BRKPT, TRAP_TRACE, DEBUG_STATUS_STEP);
	tracee.began.eflags = regs.eflags = 0;
	tracee.in_call = true; /* it was not there yet */
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
}
END_TEST

START_TEST(a_step_meets_what_it_touches)
{
	PUT(AT, "\x48\x89\x08"); /* mov %rcx,(%rax) */
	watch(0, WATCHED, WRITES);
	watch(1, WATCHED + 8, WRITES);
	watch(3, WATCHED, READS);
	regs.rip += 3;
	expect(TRAP_BRKPT, TRAP_TRACE, DEBUG_STATUS_STEP | 9);
	PUT(AT, "\x48\x8b\x00"); /* mov (%rax),%rax */
	regs.rax = 1;
	expect(TRAP_BRKPT, TRAP_TRACE, DEBUG_STATUS_STEP | 8);
}
END_TEST

/* A breakpoint of ours. */
static void hold(uint64_t address)
{
	tracee.debug.control = tracee.debug.rr_control | 1ull << 6;
	tracee.debug.address[3] = address;
}

START_TEST(a_run_ends_at_its_breakpoint)
{
	tracee.leg = LEG_REGION;
	regs.rip += 5;
	expect(TRAP_BRKPT, TRAP_BRKPT, 0); /* there is none */
	hold(regs.rip);
	expect(TRAP_BRKPT, TRAP_HWBKPT, 0);
	expect(TRAP_TRACE, TRAP_HWBKPT, 0);
	watch(1, regs.rip, 0); /* rr has one there, too */
	expect(TRAP_TRACE, TRAP_HWBKPT, 2);
	watch(0, WATCHED, READS); /* of data that nothing touches */
	expect(TRAP_TRACE, TRAP_HWBKPT, 2);
}
END_TEST

START_TEST(a_run_ends_behind_what_is_watched)
{
	tracee.leg = LEG_REGION;
	hold(regs.rip + 30);
	watch(0, WATCHED, WRITES);
	watch(1, 0x7000, WRITES);
	PUT(AT - 3, "\x48\x89\x08"); /* mov %rcx,(%rax) */
	expect(TRAP_BRKPT, TRAP_HWBKPT, 1);
	expect(TRAP_TRACE, TRAP_HWBKPT, 1);
	PUT(AT - 3, "\x90\x90\x50"); /* push %rax */
	regs.rsp = 0x7000;
	expect(TRAP_TRACE, TRAP_HWBKPT, 2);
	regs.rsp = 0x8000;
	expect(TRAP_TRACE, TRAP_HWBKPT, 3); /* nobody knows which */
	PUT(AT - 3, "\x90\x90\xf1");	    /* int1 */
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
}
END_TEST

START_TEST(in_the_cache_only_what_is_watched_stops_a_tracee)
{
	tracee.leg = LEG_CACHE;
	expect(TRAP_TRACE, TRAP_TRACE, 0);
	watch(2, WATCHED, READS);
	watch(1, 0x7000, WRITES);
	PUT(AT - 3, "\x48\x8b\x08"); /* mov (%rax),%rcx */
	expect(TRAP_TRACE, TRAP_HWBKPT, 4);
	expect(TRAP_BRKPT, TRAP_HWBKPT, 4);
	PUT(AT - 3, "\x90\x90\xaa"); /* stosb: rr compares what it watches for writes */
	expect(TRAP_BRKPT, TRAP_HWBKPT, 6);
	watch(3, UINT64_MAX - 7, WRITES); /* a mark of gdb's, where no program has memory */
	expect(TRAP_BRKPT, TRAP_HWBKPT, 6);
}
END_TEST

START_TEST(other_traps_are_left_alone)
{
	tracee.leg = LEG_CACHE;
	watch(2, WATCHED, READS);
	expect(SI_KERNEL, SI_KERNEL, 0);
	expect(TRAP_HWBKPT, TRAP_HWBKPT, 0);
	tracee.leg = LEG_SYSCALL;
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
}
END_TEST

/* Where the program has sent it to itself. */
START_TEST(a_signal_that_no_processor_raised_is_left_alone)
{
	regs.rip++;
	elsewhere = 0x1000;
	expect(TRAP_BRKPT, TRAP_BRKPT, 0);
	tracee.leg = LEG_CACHE;
	watch(2, WATCHED, READS);
	expect(TRAP_TRACE, TRAP_TRACE, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_step_that_has_moved_has_retired,
	    a_step_that_has_not_moved_has_not_retired,
	    a_branch_to_itself_has_retired,
	    a_repetition_changes_its_registers,
	    a_system_call_says_so_itself,
	    a_breakpoint_of_rrs_comes_before_the_step,
	    a_step_meets_what_it_touches,
	    a_run_ends_at_its_breakpoint,
	    a_run_ends_behind_what_is_watched,
	    in_the_cache_only_what_is_watched_stops_a_tracee,
	    other_traps_are_left_alone,
	    a_signal_that_no_processor_raised_is_left_alone,
	    NULL,
	};

	return run_tests("softpmu trapcode", tests, begin, end);
}
