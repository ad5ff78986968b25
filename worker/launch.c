/*
 * The start of a session's tools: rr replay as gdb's server, gdb with everything off that reads the
 * recorded program's wishes (init files, auto-load, debuginfod), rr's own commands sourced into it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/pmu.h"
#include "worker/launch.h"
#include "worker/confine.h"
#include "worker/places.h"
#include "worker/mi.h"
#include "worker/scrub.h"

#define WHY_MAX	      512
#define RR_ARGS_MAX   32
#define PUMP_GRACE_MS 200

/* In this order. What may fail in an old gdb without harm is marked, and said to it without
 * waiting; the others go into the script that it sources, which ends at the first that it refuses.
 */
static const struct {
	const char *command;
	bool may_fail;
} settings[] = {
    {"mi-async on", false},
    {"confirm off", false},
    {"auto-load off", false},
    {"auto-load safe-path /nonexistent", false},
    {"debuginfod enabled off", true},
    {"index-cache enabled off", true},
    {"may-call-functions off", true},
    {"may-write-memory off", false},
    {"sysroot /", false},
    {"remotetimeout 10000", false}, /* vRun replays: it may take long, and gdb must not give up */
    {"startup-with-shell off", false},
    {"can-use-hw-watchpoints 1", false},
    {"print elements 200", false},
    {"print repeats 10", false},
    {"print max-depth 8", true},
    {"max-value-size 32768", false}, /* reading a megabyte through rr takes seconds */
    /* What a debug register can do: gdb would ask rr for more, which rr does by single steps. */
    {"remote hardware-watchpoint-limit 4", false},
    {"remote hardware-watchpoint-length-limit 8", false},
    {"backtrace limit unlimited", false},
    {"dcache line-size 4096", true},
    {"width 0", false},
    {"height 0", false},
    {"style enabled off", true},
    {"history save off", false},
    {"python print-stack none", true},
};

/* rr has `run` make a step first, for a gdb of 2014: each restart would stop twice. */
static const char without_hook[] = "define hook-run\nend\n";

static bool take_rr_output(void *owner, int fd)
{
	struct replay *replay = owner;
	char bytes[16 * 1024];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got <= 0)
		return got < 0 && (errno == EAGAIN || errno == EINTR);
	if (!replay->connected) {
		size_t room = sizeof(replay->launch) - 1 - replay->launch_length;
		size_t length = (size_t)got < room ? (size_t)got : room;
		memcpy(replay->launch + replay->launch_length, bytes, length);
		replay->launch_length += length;
		replay->launch[replay->launch_length] = '\0';
	}
	output_add(replay->output, bytes, (size_t)got);
	return true;
}

/* gdb's stderr: nothing of it is for the client, but it must not fill up. */
static bool take_gdb_errors(void *owner, int fd)
{
	struct replay *replay = owner;
	char bytes[4096];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got > 0)
		snprintf(replay->gdb_words, sizeof(replay->gdb_words), "%.*s",
		    (int)(got < 400 ? got : 400), bytes);
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool explain_loss(void *owner, char *text, size_t size)
{
	struct replay *replay = owner;
	struct tool *tools[] = {&replay->rr, &replay->gdb_tool};
	char end[64], words[600];

	for (int waited = 0; waited < PUMP_GRACE_MS; waited += 10) {
		tools_reap(tools, 2);
		if (replay->rr.pid == 0 || replay->gdb_tool.pid == 0)
			break;
		usleep(10000);
	}
	take_rr_output(replay, replay->rr.output);
	output_rr_words(replay->output, words, sizeof(words));
	if (replay->rr.pid == 0) {
		tool_describe_end(&replay->rr, end, sizeof(end));
		snprintf(text, size, "rr ended with %s: %s", end, words);
	} else if (replay->gdb_tool.pid == 0) {
		tool_describe_end(&replay->gdb_tool, end, sizeof(end));
		scrub_bytes(words, sizeof(words), replay->gdb_words, strlen(replay->gdb_words));
		snprintf(text, size, "gdb ended with %s%s%s", end, words[0] ? ": " : "", words);
	} else {
		return false;
	}
	return true;
}

static bool choose_pmu(struct replay *replay, struct pmu_choice *choice, struct op_reply *reply)
{
	const struct worker_config *config = &replay->worker->config;
	int mode = pmu_mode_from_name(config->pmu);

	if (pmu_choose(mode < 0 ? PMU_MODE_AUTO : (enum pmu_mode)mode,
		config->rr[0] ? config->rr : "rr", choice) != 0) {
		op_fail(
		    reply, ERROR_RR_FAILED, "rr_status tells what is missing", "%s", choice->error);
		return false;
	}
	snprintf(replay->pmu, sizeof(replay->pmu), "%s", pmu_kind_name(choice->kind));
	return true;
}

/* The tools see what the launcher left visible, and the trace. */
static void confined_settings(
    const struct replay *replay, struct sandbox_settings *sandbox, struct places *places)
{
	tool_settings(&replay->worker->config, sandbox);
	places_begin(places, &replay->worker->config);
	places_read(places, replay->trace_dir);
	places_apply(places, sandbox);
}

static bool start_rr(struct replay *replay, const struct pmu_choice *choice, struct op_reply *reply)
{
	const struct worker_config *config = &replay->worker->config;
	char **environment = pmu_rr_environment(choice, config->softpmu, tool_environment);
	const char *argv[RR_ARGS_MAX] = {choice->rr_path};
	const char *const *options = pmu_rr_options(choice);
	struct sandbox_settings sandbox;
	struct places places;
	char pid[24], why[WHY_MAX];
	size_t n = 1;
	bool started;

	if (!environment) {
		op_fail(reply, ERROR_INTERNAL, NULL,
		    "the software counters' library %s cannot be used", config->softpmu);
		return false;
	}
	while (*options && n < RR_ARGS_MAX - 12)
		argv[n++] = *options++;
	argv[n++] = "-M";
	argv[n++] = "replay";
	argv[n++] = "-s";
	argv[n++] = "0";
	argv[n++] = "-k";
	if (replay->pid) {
		snprintf(pid, sizeof(pid), "%lld", replay->pid);
		argv[n++] = replay->fork_pid ? "-f" : "-p";
		argv[n++] = pid;
	}
	argv[n++] = replay->trace_dir;
	confined_settings(replay, &sandbox, &places);
	started = tool_start(&replay->rr,
		      &(struct tool_spec){.path = choice->rr_path,
			  .argv = (char *const *)argv,
			  .environment = environment,
			  .role = ROLE_RR_REPLAY,
			  .settings = &sandbox,
			  .merge_output = true,
			  .output = -1,
			  .extra = -1},
		      why, sizeof(why)) == 0;
	pmu_environment_free(environment);
	if (!started)
		op_fail(reply, ERROR_RR_FAILED, NULL, "rr does not start: %s", why);
	return started;
}

static bool start_gdb(struct replay *replay, int commands, struct op_reply *reply)
{
	const struct worker_config *config = &replay->worker->config;
	static const char *const argv[] = {"gdb", "--nx", "--quiet", "--interpreter=mi3", "-iex",
	    "set auto-load off", "-iex", "set debuginfod enabled off", NULL};
	struct sandbox_settings sandbox;
	struct places places;
	char path[PATH_MAX], why[WHY_MAX];

	if (pmu_find_program(config->gdb[0] ? config->gdb : "gdb", path, sizeof(path)) != 0) {
		op_fail(reply, ERROR_GDB_FAILED, NULL,
		    "%s was not found: install it (apt install gdb), or name it with --gdb=PATH",
		    config->gdb[0] ? config->gdb : "gdb");
		return false;
	}
	confined_settings(replay, &sandbox, &places);
	if (tool_start(&replay->gdb_tool,
		&(struct tool_spec){.path = path,
		    .argv = (char *const *)argv,
		    .environment = tool_environment,
		    .role = ROLE_GDB,
		    .settings = &sandbox,
		    .wants_input = true,
		    .output = -1,
		    .extra = commands},
		why, sizeof(why)) == 0)
		return true;
	op_fail(reply, ERROR_GDB_FAILED, NULL, "gdb does not start: %s", why);
	return false;
}

static bool write_settings(int file)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (!settings[i].may_fail && dprintf(file, "set %s\n", settings[i].command) < 0)
			return false;
	return true;
}

/* Has rr write its gdb commands into memory that gdb sources them from. */
static bool fetch_commands(
    struct replay *replay, const struct pmu_choice *choice, int file, struct op_reply *reply)
{
	const char *const argv[] = {choice->rr_path, "gdbinit", NULL};
	struct sandbox_settings sandbox;
	struct places places;
	struct tool tool;
	char why[WHY_MAX], ignored[256];
	bool written = write_settings(file);

	confined_settings(replay, &sandbox, &places);
	if (tool_start(&tool,
		&(struct tool_spec){.path = choice->rr_path,
		    .argv = (char *const *)argv,
		    .environment = tool_environment,
		    .role = ROLE_QUERY, /* it only prints, and that filter is built sooner */
		    .settings = &sandbox,
		    .output = file,
		    .extra = -1},
		why, sizeof(why)) != 0) {
		op_fail(reply, ERROR_RR_FAILED, NULL, "rr does not start: %s", why);
		return false;
	}
	for (;;) {
		struct pollfd fd = {.fd = tool.errors, .events = POLLIN};
		worker_wait(replay->worker, &fd, 1, -1);
		if (replay->worker->interrupt ||
		    (fd.revents && read(tool.errors, ignored, sizeof(ignored)) <= 0))
			break;
	}
	tool_end(&tool);
	if (written &&
	    write(file, without_hook, sizeof(without_hook) - 1) == sizeof(without_hook) - 1)
		return true;
	op_fail(reply, ERROR_INTERNAL, NULL, "rr's commands could not be kept");
	return false;
}

/* 'target extended-remote 127.0.0.1:PORT' EXECUTABLE, at the end of a shell command line. */
bool launch_parse(const char *text, int *port, char *executable, size_t size)
{
	static const char remote[] = "extended-remote ";
	const char *at = strstr(text, remote), *end, *colon;
	size_t length;

	end = at ? strchr(at, '\n') : NULL;
	colon = at ? strchr(at, ':') : NULL;
	if (!end || !colon || colon > end)
		return false;
	*port = (int)strtol(colon + 1, (char **)&at, 10);
	while (at < end && (*at == '\'' || *at == ' '))
		at++;
	while (end > at && (end[-1] == '\'' || end[-1] == ' '))
		end--;
	length = (size_t)(end - at);
	if (*port <= 0 || *port > 65535 || length == 0 || length >= size)
		return false;
	memcpy(executable, at, length);
	executable[length] = '\0';
	return true;
}

static bool await_rr(struct replay *replay, int *port, struct op_reply *reply)
{
	char executable[PATH_MAX];

	while (!launch_parse(replay->launch, port, executable, sizeof(executable))) {
		if (replay->worker->interrupt) {
			gdb_fail_interrupted(replay->worker, reply);
			replay->worker->broken = true;
			return false;
		}
		if (!gdb_check(
			replay->gdb, gdb_pump(replay->gdb, -1), ERROR_RR_FAILED, NULL, reply))
			return false;
	}
	replay->executable = strdup(executable);
	return replay->executable != NULL;
}

static bool configure(struct replay *replay, struct op_reply *reply)
{
	char command[64];

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (settings[i].may_fail) {
			snprintf(command, sizeof(command), "-gdb-set %s\n", settings[i].command);
			gdb_tell(replay->gdb, command);
		}
	snprintf(command, sizeof(command), "source /proc/self/fd/%d", TOOL_EXTRA_FD);
	return gdb_check(
	    replay->gdb, gdb_console(replay->gdb, NULL, command), ERROR_GDB_FAILED, NULL, reply);
}

/*
 * What was read stays known until the program runs: a stopped replay does not change, and each read
 * costs a round through rr. gdb forgets by itself when it resumes, not when it starts anew.
 */
static void keep_memory(struct replay *replay)
{
	replay->caches = gdb_console(replay->gdb, NULL, GDB_FORGET_MEMORY) == GDB_DONE &&
			 gdb_console(replay->gdb, NULL, "mem 0 0 rw cache") == GDB_DONE;
}

static bool connect_tools(struct replay *replay, int port, struct op_reply *reply)
{
	char quoted[GDB_QUOTED_MAX];

	if (!gdb_quote(quoted, "the executable's name", replay->executable, reply))
		return false;
	if (gdb_command(replay->gdb, NULL, "-file-exec-and-symbols %s", quoted) == GDB_REFUSED)
		json_array_append_new(
		    replay->warnings, json_sprintf("no symbols from %s: %s", replay->executable,
					  gdb_message(replay->gdb)));
	replay->connected = true;
	/* What came before the session's first moment, rr's invitation to gdb among it. */
	json_decref(output_take(replay->output, 1));
	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, NULL, "-target-select extended-remote 127.0.0.1:%d", port),
		ERROR_GDB_FAILED, NULL, reply))
		return false;
	while (!gdb_last_stop(replay->gdb))
		if (!gdb_check(
			replay->gdb, gdb_pump(replay->gdb, -1), ERROR_GDB_FAILED, NULL, reply))
			return false;
	keep_memory(replay);
	return true;
}

static bool launch(struct replay *replay, struct op_reply *reply)
{
	cleanup_fd int commands = memfd_create("rr-gdbinit", MFD_CLOEXEC);
	struct pmu_choice choice;
	int port = 0;

	/* gdb takes the longest to start, so it goes first: rr is asked for its version meanwhile.
	 */
	if (!start_gdb(replay, commands, reply) || !choose_pmu(replay, &choice, reply) ||
	    !start_rr(replay, &choice, reply))
		return false;
	replay->gdb = gdb_new(replay->worker, &replay->gdb_tool, replay);
	if (!replay->gdb) {
		op_fail(reply, ERROR_INTERNAL, NULL, "out of memory");
		return false;
	}
	gdb_on_loss(replay->gdb, explain_loss);
	gdb_watch(replay->gdb, replay->rr.output, take_rr_output);
	gdb_watch(replay->gdb, replay->gdb_tool.errors, take_gdb_errors);
	return fetch_commands(replay, &choice, commands, reply) && configure(replay, reply) &&
	       await_rr(replay, &port, reply) &&
	       worker_confine(replay->worker, ROLE_WORKER,
		   (struct tool *[]){&replay->rr, &replay->gdb_tool, NULL}, (int[]){commands, -1},
		   reply) &&
	       connect_tools(replay, port, reply);
}

/* The child that pid names never ran exec: rr wants to be asked for it in another way. */
static bool is_forked_only(const struct replay *replay)
{
	return replay->pid && !replay->fork_pid && strstr(replay->launch, "never exec()ed");
}

static void clear(struct replay *replay, struct op_reply *reply)
{
	gdb_free(replay->gdb);
	replay->gdb = NULL;
	tool_end(&replay->gdb_tool);
	tool_end(&replay->rr);
	replay->launch_length = 0;
	replay->launch[0] = '\0';
	replay->worker->broken = false;
	*reply = (struct op_reply){0};
}

/* What can be done about what rr said when it did not come up. */
static const char *hint_for(const char *message)
{
	static const struct {
		const char *said; /* the last fits all */
		const char *hint;
	} cases[] = {
	    {"CPUID",
		"replay it on the machine it was made on (rr_traceinfo tells which), or record "
		"the program here"},
	    {"XSAVE",
		"replay it on the machine it was made on (rr_traceinfo tells which), or record "
		"the program here"},
	    {"Failed to stat",
		"a file that the program used is gone, or the server may not see it: "
		"--source-dir=DIRECTORY shows it; rr_pack keeps a trace whole"},
	    {"Metadata of", "a file that the program used has changed since: record again, and "
			    "rr_pack the trace to keep it whole"},
	    {"", "rr_traceinfo tells how the trace was made, rr_status what this machine lacks"},
	};
	size_t at = 0;

	while (!strstr(message, cases[at].said))
		at++;
	return cases[at].hint;
}

bool launch_tools(struct replay *replay, struct op_reply *reply)
{
	if (launch(replay, reply))
		return true;
	if (is_forked_only(replay)) {
		clear(replay, reply);
		replay->fork_pid = true;
		return launch(replay, reply);
	}
	if (reply->code == ERROR_RR_FAILED && !replay->worker->interrupt && replay->rr.pid == 0)
		snprintf(reply->hint, sizeof(reply->hint), "%s", hint_for(reply->message));
	if (replay->pid && strstr(replay->launch, "No process")) {
		op_fail(reply, ERROR_NOT_FOUND, "rr_ps lists the processes of a recording",
		    "the recording has no process %lld", replay->pid);
	}
	return false;
}
