/*
 * Makes a filter from a table, with libseccomp. Must never allow a call that the table does not
 * name, nor one of another architecture by mistake.
 */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/proto.h"

#define FILTER_MAX	 4096 /* instructions: what the kernel takes */
#define SOCKET_CALLS_MAX 16   /* of socketcall, in a role */
#define I386_SOCKETCALL	 102

static void cleanup_filter(scmp_filter_ctx *filter)
{
	if (*filter)
		seccomp_release(*filter);
}

static uint32_t action_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_ALLOW:
		return SCMP_ACT_ALLOW;
	case VERDICT_EPERM:
		return SCMP_ACT_ERRNO(EPERM);
	case VERDICT_ENOSYS:
		return SCMP_ACT_ERRNO(ENOSYS);
	case VERDICT_TRAP:
		return SCMP_ACT_TRAP;
	case VERDICT_KILL:
		return SCMP_ACT_KILL_PROCESS;
	case VERDICT_ONCE:
		return SCMP_ACT_NOTIFY;
	}
	return SCMP_ACT_KILL_PROCESS;
}

static int add_row(scmp_filter_ctx filter, const struct syscall_row *row, bool once)
{
	const struct condition *const conditions[] = {&row->when, &row->and, &row->also};
	enum verdict verdict = row->verdict == VERDICT_ONCE && !once ? VERDICT_ALLOW : row->verdict;
	struct scmp_arg_cmp compare[3];
	unsigned count = 0;

	for (size_t i = 0; i < 3; i++) {
		uint64_t value = conditions[i]->value;
		if (!conditions[i]->mask)
			continue;
		if (value == ARGUMENT_SELF)
			value = (uint64_t)getpid();
		compare[count++] = SCMP_CMP(
		    conditions[i]->argument, SCMP_CMP_MASKED_EQ, conditions[i]->mask, value);
	}
	return seccomp_rule_add_array(filter, action_of(verdict), row->number, count, compare);
}

static int add_rows(scmp_filter_ctx filter, const struct role_rules *rules, bool once)
{
	int result = 0;

	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; result == 0 && i < rules->groups[g]->count; i++) {
			result = add_row(filter, &rules->groups[g]->rows[i], once);
			if (result == -EDOM) /* a call that this architecture does not have */
				result = 0;
		}
	return result;
}

static int build(scmp_filter_ctx filter, const struct role_rules *rules, bool once, bool compat)
{
	int result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (result == 0 && compat && seccomp_arch_native() == SCMP_ARCH_X86_64)
		result = seccomp_arch_add(filter, SCMP_ARCH_X86);
	/* No balanced tree, because the kernel keeps a bitmap of what is always allowed, and a tree
	 * would take twice the time to build. */
	return result == 0 ? add_rows(filter, rules, once) : result;
}

static bool has_once(const struct role_rules *rules)
{
	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++)
			if (rules->groups[g]->rows[i].verdict == VERDICT_ONCE)
				return true;
	return false;
}

/*
 * Allows every exec until one succeeds. That exec ends this thread and closes the listener, which
 * is CLOEXEC. From then on the kernel answers ENOSYS.
 */
static void *permit_exec(void *argument)
{
	struct seccomp_notif *request = NULL;
	struct seccomp_notif_resp *response = NULL;
	int source = *(int *)argument, listener;

	if (read(source, &listener, sizeof(listener)) != sizeof(listener) ||
	    seccomp_notify_alloc(&request, &response) != 0)
		return NULL;
	while (seccomp_notify_receive(listener, request) == 0) {
		memset(response, 0, sizeof(*response));
		response->id = request->id;
		response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		(void)seccomp_notify_respond(listener, response);
		memset(request, 0, sizeof(*request));
	}
	return NULL;
}

/* Starts before the filter loads, so the thread is not under it. */
static int start_permitting(int source[2])
{
	pthread_t thread;
	int error;

	if (pipe2(source, O_CLOEXEC) < 0)
		return -1;
	error = pthread_create(&thread, NULL, permit_exec, &source[0]);
	if (error) {
		errno = error;
		return -1;
	}
	pthread_detach(thread);
	return 0;
}

/* The calls of socketcall that a role may make, as conditions on its first argument. */
static size_t socket_calls(const struct role_rules *rules, struct sock_filter *jumps)
{
	size_t count = 0;

	for (size_t g = 0; g < ROLE_GROUPS_MAX && rules->groups[g]; g++)
		for (size_t i = 0; i < rules->groups[g]->count; i++) {
			const struct syscall_row *row = &rules->groups[g]->rows[i];
			if (row->number == SCMP_SYS(socketcall) && count < SOCKET_CALLS_MAX)
				jumps[count++] = (struct sock_filter)BPF_JUMP(
				    BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)row->when.value, 0, 0);
		}
	return count;
}

/*
 * For 32-bit programs, libseccomp (2.5: arch-x86.c) makes each row of socket, bind and the like
 * hold for socketcall too. But the arguments of that lie in memory, and the row's conditions would
 * be asked of the pointer. So socketcall is for rows that name it. Returns the count.
 */
static size_t guard_socketcall(const struct role_rules *rules, struct sock_filter *program)
{
	struct sock_filter jumps[SOCKET_CALLS_MAX];
	uint8_t calls = (uint8_t)socket_calls(rules, jumps);
	const struct sock_filter head[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 0, calls + 4),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, I386_SOCKETCALL, 0, calls + 2),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	};
	const size_t begin = sizeof(head) / sizeof(*head);

	memcpy(program, head, sizeof(head));
	for (uint8_t i = 0; i < calls; i++) {
		jumps[i].jt = calls - i; /* behind the refusal */
		program[begin + i] = jumps[i];
	}
	program[begin + calls] =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action_of(rules->otherwise));
	return begin + calls + 1;
}

/* What goes before libseccomp's instructions, which cannot say "any other number". Nothing if
 * everything else is allowed: no call may be answered in place of the kernel then. */
static size_t begin_filter(const struct role_rules *rules, bool compat, struct sock_filter *program)
{
	static const struct sock_filter absent[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 2, 0), /* x32: a foreign architecture */
	    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYSCALL_KNOWN_MAX, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	size_t count;

	if (rules->otherwise == VERDICT_ALLOW)
		return 0;
	count = compat ? guard_socketcall(rules, program) : 0;
	memcpy(program + count, absent, sizeof(absent));
	return count + sizeof(absent) / sizeof(*absent);
}

/* The filter as instructions, behind `count` of ours. Returns the count of all, -1 with errno. */
static int export_filter(
    scmp_filter_ctx filter, size_t count, struct sock_filter *program, size_t max)
{
	cleanup_fd int memory = memfd_create("seccomp", MFD_CLOEXEC);
	ssize_t got;
	int result;

	if (memory < 0)
		return -1;
	result = seccomp_export_bpf(filter, memory);
	if (result < 0) {
		errno = -result;
		return -1;
	}
	got = pread(memory, program + count, (max - count) * sizeof(*program), 0);
	if (got <= 0 || (size_t)got % sizeof(*program) != 0 ||
	    (size_t)got == (max - count) * sizeof(*program)) {
		errno = E2BIG;
		return -1;
	}
	return (int)(count + (size_t)got / sizeof(*program));
}

/* Builds and loads; with `once` returns the listener of the exec, else 0. -1 with errno. */
static int build_and_load(const struct role_rules *rules, bool once, bool compat)
{
	__attribute__((cleanup(cleanup_filter))) scmp_filter_ctx filter =
	    seccomp_init(action_of(rules->otherwise));
	struct sock_filter program[FILTER_MAX];
	struct sock_fprog loaded = {.filter = program};
	int result = filter ? build(filter, rules, once, compat) : -ENOMEM;

	if (result < 0) {
		errno = -result;
		return -1;
	}
	result = export_filter(filter, begin_filter(rules, compat, program), program, FILTER_MAX);
	if (result < 0)
		return -1;
	loaded.len = (unsigned short)result;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    once ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &loaded);
}

static enum seccomp_result load(const struct role_rules *rules, bool once, bool compat)
{
	static int source[2]; /* outlives this frame: the thread reads it */
	int listener;

	if (once && start_permitting(source) < 0)
		return SECCOMP_FAILED;
	listener = build_and_load(rules, once, compat);
	if (listener < 0)
		return SECCOMP_FAILED;
	if (once && write(source[1], &listener, sizeof(listener)) != sizeof(listener))
		return SECCOMP_FAILED;
	return SECCOMP_LOADED;
}

static void say(int fd, const char *text, size_t length)
{
	if (write(fd, text, length) < 0)
		return; /* there is no place left to report it */
}

/* In a signal handler: only async-signal-safe calls, and only those that the filters allow. */
static size_t format_number(char *text, unsigned number)
{
	char digits[12];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	for (size_t i = 0; i < count; i++)
		text[i] = digits[count - 1 - i];
	return count;
}

static void tell_channel(unsigned number)
{
	static const char before[] = "{\"syscall\":";
	char packet[sizeof(struct wire_header) + sizeof(before) + 16];
	struct wire_header header = {.type = WIRE_VIOLATION};
	size_t length = sizeof(header);

	memcpy(packet + length, before, sizeof(before) - 1);
	length += sizeof(before) - 1;
	length += format_number(packet + length, number);
	packet[length++] = '}';
	header.len = (uint32_t)(length - sizeof(header));
	memcpy(packet, &header, sizeof(header));
	(void)send(WORKER_CHANNEL_FD, packet, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static _Noreturn void tell_and_die(unsigned number)
{
	static const char before[] = "rr-warden: error: the sandbox refused system call ";
	char line[sizeof(before) + 16];
	size_t length = sizeof(before) - 1;

	memcpy(line, before, length);
	length += format_number(line + length, number);
	line[length++] = '\n';
	say(STDERR_FILENO, line, length);
	/* Not raise(): init of a pid namespace ignores its own signals, but not the kernel's. */
	signal(SIGSYS, SIG_DFL);
	(void)syscall(SYS_kexec_load, 0, 0, NULL, 0);
	_exit(128 + SIGSYS);
}

static void on_violation(int signal_number, siginfo_t *info, void *context)
{
	(void)signal_number;
	(void)context;
	tell_and_die((unsigned)info->si_syscall);
}

static void on_worker_violation(int signal_number, siginfo_t *info, void *context)
{
	(void)signal_number;
	(void)context;
	tell_channel((unsigned)info->si_syscall);
	tell_and_die((unsigned)info->si_syscall);
}

static int report_violations(const struct role_rules *rules)
{
	bool is_worker = rules == &role_rules[ROLE_WORKER];
	struct sigaction action = {
	    .sa_flags = SA_SIGINFO, .sa_sigaction = is_worker ? on_worker_violation : on_violation};

	return rules->reports ? sigaction(SIGSYS, &action, NULL) : 0;
}

enum seccomp_result seccomp_enter(const struct role_rules *rules, bool compat)
{
	bool once = has_once(rules);
	enum seccomp_result result;

	if (report_violations(rules) < 0)
		return SECCOMP_FAILED;
	result = load(rules, once, compat);
	if (result == SECCOMP_LOADED || !once)
		return result;
	/* EBUSY: a container has a listener of its own; EINVAL: before Linux 5.0 */
	return load(rules, false, compat) == SECCOMP_LOADED ? SECCOMP_EXEC_STAYS : SECCOMP_FAILED;
}
