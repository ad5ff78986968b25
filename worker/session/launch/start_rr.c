/*
 * The command lines of rr, and its sandbox. This decides what the starter can start: the starter
 * gets only a number, never words.
 */
#include "worker/session/launch/start_rr.h"
#include "worker/session/replay_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "sandbox/pmu/pmu.h"
#include "worker/serve/places.h"
#include "worker/session/images.h"
#include "worker/session/launch/launched.h"
#include "worker/session/relatives.h"

#define WHY_MAX	    512
#define RR_ARGS_MAX 32

void start_policy(
    const struct replay *replay, struct sandbox_policy *sandbox, struct places *places)
{
	const struct replay *beside = replay->beside;

	tool_policy(&replay->worker->config, sandbox);
	places_begin(places, &replay->worker->config);
	/* The worker's view has the other session's trace too. */
	if (beside)
		places_hide(places, beside->trace_dir);
	places_read(places, replay->trace_dir);
	places_apply(places, sandbox);
}

/* Room for the numbers in a command line. */
struct rr_line {
	const char *argv[RR_ARGS_MAX];
	size_t count;
	char port[16], pid[24], event[24];
};

static void add(struct rr_line *line, const char *argument)
{
	if (line->count < RR_ARGS_MAX - 1)
		line->argv[line->count++] = argument;
}

static void add_all(struct rr_line *line, const char *const *arguments)
{
	for (; *arguments; arguments++)
		add(line, *arguments);
}

/* The process, and which of its images: rr stops where both have begun. */
static void add_process(struct rr_line *line, const struct replay *replay, size_t number)
{
	const struct image *image = images_get(replay, number);
	bool several = images_count(replay) > 1;

	if (!replay->asked.pid && !several)
		return;
	snprintf(line->pid, sizeof(line->pid), "%lld", replay->pid);
	add(line, image->forked || replay->from_fork ? "-f" : "-p");
	add(line, line->pid);
	if (!several || image->forked)
		return;
	line->argv[line->count - 2] = "-p";
	snprintf(line->event, sizeof(line->event), "%lld", image->event);
	add(line, "-g");
	add(line, line->event);
}

static void compose_server(
    struct rr_line *line, const struct replay *replay, size_t number, int port)
{
	const struct pmu_choice *choice = replay->launched->choice;
	static const char *const fixed[] = {"-M", "replay", "-k", "-s", NULL};

	*line = (struct rr_line){.argv = {choice->rr_path}, .count = 1};
	add_all(line, pmu_rr_options(choice));
	add_all(line, fixed);
	snprintf(line->port, sizeof(line->port), "%d", port);
	add(line, line->port);
	add_process(line, replay, number);
	add(line, replay->trace_dir);
}

static void compose_aside(struct rr_line *line, const struct replay *replay, enum aside aside)
{
	const struct pmu_choice *choice = replay->launched->choice;
	static const char *const fixed[ASIDE_COUNT][4] = {[ASIDE_EVENTS] = {"dump"},
	    [ASIDE_OUTPUT] = {"-M", "replay", "-a"},
	    [ASIDE_INPUTS] = {"dump", "-e", "-m"}};

	*line = (struct rr_line){.argv = {choice->rr_path}, .count = 1};
	if (aside == ASIDE_OUTPUT)
		add_all(line, pmu_rr_options(choice));
	add_all(line, fixed[aside]);
	add(line, replay->trace_dir);
}

/* port 0: rr may not listen. */
static bool start(struct replay *replay, const struct rr_line *line, int port, pid_t parent,
    struct tool *tool, struct failure *failure)
{
	const struct pmu_choice *choice = replay->launched->choice;
	const struct worker_config *config = &replay->worker->config;
	char **environment = pmu_rr_environment(choice, config->softpmu, tool_environment);
	struct sandbox_policy sandbox;
	struct places places;
	char why[WHY_MAX];
	bool started;

	if (!environment) {
		failure_set(failure, ERROR_INTERNAL, NULL,
		    "the library of the software counter, %s, cannot be used", config->softpmu);
		return false;
	}
	start_policy(replay, &sandbox, &places);
	sandbox.tcp_port = (unsigned)port;
	if (parent)
		sandbox.parent = parent;
	started = tool_start(tool,
		      &(struct tool_spec){.path = choice->rr_path,
			  .argv = (char *const *)line->argv,
			  .environment = environment,
			  .role = ROLE_RR_REPLAY,
			  .policy = &sandbox,
			  .merge_output = true,
			  .output = -1,
			  .extra = -1,
			  .parent = parent},
		      why, sizeof(why)) == 0;
	pmu_environment_free(environment);
	if (!started)
		failure_set(failure, ERROR_RR_FAILED, NULL, "rr could not be started: %s", why);
	return started;
}

bool start_rr(struct replay *replay, size_t number, int port, pid_t parent, struct tool *tool,
    struct failure *failure)
{
	struct rr_line line;

	if (!port) {
		failure_set(
		    failure, ERROR_INTERNAL, NULL, "no port is free for rr: %s", strerror(errno));
		return false;
	}
	compose_server(&line, replay, number, port);
	return start(replay, &line, port, parent, tool, failure);
}

bool start_aside(
    struct replay *replay, enum aside aside, struct tool *tool, struct failure *failure)
{
	return starter_ask(
	    &replay->launched->starter, replay->worker, (unsigned)aside, tool, failure);
}

bool start_image(struct replay *replay, struct tool *tool, struct failure *failure)
{
	return starter_ask(&replay->launched->starter, replay->worker,
	    ASIDE_COUNT + images_number(replay), tool, failure);
}

bool start_rr_again(void *owner, unsigned number, int port, pid_t parent, struct tool *tool,
    struct failure *failure)
{
	struct replay *replay = owner;
	struct rr_line line;
	size_t image;
	bool ok;

	if (number < ASIDE_COUNT) {
		compose_aside(&line, replay, (enum aside)number);
		return start(replay, &line, 0, parent, tool, failure);
	}
	if (!relatives_turn_to_number(replay, number - ASIDE_COUNT, &image)) {
		failure_set(failure, ERROR_INTERNAL, NULL, "there is no image %u", number);
		return false;
	}
	ok = start_rr(replay, image, port, parent, tool, failure);
	relatives_turn_home(replay);
	return ok;
}
