/*
 * The launcher itself: on a request, forks a worker into its sandbox and execs it; on a worker's
 * death, says how it died. Reads nothing a client or a trace has written, and answers to nobody but
 * the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/channel.h"
#include "sandbox/log.h"
#include "supervisor/launcher.h"
#include "supervisor/session.h"

#define EXIT_NO_EXEC 127
#define CHILDREN_MAX (2 * SESSION_SLOTS) /* those that are dying count too */

struct child {
	pid_t pid;
	uint32_t tag;
};

struct launcher {
	int fd;
	const char *worker;
	const struct policy *policy;
	struct child children[CHILDREN_MAX];
};

static const enum sandbox_role roles[] = {
    [WORKER_REPLAY] = ROLE_WORKER, [WORKER_RECORD] = ROLE_RECORD, [WORKER_QUERY] = ROLE_QUERY};

/* The default place of traces may not exist before the first recording. */
static void make_directories(const struct visible *visible)
{
	for (size_t at = 0; at < visible->length; at += strlen(visible->entries + at) + 1) {
		char path[PATH_MAX];

		if (visible->entries[at] != 'c' ||
		    strlcpy(path, visible->entries + at + 1, sizeof(path)) >= sizeof(path))
			continue;
		for (char *slash = strchr(path + 1, '/'); slash != NULL;
		     slash = strchr(slash + 1, '/')) {
			*slash = 0;
			mkdir(path, 0700);
			*slash = '/';
		}
		mkdir(path, 0700);
	}
}

static void send_notice(struct launcher *launcher, const struct launch_notice *notice, int fds[2])
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = (void *)notice, .iov_len = sizeof(*notice)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fds != NULL) {
		struct cmsghdr *header;
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(header), fds, 2 * sizeof(int));
	}
	while (sendmsg(launcher->fd, &message, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			_exit(1); /* no supervisor, no launcher */
}

static _Noreturn void become_worker(const struct launcher *launcher, int channel)
{
	sigset_t none;
	char *argv[] = {(char *)"rr-warden-worker", NULL};

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (channel == WORKER_CHANNEL_FD)
		fcntl(channel, F_SETFD, 0);
	else if (dup2(channel, WORKER_CHANNEL_FD) < 0)
		_exit(EXIT_NO_EXEC);
	syscall(SYS_close_range, WORKER_CHANNEL_FD + 1, ~0U, 0);
	execv(launcher->worker, argv);
	_exit(EXIT_NO_EXEC);
}

static struct child *child_slot(struct launcher *launcher, pid_t pid)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (launcher->children[i].pid == pid)
			return &launcher->children[i];
	return NULL;
}

static void fail(struct launch_notice *notice, const char *what, int error)
{
	notice->what = LAUNCH_FAILED;
	snprintf(notice->why, sizeof(notice->why), "%s: %s", what, strerror(error));
}

static void take_limits(struct sandbox_settings *settings, const struct policy *policy)
{
	settings->memory_max = (size_t)policy_number(policy, SETTING_MEMORY);
	settings->processes_max = (unsigned)policy_number(policy, SETTING_PROCESSES);
	settings->cpu_seconds = (unsigned)policy_number(policy, SETTING_CPU);
}

static void launch(struct launcher *launcher, const struct launch_request *request)
{
	struct launch_notice notice = {.what = LAUNCH_STARTED, .tag = request->tag};
	const char *read_only[VISIBLE_PATHS_MAX], *read_write[VISIBLE_PATHS_MAX];
	struct sandbox_settings settings;
	struct child *child = child_slot(launcher, 0);
	int ends[2], fds[2] = {-1, -1}, pidfd = -1;
	pid_t pid;

	if (child == NULL || channel_pair(ends) < 0) {
		fail(&notice, "no worker can be started", child == NULL ? EAGAIN : errno);
		send_notice(launcher, &notice, NULL);
		return;
	}
	launcher_layers(&settings, launcher->policy);
	make_directories(&request->visible);
	visible_lists(&request->visible, read_only, read_write);
	settings.read_only = read_only;
	settings.read_write = read_write;
	settings.show_home = request->visible.show_home;
	take_limits(&settings, launcher->policy);
	pid = sandbox_fork(roles[request->kind], &settings, &notice.report, &pidfd, notice.why,
	    sizeof(notice.why));
	if (pid == 0)
		become_worker(launcher, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		notice.what = LAUNCH_FAILED;
		if (notice.why[0] == 0)
			fail(&notice, "no worker can be forked", errno);
		send_notice(launcher, &notice, NULL);
	} else {
		*child = (struct child){.pid = pid, .tag = request->tag};
		notice.pid = pid;
		fds[0] = ends[0];
		fds[1] = pidfd;
		send_notice(launcher, &notice, fds);
	}
	close(ends[0]);
	if (pidfd >= 0)
		close(pidfd);
}

static void reap(struct launcher *launcher)
{
	struct launch_notice notice = {.what = LAUNCH_EXITED};
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		struct child *child = child_slot(launcher, pid);
		if (child == NULL)
			continue;
		notice.tag = child->tag;
		notice.pid = pid;
		notice.status = status;
		child->pid = 0;
		send_notice(launcher, &notice, NULL);
	}
}

static bool is_whole(const struct launch_request *request, ssize_t got)
{
	const struct visible *visible = &request->visible;

	return got >= (ssize_t)offsetof(struct launch_request, visible.entries) &&
	       visible->length <= sizeof(visible->entries) &&
	       (size_t)got == offsetof(struct launch_request, visible.entries) + visible->length &&
	       (visible->length == 0 || visible->entries[visible->length - 1] == 0) &&
	       request->kind > WORKER_ANY && request->kind <= WORKER_QUERY;
}

static void take_request(struct launcher *launcher)
{
	struct launch_request request;
	ssize_t got = recv(launcher->fd, &request, sizeof(request), MSG_DONTWAIT);

	if (got == 0)
		_exit(0);
	if (is_whole(&request, got))
		launch(launcher, &request);
}

static int watch_children(void)
{
	sigset_t children;

	/* SIGINT and SIGHUP of a terminal are the supervisor's to answer. */
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigaddset(&children, SIGINT);
	sigaddset(&children, SIGHUP);
	sigaddset(&children, SIGTERM);
	sigprocmask(SIG_SETMASK, &children, NULL);
	sigdelset(&children, SIGINT);
	sigdelset(&children, SIGHUP);
	sigdelset(&children, SIGTERM);
	return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int lock_down(const struct launcher *launcher, int signals)
{
	const int keep[] = {launcher->fd, signals};
	struct sandbox_settings settings;
	struct sandbox_report report = {0};
	char why[LAUNCH_WHY_MAX];

	launcher_layers(&settings, launcher->policy);
	settings.parent = getppid();
	if (sandbox_enter(ROLE_LAUNCHER, &settings, keep, 2, &report, why, sizeof(why)) == 0)
		return 0;
	log_line(LOG_LEVEL_ERROR, "the launcher's sandbox: %s", why);
	return -1;
}

_Noreturn void launcher_run(int fd, const char *worker, const struct policy *policy)
{
	struct launcher launcher = {.fd = fd, .worker = worker, .policy = policy};
	struct launch_notice hello = {.what = LAUNCH_HELLO};
	struct pollfd polls[2] = {{.fd = fd, .events = POLLIN}, {.events = POLLIN}};
	struct signalfd_siginfo info;

	polls[1].fd = watch_children();
	if (polls[1].fd < 0 || lock_down(&launcher, polls[1].fd) < 0)
		_exit(1);
	send_notice(&launcher, &hello, NULL);
	for (;;) {
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		if (polls[1].revents != 0) {
			while (read(polls[1].fd, &info, sizeof(info)) > 0)
				;
			reap(&launcher);
		}
		if (polls[0].revents != 0)
			take_request(&launcher);
	}
}
