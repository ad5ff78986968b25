/*
 * The layers as the kernel shows them to a confined process, and what the report says when one is
 * not available.
 */
#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/wire/channel.h"
#include "sandbox/landlock.h"
#include "sandbox/ns.h"
#include "sandbox/wire/proto.h"
#include "sandbox/sandbox.h"
#include "tests/unit/sandbox/confined.h"
#include "tests/runner.h"

static long long status_number(const char *key, int base)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long long value = -1;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			value = strtoll(line + strlen(key) + 1, NULL, base);
	if (file)
		fclose(file);
	return value;
}

START_TEST(the_kernel_confirms_every_namespace)
{
	static const char *const names[] = {"user", "pid", "net", "mnt", "ipc", "uts"};
	char outside[6][64] = {0}, inside[64] = {0}, path[64];

	for (int i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		ck_assert_int_gt(readlink(path, outside[i], sizeof(outside[i]) - 1), 0);
	}
	pid_t child = confined(ROLE_WORKER);
	if (child == 0) {
		for (int i = 0; i < 6; i++) {
			snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
			EXPECT(readlink(path, inside, sizeof(inside) - 1) > 0);
			EXPECT(strcmp(inside, outside[i]) != 0);
		}
		EXPECT(getpid() == 1);
		_exit(0);
	}
	passed(child);
	for (int layer = LAYER_USER_NS; layer <= LAYER_UTS_NS; layer++)
		ck_assert_int_eq(report.status[layer], STATUS_FULL);
}
END_TEST

START_TEST(nothing_is_left_of_capabilities)
{
	pid_t child = confined(ROLE_WORKER);

	if (child == 0) {
		EXPECT(status_number("CapEff", 16) == 0);
		EXPECT(status_number("CapPrm", 16) == 0);
		EXPECT(status_number("CapInh", 16) == 0);
		EXPECT(status_number("CapBnd", 16) == 0);
		EXPECT(status_number("CapAmb", 16) == 0);
		EXPECT(status_number("NoNewPrivs", 10) == 1);
		_exit(0);
	}
	passed(child);
}
END_TEST

START_TEST(we_stay_who_we_were)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	pid_t child = confined(ROLE_WORKER);

	if (child == 0) {
		EXPECT(geteuid() == uid && getegid() == gid);
		_exit(0);
	}
	passed(child);
}
END_TEST

START_TEST(no_user_namespace_nests_in_ours)
{
	pid_t child = confined(ROLE_RECORD);

	if (child == 0) {
		EXPECT(unshare(CLONE_NEWUSER) < 0);
		_exit(0);
	}
	passed(child);
}
END_TEST

/* The machine had the layer at start, and then a fork does not get it. */
static int loses_what_it_had(void)
{
	struct sandbox_machine machine = {0};

	for (int layer = 0; layer < LAYER_COUNT; layer++)
		machine.has[layer] = true;
	policy.machine = &machine;
	policy.requested[LAYER_NET_NS] = REQUEST_PREFER;
	pid_t child = sandbox_fork(ROLE_WORKER, &policy, &report, &pidfd, why, sizeof(why));
	if (child == 0)
		_exit(0);
	EXPECT(child < 0 && !report.call_failed);
	EXPECT(strncmp(why, "user_ns: ", 9) == 0);
	return 0;
}

static int listening(struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*address =
	    (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (struct sockaddr *)address, length) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, (struct sockaddr *)address, &length) < 0)
		return -1;
	return fd;
}

START_TEST(the_private_loopback_works_and_the_machines_is_out_of_reach)
{
	struct sockaddr_in outside, inside;
	int fd = listening(&outside);
	pid_t child = confined(ROLE_WORKER);

	if (child == 0) {
		int to = socket(AF_INET, SOCK_STREAM, 0);
		EXPECT(connect(to, (struct sockaddr *)&outside, sizeof(outside)) < 0);
		EXPECT(listening(&inside) >= 0);
		close(to);
		to = socket(AF_INET, SOCK_STREAM, 0);
		EXPECT(connect(to, (struct sockaddr *)&inside, sizeof(inside)) == 0);
		_exit(0);
	}
	passed(child);
	close(fd);
}
END_TEST

START_TEST(the_child_dies_with_its_parent)
{
	int ends[2];
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	pid_t parent = fork();
	if (parent == 0) {
		pid_t child = sandbox_fork(ROLE_WORKER, &policy, &report, &pidfd, why, sizeof(why));
		if (child == 0) {
			pause();
			_exit(0);
		}
		_exit(child < 0);
	}
	ck_assert_int_eq(reap(parent), 0);
	close(ends[1]);
	/* the pipe ends when its last writer has gone */
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}
END_TEST

/* Runs `body` as an ordinary user on a machine where nobody may make a user namespace. */
static int without_user_namespaces(int (*body)(void))
{
	int own = -1;
	pid_t child = ns_fork(CLONE_NEWUSER, &own);

	if (child == 0) {
		/* unmapped, we are nobody: not root, who would do without */
		EXPECT(ns_forbid_nesting() == 0);
		_exit(body());
	}
	close(own);
	return reap(child);
}

static int net_is_missed(void)
{
	pid_t child = sandbox_fork(ROLE_WORKER, &policy, &report, &pidfd, why, sizeof(why));

	EXPECT(child < 0);
	EXPECT(strncmp(why, "net_ns: no user namespace: ", 27) == 0);
	return 0;
}

static int goes_on_without(void)
{
	policy.requested[LAYER_NET_NS] = REQUEST_PREFER;
	pid_t child = sandbox_fork(ROLE_WORKER, &policy, &report, &pidfd, why, sizeof(why));

	if (child == 0)
		_exit(getpid() == 1);
	EXPECT(child > 0);
	EXPECT(reap(child) == 0);
	for (int layer = LAYER_USER_NS; layer <= LAYER_UTS_NS; layer++)
		EXPECT(report.status[layer] == STATUS_DEGRADED && report.why[layer][0]);
	return 0;
}

START_TEST(without_user_namespaces_a_replay_is_refused_for_its_open_port)
{
	ck_assert_int_eq(without_user_namespaces(net_is_missed), 0);
}
END_TEST

START_TEST(without_user_namespaces_the_setting_prefer_goes_on_and_says_so)
{
	ck_assert_int_eq(without_user_namespaces(goes_on_without), 0);
}
END_TEST

START_TEST(a_layer_that_the_machine_had_and_a_session_does_not_get_ends_the_session)
{
	ck_assert_int_eq(without_user_namespaces(loses_what_it_had), 0);
}
END_TEST

/* As an ordinary user who cannot fork, on a machine that has every layer. */
static int has_no_room(void)
{
	const struct rlimit none = {0, 0};
	struct sandbox_machine machine;

	EXPECT(geteuid() != 0 || setresuid(65534, 65534, 65534) == 0);
	EXPECT(setrlimit(RLIMIT_NPROC, &none) == 0);
	EXPECT(sandbox_probe(&machine) < 0 && errno == EAGAIN);
	policy.requested[LAYER_NET_NS] = REQUEST_PREFER;
	EXPECT(sandbox_fork(ROLE_WORKER, &policy, &report, &pidfd, why, sizeof(why)) < 0);
	EXPECT(report.error == EAGAIN);
	return 0;
}

START_TEST(without_room_for_a_process_no_layer_is_taken_for_missing)
{
	pid_t child = fork();

	if (child == 0)
		_exit(has_no_room());
	passed(child);
}
END_TEST

START_TEST(a_layer_that_is_off_stays_off)
{
	for (int layer = LAYER_USER_NS; layer <= LAYER_UTS_NS; layer++)
		policy.requested[layer] = REQUEST_OFF;
	pid_t child = confined(ROLE_WORKER);
	if (child == 0)
		_exit(getpid() == 1);
	passed(child);
	for (int layer = LAYER_USER_NS; layer <= LAYER_UTS_NS; layer++)
		ck_assert_int_eq(report.status[layer], STATUS_OFF);
}
END_TEST

START_TEST(every_role_ends_with_a_filter_and_without_privileges)
{
	pid_t child = fork();
	int kept = open("/proc/self/status", O_RDONLY), other = dup(kept);

	if (child == 0) {
		char text[4096];
		int keep[] = {kept};
		EXPECT(sandbox_enter((enum sandbox_role)_i, &policy, keep, 1, &report, why,
			   sizeof(why)) == 0);
		EXPECT(fcntl(kept, F_GETFD) >= 0);
		/* the number may be in use again, for gdb's one exec */
		EXPECT(_i == ROLE_GDB || fcntl(other, F_GETFD) < 0);
		ssize_t got = read(kept, text, sizeof(text) - 1);
		EXPECT(got > 0);
		text[got] = '\0';
		EXPECT(strstr(text, "NoNewPrivs:\t1\n"));
		EXPECT(strstr(text, "Seccomp:\t2\n"));
		if (_i != ROLE_LAUNCHER)
			EXPECT(strstr(text, "CapEff:\t0000000000000000\n"));
		_exit(0);
	}
	(void)kept;
	passed(child);
	close(kept);
	close(other);
}
END_TEST

START_TEST(landlock_alone_hides_homes_and_keeps_writes_to_what_is_named)
{
	const char *read_write[] = {folder, NULL};
	char outside[] = "/var/rr-warden-unit";
	pid_t child;

	if (landlock_abi() < 1)
		return; /* this kernel has none, and rr-warden doctor says so */
	child = fork();
	if (child == 0) {
		policy.read_write = read_write;
		EXPECT(
		    sandbox_enter(ROLE_RECORD, &policy, NULL, 0, &report, why, sizeof(why)) == 0);
		EXPECT(open("/etc/shadow", O_RDONLY) < 0);
		EXPECT(open("/var/lib", O_RDONLY | O_DIRECTORY) < 0);
		EXPECT(geteuid() != 0 || open("/proc/sys/kernel/core_pattern", O_WRONLY) < 0);
		EXPECT(open("/root", O_RDONLY | O_DIRECTORY) < 0);
		EXPECT(open("/home", O_RDONLY | O_DIRECTORY) < 0);
		EXPECT(open("/usr/bin", O_RDONLY | O_DIRECTORY) >= 0);
		EXPECT(creates(folder));
		EXPECT(mkdir(outside, 0755) < 0);
		_exit(0);
	}
	passed(child);
	ck_assert(!exists(outside));
}
END_TEST

/* A socket that is bound to a port of the loopback interface; 0: a free one, which it fills in. -1
 * with errno. */
static int bind_to(int *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)*port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), result;

	result = bind(fd, (struct sockaddr *)&address, sizeof(address));
	if (result == 0 && getsockname(fd, (struct sockaddr *)&address, &length) == 0) {
		*port = ntohs(address.sin_port);
		return fd;
	}
	close(fd);
	return -1;
}

static int connect_to(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return connect(fd, (struct sockaddr *)&address, sizeof(address));
}

static bool is_denied(int result)
{
	return result < 0 && errno == EACCES;
}

/* Only Landlock does this: seccomp lets rr bind to any port, and gdb connect to any. */
START_TEST(rr_binds_its_port_gdb_connects_to_it_and_neither_has_another)
{
	static const enum sandbox_role port_roles[] = {ROLE_RR_REPLAY, ROLE_GDB};
	int own = 0, other = 0, any = 0, own_fd = bind_to(&own), other_fd = bind_to(&other);
	pid_t child;

	if (landlock_abi() < 4)
		return; /* it rules no ports yet */
	ck_assert_int_eq(listen(own_fd, 1), 0);
	ck_assert_int_eq(listen(other_fd, 1), 0);
	if (port_roles[_i] == ROLE_RR_REPLAY)
		close(own_fd);
	child = fork();
	if (child == 0) {
		policy.requested[LAYER_SECCOMP] = REQUEST_OFF;
		policy.tcp_port = (unsigned)own;
		EXPECT(sandbox_enter(port_roles[_i], &policy, NULL, 0, &report, why, sizeof(why)) ==
		       0);
		EXPECT(is_denied(connect_to(other)));
		EXPECT(is_denied(bind_to(&any)));
		if (port_roles[_i] == ROLE_RR_REPLAY)
			EXPECT(bind_to(&own) >= 0 && is_denied(connect_to(own)));
		else
			EXPECT(connect_to(own) == 0);
		_exit(0);
	}
	passed(child);
	close(own_fd);
	close(other_fd);
}
END_TEST

/* A worker that makes a forbidden call, also as init of a pid namespace. */
static void check_violation(pid_t child, int channel)
{
	struct channel_packet packet;
	const char *reason;
	char name[32];
	int status = reap(child);

	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	ck_assert_int_eq(channel_receive(channel, &packet, &reason), CHANNEL_OK);
	ck_assert_uint_eq(packet.type, WIRE_VIOLATION);
	int number = (int)json_integer_value(json_object_get(packet.json, "syscall"));
	ck_assert_str_eq(sandbox_syscall_name(number, name, sizeof(name)), "socket");
	json_decref(packet.json);
}

START_TEST(a_worker_that_breaks_out_dies_and_the_call_has_a_name)
{
	int ends[2], keep[] = {WORKER_CHANNEL_FD};

	ck_assert_int_eq(channel_pair(ends), 0);
	pid_t child = _i ? confined(ROLE_WORKER) : fork();
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), 2);
		dup2(ends[1], WORKER_CHANNEL_FD);
		EXPECT(
		    sandbox_enter(ROLE_WORKER, &policy, keep, 1, &report, why, sizeof(why)) == 0);
		socket(AF_INET, SOCK_STREAM, 0);
		_exit(0);
	}
	check_violation(child, ends[0]);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_kernel_confirms_every_namespace, 1},
	    {nothing_is_left_of_capabilities, 1},
	    {we_stay_who_we_were, 1},
	    {no_user_namespace_nests_in_ours, 1},
	    {a_layer_that_the_machine_had_and_a_session_does_not_get_ends_the_session, 1},
	    {the_private_loopback_works_and_the_machines_is_out_of_reach, 1},
	    {the_child_dies_with_its_parent, 1},
	    {without_user_namespaces_a_replay_is_refused_for_its_open_port, 1},
	    {without_user_namespaces_the_setting_prefer_goes_on_and_says_so, 1},
	    {without_room_for_a_process_no_layer_is_taken_for_missing, 1},
	    {a_layer_that_is_off_stays_off, 1},
	    {every_role_ends_with_a_filter_and_without_privileges, ROLE_BROKER},
	    {landlock_alone_hides_homes_and_keeps_writes_to_what_is_named, 1},
	    {rr_binds_its_port_gdb_connects_to_it_and_neither_has_another, 2},
	    {a_worker_that_breaks_out_dies_and_the_call_has_a_name, 2},
	    {NULL, 0},
	};

	return run_loops("sandbox", tests, set_up, tear_down);
}
