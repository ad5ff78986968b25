/*
 * What 32-bit programs may call: their numbers are others, and some calls have their arguments in
 * memory, where no filter looks.
 */
#include <check.h>
#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/drop.h"
#include "sandbox/roles.h"
#include "sandbox/seccomp.h"
#include "tests/runner.h"

#ifdef __x86_64__
static const enum sandbox_role roles[] = {ROLE_SUPERVISOR, ROLE_WORKER, ROLE_RR_REPLAY, ROLE_GDB,
    ROLE_QUERY, ROLE_CHANGE, ROLE_STATUS, ROLE_RECORDER, ROLE_STARTER};

static long call_32_bit_with(long number, long first, long second, long third)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(first), "c"(second), "d"(third)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static long call_32_bit(long number, long argument)
{
	return call_32_bit_with(number, argument, -1, -1);
}

/* Without these calls, which some kernels and hypervisors do not have, int 0x80 is a fault. */
static bool has_32_bit_calls(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		_exit(call_32_bit(20 /* getpid */, -1) > 0 ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
	return status == 0;
}

/* Names that only 32-bit programs know have negative numbers here. */
static long number_for_32_bit(int number)
{
	cleanup_free char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
	long result = name == NULL ? -1 : seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86, name);

	return result;
}

static void lock_down(const struct role_rules *rules)
{
	signal(SIGALRM, SIG_DFL); /* Check's own would end the test */
	if (drop_new_privs() < 0 || drop_capabilities(0) < 0 ||
	    seccomp_enter(rules, rules->compat != COMPAT_NEVER) != SECCOMP_LOADED)
		_exit(1);
}

/* 0 if the filter let it pass, EPERM if not. Other results come from the call itself. */
static int try_32_bit(const struct role_rules *rules, long number, long argument)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		/* sigreturn continues wherever the stack happens to say, and no sanitizer may catch
		 * that */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		signal(SIGILL, SIG_DFL);
		lock_down(rules);
		signal(SIGSYS, SIG_DFL);
		_exit(call_32_bit(number, argument) == -EPERM ? EPERM : 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSYS ? EPERM : 0;
	return WEXITSTATUS(status);
}

START_TEST(every_32_bit_row_passes_and_others_do_not)
{
	const struct role_rules *rules = &role_rules[ROLE_RR_REPLAY];
	size_t tried = 0;

	if (!has_32_bit_calls())
		return;
	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++) {
			const struct syscall_row *row = &rules->groups[g]->rows[i];
			long number = number_for_32_bit(row->number);
			if (row->number >= 0)
				continue;
			ck_assert_int_gt(number, 0);
			ck_assert_msg(try_32_bit(rules, number,
					  row->when.mask ? (long)row->when.value : -1) == 0,
			    "row %zu of group %zu", i, g);
			tried++;
		}
	ck_assert_uint_gt(tried, 5);
	ck_assert_int_eq(try_32_bit(rules, 360 /* socketpair, of no known type */, AF_UNIX), EPERM);
	ck_assert_int_eq(try_32_bit(rules, 21 /* mount */, -1), EPERM);
	ck_assert_int_eq(try_32_bit(rules, 23 /* setuid */, -1), EPERM);
}
END_TEST

/* Memory that a 32-bit pointer reaches, with a descriptor and a family that nobody has. */
static char *low_memory(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT;
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	memset(memory, 99, 4096);
	return memory;
}

/* The first call of `number` that its arguments in memory, wherever these are, decide differently
 * than `passes` does; 0: there is none. */
static int first_wrong(long number, int last, const char *memory, bool (*passes)(int))
{
	for (int call = 0; call <= last; call++)
		for (int low = 0; low < 16; low++)
			for (int third = -1; third < 4; third++) {
				long result =
				    call_32_bit_with(number, call, (long)(memory + low), third);
				if ((result != -EPERM) != passes(call))
					return call + 1;
			}
	return 0;
}

static bool passes_socketcall(int call)
{
	return call == 16 /* sendmsg */ || call == 17 /* recvmsg */;
}

static bool passes_ipc(int call)
{
	(void)call;
	return false;
}

/* Conditions on the arguments of socketcall and ipc see a pointer and no more. */
START_TEST(of_calls_with_arguments_in_memory_pass_two)
{
	const struct role_rules *rules = &role_rules[_i ? ROLE_STARTER : ROLE_RR_REPLAY];
	const char *memory = low_memory();
	pid_t child;
	int status;

	if (!has_32_bit_calls())
		return;
	child = fork();
	if (child == 0) {
		int wrong;
		lock_down(rules);
		wrong = first_wrong(102 /* socketcall */, 21, memory, passes_socketcall);
		_exit(wrong != 0 ? wrong : first_wrong(117 /* ipc */, 24, memory, passes_ipc));
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(status == 0, "call %d, status %d", WEXITSTATUS(status) - 1, status);
}
END_TEST

START_TEST(a_32_bit_call_kills_where_no_32_bit_program_runs)
{
	enum sandbox_role role = roles[_i];
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		lock_down(&role_rules[role]);
		_exit(call_32_bit(20 /* getpid */, -1) > 0 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	if (!has_32_bit_calls())
		ck_assert(WIFSIGNALED(status));
	else if (role_rules[role].compat != COMPAT_NEVER)
		ck_assert_int_eq(status, 0);
	else
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}
END_TEST

#endif

int main(void)
{
	const struct looped tests[] = {
#ifdef __x86_64__
	    {every_32_bit_row_passes_and_others_do_not, 1},
	    {of_calls_with_arguments_in_memory_pass_two, 2},
	    {a_32_bit_call_kills_where_no_32_bit_program_runs, TIMES(roles)},
#endif
	    {NULL, 0},
	};

	return run_loops("roles_32", tests, NULL, NULL);
}
