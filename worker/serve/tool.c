/*
 * Starts and ends tools. Between fork and exec there are only async-signal-safe calls and the
 * sandbox, because the child must not touch anything of the worker.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/serve/tool.h"

#define WHY_MAX	    192
#define ERROR_FD    10 /* where the child reports why it could not start; above 0 to 3 */
#define EXIT_UNBORN 127

char *const tool_environment[] = {
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "HOME=/nonexistent",
    "TMPDIR=/dev/shm", /* always private, while /tmp may be the user's, read-only */
    "LANG=C.UTF-8",
    "TERM=dumb",
    NULL,
};

struct pipes {
	int input[2], output[2], errors[2], failure[2];
};

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++) {
		if (pair[i] >= 0)
			close(pair[i]);
		pair[i] = -1;
	}
}

static void close_pipes(struct pipes *pipes)
{
	close_pair(pipes->input);
	close_pair(pipes->output);
	close_pair(pipes->errors);
	close_pair(pipes->failure);
}

static int open_pipes(struct pipes *pipes, const struct tool_spec *spec)
{
	*pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	if (pipe2(pipes->failure, O_CLOEXEC) == 0 &&
	    (!spec->wants_input || pipe2(pipes->input, O_CLOEXEC) == 0) &&
	    (spec->output >= 0 || pipe2(pipes->output, O_CLOEXEC) == 0) &&
	    (spec->merge_output || pipe2(pipes->errors, O_CLOEXEC) == 0))
		return 0;
	close_pipes(pipes);
	return -1;
}

static _Noreturn void die_unborn(const char *step, const char *why)
{
	char text[WHY_MAX];
	int length = snprintf(text, sizeof(text), "%s: %s", step, why);

	if (length > 0)
		(void)!write(ERROR_FD, text, strnlen(text, sizeof(text)));
	_exit(EXIT_UNBORN);
}

/* Moves every descriptor to its number, in an order that does not overwrite one that was not moved
 * yet. */
static void place_descriptors(const struct pipes *pipes, const struct tool_spec *spec)
{
	int input = spec->wants_input ? pipes->input[0] : open("/dev/null", O_RDONLY | O_CLOEXEC);
	int output = spec->output >= 0 ? spec->output : pipes->output[1];
	int errors = spec->merge_output ? output : pipes->errors[1];
	int from[] = {input, output, errors, spec->extra, pipes->failure[1],
	    spec->also ? spec->also[0] : -1, spec->also ? spec->also[1] : -1};
	int high[7];

	for (size_t i = 0; i < 7; i++)
		high[i] = from[i] < 0 ? -1 : fcntl(from[i], F_DUPFD_CLOEXEC, ERROR_FD + 1);
	dup3(high[4], ERROR_FD, O_CLOEXEC);
	for (int i = 0; i < 3; i++)
		if (dup2(high[i], i) < 0)
			die_unborn("descriptors", strerror(errno));
	if (high[3] >= 0)
		dup2(high[3], TOOL_EXTRA_FD);
	for (int i = 0; i < 2; i++)
		if (high[5 + i] >= 0)
			dup2(high[5 + i], TOOL_ALSO_FD + i);
}

/* The path was resolved and judged: a link that was put in it since must lead nowhere else. */
static bool enter_directory(const char *directory)
{
	char here[PATH_MAX];

	if (chdir(directory) != 0 || !getcwd(here, sizeof(here)))
		return false;
	errno = ELOOP;
	return strcmp(here, directory) == 0;
}

static _Noreturn void become_tool(
    const struct pipes *pipes, const struct tool_spec *spec, pid_t parent)
{
	int keep[4] = {ERROR_FD}, kept = 1;
	struct sandbox_report report = {0};
	char why[WHY_MAX] = "";
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_UNBORN);
	/* Resets our signal handling, and signals that the client's side ignored, as nohup and
	 * background jobs of shells do. */
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	place_descriptors(pipes, spec);
	if (spec->directory && !enter_directory(spec->directory))
		die_unborn(spec->directory, strerror(errno));
	if (spec->extra >= 0)
		keep[kept++] = TOOL_EXTRA_FD;
	for (int i = 0; spec->also && i < 2; i++)
		keep[kept++] = TOOL_ALSO_FD + i;
	if (sandbox_enter(
		spec->role, spec->policy, keep, (size_t)kept, &report, why, sizeof(why)) != 0)
		die_unborn("sandbox", why);
	execve(spec->path, spec->argv, spec->environment);
	die_unborn(spec->path, strerror(errno));
}

/* Waits until the child has become the tool (the pipe closes on exec) or said why not. */
static int await_birth(int fd, char *why, size_t why_size)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < why_size) {
		got = read(fd, why + length, why_size - 1 - length);
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		if (got > 0)
			length += (size_t)got;
	}
	why[length] = '\0';
	return length ? -1 : 0;
}

static void set_nonblocking(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* A sibling's parent is our parent, which waits for it and with which it dies. */
static pid_t fork_for(const struct tool_spec *spec)
{
	return spec->parent ? (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)
			    : fork();
}

int tool_start(struct tool *tool, const struct tool_spec *spec, char *why, size_t why_size)
{
	struct pipes pipes;
	pid_t parent = spec->parent ? spec->parent : getpid(), pid;
	int born;

	*tool = TOOL_NONE;
	if (open_pipes(&pipes, spec) != 0 || (pid = fork_for(spec)) < 0) {
		snprintf(why, why_size, "%s: %s", spec->path, strerror(errno));
		close_pipes(&pipes);
		return -1;
	}
	if (pid == 0)
		become_tool(&pipes, spec, parent);
	setpgid(pid, pid);
	tool->pid = pid;
	tool->input = steal_fd(&pipes.input[1]);
	tool->output = steal_fd(&pipes.output[0]);
	tool->errors = steal_fd(&pipes.errors[0]);
	close(steal_fd(&pipes.failure[1]));
	born = await_birth(pipes.failure[0], why, why_size);
	close_pipes(&pipes);
	if (born != 0) {
		tool_end(tool);
		return -1;
	}
	set_nonblocking(tool->input);
	set_nonblocking(tool->output);
	set_nonblocking(tool->errors);
	return 0;
}

void tools_reap(struct tool *const tools[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (tools[i]->pid > 0 &&
		    waitpid(tools[i]->pid, &tools[i]->status, WNOHANG) == tools[i]->pid)
			tools[i]->pid = 0;
}

void tools_reap_all(struct tool *const tools[], size_t count)
{
	pid_t got;
	int status;

	while ((got = waitpid(-1, &status, WNOHANG)) > 0) {
		for (size_t i = 0; i < count; i++) {
			if (tools[i]->pid == got) {
				tools[i]->pid = 0;
				tools[i]->status = status;
			}
		}
	}
}

void tool_end(struct tool *tool)
{
	if (tool->pid > 0) {
		kill(-tool->pid, SIGKILL);
		kill(tool->pid, SIGKILL);
		while (waitpid(tool->pid, &tool->status, 0) < 0 && errno == EINTR)
			;
		tool->pid = 0;
	}
	int *ends[] = {&tool->input, &tool->output, &tool->errors};
	for (size_t i = 0; i < 3; i++)
		if (*ends[i] >= 0)
			close(steal_fd(ends[i]));
}

void tool_describe_end(const struct tool *tool, char *text, size_t size)
{
	if (tool->pid > 0)
		snprintf(text, size, "it still runs");
	else if (WIFSIGNALED(tool->status))
		snprintf(text, size, "signal %d (%s)", WTERMSIG(tool->status),
		    strsignal(WTERMSIG(tool->status)));
	else
		snprintf(text, size, "status %d", WEXITSTATUS(tool->status));
}

static size_t limit(const struct worker_config *config, const char *name)
{
	json_int_t value = json_integer_value(json_object_get(config->limits, name));

	return value > 0 ? (size_t)value : 0;
}

static const enum sandbox_layer inherited[] = {
    LAYER_NO_NEW_PRIVS, LAYER_CAPABILITIES, LAYER_LANDLOCK, LAYER_SECCOMP};

void tool_policy(const struct worker_config *config, struct sandbox_policy *policy)
{
	sandbox_policy_default(policy);
	sandbox_requested_from_json(policy, config->sandbox);
	/* Our filter does not allow another one, and an inherited filter cannot be removed. */
	for (size_t i = 0; config->confined && i < sizeof(inherited) / sizeof(*inherited); i++)
		policy->requested[inherited[i]] = REQUEST_OFF;
	policy->parent = getpid();
	policy->memory_max = limit(config, "memory");
	policy->processes_max = (unsigned)limit(config, "processes");
	policy->cpu_seconds = (unsigned)limit(config, "cpu_seconds");
	policy->in_view = config->in_view;
	policy->compat_abi = config->compat_abi;
	policy->own_network = config->own_network;
}
