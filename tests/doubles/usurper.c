/*
 * A supervisor that was taken over, put in the real one's place before it has confined itself. It
 * starts the monitor as the real one does, then does what a test tells it, a line of JSON-RPC at a
 * time:
 *
 *	launch {kind, operation, names, hurry}
 *					 asks the monitor for a worker. Answers {what: "refused",
 *					 "failed" or "started", why, worker, pid}. `hurry` is sent
 *					 to the worker at once, as its configuration; the answer
 *					 comes as `hurried`
 *	ask {worker, type, json}	 sends a worker a packet. Answers {json}, or {gone}
 *	drop {worker}			 leaves a worker, which then ends
 *	signals {pid}			 tries to signal a process from the real one's sandbox.
 *					 Answers {tried, worked: [ways]}
 *
 * For tests only; never installed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sandbox/wire/channel.h"
#include "supervisor/monitor/launcher.h"
#include "supervisor/options.h"

#define WORKERS_MAX 1024
#define HURRY_ID    (WIRE_START_ID - 1)

struct worker {
	int channel, pidfd;
};

static struct settings *settings;
static int monitor;
static struct worker workers[WORKERS_MAX];
static size_t worker_count;

/* ---- The monitor ---------------------------------------------------------------------------- */

/* The worker's answer to the packet of this type and id. */
static json_t *await_answer(int channel, uint32_t type, uint32_t id)
{
	struct pollfd ready = {.fd = channel, .events = POLLIN};
	const char *why;

	for (;;) {
		struct channel_packet packet;
		poll(&ready, 1, -1);
		enum channel_result got = channel_receive(channel, &packet, &why);
		if (got == CHANNEL_AGAIN)
			continue;
		if (got != CHANNEL_OK)
			return json_pack("{s:b}", "gone", 1);
		if (packet.type == type + 1 && packet.id == id)
			return json_pack("{s:b, s:o}", "failed",
			    (packet.flags & WIRE_FLAG_ERROR) != 0, "json", packet.json);
		json_decref(packet.json);
	}
}

static void next_notice(struct launch_notice *notice, int fds[2])
{
	struct pollfd ready = {.fd = monitor, .events = POLLIN};

	for (;;) {
		int got = launcher_receive(monitor, notice, fds);
		if (got < 0)
			exit(1);
		if (got > 0)
			return;
		poll(&ready, 1, -1);
	}
}

static void send_request(uint32_t tag, const json_t *params)
{
	static struct launch_request request;
	struct pollfd ready = {.fd = monitor, .events = POLLOUT};
	const json_t *names = json_object_get(params, "names");
	const char *named[LAUNCH_NAME_COUNT];

	for (size_t i = 0; i < LAUNCH_NAME_COUNT; i++)
		named[i] = json_string_value(json_array_get(names, i));
	launcher_name(&request, tag,
	    (enum worker_kind)json_integer_value(json_object_get(params, "kind")),
	    (uint32_t)json_integer_value(json_object_get(params, "operation")), named);
	while (launcher_request(monitor, &request) < 0)
		poll(&ready, 1, -1);
}

static void close_both(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* ---- What the monitor says ------------------------------------------------------------------ */

static int said; /* stderr of the monitor and of all that it starts */

/* Passes it on. Returns how many requests were refused in it. */
static size_t refusals(void)
{
	static const char words[] = "the monitor refused a request";
	static char text[65537];
	size_t count = 0;
	ssize_t got;

	while ((got = read(said, text, sizeof(text) - 1)) > 0) {
		text[got] = '\0';
		fputs(text, stderr);
		for (const char *at = text; (at = strstr(at, words)); at++)
			count++;
	}
	return count;
}

/* The real supervisor's stderr would be the monitor's as well. A line is written at once, and a
 * pipe has room for those of one call. */
static int start_monitor(const struct paths *paths)
{
	int ends[2], own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), result;

	if (own < 0 || pipe2(ends, O_CLOEXEC) < 0 || dup2(ends[1], STDERR_FILENO) < 0 ||
	    fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return -1;
	said = ends[0];
	result = launcher_start(paths, settings);
	dup2(own, STDERR_FILENO);
	close(own);
	close(ends[1]);
	return result;
}

struct launched {
	uint32_t tag;
	json_t *answer;	     /* NULL: none yet */
	const json_t *hurry; /* or NULL */
};

static void note(struct launched *launched, const struct launch_notice *notice, int fds[2])
{
	bool started = notice->what == LAUNCH_STARTED;

	if (started && launched->hurry)
		channel_send(fds[0], WIRE_OP_START, HURRY_ID, 0, launched->hurry);
	launched->answer = json_pack("{s:s, s:s, s:i, s:i}", "what", started ? "started" : "failed",
	    "why", notice->why, "worker", (int)worker_count, "pid", (int)notice->pid);
	if (started && worker_count < WORKERS_MAX) {
		workers[worker_count++] = (struct worker){fds[0], fds[1]};
		fds[0] = fds[1] = -1;
	}
}

static void take_notice(struct launched *launched, uint32_t last, bool *last_came)
{
	struct launch_notice notice;
	int fds[2];

	next_notice(&notice, fds);
	if (notice.what == LAUNCH_STARTED || notice.what == LAUNCH_FAILED) {
		if (notice.tag == launched->tag)
			note(launched, &notice, fds);
		*last_came |= notice.tag == last;
	}
	close_both(fds);
}

/* What the monitor refuses, it does not answer, but it says so before it takes the next request. So
 * another one follows, which is always answered. Their answers come in any order. */
static json_t *launch(const json_t *params)
{
	static uint32_t tag;
	struct launched launched = {.hurry = json_object_get(params, "hurry")};
	json_t *behind = json_pack("{s:i, s:i}", "kind", WORKER_QUERY, "operation", WIRE_OP_STATUS);
	bool last_came = false;

	launched.tag = ++tag;
	(void)refusals();
	send_request(launched.tag, params);
	send_request(++tag, behind);
	json_decref(behind);
	while (!last_came)
		take_notice(&launched, tag, &last_came);
	if (refusals() > 0)
		return json_pack("{s:s}", "what", "refused");
	while (!launched.answer)
		take_notice(&launched, tag, &last_came);
	if (launched.hurry && worker_count > 0)
		json_object_set_new(launched.answer, "hurried",
		    await_answer(workers[worker_count - 1].channel, WIRE_OP_START, HURRY_ID));
	return launched.answer;
}

/* ---- Workers -------------------------------------------------------------------------------- */

static struct worker *worker_of(const json_t *params)
{
	size_t index = (size_t)json_integer_value(json_object_get(params, "worker"));

	return index < worker_count ? &workers[index] : NULL;
}

static json_t *ask(const json_t *params)
{
	static uint32_t id;
	struct worker *worker = worker_of(params);
	uint32_t type = (uint32_t)json_integer_value(json_object_get(params, "type"));

	channel_send(worker->channel, type, ++id, 0, json_object_get(params, "json"));
	return await_answer(worker->channel, type, id);
}

static json_t *drop(const json_t *params)
{
	struct worker *worker = worker_of(params);

	close(worker->channel);
	close(worker->pidfd);
	worker->channel = worker->pidfd = -1;
	return json_object();
}

/* ---- Signals -------------------------------------------------------------------------------- */

static pid_t victim;

static long by_kill(void)
{
	return kill(victim, SIGUSR1);
}

static long by_group(void)
{
	return kill(-victim, SIGUSR1);
}

/* Nothing is sent: that it could be is enough. */
static long by_kill_of_all(void)
{
	return kill(-1, 0);
}

static long by_tkill(void)
{
	return syscall(SYS_tkill, victim, SIGUSR1);
}

static long by_tgkill(void)
{
	return syscall(SYS_tgkill, victim, victim, SIGUSR1);
}

static long by_queue(void)
{
	return sigqueue(victim, SIGUSR1, (union sigval){0});
}

static long by_thread_queue(void)
{
	siginfo_t info = {.si_code = SI_QUEUE};

	return syscall(SYS_rt_tgsigqueueinfo, victim, victim, SIGUSR1, &info);
}

static long by_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, victim, 0);

	return fd < 0 ? -1 : syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0);
}

static long by_proc(void)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)victim);
	int fd = open(path, O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0);
}

static long by_owner(void)
{
	return fcntl(monitor, F_SETOWN, victim);
}

static long by_owner_ex(void)
{
	struct f_owner_ex owner = {F_OWNER_PID, victim};

	return fcntl(monitor, F_SETOWN_EX, &owner);
}

static long by_socket_owner(void)
{
	return ioctl(monitor, FIOSETOWN, &victim);
}

static long by_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;

	return timer_create(CLOCK_MONOTONIC, &event, &timer);
}

static long by_parents_death(void)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static long by_a_sibling(void)
{
	return syscall(SYS_clone, CLONE_PARENT | SIGUSR1, NULL, NULL, NULL, NULL);
}

static long by_tracing(void)
{
	return ptrace(PTRACE_SEIZE, victim, NULL, NULL);
}

static long by_limits(void)
{
	struct rlimit none = {0, 0};

	return prlimit(victim, RLIMIT_CPU, &none, NULL);
}

static long by_priority(void)
{
	return setpriority(PRIO_PROCESS, (id_t)victim, 19);
}

static const struct {
	const char *name;
	long (*try)(void);
} ways[] = {
    {"kill", by_kill},
    {"kill of a group", by_group},
    {"kill of all", by_kill_of_all},
    {"tkill", by_tkill},
    {"tgkill", by_tgkill},
    {"rt_sigqueueinfo", by_queue},
    {"rt_tgsigqueueinfo", by_thread_queue},
    {"pidfd_open", by_pidfd},
    {"a directory of /proc", by_proc},
    {"F_SETOWN", by_owner},
    {"F_SETOWN_EX", by_owner_ex},
    {"FIOSETOWN", by_socket_owner},
    {"timer_create", by_timer},
    {"PR_SET_PDEATHSIG", by_parents_death},
    {"clone", by_a_sibling},
    {"ptrace", by_tracing},
    {"prlimit64", by_limits},
    {"setpriority", by_priority},
};

/* As the real supervisor confines itself, in a child, because its sandbox kills for most of it. */
static bool try_confined(long (*try)(void))
{
	struct sandbox_policy policy;
	struct sandbox_report report = {0};
	char why[256];
	int status;
	pid_t child = fork();

	if (child == 0) {
		launcher_layers(&policy, settings);
		if (sandbox_enter(
			ROLE_SUPERVISOR, &policy, &monitor, 1, &report, why, sizeof(why)) < 0)
			_exit(2);
		_exit(try() < 0);
	}
	/* What could not be tried counts as well. */
	return child < 0 || waitpid(child, &status, 0) != child ||
	       (WIFEXITED(status) && WEXITSTATUS(status) != 1);
}

static json_t *signals(const json_t *params)
{
	json_t *worked = json_array();

	victim = (pid_t)json_integer_value(json_object_get(params, "pid"));
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (try_confined(ways[i].try))
			json_array_append_new(worked, json_string(ways[i].name));
	return json_pack(
	    "{s:i, s:o}", "tried", (int)(sizeof(ways) / sizeof(*ways)), "worked", worked);
}

/* ---- The test ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	json_t *(*run)(const json_t *params);
} methods[] = {{"launch", launch}, {"ask", ask}, {"drop", drop}, {"signals", signals}};

static void answer_line(const char *line)
{
	json_t *message = json_loads(line, 0, NULL), *result = NULL;
	const char *method = json_string_value(json_object_get(message, "method"));

	for (size_t i = 0; method && i < sizeof(methods) / sizeof(*methods); i++)
		if (strcmp(method, methods[i].name) == 0)
			result = methods[i].run(json_object_get(message, "params"));
	message = json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id",
	    json_object_get(message, "id"), "result", result ? result : json_object());
	char *text = json_dumps(message, JSON_COMPACT);
	printf("%s\n", text);
	fflush(stdout);
	free(text);
	json_decref(message);
}

int main(int argc, char **argv)
{
	static struct paths paths;
	struct options options;
	char *line = NULL;
	size_t room = 0;

	options_read(&options, argc, argv, SETTINGS_FILE);
	settings = options.settings;
	if (options.mode != MODE_SERVE || paths_find(&paths) < 0)
		return 2;
	monitor = start_monitor(&paths);
	if (monitor < 0)
		return 1;
	while (getline(&line, &room, stdin) > 0)
		answer_line(line);
	return 0;
}
