/*
 * Follows gdb's state from its records. Accepts only results with the token of the last command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/shorten.h"
#include "worker/gdb/mi/says.h"
#include "worker/gdb/mi/warnings.h"

bool exchange_begin(struct exchange *exchange)
{
	*exchange = (struct exchange){.answer = ANSWER_DONE};
	return solibs_begin(&exchange->solibs) &&
	       text_begin(&exchange->console, EXCHANGE_CONSOLE_MAX) &&
	       text_begin(&exchange->log, EXCHANGE_LOG_MAX);
}

void exchange_end(struct exchange *exchange)
{
	json_decref(exchange->results);
	json_decref(exchange->stop);
	json_decref(exchange->created);
	json_decref(exchange->warnings);
	solibs_end(&exchange->solibs);
	text_end(&exchange->console);
	text_end(&exchange->log);
}

long long exchange_next(struct exchange *exchange)
{
	warnings_add(&exchange->warnings, exchange->log.bytes);
	exchange->answer = ANSWER_AWAITED;
	text_clear(&exchange->console);
	text_clear(&exchange->log);
	return ++exchange->token;
}

json_t *exchange_take_warnings(struct exchange *exchange)
{
	json_t *warnings;

	warnings_add(&exchange->warnings, exchange->log.bytes);
	warnings = exchange->warnings;
	exchange->warnings = NULL;
	text_clear(&exchange->log);
	return warnings;
}

bool exchange_take_missed_library(struct exchange *exchange)
{
	bool missed = exchange->missed_library;

	exchange->missed_library = false;
	return missed;
}

void exchange_part(struct exchange *exchange)
{
	exchange->running = false;
}

void exchange_forget_stop(struct exchange *exchange)
{
	json_decref(exchange->stop);
	exchange->stop = NULL;
}

void exchange_stay(struct exchange *exchange)
{
	static const char *const causes[] = {"reason", "disp", "bkptno", "wpt", "hw-awpt",
	    "hw-rwpt", "value", "signal-name", "signal-meaning", "return-value"};
	json_t *stop = exchange->stop ? json_copy(exchange->stop) : json_object();

	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		json_object_del(stop, causes[i]);
	json_decref(exchange->stop);
	exchange->stop = stop;
}

void exchange_forget_created(struct exchange *exchange)
{
	json_decref(exchange->created);
	exchange->created = NULL;
}

static void replace(json_t **place, json_t *with)
{
	shorten_results(with);
	json_decref(*place);
	*place = json_incref(with);
}

static void note_exec(struct exchange *exchange, const struct mi_record *record)
{
	if (strcmp(record->name, "running") == 0) {
		exchange->running = true;
	} else if (strcmp(record->name, "stopped") == 0) {
		exchange->running = false;
		exchange->stops++;
		replace(&exchange->stop, record->results);
		ways_name(&exchange->ways, exchange->stop);
	}
}

static enum news news_of(const char *message, enum news cut_off, const char **why)
{
	if (gdb_says(message, SAYS_OTHER_REGISTERS)) {
		*why = "it no longer agrees with rr about the registers";
		return NEWS_BROKEN;
	}
	return gdb_says(message, SAYS_DISCONNECTED) ? cut_off : NEWS_NONE;
}

/* gdb reported that the program runs, and then could not run it: the reason is only in its log. */
static void explain_failed_start(struct exchange *exchange)
{
	static const char heading[] = "Warning:\n";
	const char *why = exchange->log.bytes;

	if (strncmp(why, heading, sizeof(heading) - 1) == 0)
		why += sizeof(heading) - 1;
	if (!*why)
		return;
	snprintf(exchange->message, sizeof(exchange->message), "%s", why);
	for (char *end = exchange->message; (end = strchr(end, '\n')); end++)
		*end = ' ';
}

/* A helper could not answer: the reason is only in gdb's log. */
static void explain_failed_helper(struct exchange *exchange)
{
	static const char raised[] = "Python Exception ";
	const char *why = strstr(exchange->log.bytes, raised);

	why = why ? strstr(why, ">: ") : NULL;
	if (why && gdb_says(exchange->message, SAYS_PYTHON_FAILED))
		snprintf(exchange->message, sizeof(exchange->message), "%.*s",
		    (int)strcspn(why + 3, "\n"), why + 3);
}

/* gdb goes on after an assertion that failed (settings.c), and says only "Command aborted.". */
static void explain_assertion(struct exchange *exchange)
{
	static const char failed[] = "internal-error: ";
	const char *why = strstr(exchange->log.bytes, failed);

	if (why && gdb_says(exchange->message, SAYS_ASSERTION_CONTINUED))
		snprintf(exchange->message, sizeof(exchange->message),
		    "an assertion of gdb itself failed, so it cannot tell this: %.*s",
		    (int)strcspn(why + sizeof(failed) - 1, "\n"), why + sizeof(failed) - 1);
}

static enum news note_refusal(
    struct exchange *exchange, const struct mi_record *record, const char **why)
{
	const char *message = mi_text(record->results, "msg");
	bool started = exchange->answer == ANSWER_DONE;

	exchange->answer = ANSWER_REFUSED;
	snprintf(exchange->message, sizeof(exchange->message), "%s", message ? message : "error");
	if (started) {
		exchange->running = false;
		explain_failed_start(exchange);
	}
	explain_failed_helper(exchange);
	explain_assertion(exchange);
	return news_of(exchange->message, NEWS_REFUSED_CUT_OFF, why);
}

int exchange_unenabled(const char **log, char *why, size_t size)
{
	int number = 0;

	while (!number && **log) {
		size_t length = strcspn(*log, "\n");
		const char *said = gdb_says_of(*log, SAYS_NOT_ENABLED), *colon;

		colon = said ? memmem(said, (size_t)(*log + length - said), ": ", 2) : NULL;
		if (colon) {
			number = (int)strtol(said, NULL, 10);
			snprintf(why, size, "%.*s", (int)(*log + length - colon - 2), colon + 2);
		}
		*log += length + ((*log)[length] == '\n');
	}
	return number;
}

/* gdb says only in its log that an interrupt met it while it enabled a watchpoint, which stays off
 * then. */
static void refuse_unenabled(struct exchange *exchange)
{
	const char *log = exchange->log.bytes;
	char why[FAILURE_MESSAGE_MAX];

	while (exchange_unenabled(&log, why, sizeof(why)))
		if (gdb_says(why, SAYS_INTERRUPTED)) {
			exchange->answer = ANSWER_REFUSED;
			strlcpy(exchange->message, why, sizeof(exchange->message));
		}
}

static enum news note_result(
    struct exchange *exchange, const struct mi_record *record, const char **why)
{
	if (record->token != exchange->token) {
		/* An earlier command's, as gdb_tell sends them: what was printed so far is its own.
		 */
		text_clear(&exchange->console);
		return NEWS_NONE;
	}
	replace(&exchange->results, record->results);
	ways_sum(&exchange->ways, exchange->results);
	if (strcmp(record->name, "error") == 0)
		return note_refusal(exchange, record, why);
	exchange->answer = ANSWER_DONE;
	if (strcmp(record->name, "running") == 0)
		exchange->running = true;
	refuse_unenabled(exchange);
	return NEWS_NONE;
}

/*
 * gdb gives up what it set itself where an interrupt meets it at work on that: it deletes a
 * watchpoint whose value it compares (the reason follows on a line of its own), and keeps what it
 * has read so far of a breakpoint that it sets again. Both are told in its log alone, and the
 * program would then pass what was asked for.
 */
static bool has_given_up(struct exchange *exchange, const char *text, const char **why)
{
	const char *again = gdb_says_of(text, SAYS_NOT_SET_AGAIN);
	bool compared = exchange->compares && strcmp(text, "Quit\n") == 0;

	exchange->compares = gdb_says(text, SAYS_NOT_COMPARED);
	*why = compared ? "it was interrupted while it compared a watched value, and gave the "
			  "watchpoint up"
			: "it was interrupted while it set a breakpoint again";
	return compared || (again && strstr(again, ": Quit"));
}

/* The command was answered when the program began to run, so no record will say that it stopped. */
static bool has_aborted_run(const struct exchange *exchange, const char *text, const char **why)
{
	if (!exchange->running || exchange->answer != ANSWER_DONE ||
	    !gdb_says(text, SAYS_ASSERTION_CONTINUED))
		return false;
	*why = "an assertion of gdb itself failed while the program ran";
	return true;
}

static enum news note_log(struct exchange *exchange, const char *text, const char **why)
{
	if (strstr(text, "Could not load shared library"))
		exchange->missed_library = true;
	text_append(&exchange->log, text);
	if (has_given_up(exchange, text, why) || has_aborted_run(exchange, text, why))
		return NEWS_BROKEN;
	return news_of(text, NEWS_WARNED_CUT_OFF, why);
}

static enum news note(struct exchange *exchange, const struct mi_record *record, const char **why)
{
	switch (record->kind) {
	case MI_RESULT:
		return note_result(exchange, record, why);
	case MI_EXEC:
		note_exec(exchange, record);
		break;
	case MI_NOTIFY:
		if (strcmp(record->name, "breakpoint-created") == 0)
			replace(&exchange->created, json_object_get(record->results, "bkpt"));
		else
			solibs_note(&exchange->solibs, record->name, record->results);
		break;
	case MI_CONSOLE:
		text_append(&exchange->console, json_string_value(record->results));
		break;
	case MI_LOG:
		return note_log(exchange, json_string_value(record->results), why);
	case MI_STATUS:
	case MI_TARGET:
	case MI_PROMPT:
		break;
	}
	return NEWS_NONE;
}

enum news exchange_take(
    struct exchange *exchange, const char *line, size_t length, const char **why)
{
	struct mi_record record;
	enum news news;

	/* gdb's own warnings (BFD's) come between the records, on the same pipe. */
	if (mi_parse(line, length, &record, why) != 0)
		return length && line[0] >= '0' && line[0] <= '9' ? NEWS_BROKEN : NEWS_NONE;
	news = note(exchange, &record, why);
	json_decref(record.results);
	return news;
}
