/*
 * rr-warden: the supervisor. Reads its options, forks the launcher, gives up every privilege, and
 * serves one MCP client on stdin and stdout until one of them ends. Starting is cheap and has no
 * side effects, because clients start servers just to list their tools.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/log.h"
#include "sandbox/sandbox.h"
#include "supervisor/apparmor.h"
#include "supervisor/client.h"
#include "supervisor/commands/client_config.h"
#include "supervisor/commands/record_until_command.h"
#include "supervisor/dispatch.h"
#include "supervisor/commands/doctor.h"
#include "supervisor/commands/explain_command.h"
#include "supervisor/help.h"
#include "supervisor/connections.h"
#include "supervisor/deadlines.h"
#include "supervisor/monitor/launcher.h"
#include "supervisor/monitor/log_writer.h"
#include "supervisor/options.h"
#include "supervisor/own_tools.h"
#include "supervisor/paths.h"
#include "supervisor/commands/rr_command.h"
#include "supervisor/redact/pattern.h"
#include "supervisor/redact/redactor.h"

#define EXIT_USAGE    2
#define LAST_FLUSH_MS 20

struct supervisor {
	struct settings *settings;
	struct paths paths;
	struct loop *loop;
	struct connections *connections;
	struct session_table *table;
	struct dispatch dispatch;
	struct redactor *redactor;
	char directory[PATH_MAX]; /* where we were started */
	struct mcp_handler handler;
	struct mcp_server *server;
	struct client client;
	int signals;
	int log_finished; /* readable when the log has all that we said; -1: no log */
};

static void end_by_signal(void *owner, short events)
{
	struct supervisor *supervisor = owner;

	(void)events;
	loop_stop(supervisor->loop);
}

/* SIGINT, SIGTERM and SIGHUP become readable; a vanished reader becomes EPIPE. */
static int watch_signals(void)
{
	sigset_t ends;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &ends, NULL) < 0)
		return -1;
	return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int create_parts(struct supervisor *supervisor, int launcher)
{
	struct session_ports ports = {.launch = connections_launch,
	    .send = connection_send,
	    .drop = connection_drop,
	    .answer = dispatch_answer,
	    .progress = dispatch_progress,
	    .client = &supervisor->dispatch,
	    .now = deadline_now,
	    .settings = supervisor->settings};

	supervisor->loop = loop_new();
	if (supervisor->loop == NULL)
		return -1;
	ports.workers = supervisor->connections = connections_new(supervisor->loop, launcher);
	supervisor->table = session_table_new(&ports);
	if (supervisor->connections == NULL || supervisor->table == NULL)
		return -1;
	loop_add_clock(supervisor->loop,
	    &(struct loop_clock){session_nearest_deadline, session_expire, supervisor->table});
	supervisor->dispatch = (struct dispatch){.settings = supervisor->settings,
	    .table = supervisor->table,
	    .directory = getcwd(supervisor->directory, sizeof(supervisor->directory)),
	    .redactor = supervisor->redactor};
	dispatch_handler(&supervisor->dispatch, &supervisor->handler);
	return loop_add(supervisor->loop, supervisor->signals, POLLIN, end_by_signal, supervisor);
}

/* Gives up everything except what is already open. */
static int lock_down(struct supervisor *supervisor, int launcher)
{
	struct sandbox_policy policy;
	struct sandbox_report report = {0};
	char why[SETTINGS_WHY_MAX];
	const int keep[] = {launcher, supervisor->signals, supervisor->log_finished};

	launcher_layers(&policy, supervisor->settings);
	if (sandbox_enter(ROLE_SUPERVISOR, &policy, keep, 3, &report, why, sizeof(why)) < 0) {
		log_error("the supervisor's sandbox cannot be set up: %s", why);
		return -1;
	}
	return 0;
}

/*
 * Recordings in the background end before the server does, so that their traces can be replayed. A
 * host that is in a hurry kills us, and then they are lost. Their sessions have deadlines.
 */
static void end_recordings(struct supervisor *supervisor, const struct failure *failure)
{
	if (!connections_have_launcher(supervisor->connections) ||
	    session_end_others(supervisor->table, failure) == 0)
		return;
	client_hang_up(&supervisor->client);
	loop_remove(supervisor->loop, supervisor->signals);
	while (session_count(supervisor->table, WORKER_RECORD) > 0 &&
	       connections_have_launcher(supervisor->connections)) {
		loop_go_on(supervisor->loop);
		if (loop_turn(supervisor->loop) < 0)
			return;
	}
}

/* Answers the calls that are still running with the reason for the end. Returns the exit status. */
static int end_calls(struct supervisor *supervisor)
{
	bool alone = !connections_have_launcher(supervisor->connections);
	struct failure failure = {0};

	if (alone)
		failure_set(&failure, ERROR_WORKER_DIED,
		    "start the server again, then repeat the call",
		    "the process that starts workers died, and all workers with it; the server "
		    "exits");
	else
		failure_set(&failure, ERROR_CANCELLED,
		    "repeat the call, and keep the server's input open until it is answered",
		    "%s before this call finished",
		    supervisor->client.input_ended ? "the client's input ended"
						   : "the server was told to exit");
	if (alone)
		log_error("%s", failure.message);
	end_recordings(supervisor, &failure);
	session_end_all(supervisor->table, &failure, false);
	return alone;
}

/* If a standard descriptor is closed, one that we open later must not take its place: as the
 * client's input it would never end. Opens /dev/null for reading there, so that writing to it
 * fails. */
static int hold_standard_descriptors(void)
{
	int null;

	do {
		null = open("/dev/null", O_RDONLY);
		if (null < 0)
			return -1;
	} while (null <= STDERR_FILENO);
	return close(null);
}

/* Before the monitor starts, so that every process of ours logs there. *finished is as of
 * log_writer_start, or -1. */
static int open_log(const struct settings *settings, int *finished)
{
	const char *path = settings_text(settings, SETTING_LOG);

	*finished = -1;
	log_set_level(
	    (enum log_level)settings_number(settings, SETTING_LOG_LEVEL), path[0] != '\0');
	if (path[0] == '\0' || (*finished = log_writer_start(path, settings)) >= 0)
		return 0;
	log_error("the log cannot be written to %s: %s", path, strerror(errno));
	return -1;
}

/* Before anything is started, because a server that cannot mask what it was told to mask must not
 * serve. */
static int prepare_redactor(struct supervisor *supervisor)
{
	const char *const *items = settings_list(supervisor->settings, SETTING_REDACT);
	char why[PATTERN_WHY_MAX];

	if (items[0] == NULL || (supervisor->redactor = redactor_new(items, why)) != NULL)
		return 0;
	log_error("--redact: %s", why);
	return -1;
}

static int serve(struct supervisor *supervisor)
{
	int launcher, status;

	if (prepare_redactor(supervisor) < 0)
		return 1;
	if (open_log(supervisor->settings, &supervisor->log_finished) < 0)
		return 1;
	if (supervisor->settings != NULL &&
	    settings_text(supervisor->settings, SETTING_TRACE_DIR)[0] != 0)
		setenv("_RR_TRACE_DIR", settings_text(supervisor->settings, SETTING_TRACE_DIR), 1);
	supervisor->signals = watch_signals();
	launcher = launcher_start(&supervisor->paths, supervisor->settings);
	if (supervisor->signals < 0 || launcher < 0 || create_parts(supervisor, launcher) < 0 ||
	    log_writer_join(LOG_SOURCE_SUPERVISOR) < 0) {
		log_error("cannot start: %s", strerror(errno));
		return 1;
	}
	/* Only now, because workers would inherit it. The kernel then reaps a keeper that was
	 * killed. */
	signal(SIGCHLD, SIG_IGN);
	supervisor->server = mcp_server_new(&supervisor->handler);
	tzset();
	if (supervisor->server == NULL || lock_down(supervisor, launcher) < 0)
		return 1;
	client_start(&supervisor->client, supervisor->loop, supervisor->server);
	if (loop_run(supervisor->loop) < 0)
		log_error("poll: %s", strerror(errno));
	status = end_calls(supervisor);
	client_flush(&supervisor->client, LAST_FLUSH_MS);
	if (supervisor->log_finished >= 0)
		log_writer_finish(supervisor->log_finished);
	return status;
}

int main(int argc, char **argv)
{
	static struct supervisor supervisor;
	struct options options;
	struct own_choices choices; /* a mode that starts a server leaves them to that */

	if (apparmor_begin(argv) < 0)
		return 1;
	paths_find_home();
	if (hold_standard_descriptors() < 0)
		return 1;
	options_read(&options, argc, argv, SETTINGS_FILE);
	supervisor.settings = options.settings;
	if (paths_find(&supervisor.paths) < 0) {
		fprintf(
		    stderr, "rr-warden: cannot tell where it is installed: %s\n", strerror(errno));
		return 1;
	}
	switch (options.mode) {
	case MODE_HELP:
		help_print();
		return 0;
	case MODE_HELP_SETTINGS:
		help_print_settings();
		return 0;
	case MODE_VERSION:
		printf("rr-warden %s\n", RR_WARDEN_VERSION);
		return 0;
	case MODE_RR:
		own_tools_choose(supervisor.settings, &supervisor.paths, &choices);
		return rr_command_run(supervisor.settings, &supervisor.paths, argc - options.rest,
		    argv + options.rest);
	case MODE_WRONG:
		fprintf(stderr, "rr-warden: %s\n", options.why);
		return EXIT_USAGE;
	case MODE_DOCTOR:
		own_tools_choose(supervisor.settings, &supervisor.paths, &choices);
		return doctor_run(supervisor.settings, &choices, argc, argv, options.rest);
	case MODE_RECORD_UNTIL:
		return record_until_command_run(supervisor.paths.program, argc, argv, options.rest);
	case MODE_CONFIG:
		return client_config_run(supervisor.paths.program, argc, argv, options.rest);
	case MODE_EXPLAIN:
		return explain_command_run(supervisor.settings, argc, argv, options.rest);
	case MODE_SERVE:
		if (!isatty(STDIN_FILENO))
			break;
		help_greet(); /* a person typed it: it would wait without a word */
		return 0;
	}
	own_tools_choose(supervisor.settings, &supervisor.paths, &choices);
	/* Without cleaning up, because everything below dies with this process. */
	_exit(serve(&supervisor));
}
