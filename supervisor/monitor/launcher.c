/*
 * The supervisor's side of the launcher, and the keeper between them.
 */
#include "supervisor/monitor/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/log.h"
#include "sandbox/wire/descriptors.h"

#define KEEPER_DEATHS_MAX 5 /* of launchers younger than a second, in a row */

static void die_with(pid_t parent)
{
	/* The parent may have died between the fork and the prctl. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
}

/* Our stdin and stdout belong to the client, so no process below may have them. */
static void leave_client(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(1);
	if (null > STDERR_FILENO)
		close(null);
}

/* The keeper needs no more rights than a launcher, and gets no more. */
static void confine_keeper(int fd, const struct settings *settings)
{
	struct sandbox_policy policy;
	struct sandbox_report report = {0};
	char why[LAUNCH_WHY_MAX];

	launcher_layers(&policy, settings);
	policy.parent = getppid();
	if (sandbox_enter(ROLE_LAUNCHER, &policy, &fd, 1, &report, why, sizeof(why)) < 0) {
		log_error("the keeper's sandbox cannot be set up: %s", why);
		_exit(1);
	}
}

static _Noreturn void keeper_run(int fd, const struct paths *paths, const struct settings *settings)
{
	struct sandbox_machine machine;
	int deaths = 0;

	/* Only once, and before anybody can send anything: what a launcher finds later may be the
	 * work of an attacker. */
	if (sandbox_probe(&machine) < 0) {
		log_error("no process could be started to find out which layers this machine "
			  "supports: %s; end some processes, or raise `ulimit -u`",
		    strerror(errno));
		_exit(1);
	}
	confine_keeper(fd, settings);
	while (deaths < KEEPER_DEATHS_MAX) {
		time_t begun = time(NULL);
		pid_t self = getpid(), launcher = fork();

		if (launcher == 0) {
			die_with(self);
			launcher_run(fd, paths, settings, &machine);
		}
		if (launcher < 0)
			_exit(1);
		while (waitpid(launcher, NULL, 0) < 0 && errno == EINTR)
			;
		deaths = time(NULL) - begun > 1 ? 0 : deaths + 1;
	}
	_exit(1);
}

int launcher_start(const struct paths *paths, const struct settings *settings)
{
	cleanup_fd int ours = -1;
	cleanup_fd int theirs = -1;
	int ends[2];
	pid_t self = getpid(), keeper;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	ours = ends[0];
	theirs = ends[1];
	if (fcntl(ours, F_SETFL, O_NONBLOCK) < 0)
		return -1;
	keeper = fork();
	if (keeper < 0)
		return -1;
	if (keeper == 0) {
		die_with(self);
		setsid();
		leave_client();
		close(ours);
		keeper_run(theirs, paths, settings);
	}
	return steal_fd(&ours);
}

void launcher_name(struct launch_request *request, uint32_t tag, enum worker_kind kind,
    uint32_t operation, const char *const names[LAUNCH_NAME_COUNT])
{
	*request = (struct launch_request){.tag = tag, .kind = kind, .operation = operation};
	for (int i = 0; i < LAUNCH_NAME_COUNT; i++) {
		const char *name = names[i] && strlen(names[i]) < PATH_MAX ? names[i] : "";
		size_t size = strlen(name) + 1;
		memcpy(request->names + request->length, name, size);
		request->length += (uint32_t)size;
	}
}

int launcher_request(int fd, const struct launch_request *request)
{
	size_t size = offsetof(struct launch_request, names) + request->length;

	return send(fd, request, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -1;
}

static const enum setting layer_settings[LAYER_COUNT] = {
#define X(NAME, name, DEFAULT, flag) [LAYER_##NAME] = SETTING_LAYER_##NAME,
    LAYERS(X)
#undef X
};

void launcher_layers(struct sandbox_policy *policy, const struct settings *settings)
{
	memset(policy, 0, sizeof(*policy));
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		policy->requested[layer] =
		    (enum layer_request)settings_number(settings, layer_settings[layer]);
}

int launcher_receive(int fd, struct launch_notice *notice, int fds[2])
{
	ssize_t got = descriptors_receive(fd, notice, sizeof(*notice), 0, fds, 2);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	notice->why[sizeof(notice->why) - 1] = 0;
	notice->trace[sizeof(notice->trace) - 1] = 0;
	if (got == sizeof(*notice))
		return 1;
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return -1;
}
