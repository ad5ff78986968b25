/*
 * The table of rr's known failures. Must never replace rr's own words with ours.
 */
#include "worker/serve/rr_words.h"

#include <stdio.h>
#include <string.h>
#include "sandbox/wire/scrub.h"

#define WORDS_MAX 700 /* bytes of rr's own text in a message */

struct known_failure {
	const char *words;
	enum error_code code;
	const char *hint;
};

static const struct known_failure known_failures[] = {
    {"perf_event_paranoid", ERROR_RR_FAILED,
	"start the server with --pmu=software, or as root: sysctl kernel.perf_event_paranoid=1"},
    {"Permission denied to use 'perf_event_open'", ERROR_RR_FAILED,
	"start the server with --pmu=software, or as root: sysctl kernel.perf_event_paranoid=1"},
    {"Unable to open performance counter", ERROR_RR_FAILED,
	"this machine has no performance counters: start the server with --pmu=software or auto"},
    {"Performance counter doesn't seem to be working", ERROR_RR_FAILED,
	"the machine's counters do not work: start the server with --pmu=software"},
    {"No supported microarchitectures found", ERROR_RR_FAILED,
	"this rr does not know the processor: use a newer rr, or --pmu=software"},
    {"[vvar", ERROR_RR_FAILED, "rr before 5.9 does not run on Linux 6.13 and later: use rr 5.9"},
    {"SpecLockMap", ERROR_RR_FAILED,
	"on AMD Zen, rr needs the SpecLockMap workaround: see the page Zen in rr's wiki"},
    {"expected\n", ERROR_RR_FAILED,
	"another version of rr made the trace, with another format: record again, or use that rr"},
    {"terminated abnormally and the trace is incomplete", ERROR_INVALID_ARGUMENT,
	"the trace is incomplete: record again"},
    {"different CPUID values", ERROR_RR_FAILED,
	"the trace was made on a machine with another processor: replay it there"},
    {"CPUID faulting enabled", ERROR_RR_FAILED,
	"the trace was made on a machine with another processor: replay it there"},
    {"defines ticks differently", ERROR_RR_FAILED,
	"the trace was made on a machine with another kind of processor: replay it there"},
    {"This rr build is too old", ERROR_RR_FAILED, "the trace needs a newer rr"},
    {"Invalid trace", ERROR_INVALID_ARGUMENT, "the trace is damaged or empty: record again"},
    {"No space left on device", ERROR_LIMIT, "the disk is full: remove traces with rr_rm"},
    {"errno: ENOSPC", ERROR_LIMIT, "the disk is full: remove traces with rr_rm"},
    {"errno: EDQUOT", ERROR_LIMIT, "the user's disk quota is used up: remove traces with rr_rm"},
    {"cannot run rr recording under rr", ERROR_UNSUPPORTED,
	"the server itself runs under rr: its environment contains RUNNING_UNDER_RR"},
    {"execve failed", ERROR_INVALID_ARGUMENT,
	"the program or the interpreter in its first line cannot be executed"},
    {"bad_alloc", ERROR_LIMIT,
	"rr ran out of memory: the trace is damaged, or the memory limit is too low"},
};

static const struct known_failure *find_known(const char *words, size_t length)
{
	for (size_t i = 0; i < sizeof(known_failures) / sizeof(*known_failures); i++)
		if (memmem(words, length, known_failures[i].words, strlen(known_failures[i].words)))
			return &known_failures[i];
	return NULL;
}

/* rr prints a backtrace of itself after some failures, which helps nobody here. */
static size_t without_backtrace(const char *words, size_t length)
{
	const char *mark = memmem(words, length, "=== Start rr backtrace", 22);

	return mark ? (size_t)(mark - words) : length;
}

void rr_words_fail(
    struct failure *failure, const char *doing, const char *end, const char *words, size_t length)
{
	char text[WORDS_MAX];
	const struct known_failure *known = find_known(words, length);

	length = without_backtrace(words, length);
	while (length && strchr("\n ", words[length - 1]))
		length--;
	while (length && strchr("\n ", *words))
		words++, length--;
	if (length >= sizeof(text)) {
		words += length - (sizeof(text) - 1);
		length = sizeof(text) - 1;
	}
	scrub_bytes(text, sizeof(text), words, length);
	failure_set(failure, known ? known->code : ERROR_RR_FAILED, known ? known->hint : NULL,
	    "%s failed%s%s: %s", doing, end ? " with " : "", end ? end : "",
	    *text ? text : "it printed nothing");
}
