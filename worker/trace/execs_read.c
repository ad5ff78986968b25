/*
 * Runs `rr dump -e` on a trace. Its text grows with the trace, so that time bounds it, not length:
 * the execs of a program that calls sh stand at the beginning.
 */
#include "worker/trace/execs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include "sandbox/pmu/pmu.h"
#include "worker/serve/capture.h"
#include "worker/serve/places.h"

static void take(void *owner, const char *bytes, size_t length)
{
	execs_parser_feed(owner, bytes, length);
}

/* Out of time is no failure here: what was read is right, and is said to be cut. */
static bool judge(struct worker *worker, bool ended, struct execs *execs, struct failure *failure)
{
	if (ended)
		return true;
	if (failure->code != ERROR_TIMEOUT || worker->interrupt != INTERRUPT_NONE)
		return false;
	*failure = (struct failure){0};
	execs->cut = true;
	return true;
}

bool execs_read(struct worker *worker, const char *path, int limit_ms, struct execs *execs,
    struct failure *failure)
{
	char rr[PATH_MAX];
	const char *const argv[] = {rr, "dump", "-e", path, NULL};
	struct sandbox_policy policy;
	struct tool_spec spec = {.path = rr,
	    .argv = (char *const *)argv,
	    .environment = tool_environment,
	    .role = ROLE_QUERY,
	    .policy = &policy,
	    .output = -1,
	    .extra = -1};
	struct execs_parser *parser;
	struct capture capture;
	struct places places;
	bool fine;

	*execs = (struct execs){0};
	parser = execs_parser_new(execs);
	if (!parser ||
	    pmu_find_program(worker->config.rr[0] ? worker->config.rr : "rr", rr, sizeof(rr)) < 0) {
		failure_set(failure, ERROR_RR_FAILED, "install rr, or name it with --rr",
		    "%s cannot be found: %s", worker->config.rr, strerror(errno));
		execs_parser_end(parser);
		return false;
	}
	tool_policy(&worker->config, &policy);
	places_begin(&places, &worker->config);
	places_read(&places, path);
	places_apply(&places, &policy);
	fine =
	    judge(worker, capture_stream(worker, &spec, limit_ms, take, parser, &capture, failure),
		execs, failure);
	execs_parser_end(parser);
	/* rr ps and rr replay say better than rr dump what is wrong with a trace. */
	execs->cut |= fine && !capture_succeeded(&capture);
	capture_free(&capture);
	return fine;
}
