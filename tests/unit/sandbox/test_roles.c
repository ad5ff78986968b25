/*
 * Makes every call of every role under its filter. The arguments are nonsense (bad pointers, bad
 * descriptors), so an error from the kernel itself, EFAULT or EBADF, shows that the call passed.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/drop.h"
#include "sandbox/roles.h"
#include "sandbox/seccomp.h"
#include "tests/unit/sandbox/expected.h"
#include "tests/runner.h"

#define NOT_REACHED 1000000
#define TRAPPED	    1000001
#define DIED	    1000002 /* plus the signal */
#define HANG_S	    5

struct call {
	const char *name;
	long number;
	const char *roles;
};

static const struct call calls[] = {
#define X(name, roles) {#name, SCMP_SYS(name), roles},
    EXPECTED(X)
#undef X
};
#define CALLS (sizeof(calls) / sizeof(*calls))

static const struct {
	char letter;
	enum sandbox_role role;
} roles[] = {{'S', ROLE_SUPERVISOR}, {'W', ROLE_WORKER}, {'R', ROLE_RR_REPLAY}, {'G', ROLE_GDB},
    {'Q', ROLE_QUERY}, {'X', ROLE_CHANGE}, {'T', ROLE_STATUS}, {'C', ROLE_RECORDER},
    {'A', ROLE_STARTER}};
#define ROLES TIMES(roles)

/* Shared with the probing children: 0 or an errno, or one of the above. */
static long *answers;
static volatile sig_atomic_t trapped;

static void on_trap(int number)
{
	(void)number;
	trapped = 1;
}

static void lock_down(const struct role_rules *rules)
{
	signal(SIGALRM, SIG_DFL); /* Check's own would end the test */
	if (drop_new_privs() < 0 || drop_capabilities(0) < 0 ||
	    seccomp_enter(rules, rules->compat != COMPAT_NEVER) != SECCOMP_LOADED)
		_exit(1);
	signal(SIGSYS, on_trap);
}

static const struct syscall_row *conditional_row(const struct role_rules *rules, long number)
{
	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++)
			if (rules->groups[g]->rows[i].number == number &&
			    rules->groups[g]->rows[i].when.mask)
				return &rules->groups[g]->rows[i];
	return NULL;
}

static long make(const struct call *call, const long *a)
{
	trapped = 0;
	errno = 0;
	/* the test is that vfork is refused. NOLINTNEXTLINE */
	long result = call->number == SYS_vfork
			  ? vfork() /* NOLINT */
			  : syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);

	if (trapped)
		return TRAPPED;
	if (result == 0 && (call->number == SYS_fork || call->number == SYS_vfork))
		_exit(0);
	return result == -1 ? errno : 0;
}

#define NO_SUCH_VALUE 0x7ffffff0 /* no row compares an argument with it */

static void satisfy(long *a, const struct condition *condition)
{
	if (condition->mask)
		a[condition->argument] =
		    condition->value == ARGUMENT_SELF ? getpid() : (long)condition->value;
}

/* Several rows may allow several values: breaking one must not lead to another. */
static void violate(long *a, const struct condition *condition)
{
	if (condition->mask == UINT32_MAX)
		a[condition->argument] = NO_SUCH_VALUE;
	else
		a[condition->argument] ^= (long)(condition->mask & -condition->mask);
}

/* Nonsense, except where a condition asks for a value; `wrong` breaks the first condition. */
static long probe(const struct role_rules *rules, const struct call *call, bool wrong)
{
	const struct syscall_row *row = conditional_row(rules, call->number);
	long a[6] = {-1, -1, -1, -1, -1, -1};

	/* flags that the kernel refuses by itself, and that no condition asks about */
	if (call->number == SYS_clone)
		a[0] = CLONE_THREAD;
	if (call->number == SYS_kill) /* -1 is everybody */
		a[0] = NO_SUCH_VALUE;
	if (row) {
		satisfy(a, &row->also);
		satisfy(a, &row->and);
		satisfy(a, &row->when);
		if (wrong)
			violate(a, &row->when);
	}
	if (row && call->number == SYS_clone && !wrong)
		a[0] = CLONE_THREAD;
	return make(call, a);
}

/* Calls that end, suspend or replace the caller run in a child of their own. */
static bool is_drastic(long number)
{
	static const long drastic[] = {SYS_exit, SYS_exit_group, SYS_pause, SYS_rt_sigreturn,
	    SYS_fork, SYS_vfork, SYS_setsid, SYS_restart_syscall};

	for (size_t i = 0; i < sizeof(drastic) / sizeof(*drastic); i++)
		if (drastic[i] == number)
			return true;
	return false;
}

static void wait_and_note(pid_t child, long *answer)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status) && answer)
		*answer = DIED + WTERMSIG(status);
	else if (answer && *answer == NOT_REACHED)
		*answer = 0; /* it ended as it was asked to */
}

static void probe_all(const struct role_rules *rules, bool wrong)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(HANG_S);
		lock_down(rules);
		for (size_t i = 0; i < CALLS; i++)
			if (!is_drastic(calls[i].number) && calls[i].number != SYS_alarm)
				answers[i] = probe(rules, &calls[i], wrong);
		_exit(0);
	}
	wait_and_note(child, NULL);
	for (size_t i = 0; i < CALLS && !wrong; i++) { /* none of them has a condition */
		if (!is_drastic(calls[i].number) && calls[i].number != SYS_alarm)
			continue;
		child = fork();
		if (child == 0) {
			alarm(1);
			lock_down(rules);
			answers[i] = probe(rules, &calls[i], wrong);
			_exit(0);
		}
		wait_and_note(child, &answers[i]);
	}
}

static bool is_refused(const struct role_rules *rules, long number, long answer)
{
	if (number > SYSCALL_KNOWN_MAX)
		return answer == ENOSYS;
	return rules->otherwise == VERDICT_TRAP ? answer == TRAPPED : answer == EPERM;
}

static bool is_absent(const struct role_rules *rules, long number)
{
	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++)
			if (rules->groups[g]->rows[i].number == number &&
			    rules->groups[g]->rows[i].verdict == VERDICT_ENOSYS)
				return true;
	return false;
}

static void check_answer(int role, const struct call *call, long answer)
{
	const struct role_rules *rules = &role_rules[roles[role].role];
	bool listed = strchr(call->roles, roles[role].letter) ||
		      strchr(call->roles, roles[role].letter + 'a' - 'A');

	if (is_absent(rules, call->number))
		ck_assert_msg(
		    answer == ENOSYS, "%s: %s is not absent: %ld", rules->name, call->name, answer);
	else if (listed)
		ck_assert_msg(answer != NOT_REACHED && answer != DIED + SIGSYS &&
				  !is_refused(rules, call->number, answer),
		    "%s: %s is to pass and does not: %ld", rules->name, call->name, answer);
	else
		ck_assert_msg(is_refused(rules, call->number, answer),
		    "%s: %s is to be refused and is not: %ld", rules->name, call->name, answer);
}

static void set_up(void)
{
	answers = mmap(NULL, CALLS * sizeof(*answers), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(answers, MAP_FAILED);
	for (size_t i = 0; i < CALLS; i++)
		answers[i] = NOT_REACHED;
}

static void tear_down(void)
{
	munmap(answers, CALLS * sizeof(*answers));
}

START_TEST(a_role_may_call_what_its_table_says_and_nothing_else)
{
	probe_all(&role_rules[roles[_i].role], false);
	for (size_t i = 0; i < CALLS; i++)
		check_answer(_i, &calls[i], answers[i]);
}
END_TEST

START_TEST(a_condition_on_arguments_holds)
{
	const struct role_rules *rules = &role_rules[roles[_i].role];

	probe_all(rules, true);
	for (size_t i = 0; i < CALLS; i++)
		if (strchr(calls[i].roles, roles[_i].letter + 'a' - 'A') &&
		    conditional_row(rules, calls[i].number))
			ck_assert_msg(is_refused(rules, calls[i].number, answers[i]),
			    "%s: %s passes with wrong arguments: %ld", rules->name, calls[i].name,
			    answers[i]);
}
END_TEST

/*
 * Calls as attackers made them, with arguments that the kernel itself takes from anybody, or
 * refuses with another error than a filter does. So what the tables say of arguments is not tested
 * against the tables alone.
 */
#define OTHER  (-77) /* the number of another process of the user */
#define BUFFER (-78) /* bytes that can be read and written */
#define NOBODY ""    /* no role may */
#define MPTCP  262
#define THREAD CLONE_THREAD /* alone, it is EINVAL before anything is made */

/* clang-format off */
static const struct attack {
	const char *what;
	long number, arguments[6];
	const char *allowed; /* the letters of the roles that may */
} attacks[] = {
    {"another's processors", SYS_sched_setaffinity, {OTHER, 8, BUFFER}, NOBODY},
    {"own processors", SYS_sched_setaffinity, {0, 8, BUFFER}, "RQXTCA"},
    {"a processor's counter", SYS_perf_event_open, {BUFFER, -1, 0, -1, 0}, NOBODY},
    {"a task's on one processor", SYS_perf_event_open, {BUFFER, 0, 0, -1, 0}, NOBODY},
    {"a task's counter", SYS_perf_event_open, {BUFFER, 0, -1, -1, 0}, "RTA"},
    {"another's limits", SYS_prlimit64, {OTHER, RLIMIT_NOFILE, 0, BUFFER}, NOBODY},
    {"own limits", SYS_prlimit64, {0, RLIMIT_NOFILE, 0, BUFFER}, "SWRGQXTCA"},
    {"a user namespace", SYS_clone, {THREAD | CLONE_NEWUSER}, NOBODY},
    {"a mount namespace", SYS_clone, {THREAD | CLONE_NEWNS}, NOBODY},
    {"a process namespace", SYS_clone, {THREAD | CLONE_NEWPID}, NOBODY},
    {"a network namespace", SYS_clone, {THREAD | CLONE_NEWNET}, NOBODY},
    {"an ipc namespace", SYS_clone, {THREAD | CLONE_NEWIPC}, NOBODY},
    {"a host name's namespace", SYS_clone, {THREAD | CLONE_NEWUTS}, NOBODY},
    {"a control group's namespace", SYS_clone, {THREAD | CLONE_NEWCGROUP}, NOBODY},
    {"a process with a namespace", SYS_clone, {SIGCHLD | CLONE_NEWUSER}, NOBODY},
    {"clone3", SYS_clone3, {BUFFER, 64}, NOBODY},
    {"a unix socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, NOBODY},
    {"a UDP socket", SYS_socket, {AF_INET, SOCK_DGRAM, 0}, NOBODY},
    {"an IPv6 socket", SYS_socket, {AF_INET6, SOCK_STREAM, 0}, NOBODY},
    {"an MPTCP socket", SYS_socket, {AF_INET, SOCK_STREAM, MPTCP}, NOBODY},
    {"a netlink socket", SYS_socket, {AF_NETLINK, SOCK_DGRAM, 0}, NOBODY},
    {"a vsock socket", SYS_socket, {AF_VSOCK, SOCK_STREAM, 0}, NOBODY},
    {"a pair without a connection", SYS_socketpair, {AF_UNIX, SOCK_DGRAM, 0, BUFFER}, NOBODY},
    {"the same by another name", SYS_socketpair, {AF_UNIX, SOCK_RAW, 0, BUFFER}, NOBODY},
    {"a pair with a connection", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, BUFFER}, "RA"},
    {"TCP Fast Open", SYS_sendto, {-1, BUFFER, 1, MSG_FASTOPEN, BUFFER, 16}, NOBODY},
    {"TCP Fast Open by message", SYS_sendmsg, {-1, BUFFER, MSG_FASTOPEN}, NOBODY},
    {"typing into a terminal", SYS_ioctl, {0, TIOCSTI, BUFFER}, NOBODY},
    {"a descriptor's signals", SYS_fcntl, {0, F_SETOWN, OTHER}, NOBODY},
    {"a signal to another", SYS_kill, {OTHER, 0}, "WQXTCA"},
};
/* clang-format on */

/* Without capabilities, because the kernel keeps its owner's other processes from one that has
 * any. */
static pid_t start_other(void)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(2 * HANG_S);
		signal(SIGALRM, SIG_DFL);
		drop_capabilities(0);
		for (;;)
			pause();
	}
	ck_assert_int_gt(child, 0);
	return child;
}

static long argument_of(long argument, pid_t other)
{
	static char buffer[4096] = {1};

	return argument == OTHER ? other : argument == BUFFER ? (long)buffer : argument;
}

static void make_attacks(const struct role_rules *rules, pid_t other)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(HANG_S);
		lock_down(rules);
		for (int i = 0; i < TIMES(attacks); i++) {
			const struct call call = {attacks[i].what, attacks[i].number, ""};
			long arguments[6];
			for (int a = 0; a < 6; a++)
				arguments[a] = argument_of(attacks[i].arguments[a], other);
			answers[i] = make(&call, arguments);
		}
		_exit(0);
	}
	wait_and_note(child, NULL);
}

START_TEST(what_attackers_called_is_refused)
{
	const struct role_rules *rules = &role_rules[roles[_i].role];
	pid_t other = start_other();

	make_attacks(rules, other);
	for (int i = 0; i < TIMES(attacks); i++) {
		bool may = strchr(attacks[i].allowed, roles[_i].letter) != NULL;
		bool refused = is_refused(rules, attacks[i].number, answers[i]) ||
			       (is_absent(rules, attacks[i].number) && answers[i] == ENOSYS);
		ck_assert_msg(answers[i] != NOT_REACHED && refused == !may, "%s: %s: %ld",
		    rules->name, attacks[i].what, answers[i]);
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}
END_TEST

static const struct call *find_call(long number)
{
	for (size_t i = 0; i < CALLS; i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

START_TEST(every_row_has_a_probe)
{
	const struct role_rules *rules = &role_rules[roles[_i].role];

	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++) {
			const struct syscall_row *row = &rules->groups[g]->rows[i];
			const struct call *call = find_call(row->number);

			if (row->number < 0 || row->verdict == VERDICT_ENOSYS) /* 32-bit only */
				continue;
			ck_assert_msg(
			    call != NULL, "%s: %d has no probe", rules->name, row->number);
			ck_assert_msg(strchr(call->roles, roles[_i].letter) ||
					  strchr(call->roles, roles[_i].letter + 'a' - 'A'),
			    "%s: %s is in the table, but not expected", rules->name, call->name);
			ck_assert_msg(row->when.mask || row->verdict == VERDICT_ONCE ||
					  strchr(call->roles, roles[_i].letter),
			    "%s: %s has lost its condition", rules->name, call->name);
		}
}
END_TEST

START_TEST(no_row_says_what_goes_without_saying)
{
	const struct role_rules *rules = &role_rules[_i];

	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++)
			ck_assert_int_ne(rules->groups[g]->rows[i].verdict, rules->otherwise);
}
END_TEST

/* The wait status of a child that makes one call under a role. */
static int status_of(enum sandbox_role role, long number)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		lock_down(&role_rules[role]);
		signal(SIGSYS, SIG_DFL);
		_exit(syscall(number, -1, -1, -1, -1, -1, -1) == -1 ? errno : 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

START_TEST(a_recorded_program_dies_of_what_no_program_does)
{
	const struct syscall_group *rows = role_rules[ROLE_RECORD].groups[0];

	ck_assert_uint_ge(rows->count, 8);
	for (size_t i = 0; i < rows->count; i++) {
		int status = status_of(ROLE_RECORD, rows->rows[i].number);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	}
	/* the kernel itself answers calls that a program may try */
	int status = status_of(ROLE_RECORD, SYS_mount);
	ck_assert(WIFEXITED(status));
}
END_TEST

START_TEST(a_recording_is_never_answered_in_the_kernels_place)
{
	const struct role_rules *rules = &role_rules[_i ? ROLE_LAUNCHER : ROLE_RECORD];

	ck_assert_int_eq(rules->otherwise, VERDICT_ALLOW);
	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++)
			ck_assert_int_eq(rules->groups[g]->rows[i].verdict, VERDICT_KILL);
}
END_TEST

START_TEST(calls_newer_than_the_tables_do_not_exist)
{
	const struct role_rules *rules = &role_rules[roles[_i].role];

	ck_assert_int_eq(status_of(roles[_i].role, SYSCALL_KNOWN_MAX + 1), ENOSYS << 8);
	/* rr asks by this number whether it runs under rr */
	ck_assert_int_eq(status_of(roles[_i].role, 1008), ENOSYS << 8);
	(void)rules;
}
END_TEST

#ifdef __x86_64__
START_TEST(an_x32_call_kills)
{
	int status = status_of(roles[_i].role, 0x40000000 | SYS_getpid);

	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}
END_TEST
#endif

int main(void)
{
	const struct looped tests[] = {
	    {a_role_may_call_what_its_table_says_and_nothing_else, ROLES},
	    {a_condition_on_arguments_holds, ROLES},
	    {what_attackers_called_is_refused, ROLES},
	    {every_row_has_a_probe, ROLES},
	    {no_row_says_what_goes_without_saying, ROLE_COUNT},
	    {a_recorded_program_dies_of_what_no_program_does, 1},
	    {a_recording_is_never_answered_in_the_kernels_place, 2},
	    {calls_newer_than_the_tables_do_not_exist, ROLES},
#ifdef __x86_64__
	    {an_x32_call_kills, ROLES},
#endif
	    {NULL, 0},
	};

	return run_loops("roles", tests, set_up, tear_down);
}
