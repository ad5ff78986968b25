/*
 * Starts a session's tools: rr replay as gdb's server, and gdb without init files. gdb sources our
 * settings and rr's commands.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/session/core.h"
#include "worker/session/images.h"
#include "worker/session/launch/core_stop.h"
#include "worker/session/launch/launch.h"
#include "worker/session/replay_inside.h"
#include "worker/session/launch/launched.h"
#include "worker/session/launch/linked_symbols.h"
#include "worker/session/relatives.h"
#include "worker/session/launch/start_rr.h"
#include "worker/serve/confine.h"
#include "worker/serve/lookup.h"
#include "worker/serve/places.h"
#include "worker/gdb/library.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/settings.h"
#include "worker/gdb/must.h"

#define WHY_MAX 512

/* rr makes `run` begin with a step, for a gdb of 2014. With it, each restart would stop twice. */
static const char without_hook[] = "define hook-run\nend\n";

static bool choose_pmu(struct replay *replay, struct failure *failure)
{
	struct launched *launched = replay->launched;

	if (!launched->choice)
		launched->choice = calloc(1, sizeof(*launched->choice));
	if (!launched->choice)
		return failure_no_memory(failure);
	if (lookup_counter(&replay->worker->config, launched->choice) != 0) {
		failure_set(failure, ERROR_RR_FAILED, "rr_status shows what is missing", "%s",
		    launched->choice->error);
		return false;
	}
	snprintf(replay->pmu, sizeof(replay->pmu), "%s", pmu_kind_name(launched->choice->kind));
	return true;
}

/* gdb can connect only to this port. */
static bool start_gdb(struct replay *replay, int commands, int port, struct failure *failure)
{
	const struct worker_config *config = &replay->worker->config;
	char path[PATH_MAX], why[WHY_MAX];
	/* By its path, from which gdb finds its data and its Python wherever it is installed. */
	const char *const argv[] = {path, "--nx", "--quiet", "--interpreter=mi3", "-iex",
	    "set auto-load off", "-iex", "set debuginfod enabled off", NULL};
	const int core[] = {replay->core ? core_contents_fd(replay->core) : -1,
	    replay->core ? core_copy_fd(replay->core) : -1};
	struct sandbox_policy sandbox;
	struct places places;

	if (pmu_find_program(config->gdb[0] ? config->gdb : "gdb", path, sizeof(path)) != 0) {
		failure_set(failure, ERROR_GDB_FAILED, NULL,
		    "%s was not found: install it (apt install gdb), or give its path with "
		    "--gdb=PATH",
		    config->gdb[0] ? config->gdb : "gdb");
		return false;
	}
	start_policy(replay, &sandbox, &places);
	sandbox.tcp_port = (unsigned)port;
	if (tool_start(&replay->launched->gdb,
		&(struct tool_spec){.path = path,
		    .argv = (char *const *)argv,
		    .environment = tool_environment,
		    .role = ROLE_GDB,
		    .policy = &sandbox,
		    .wants_input = true,
		    .output = -1,
		    .extra = commands,
		    .also = replay->core ? core : NULL},
		why, sizeof(why)) == 0)
		return true;
	failure_set(failure, ERROR_GDB_FAILED, NULL, "gdb could not be started: %s", why);
	return false;
}

/* We speak with the gdb that was started, and watch it. */
static bool meet_gdb(struct replay *replay, struct failure *failure)
{
	replay->gdb = gdb_new(replay->worker, &replay->launched->gdb, replay);
	if (!replay->gdb)
		return failure_no_memory(failure);
	launched_watch(replay);
	return true;
}

/* Makes rr write its gdb commands into memory, from where gdb sources them. */
static bool fetch_commands(struct replay *replay, int file, struct failure *failure)
{
	const char *const argv[] = {replay->launched->choice->rr_path, "gdbinit", NULL};
	struct sandbox_policy sandbox;
	struct places places;
	struct tool tool;
	char why[WHY_MAX], ignored[256];
	bool written = settings_write(file);

	start_policy(replay, &sandbox, &places);
	if (tool_start(&tool,
		&(struct tool_spec){.path = replay->launched->choice->rr_path,
		    .argv = (char *const *)argv,
		    .environment = tool_environment,
		    .role = ROLE_QUERY, /* it only prints, and that filter is built sooner */
		    .policy = &sandbox,
		    .output = file,
		    .extra = -1},
		why, sizeof(why)) != 0) {
		failure_set(failure, ERROR_RR_FAILED, NULL, "rr could not be started: %s", why);
		return false;
	}
	for (;;) {
		struct pollfd fd = {.fd = tool.errors, .events = POLLIN};
		worker_wait(replay->worker, &fd, 1, -1);
		if (gdb_must_stop(replay->gdb) ||
		    (fd.revents && read(tool.errors, ignored, sizeof(ignored)) <= 0))
			break;
	}
	tool_end(&tool);
	if (written &&
	    write(file, without_hook, sizeof(without_hook) - 1) == sizeof(without_hook) - 1)
		return true;
	failure_set(failure, ERROR_INTERNAL, NULL, "rr's gdb commands could not be stored");
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

static bool await_rr(struct replay *replay, int *port, struct failure *failure)
{
	char executable[PATH_MAX];

	while (!launch_parse(replay->launched->said, port, executable, sizeof(executable))) {
		if (gdb_must_stop(replay->gdb)) {
			worker_fail_interrupted(replay->worker, failure);
			replay->worker->broken = true;
			return false;
		}
		if (!gdb_check(
			replay->gdb, gdb_wait(replay->gdb, -1), ERROR_RR_FAILED, NULL, failure))
			return false;
	}
	free(replay->executable);
	replay->executable = strdup(executable);
	return replay->executable != NULL;
}

/* Without an answer there is nothing to warn of. */
static void try_casts(struct replay *replay)
{
	json_auto_t *results = NULL;
	const char *value;

	gdb_try(replay->gdb, &results, "-data-evaluate-expression \"(unsigned char)-32767\"");
	value = mi_text(results, "value");
	replay->wrong_casts = value && strncmp(value, "255", 3) == 0;
}

/* rr's commands in gdb are written in Python, and so are our helpers. */
static bool has_python(struct replay *replay, struct failure *failure)
{
	enum gdb_outcome outcome = gdb_console(replay->gdb, NULL, "python pass");

	if (outcome != GDB_REFUSED)
		return gdb_check(replay->gdb, outcome, ERROR_GDB_FAILED, NULL, failure);
	failure_set(failure, ERROR_GDB_FAILED,
	    "install a gdb with Python (Debian: apt install gdb, not gdb-minimal), or give its "
	    "path with --gdb=PATH",
	    "this gdb has no Python, which rr and rr-warden need: %.300s",
	    gdb_message(replay->gdb));
	return false;
}

/* Has gdb source the file, to which the helpers' text is added then. */
static bool configure(struct replay *replay, int file, struct failure *failure)
{
	char command[64];

	if (!has_python(replay, failure))
		return false;
	settings_tell(replay->gdb);
	try_casts(replay);
	snprintf(command, sizeof(command), "source /proc/self/fd/%d", TOOL_EXTRA_FD);
	if (!gdb_check(replay->gdb, gdb_console(replay->gdb, NULL, command), ERROR_GDB_FAILED, NULL,
		failure))
		return false;
	if (library_write(file))
		return true;
	failure_set(failure, ERROR_INTERNAL, NULL, "gdb's helpers could not be stored");
	return false;
}

/*
 * gdb may cache memory while the program stands, because a stopped replay does not change and each
 * read is a round trip to rr. gdb drops the cache when it resumes, but not when it restarts.
 */
static void keep_memory(struct replay *replay)
{
	replay->taught.caches = gdb_console(replay->gdb, NULL, GDB_FORGET_MEMORY) == GDB_DONE &&
				gdb_console(replay->gdb, NULL, "mem 0 0 rw cache") == GDB_DONE;
}

/* The image's first instruction runs only once, so the image begins there. */
static void note_first(struct replay *replay)
{
	replay->first_pc = mi_address(json_object_get(gdb_last_stop(replay->gdb), "frame"), "addr");
}

static bool connect_tools(
    struct replay *replay, const struct remote *remote, struct failure *failure)
{
	char quoted[GDB_QUOTED_MAX];

	if (!gdb_quote(quoted, "the executable's name", linked_symbols_program(replay), failure))
		return false;
	if (gdb_command(replay->gdb, NULL, "-file-exec-and-symbols %s", quoted) == GDB_REFUSED)
		json_array_append_new(
		    replay->warnings, json_sprintf("no symbols from %s: %s", replay->executable,
					  gdb_message(replay->gdb)));
	replay->launched->connected = true;
	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, NULL, "-target-select extended-remote 127.0.0.1:%d",
		    remote_port(remote)),
		ERROR_GDB_FAILED, NULL, failure))
		return false;
	while (!gdb_last_stop(replay->gdb))
		if (!gdb_check(
			replay->gdb, gdb_wait(replay->gdb, -1), ERROR_GDB_FAILED, NULL, failure))
			return false;
	note_first(replay);
	if (!replay->taught.caches)
		keep_memory(replay);
	else
		gdb_must_console(replay->gdb, GDB_FORGET_MEMORY);
	return true;
}

static void cleanup_remote(struct remote **remote)
{
	remote_free(*remote);
}

/* Connects gdb's port to rr, through us. From then on it belongs to gdb. */
static bool lead_to_rr(
    struct replay *replay, struct remote **remote, int port, struct failure *failure)
{
	if (remote_reach_rr(*remote, port) != 0) {
		failure_set(
		    failure, ERROR_INTERNAL, NULL, "rr cannot be reached: %s", strerror(errno));
		return false;
	}
	gdb_connect(replay->gdb, *remote);
	*remote = NULL;
	return true;
}

/* rr must be started again for another image, or for a question beside the session. */
static bool prepare_starter(
    struct replay *replay, const struct remote *remote, struct failure *failure)
{
	struct sandbox_policy sandbox;
	struct places places;

	start_policy(replay, &sandbox, &places);
	return starter_begin(&replay->launched->starter,
	    &(struct starter_spec){.start = start_rr_again,
		.owner = replay,
		.policy = &sandbox,
		.gdb_port = remote_port(remote)},
	    failure);
}

#define BOTH 2

/* The worker can start nothing afterwards. NULL ends the list. */
static bool confine(struct worker *worker, struct replay *const replays[], struct failure *failure)
{
	int keep[4 * BOTH + 1]; /* -1 ends the list */
	struct tool *tools[2 * BOTH + 1] = {NULL};
	size_t count = 0, tool = 0;

	for (size_t i = 0; i < BOTH && replays[i]; i++) {
		struct launched *launched = replays[i]->launched;

		if (replays[i]->core) {
			keep[count++] = core_named_fd(replays[i]->core);
			keep[count++] = core_contents_fd(replays[i]->core);
			keep[count++] = core_copy_fd(replays[i]->core);
		} else {
			keep[count++] = replays[i]->trace;
			keep[count++] = remote_gdb_fd(launched->link);
			keep[count++] = remote_rr_fd(launched->link);
			keep[count++] = launched->starter.socket;
		}
		tools[tool++] = &launched->rr;
		tools[tool++] = &launched->gdb;
	}
	keep[count] = -1;
	return worker_confine(worker, ROLE_WORKER, tools, keep, failure);
}

/* Starts rr and gdb, with all that they need before the worker is confined. */
static bool prepare(struct replay *replay, struct failure *failure)
{
	cleanup_fd int commands = memfd_create("rr-gdbinit", MFD_CLOEXEC);
	__attribute__((cleanup(cleanup_remote))) struct remote *remote = remote_new(0);
	const struct remote *link = replay->launched->link = remote;
	int port = 0;

	if (!remote) {
		failure_set(
		    failure, ERROR_INTERNAL, NULL, "no port is free for gdb: %s", strerror(errno));
		return false;
	}
	/* gdb takes the longest to start, so it goes first. Meanwhile we ask rr for its version and
	 * for the images of the process. */
	if (!start_gdb(replay, commands, remote_port(link), failure) ||
	    !choose_pmu(replay, failure) || !relatives_learn(replay, failure))
		return false;
	images_set(replay, images_of_event(replay, replay->asked.event));
	if (!start_rr(
		replay, images_at(replay), remote_free_port(0), 0, &replay->launched->rr, failure))
		return false;
	return meet_gdb(replay, failure) && fetch_commands(replay, commands, failure) &&
	       configure(replay, commands, failure) && await_rr(replay, &port, failure) &&
	       lead_to_rr(replay, &remote, port, failure) && prepare_starter(replay, link, failure);
}

bool launch_image(struct replay *replay, size_t number, struct failure *failure)
{
	struct launched *launched = replay->launched;
	struct remote *remote;
	int port;

	if (!gdb_check(replay->gdb, gdb_disconnect(replay->gdb), ERROR_GDB_FAILED, NULL, failure))
		return false;
	gdb_unwatch(replay->gdb, launched->rr.output);
	tool_end(&launched->rr);
	launched->connected = false;
	launched_forget_said(launched);
	images_set(replay, number);
	if (!start_image(replay, &launched->rr, failure)) {
		failure_set_hint(failure, worker_lost_hint(replay->worker));
		return false;
	}
	launched_watch_rr(replay);
	if (!await_rr(replay, &port, failure))
		return false;
	remote = starter_connect(&launched->starter, replay->worker, failure);
	if (!remote)
		return false;
	gdb_connect(replay->gdb, remote);
	return connect_tools(replay, remote, failure);
}

/* The child with this pid did not call exec, so rr needs another option for it. */
static bool is_forked_only(const struct replay *replay)
{
	return replay->pid && !replay->from_fork &&
	       strstr(replay->launched->said, "never exec()ed");
}

static void clear(struct replay *replay, struct failure *failure)
{
	gdb_free(replay->gdb);
	replay->gdb = NULL;
	launched_end(replay->launched);
	replay->worker->broken = false;
	replay->worker->loss = (struct failure){0};
	*failure = (struct failure){0};
}

/* Hints for what rr prints if it cannot start. */
static const char *hint_for(const char *message)
{
	static const char gone[] =
	    "a file that the program ran or mapped is gone, this user cannot read it, or it is no "
	    "program (a replay is shown programs alone): put it back, or record again with "
	    "rr_record "
	    "and rr_pack, or run rr pack by hand; they copy such files into the trace";
	static const struct {
		const char *said; /* the last fits all */
		const char *hint;
	} cases[] = {
	    {"CPUID", "replay it on the machine where it was recorded (rr_traceinfo shows which), "
		      "or record the program here"},
	    {"XSAVE", "replay it on the machine where it was recorded (rr_traceinfo shows which), "
		      "or record the program here"},
	    {"Failed to stat", gone},
	    {"errno ENOENT opening", gone}, /* the trace had a link or a copy */
	    {"Metadata of", "a file that the program used has changed since the recording: record "
			    "again, and use rr_pack to copy such files into the trace"},
	    {"", "rr_traceinfo shows how the trace was made, rr_status what this machine lacks"},
	};
	size_t at = 0;

	while (!strstr(message, cases[at].said))
		at++;
	return cases[at].hint;
}

/* The same, also for a child that did not call exec. */
static bool prepare_any(struct replay *replay, struct failure *failure)
{
	if (prepare(replay, failure))
		return true;
	if (is_forked_only(replay)) {
		clear(replay, failure);
		replay->from_fork = true;
		return prepare(replay, failure);
	}
	return false;
}

static bool explain(const struct replay *replay, struct failure *failure)
{
	const struct launched *launched = replay->launched;

	if (failure->code == ERROR_RR_FAILED && !replay->worker->interrupt && launched->rr.pid == 0)
		snprintf(failure->hint, sizeof(failure->hint), "%s", hint_for(failure->message));
	else if (failure->code == ERROR_GDB_FAILED && launched->gdb.pid == 0)
		failure_set_hint(failure, "try again; `rr-warden doctor` tests rr and gdb");
	if (replay->pid && strstr(launched->said, "No process")) {
		/* This is the reason, and not that rr ended because of it. */
		replay->worker->loss = (struct failure){0};
		failure_set(failure, ERROR_NOT_FOUND, "rr_ps lists the processes of a recording",
		    "the recording has no process %lld", replay->pid);
	}
	return false;
}

/* gdb looks for separate debug information where the call's files are, and then as before. */
static void show_symbols(struct replay *replay)
{
	json_auto_t *results = NULL;
	const char *before;

	if (!replay->asked.symbols)
		return;
	gdb_must(replay->gdb, &results, "-gdb-show debug-file-directory");
	before = mi_text(results, "value");
	gdb_must(replay->gdb, NULL, "-gdb-set debug-file-directory %s:%s", SYMBOLS_DIRECTORY,
	    before ? before : "");
	if (replay->worker->config.symbols_unsure)
		json_array_append_new(replay->warnings,
		    json_string(
			"whether all files in symbols belong to this recording is not known, "
			"because its list of programs cannot be read as a whole: where names or "
			"lines are missing, compare the build ids (readelf -n)"));
}

bool launch_tools(struct replay *replay, struct failure *failure)
{
	struct replay *const one[BOTH] = {replay};

	if (!prepare_any(replay, failure) || !confine(replay->worker, one, failure))
		return explain(replay, failure);
	show_symbols(replay);
	return (!replay->worker->broken &&
		   connect_tools(replay, replay->launched->link, failure)) ||
	       explain(replay, failure);
}

/* gdb, and nothing beside it. */
static bool prepare_core(struct replay *replay, struct failure *failure)
{
	cleanup_fd int commands = memfd_create("rr-gdbinit", MFD_CLOEXEC);

	if (commands < 0 || !settings_write(commands)) {
		failure_set(failure, ERROR_INTERNAL, NULL, "gdb's settings could not be stored");
		return false;
	}
	return start_gdb(replay, commands, 0, failure) && meet_gdb(replay, failure) &&
	       configure(replay, commands, failure);
}

bool launch_core(struct replay *replay, const struct core_asked *asked, struct failure *failure)
{
	struct replay *const one[BOTH] = {replay};

	return (prepare_core(replay, failure) && confine(replay->worker, one, failure) &&
		   core_read(replay->core, failure) && core_stop(replay, asked, failure)) ||
	       explain(replay, failure);
}

bool launch_both(struct replay *one, struct replay *other, struct failure *failure)
{
	struct replay *const both[BOTH] = {one, other};

	one->beside = other;
	other->beside = one;
	if (!prepare_any(one, failure))
		return explain(one, failure);
	if (!prepare_any(other, failure))
		return explain(other, failure);
	if (!confine(one->worker, both, failure))
		return false;
	return (connect_tools(one, one->launched->link, failure) || explain(one, failure)) &&
	       (connect_tools(other, other->launched->link, failure) || explain(other, failure));
}
