/*
 * Tells rr's own end from the program's. rr ends as the program does, by the same signal: only the
 * trace shows whether the program had ended. Must never call what rr printed the program's output.
 */
#include "worker/record/recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/record/last_words.h"
#include "worker/record/record_result.h"
#include "worker/trace/process_list.h"
#include "worker/trace/trace.h"
#include "worker/trace/dump/unfinished.h"

#define SUMMARY_MAX 600
#define HINT	    "rr_replay_start with at end shows where the program was; "

static bool has_ended(const json_t *process)
{
	return json_object_get(process, "exit_code") || json_object_get(process, "signal");
}

/* "at event 112 in the system call openat (Should have read …)" */
static void summarize(
    const struct recording *recording, const struct last_words *words, char text[SUMMARY_MAX])
{
	char event[48] = "", call[96] = "", signal[32];
	int status = recording->rr.status;

	if (words->event >= 0)
		snprintf(event, sizeof(event), " at event %lld", words->event);
	if (words->call[0])
		snprintf(call, sizeof(call), " in the system call %s", words->call);
	if (words->text)
		snprintf(text, SUMMARY_MAX, "%s%s (assertion: %s)", event, call, words->why);
	else if (WIFSIGNALED(status))
		snprintf(text, SUMMARY_MAX, ", by %s",
		    signal_to_name(WTERMSIG(status), signal, sizeof(signal)));
	else
		snprintf(text, SUMMARY_MAX, ", with status %d", WEXITSTATUS(status));
}

/* Its first line is the summary, for those who replay the trace. */
static bool keep_words(
    const struct recording *recording, const char *summary, const struct last_words *words)
{
	cleanup_fd int fd = openat(recording->trace, TRACE_LAST_WORDS_FILE,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 && dprintf(fd, "rr itself stopped%s\n\n", summary) > 0 &&
	       write(fd, words->text ? words->text : "", words->length) == (ssize_t)words->length;
}

static void fail(struct recording *recording, json_t *list, const struct last_words *words,
    struct failure *failure)
{
	char summary[SUMMARY_MAX], path[TRACE_PATH_MAX], hint[FAILURE_HINT_MAX];
	const char *remedy = last_words_remedy(words);
	bool kept, replays;
	long long last;
	json_t *result;

	summarize(recording, words, summary);
	kept = keep_words(recording, summary, words);
	replays = unfinished_end_tasks(recording->worker, recording->plan.destination.trace,
	    recording->trace, words->tid, &last);
	result = record_result(recording, list, recording_seconds(recording));
	json_object_del(result, "note");
	if (kept && snprintf(path, sizeof(path), "%s/" TRACE_LAST_WORDS_FILE,
			recording->plan.destination.trace) < (int)sizeof(path))
		json_object_set_new(result, "rr_said", trace_path_to_json(path));
	snprintf(hint, sizeof(hint), "%s%s", replays ? HINT : "",
	    remedy ? remedy : "a newer rr may not have the fault");
	failure_set(failure, ERROR_RR_FAILED, hint,
	    "rr itself stopped%s; the program had not ended; the trace up to there %s", summary,
	    replays ? "can be replayed" : "cannot be replayed");
	json_decref(failure->details);
	failure->details = result;
}

/* rr failed after the program's end: the answer about the program stands. */
static char *describe_late(const struct recording *recording, const struct last_words *words)
{
	char summary[SUMMARY_MAX], *text = NULL;

	summarize(recording, words, summary);
	if (asprintf(&text,
		"rr itself stopped%s, after the first process had ended: what other processes did "
		"then is missing",
		summary) < 0)
		return NULL;
	return text;
}

bool recorder_stopped(
    struct recording *recording, json_t *list, char **late, struct failure *failure)
{
	json_t *first = json_array_get(json_object_get(list, "processes"), 0);
	int status = recording->rr.status;
	struct last_words words = {.event = -1};
	const char *signal = json_string_value(json_object_get(first, "signal"));
	bool stopped = false, aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;

	*late = NULL;
	if (!first)
		return false;
	if (!has_ended(first)) {
		stopped = last_words_take(recording->errors, &words) || WIFSIGNALED(status);
		if (stopped)
			fail(recording, list, &words, failure);
	} else if (aborted && !(signal && strcmp(signal, "SIGABRT") == 0) &&
		   last_words_take(recording->errors, &words)) {
		*late = describe_late(recording, &words);
	}
	last_words_free(&words);
	return stopped;
}

/* Signals that come from outside or from the machine, and what to do. */
static const struct {
	int signal;
	const char *cause, *hint;
} killers[] = {
    {SIGKILL, "the machine ran out of memory, or somebody killed it",
	"give rr more memory (--memory, or a machine with more), or record a smaller run"},
    {SIGXFSZ, "a file of the trace reached the limit of file sizes",
	"raise the limit, ulimit -f, or record a shorter run"},
    {SIGXCPU, "it reached the limit of processor time",
	"raise the limit, ulimit -t or --cpu-seconds, or record a shorter run"},
    {SIGSEGV, "rr crashed", "try again; a newer rr may not have the fault"},
    {SIGTERM, "somebody ended it", "record again"},
    {SIGHUP, "somebody ended it", "record again"},
};

bool recorder_killed(const struct recording *recording, struct failure *failure)
{
	int status = recording->rr.status;
	char name[32];

	for (size_t i = 0; WIFSIGNALED(status) && i < sizeof(killers) / sizeof(*killers); i++) {
		if (killers[i].signal != WTERMSIG(status))
			continue;
		failure_set(failure, ERROR_RR_FAILED, killers[i].hint,
		    "rr itself was killed by %s: %s; the program had not ended; the trace cannot "
		    "be replayed, and was removed",
		    signal_to_name(WTERMSIG(status), name, sizeof(name)), killers[i].cause);
		return true;
	}
	return false;
}
