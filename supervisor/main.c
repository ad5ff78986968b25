/*
 * rr-warden: the supervisor. Reads its options, forks the launcher, gives up every privilege, and
 * serves one MCP client on stdin and stdout until either has had enough.
 *
 * Start-up is cheap and without side effects: clients start servers only to ask what they are.
 */
#include <errno.h>
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
#include "supervisor/client.h"
#include "supervisor/dispatch.h"
#include "supervisor/doctor.h"
#include "supervisor/launcher.h"
#include "supervisor/links.h"
#include "supervisor/options.h"
#include "supervisor/paths.h"
#include "supervisor/resources.h"
#include "supervisor/rr_command.h"
#include "supervisor/tools.h"

#define EXIT_USAGE    2
#define LAST_FLUSH_MS 20

struct supervisor {
	struct policy *policy;
	struct paths paths;
	struct loop *loop;
	struct links *links;
	struct session_table *table;
	struct dispatch dispatch;
	struct mcp_server *server;
	struct client client;
	int signals;
};

static int port_launch(void *owner, struct session *session)
{
	struct supervisor *supervisor = owner;
	return links_launch(supervisor->links, session);
}

static enum channel_result port_send(
    void *owner, struct session *session, uint32_t type, uint32_t id, const json_t *json)
{
	struct supervisor *supervisor = owner;
	return links_send(supervisor->links, session, type, id, json);
}

static void port_drop(void *owner, struct session *session)
{
	struct supervisor *supervisor = owner;
	links_drop(supervisor->links, session);
}

static void port_answer(
    void *owner, struct session *session, struct call *call, struct outcome *outcome)
{
	struct supervisor *supervisor = owner;
	const char *trace_dir = json_string_value(json_object_get(outcome->result, "trace_dir"));

	if (call->operation == WIRE_OP_RECORD && trace_dir != NULL)
		links_remember_recording(supervisor->links, trace_dir, call->args);
	dispatch_answer(&supervisor->dispatch, session, call, outcome);
}

static void port_progress(
    void *owner, struct call *call, double progress, double total, const char *message)
{
	(void)owner;
	dispatch_progress(call, progress, total, message);
}

static json_t *port_start_message(void *owner, struct session *session)
{
	struct supervisor *supervisor = owner;
	return links_start_message(supervisor->links, session);
}

static int64_t port_now(void *owner)
{
	(void)owner;
	return deadline_now();
}

static int64_t clock_nearest(void *owner)
{
	struct supervisor *supervisor = owner;
	int64_t sessions = session_nearest_deadline(supervisor->table);
	int64_t links = links_nearest_deadline(supervisor->links);

	return sessions < links ? sessions : links;
}

static void clock_expired(void *owner, int64_t now)
{
	struct supervisor *supervisor = owner;

	links_expire(supervisor->links, now);
	session_expire(supervisor->table, now);
}

static void clock_turn(void *owner)
{
	struct supervisor *supervisor = owner;
	client_turn(&supervisor->client);
}

static void take_signal(void *owner, short events)
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
	struct loop_clock clock = {clock_nearest, clock_expired, clock_turn, supervisor};
	struct session_ports ports = {port_launch, port_send, port_drop, port_answer, port_progress,
	    port_start_message, port_now, supervisor, supervisor->policy};

	supervisor->loop = loop_new(&clock);
	if (supervisor->loop == NULL)
		return -1;
	supervisor->links =
	    links_new(supervisor->loop, launcher, supervisor->policy, &supervisor->paths);
	supervisor->table = session_table_new(&ports);
	if (supervisor->links == NULL || supervisor->table == NULL)
		return -1;
	links_set_table(supervisor->links, supervisor->table);
	supervisor->dispatch =
	    (struct dispatch){.policy = supervisor->policy, .table = supervisor->table};
	return loop_add(supervisor->loop, supervisor->signals, POLLIN, take_signal, supervisor);
}

/* As main's one struct, it lives as long as the process. */
static struct mcp_handler handler = {
    .name = "rr-warden",
    .title = "rr-warden: time-travel debugging",
    .version = RR_WARDEN_VERSION,
    .instructions = resources_instructions,
    .tools = tools_shown,
    .tool_count = TOOL_COUNT,
    .resources = resources_shown,
    .templates = resources_templates,
    .resource_count = RESOURCE_COUNT,
    .template_count = TEMPLATE_COUNT,
    .prompts = prompts_shown,
    .prompt_count = PROMPT_COUNT,
    .call_tool = dispatch_call_tool,
    .cancel = dispatch_cancel,
    .read_resource = dispatch_read_resource,
    .get_prompt = prompts_get_text,
    .complete = dispatch_complete,
};

/* Gives up everything but what is open already. */
static int lock_down(struct supervisor *supervisor, int launcher)
{
	struct sandbox_settings settings;
	struct sandbox_report report = {0};
	char why[POLICY_WHY_MAX];
	const int keep[] = {launcher, supervisor->signals};

	launcher_layers(&settings, supervisor->policy);
	if (sandbox_enter(ROLE_SUPERVISOR, &settings, keep, 2, &report, why, sizeof(why)) < 0) {
		log_line(LOG_LEVEL_ERROR, "the supervisor's sandbox: %s", why);
		return -1;
	}
	return 0;
}

/* Workers die with us by the kernel's hand; this only does not wait for it. */
static void end_workers(struct supervisor *supervisor)
{
	struct session *session = NULL;

	while ((session = session_next(supervisor->table, session)) != NULL)
		links_drop(supervisor->links, session);
}

static int serve(struct supervisor *supervisor)
{
	int launcher;

	if (supervisor->policy != NULL &&
	    policy_text(supervisor->policy, SETTING_TRACE_DIR)[0] != 0)
		setenv("_RR_TRACE_DIR", policy_text(supervisor->policy, SETTING_TRACE_DIR), 1);
	supervisor->signals = watch_signals();
	launcher = launcher_start(supervisor->paths.worker, supervisor->policy);
	if (supervisor->signals < 0 || launcher < 0 || create_parts(supervisor, launcher) < 0) {
		log_line(LOG_LEVEL_ERROR, "cannot start: %s", strerror(errno));
		return 1;
	}
	/* Only now, or workers would inherit it: the kernel buries a keeper that was killed. */
	signal(SIGCHLD, SIG_IGN);
	handler.owner = &supervisor->dispatch;
	supervisor->server = mcp_server_new(&handler);
	tzset();
	if (supervisor->server == NULL || lock_down(supervisor, launcher) < 0)
		return 1;
	client_start(&supervisor->client, supervisor->loop, supervisor->server);
	if (loop_run(supervisor->loop) < 0)
		log_line(LOG_LEVEL_ERROR, "poll: %s", strerror(errno));
	end_workers(supervisor);
	client_flush(&supervisor->client, LAST_FLUSH_MS);
	return 0;
}

int main(int argc, char **argv)
{
	static struct supervisor supervisor;
	struct options options;

	options_read(&options, argc, argv, POLICY_FILE);
	supervisor.policy = options.policy;
	switch (options.mode) {
	case MODE_HELP:
		options_print_help();
		return 0;
	case MODE_VERSION:
		printf("rr-warden %s\n", RR_WARDEN_VERSION);
		return 0;
	case MODE_RR:
		return rr_command_run(argc - options.rest, argv + options.rest);
	case MODE_WRONG:
		fprintf(stderr, "rr-warden: %s\n", options.why);
		return EXIT_USAGE;
	case MODE_DOCTOR:
	case MODE_SERVE:
		break;
	}
	if (paths_find(&supervisor.paths) < 0) {
		fprintf(stderr, "rr-warden: cannot tell where it is installed\n");
		return 1;
	}
	if (options.mode == MODE_DOCTOR)
		return doctor_run(supervisor.policy, &supervisor.paths);
	/* Without unwinding: whatever is left below dies with this process. */
	_exit(serve(&supervisor));
}
