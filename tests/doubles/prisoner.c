/*
 * A worker that has been taken over, put in the real one's place before it has confined itself: it
 * tries what an intruder would, and answers rr_replay_start with what worked:
 * {"tried": N, "worked": [...]}. For tests only; never installed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/wire/broker.h"
#include "sandbox/wire/channel.h"
#include "sandbox/wire/proto.h"
#include "tests/doubles/service.h"

#define PID_SCAN_MAX 100000
#define BALLOON	     (4L << 30)
#define MEMORY_STEP  (64L << 20)
#define REFUSALS     1200 /* above what the broker stands */
#define BOMB	     4000 /* far above the limit that the test gives */

static bool writes(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool writes_system(void)
{
	return writes("/rr-warden-was-here") || writes("/usr/rr-warden-was-here") ||
	       writes("/etc/rr-warden-was-here") || writes("/var/tmp/../rr-warden-was-here");
}

static bool writes_home(void)
{
	return writes("/root/rr-warden-was-here") || writes("/home/rr-warden-was-here");
}

static bool reads_secrets(void)
{
	static const char *const secrets[] = {"/etc/shadow", "/etc/gshadow", "/root/.ssh",
	    "/root/.bashrc", "/root/.profile", "/proc/kcore"};
	char byte;

	for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++) {
		int fd = open(secrets[i], O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, &byte, 1) == 1)
			return true;
	}
	return false;
}

static bool changes_kernel(void)
{
	return writes("/proc/sys/kernel/core_pattern") || writes("/proc/sysrq-trigger") ||
	       writes("/sys/kernel/uevent_helper");
}

/* 0 stands for whoever is not seen: there is nobody but ourselves and our children. */
static bool sees_others(void)
{
	for (pid_t pid = 2; pid < PID_SCAN_MAX; pid++)
		if (kill(pid, 0) == 0 || errno == EPERM)
			return true;
	return getppid() != 0;
}

static bool traces_others(void)
{
	for (pid_t pid = 2; pid < 5000; pid++)
		if (ptrace(PTRACE_SEIZE, pid, 0, 0) == 0)
			return true;
	return false;
}

static bool connects_outside(void)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x08080808)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool reached = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

	if (fd >= 0)
		close(fd);
	return reached;
}

static bool connects_services(void)
{
	static const char *const sockets[] = {"/run/dbus/system_bus_socket", "/run/docker.sock",
	    "/run/systemd/private", "/var/run/nscd/socket"};

	for (size_t i = 0; i < sizeof(sockets) / sizeof(*sockets); i++) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		strlcpy(address.sun_path, sockets[i], sizeof(address.sun_path));
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
			return true;
		close(fd);
	}
	return false;
}

static bool undoes_the_view(void)
{
	return umount2("/home", MNT_DETACH) == 0 || umount2("/tmp", MNT_DETACH) == 0 ||
	       mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0 ||
	       chroot("/proc/1/root/..") == 0;
}

static bool gains_privileges(void)
{
	return unshare(CLONE_NEWUSER) == 0 || (geteuid() != 0 && setuid(0) == 0);
}

static bool opens_disks(void)
{
	static const char *const disks[] = {
	    "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/mem", "/dev/kmsg", "/tmp/node"};

	(void)mknod("/tmp/node", S_IFBLK | 0600, 254 << 8);
	for (size_t i = 0; i < sizeof(disks) / sizeof(*disks); i++) {
		int fd = open(disks[i], O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			return true;
	}
	return false;
}

/* More than the private /tmp may hold. */
static bool fills_the_disk(void)
{
	int fd = open("/tmp/balloon", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	return fd >= 0 && posix_fallocate(fd, 0, BALLOON) == 0;
}

/* Behind a limit of 1 GB. */
static bool takes_all_memory(void)
{
	size_t taken = 0;

	while (taken < BALLOON &&
	       mmap(NULL, MEMORY_STEP, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
		taken += MEMORY_STEP;
	return taken >= BALLOON / 2;
}

static bool forks_without_end(void)
{
	pid_t *children = calloc(BOMB, sizeof(*children));
	int count = 0;

	while (children != NULL && count < BOMB && (children[count] = fork()) >= 0)
		if (children[count++] == 0)
			for (;;)
				pause();
	for (int i = 0; i < count; i++)
		kill(children[i], SIGKILL);
	for (int i = 0; i < count; i++)
		waitpid(children[i], NULL, 0);
	free(children);
	return count == BOMB;
}

/* The kernel counts nobody but ourselves, who are left out. */
static bool signals_others(void)
{
	return kill(-1, SIGKILL) == 0 || errno != ESRCH;
}

/* A program of another's rights stays without them. */
static bool runs_with_rights(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		execlp("su", "su", "-c", "true", "nobody", (char *)NULL);
		_exit(1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

/* Leaves files in the trace and beside it, where that works: who asked looks for them, because a
 * name beside the trace may be in a private /tmp. */
static void write_at_trace(const json_t *request)
{
	const char *trace =
	    json_string_value(json_object_get(json_object_get(request, "args"), "trace_dir"));
	char path[4096];

	snprintf(path, sizeof(path), "%s/rr-warden-was-here", trace == NULL ? "" : trace);
	(void)writes(path);
	snprintf(path, sizeof(path), "%s/../rr-warden-was-here", trace == NULL ? "" : trace);
	(void)writes(path);
}

/* The broker gives sources, and nothing that is asked for under that name. */
static bool talks_the_broker_over(void)
{
	static const char *const files[] = {"/etc/passwd", "/etc/shadow", "/root/.bashrc",
	    "/proc/self/environ", "/proc/1/environ", "/dev/zero", "/", "", "relative",
	    "/tmp/../etc/hostname"};
	struct broker_reply reply;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (broker_ask(WORKER_BROKER_FD, BROKER_SOURCE, files[i], &reply) > 0)
			return true;
	return broker_ask(WORKER_BROKER_FD, BROKER_READ_ARCHIVE, NULL, &reply) > 0 ||
	       broker_ask(WORKER_BROKER_FD, BROKER_WRITE_ARCHIVE, NULL, &reply) > 0 ||
	       broker_ask(WORKER_BROKER_FD, BROKER_DISCARD_ARCHIVE, NULL, &reply) >= 0;
}

/* Where it gets nothing it is not told either what is there: of two names that one rule forbids, or
 * none, it hears the same. */
static bool learns_what_exists(void)
{
	static const char *const pairs[][2] = {{"/etc/hostname", "/etc/no-such-file"},
	    {"/etc/shadow", "/etc/shadow/below-a-file"},
	    {"/etc/ssh/sshd_config", "/etc/ssh/no-such"}, {"/etc", "/no-such-directory/file"},
	    {"/etc/passwd", "/etc/passwd/below-a-file"}, {"/root/.bashrc", "/root/.no-such-file"}};
	struct broker_reply there, missing;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		memset(&there, 0, sizeof(there));
		memset(&missing, 0, sizeof(missing));
		(void)broker_ask(WORKER_BROKER_FD, BROKER_SOURCE, pairs[i][0], &there);
		(void)broker_ask(WORKER_BROKER_FD, BROKER_SOURCE, pairs[i][1], &missing);
		if (memcmp(&there, &missing, sizeof(there)) != 0)
			return true;
	}
	return false;
}

/* Tries to write a report that is too large, one with a script, and more reports than the limit. */
static bool fills_the_trace(void)
{
	static struct broker_reply reply;
	static char part[PATH_MAX];
	size_t sent = 0;

	memset(part, 'x', sizeof(part) - 1);
	while (sent <= BROKER_REPORT_MAX &&
	       broker_ask(WORKER_BROKER_FD, BROKER_REPORT_PART, part, &reply) >= 0)
		sent += sizeof(part) - 1;
	if (sent > BROKER_REPORT_MAX ||
	    broker_ask(WORKER_BROKER_FD, BROKER_REPORT, NULL, &reply) >= 0)
		return true;
	if (broker_ask(WORKER_BROKER_FD, BROKER_REPORT_PART, "<script>alert(1)</script>", &reply) >=
		0 &&
	    broker_ask(WORKER_BROKER_FD, BROKER_REPORT, NULL, &reply) >= 0)
		return true;
	for (int i = 0; i <= BROKER_REPORTS_MAX; i++)
		if (broker_ask(WORKER_BROKER_FD, BROKER_REPORT_PART, "found it", &reply) < 0 ||
		    broker_ask(WORKER_BROKER_FD, BROKER_REPORT, NULL, &reply) < 0)
			return false;
	return true;
}

/* Each refusal is a line of the audit. */
static bool fills_the_audit(void)
{
	struct broker_reply reply;

	for (int i = 0; i < REFUSALS; i++)
		if (broker_ask(WORKER_BROKER_FD, BROKER_SOURCE, "/etc/shadow", &reply) >= 0)
			return true;
	return errno == EACCES; /* still refused, and so still told */
}

/* Whoever holds a file of the log can clear O_APPEND. A pipe can be shut down only by who shares
 * it: what others write after this must still arrive, which the test looks at. */
static bool changes_the_log(void)
{
	static const char forged[] = "rr-warden[1]: audit: forged\033[2J\n";
	int flags = fcntl(STDERR_FILENO, F_GETFL);
	bool changed = fcntl(STDERR_FILENO, F_SETFL, flags & ~O_APPEND) == 0 &&
		       pwrite(STDERR_FILENO, "gone", 4, 0) > 0;
	int again = open("/proc/self/fd/2", O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);

	changed |= again >= 0 && lseek(again, 0, SEEK_SET) == 0;
	changed |= ftruncate(STDERR_FILENO, 0) == 0;
	(void)fchmod(STDERR_FILENO, 0);
	(void)!write(STDERR_FILENO, forged, sizeof(forged) - 1);
	(void)!write(STDERR_FILENO, "last words", 10);
	(void)shutdown(STDERR_FILENO, SHUT_RDWR);
	return changed;
}

static const struct {
	const char *name;
	bool (*try)(void);
} tries[] = {
    {"writes into the system", writes_system},
    {"writes into a home", writes_home},
    {"reads secrets", reads_secrets},
    {"changes the kernel", changes_kernel},
    {"sees other processes", sees_others},
    {"traces other processes", traces_others},
    {"connects to the network", connects_outside},
    {"connects to services", connects_services},
    {"undoes its view of the files", undoes_the_view},
    {"gains privileges", gains_privileges},
    {"opens disks", opens_disks},
    {"fills the disk", fills_the_disk},
    {"takes all memory", takes_all_memory},
    {"forks without end", forks_without_end},
    {"signals others", signals_others},
    {"runs a program with rights", runs_with_rights},
    {"talks the broker over", talks_the_broker_over},
    {"learns what files there are", learns_what_exists},
    {"fills the trace with reports", fills_the_trace},
    {"fills the audit", fills_the_audit},
    {"changes the log", changes_the_log},
};

static json_t *try_all(const struct channel_packet *request)
{
	json_t *worked = json_array();

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++)
		if (tries[i].try())
			json_array_append_new(worked, json_string(tries[i].name));
	write_at_trace(request->json);
	return json_pack("{s:I, s:o, s:i}", "tried", (json_int_t)(sizeof(tries) / sizeof(*tries)),
	    "worked", worked, "pid", (int)getpid());
}

int main(void)
{
	return service_run(try_all);
}
