/*
 * From table to filter, by libseccomp. Must never let a call pass that its table does not name, nor
 * one of a foreign architecture by oversight.
 */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/proto.h"

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
	case VERDICT_REFUSE:
		return SCMP_ACT_ERRNO(EPERM);
	case VERDICT_ABSENT:
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
	struct scmp_arg_cmp compare[2];
	enum verdict verdict = row->verdict == VERDICT_ONCE && !once ? VERDICT_ALLOW : row->verdict;
	unsigned count = 0;

	if (row->when.mask)
		compare[count++] = SCMP_CMP(
		    row->when.argument, SCMP_CMP_MASKED_EQ, row->when.mask, row->when.value);
	if (row->and.mask)
		compare[count++] =
		    SCMP_CMP(row->and.argument, SCMP_CMP_MASKED_EQ, row->and.mask, row->and.value);
	return seccomp_rule_add_array(filter, action_of(verdict), row->number, count, compare);
}

static int add_rows(
    scmp_filter_ctx filter, const struct role_policy *policy, bool once, bool foreign)
{
	int result = 0;

	for (size_t g = 0; g < POLICY_GROUPS_MAX; g++)
		for (size_t i = 0; result == 0 && i < policy->groups[g].count; i++) {
			const struct syscall_row *row = &policy->groups[g].rows[i];

			/* rr's own calls have no name that could be translated */
			if (foreign && row->number >= RR_CALL(0))
				continue;
			result = add_row(filter, row, once);
			if (result == -EDOM) /* a call that this architecture does not have */
				result = 0;
		}
	return result;
}

/* The same rows for 32-bit programs, where calls have other numbers. */
static int add_foreign(scmp_filter_ctx filter, const struct role_policy *policy, bool once)
{
	scmp_filter_ctx other;
	int result;

	if (!policy->foreign || seccomp_arch_native() != SCMP_ARCH_X86_64)
		return 0;
	other = seccomp_init(action_of(policy->otherwise));
	if (!other)
		return -ENOMEM;
	result = seccomp_arch_remove(other, SCMP_ARCH_NATIVE);
	if (result == 0)
		result = seccomp_arch_add(other, SCMP_ARCH_X86);
	if (result == 0)
		result = seccomp_attr_set(other, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (result == 0)
		result = add_rows(other, policy, once, true);
	if (result == 0)
		result = seccomp_merge(filter, other); /* takes it */
	if (result != 0)
		seccomp_release(other);
	return result;
}

static int build(scmp_filter_ctx filter, const struct role_policy *policy, bool once)
{
	int result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	/* a balanced tree: a call costs the same wherever its row stands */
	if (result == 0)
		result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (result == 0)
		result = add_rows(filter, policy, once, false);
	return result == 0 ? add_foreign(filter, policy, once) : result;
}

static bool has_once(const struct role_policy *policy)
{
	for (size_t g = 0; g < POLICY_GROUPS_MAX; g++)
		for (size_t i = 0; i < policy->groups[g].count; i++)
			if (policy->groups[g].rows[i].verdict == VERDICT_ONCE)
				return true;
	return false;
}

/*
 * Says yes to every exec until one succeeds: that one ends this thread, and closes the listener,
 * which is CLOEXEC. From then on the kernel answers ENOSYS.
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

static enum seccomp_result load(const struct role_policy *policy, bool once)
{
	__attribute__((cleanup(cleanup_filter))) scmp_filter_ctx filter =
	    seccomp_init(action_of(policy->otherwise));
	static int source[2]; /* outlives this frame: the thread reads it */
	int result = filter ? build(filter, policy, once) : -ENOMEM, listener;

	if (result == 0 && once && start_permitting(source) < 0)
		result = -errno;
	if (result == 0)
		result = seccomp_load(filter);
	if (result < 0) {
		errno = -result;
		return SECCOMP_FAILED;
	}
	if (!once)
		return SECCOMP_LOADED;
	listener = seccomp_notify_fd(filter);
	return write(source[1], &listener, sizeof(listener)) == sizeof(listener) ? SECCOMP_LOADED
										 : SECCOMP_FAILED;
}

static void say(int fd, const char *text, size_t length)
{
	if (write(fd, text, length) < 0)
		return; /* nowhere left to say it */
}

/* In a handler: only async-signal-safe calls, and of those only what the filters allow. */
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

static int report_violations(const struct role_policy *policy)
{
	bool is_worker = policy == &role_policies[ROLE_WORKER];
	struct sigaction action = {
	    .sa_flags = SA_SIGINFO, .sa_sigaction = is_worker ? on_worker_violation : on_violation};

	return policy->reports ? sigaction(SIGSYS, &action, NULL) : 0;
}

enum seccomp_result seccomp_enter(const struct role_policy *policy)
{
	bool once = has_once(policy);
	enum seccomp_result result;

	if (report_violations(policy) < 0)
		return SECCOMP_FAILED;
	result = load(policy, once);
	if (result == SECCOMP_LOADED || !once)
		return result;
	/* EBUSY: a container has a listener of its own; EINVAL: before Linux 5.0 */
	return load(policy, false) == SECCOMP_LOADED ? SECCOMP_EXEC_STAYS : SECCOMP_FAILED;
}
