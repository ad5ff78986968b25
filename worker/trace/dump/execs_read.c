/*
 * Runs `rr dump -e -p` on a trace. The text grows with the trace, so time limits it, not length:
 * the execs of a program that calls sh are at the beginning.
 */
#include "worker/trace/dump/execs.h"

#include <string.h>
#include "worker/serve/capture.h"
#include "worker/serve/lookup.h"

static void take(void *owner, const char *bytes, size_t length)
{
	dump_parser_feed(owner, bytes, length);
}

/* Reaching the time limit is not a failure: what was read is right, and is marked as cut. */
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

bool execs_read(struct worker *worker, const char *path, const char *hidden, int limit_ms,
    struct execs *execs, struct failure *failure)
{
	const char *const arguments[] = {"dump", "-e", "-p", path, NULL};
	struct lookup rr;
	struct dump_parser *parser;
	struct capture capture;
	bool ok;

	*execs = (struct execs){0};
	parser = execs_parser(execs);
	if (!parser || lookup_prepare(&rr, &worker->config, worker->config.rr, arguments) < 0) {
		lookup_fail_without_rr(&worker->config, failure);
		dump_parser_end(parser);
		return false;
	}
	if (hidden)
		lookup_hide(&rr, hidden);
	lookup_show(&rr, path, false);
	ok = judge(worker,
	    capture_stream(worker, &rr.spec, limit_ms, take, parser, &capture, failure), execs,
	    failure);
	dump_parser_end(parser);
	/* rr ps and rr replay report better than rr dump what is wrong with a trace. */
	execs->cut |= ok && !capture_succeeded(&capture);
	capture_free(&capture);
	return ok;
}
