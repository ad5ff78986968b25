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

/* The first children of a process; how many there are. */
static size_t children_of(pid_t parent, pid_t *children, size_t max)
{
	char path[64], word[16];
	size_t count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	file = fopen(path, "re");
	while (file && count < max && fscanf(file, "%15s", word) == 1)
		children[count++] = (pid_t)strtol(word, NULL, 10);
	if (file)
		fclose(file);
	return count;
}

static bool is_called(pid_t pid, const char *name)
{
	char path[64], comm[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file) {
		if (!fgets(comm, sizeof(comm), file))
			comm[0] = '\0';
		fclose(file);
	}
	return comm[0] == '\0' || strncmp(comm, name, strlen(name)) == 0;
}

/* Whether the launcher, our child's child, has a child that is not yet a worker. */
static bool is_one_set_up(void)
{
	pid_t keeper, launcher, children[WORKERS_MAX];
	size_t count = 0;

	if (children_of(getpid(), &keeper, 1) == 1 && children_of(keeper, &launcher, 1) == 1)
		count = children_of(launcher, children, WORKERS_MAX);
	for (size_t i = 0; i < count; i++)
		if (!is_called(children[i], "rr-warden-worke") &&
		    !is_called(children[i], "rr-warden-files"))
			return true;
	return false;
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

/* What the monitor does before it answers a request that is always allowed. */
static void take_notices(struct launched *launched, uint32_t last)
{
	json_t *behind = json_pack("{s:i, s:i}", "kind", WORKER_QUERY, "operation", WIRE_OP_STATUS);
	struct launch_notice notice;
	bool answers;
	int fds[2];

	send_request(last, behind);
	json_decref(behind);
	do {
		next_notice(&notice, fds);
		answers = notice.what == LAUNCH_STARTED || notice.what == LAUNCH_FAILED;
		if (answers && notice.tag == launched->tag)
			note(launched, &notice, fds);
		close_both(fds);
	} while (!answers || notice.tag != last);
}

/* What the monitor refuses, it does not answer. It has refused a request if it has answered one
 * that came behind, sets up no worker, and then answers another. */
static json_t *launch(const json_t *params)
{
	static uint32_t tag;
	struct launched launched = {.hurry = json_object_get(params, "hurry")};

	launched.tag = ++tag;
	send_request(launched.tag, params);
	take_notices(&launched, ++tag);
	if (!launched.answer) {
		while (is_one_set_up())
			usleep(1000);
		take_notices(&launched, ++tag);
	}
	if (!launched.answer)
		return json_pack("{s:s}", "what", "refused");
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
	monitor = launcher_start(&paths, settings);
	if (monitor < 0)
		return 1;
	while (getline(&line, &room, stdin) > 0)
		answer_line(line);
	return 0;
}
