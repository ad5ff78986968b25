/*
 * Prints answers as a debugger does. The text must contain everything that the structure says,
 * except for what a person does not need: the address of a frame whose function is known, and the
 * types of values.
 */
#include "supervisor/answers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX  8
#define INLINE_MAX 100 /* bytes of a list of texts that stays on one line */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text == NULL ? "" : text;
}

static bool is_scalar(const json_t *value)
{
	return !json_is_object(value) && !json_is_array(value);
}

static void print_scalar(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.15g", json_real_value(value));
	else
		fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null", out);
}

/* ---- Whatever it is -------------------------------------------------------------------------- */

/* On one line: "a=1 b=2 c=(d=3)". A key that is the same everywhere is our own word. */
static void print_row(FILE *out, const json_t *value, int depth)
{
	const char *key, *gap = "";
	json_t *part;
	size_t i;

	if (is_scalar(value) || depth > DEPTH_MAX) {
		print_scalar(out, value);
		return;
	}
	json_array_foreach(value, i, part)
	{
		fprintf(out, "%s", i == 0 ? "" : ", ");
		print_row(out, part, depth + 1);
	}
	json_object_foreach((json_t *)value, key, part)
	{
		fprintf(out, "%s%s=%s", gap, key, is_scalar(part) ? "" : "(");
		print_row(out, part, depth + 1);
		fputs(is_scalar(part) ? "" : ")", out);
		gap = " ";
	}
}

static void print_block(FILE *out, const char *key, const char *text)
{
	size_t length = strlen(text);

	if (strchr(text, '\n') == NULL)
		fprintf(out, "%s: %s\n", key, text);
	else
		fprintf(out, "%s:\n%s%s", key, text, text[length - 1] == '\n' ? "" : "\n");
}

static void print_list(FILE *out, const char *key, const json_t *list)
{
	size_t i, length = 0;
	json_t *part;

	json_array_foreach(list, i, part) length +=
	    is_scalar(part) ? json_string_length(part) + 2 : INLINE_MAX;
	if (length < INLINE_MAX) {
		fprintf(out, "%s: ", key);
		print_row(out, list, 0);
		fputs(json_array_size(list) == 0 ? "none\n" : "\n", out);
		return;
	}
	fprintf(out, "%s:\n", key);
	json_array_foreach(list, i, part)
	{
		fputs("  ", out);
		print_row(out, part, 0);
		fputc('\n', out);
	}
}

static void print_any(FILE *out, const char *key, const json_t *value)
{
	if (json_is_string(value)) {
		print_block(out, key, json_string_value(value));
	} else if (json_is_array(value)) {
		print_list(out, key, value);
	} else {
		fprintf(out, "%s: ", key);
		print_row(out, value, 0);
		fputc('\n', out);
	}
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Who calls a wrapper: texts, for a place; where `callers` are frames, they have a printer of their
 * own. */
static void print_wrapped(FILE *out, const json_t *where, const char *before, const char *behind)
{
	json_t *caller;
	size_t i;

	json_array_foreach(json_object_get(where, "callers"), i, caller)
	{
		if (json_is_string(caller))
			fprintf(out, "%scalled by %s%s", before, json_string_value(caller), behind);
	}
	if (json_is_integer(json_object_get(where, "wrappers")))
		fprintf(out, "%swrappers passed over: %" JSON_INTEGER_FORMAT "%s", before,
		    json_integer_value(json_object_get(where, "wrappers")), behind);
}

/* "#1 store (a=0x55, v=94) at lost.c:8" */
static void print_frame(FILE *out, const json_t *frame)
{
	const char *function = text_of(frame, "function"), *at = text_of(frame, "at");
	bool has_line = strrchr(at, ':') != NULL, folded = json_object_get(frame, "folded") != NULL;

	if (folded) {
		fprintf(out, "   %" JSON_INTEGER_FORMAT " frames: %s\n",
		    json_integer_value(json_object_get(frame, "folded")), text_of(frame, "what"));
		return;
	}
	if (json_is_true(json_object_get(frame, "left")))
		fputs("   left by the jump: ", out);
	else if (json_object_get(frame, "level") == NULL)
		fputs("   ", out);
	else
		fprintf(out, "#%" JSON_INTEGER_FORMAT " ",
		    json_integer_value(json_object_get(frame, "level")));
	if (function[0] == 0)
		fprintf(out, "%s in ??", text_of(frame, "address"));
	else
		fputs(function, out);
	fprintf(out, " (%s)", text_of(frame, "args"));
	if (at[0] != 0)
		fprintf(out, " %s %s", has_line ? "at" : "from", at);
	fputc('\n', out);
	if (json_object_get(frame, "unwinding"))
		fprintf(out, "   unwinding: %s\n", text_of(frame, "unwinding"));
	print_wrapped(out, frame, "   ", "\n");
}

static void print_lines(FILE *out, const json_t *lines, const char *indent)
{
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line) fprintf(out, "%s%s\n", indent, json_string_value(line));
}

static void print_frames(FILE *out, const char *key, const json_t *frames)
{
	json_t *frame;
	size_t i;

	if (strcmp(key, "frames") != 0)
		fprintf(out, "%s:\n", key);
	json_array_foreach(frames, i, frame)
	{
		print_frame(out, frame);
		print_lines(out, json_object_get(frame, "locals"), "     ");
	}
}

/* The place that made a text, if the program wrote it later. */
static void print_formatted(FILE *out, const char *key, const json_t *formatted)
{
	fprintf(out, "%s at %s, thread %" JSON_INTEGER_FORMAT "\n", key,
	    text_of(formatted, "moment"), json_integer_value(json_object_get(formatted, "tid")));
	print_frames(out, "frames", json_object_get(formatted, "frames"));
	if (json_object_get(formatted, "frames") != NULL)
		fputs("written by\n", out);
}

static void print_one_frame(FILE *out, const char *key, const json_t *frame)
{
	(void)key;
	print_frame(out, frame);
}

/* "holds mutex left since 12:30, taken by add (a.c:7)" for each lock. */
static void print_locks(FILE *out, const json_t *locks)
{
	json_t *lock;
	size_t i;

	json_array_foreach(locks, i, lock)
	{
		fprintf(out, "     holds %s%s since %s", text_of(lock, "lock"),
		    json_is_true(json_object_get(lock, "reading")) ? " for reading" : "",
		    text_of(lock, "since"));
		if (json_object_get(lock, "where") != NULL)
			fprintf(out, ", taken by %s", text_of(lock, "where"));
		fputc('\n', out);
	}
}

/* ", waits_for mutex left": its words, except for those of the line's beginning. */
static void print_words(FILE *out, const json_t *of, const char *number, const char *name)
{
	const char *key;
	json_t *part;

	json_object_foreach((json_t *)of, key, part)
	{
		if (is_scalar(part) && strcmp(key, number) != 0 && strcmp(key, name) != 0) {
			fprintf(out, ", %s ", key);
			print_scalar(out, part);
		}
	}
}

/* "Thread 123 worker" and what it has: a frame, frames, locks, or words. */
static void print_threads(FILE *out, const char *key, const json_t *threads)
{
	json_t *thread;
	size_t i;

	(void)key;
	json_array_foreach(threads, i, thread)
	{
		fprintf(out, "Thread %" JSON_INTEGER_FORMAT "%s%s",
		    json_integer_value(json_object_get(thread, "tid")),
		    text_of(thread, "name")[0] != 0 ? " " : "", text_of(thread, "name"));
		print_words(out, thread, "tid", "name");
		fputs(json_object_get(thread, "frame") != NULL ? ": " : "\n", out);
		if (json_object_get(thread, "frame") != NULL)
			print_frame(out, json_object_get(thread, "frame"));
		if (json_object_get(thread, "frames") != NULL)
			print_frames(out, "frames", json_object_get(thread, "frames"));
		print_locks(out, json_object_get(thread, "holds"));
	}
}

/* "Goroutine 18 chan receive, equal 2, also 19, 20" and its frames, which have no levels. */
static void print_goroutines(FILE *out, const char *key, const json_t *goroutines)
{
	json_t *one;
	size_t i;

	(void)key;
	json_array_foreach(goroutines, i, one)
	{
		fprintf(out, "Goroutine %" JSON_INTEGER_FORMAT " %s",
		    json_integer_value(json_object_get(one, "id")), text_of(one, "state"));
		print_words(out, one, "id", "state");
		if (json_object_get(one, "also") != NULL) {
			fputs(", also ", out);
			print_row(out, json_object_get(one, "also"), 0);
		}
		fputc('\n', out);
		print_frames(out, "frames", json_object_get(one, "frames"));
	}
}

/* ---- What a search found --------------------------------------------------------------------- */

/* "memcpy, called by store at lost.c:8" */
static void print_where(FILE *out, const json_t *where)
{
	const char *function = text_of(where, "function"), *in = text_of(where, "in");

	fprintf(out, "%s%s%s", in, in[0] != 0 ? ", called by " : "",
	    function[0] != 0 ? function : "??");
	if (text_of(where, "at")[0] != 0)
		fprintf(out, " at %s", text_of(where, "at"));
	print_wrapped(out, where, ", ", "");
}

/* "177:4201 thread 12: " */
static void print_when(FILE *out, const json_t *entry)
{
	fprintf(out, "%s thread %" JSON_INTEGER_FORMAT ": ", text_of(entry, "moment"),
	    json_integer_value(json_object_get(entry, "tid")));
}

typedef void entry_printer(FILE *out, const json_t *entry);

/* A line for each entry. */
static void print_entries(FILE *out, const char *key, const json_t *entries, entry_printer *print)
{
	json_t *entry;
	size_t i;

	fprintf(out, "%s:\n", key);
	json_array_foreach(entries, i, entry)
	{
		print_when(out, entry);
		print(out, entry);
		fputc('\n', out);
	}
}

/* "1 -> 2, store at lost.c:8" */
static void print_change(FILE *out, const json_t *change)
{
	if (json_object_get(change, "old") != NULL)
		fprintf(out, "%s -> %s, ", text_of(change, "old"), text_of(change, "new"));
	else
		fprintf(out, "%s, ", text_of(change, "value"));
	if (json_object_get(change, "access") != NULL)
		fprintf(out, "%s, ", text_of(change, "access"));
	print_where(out, json_object_get(change, "frame"));
}

static void print_changes(FILE *out, const char *key, const json_t *changes)
{
	print_entries(out, key, changes, print_change);
}

/* "stored at 0x5578, store at a.c:8" */
static void print_hop(FILE *out, const json_t *hop)
{
	fprintf(out, "%s, ", text_of(hop, "did"));
	print_where(out, json_object_get(hop, "frame"));
	if (json_object_get(hop, "only") != NULL)
		fprintf(out, " (only %s)", text_of(hop, "only"));
	if (json_object_get(hop, "masked") != NULL)
		fprintf(out, " (%s)", text_of(hop, "masked"));
}

static void print_hops(FILE *out, const char *key, const json_t *hops)
{
	print_entries(out, key, hops, print_hop);
}

/* "177:4201 thread 12: (amount=1) from run (a.c:8), returned 5 at 177:4300 after 0 events" */
static void print_hits(FILE *out, const char *key, const json_t *hits)
{
	const char *name;
	json_t *hit, *value;
	size_t i;

	/* How many a breakpoint has had. */
	if (!json_is_array(hits)) {
		print_any(out, key, hits);
		return;
	}
	fprintf(out, "%s:\n", key);
	json_array_foreach(hits, i, hit)
	{
		fprintf(out, "%s thread %" JSON_INTEGER_FORMAT, text_of(hit, "moment"),
		    json_integer_value(json_object_get(hit, "tid")));
		if (json_object_get(hit, "args") != NULL)
			fprintf(out, ": (%s)", text_of(hit, "args"));
		fprintf(out, " from %s", text_of(hit, "caller"));
		if (json_object_get(hit, "returned") != NULL)
			fprintf(out, ", returned %s", text_of(hit, "returned"));
		if (json_object_get(hit, "back_at") != NULL)
			fprintf(out, ", back at %s after %" JSON_INTEGER_FORMAT " events",
			    text_of(hit, "back_at"),
			    json_integer_value(json_object_get(hit, "events")));
		json_object_foreach(json_object_get(hit, "evaluated"), name, value)
		    fprintf(out, ", %s = %s", name, json_string_value(value));
		if (json_object_get(hit, "sum") != NULL) {
			fputs(", sum ", out);
			print_scalar(out, json_object_get(hit, "sum"));
		}
		fputc('\n', out);
	}
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void print_values(FILE *out, const char *key, const json_t *values)
{
	json_t *one;
	size_t i;

	(void)key;
	json_array_foreach(values, i, one)
	{
		const char *name = text_of(one, "name"), *value = text_of(one, "value");
		const char *error = text_of(one, "error");
		fprintf(out, "%s = %s", name[0] != 0 ? name : text_of(one, "expression"), value);
		if (error[0] != 0)
			fprintf(out, "%s(%s)", value[0] != 0 ? "  " : "", error);
		if (json_object_get(one, "truncated") != NULL)
			fprintf(out, "  (%" JSON_INTEGER_FORMAT " bytes left out)",
			    json_integer_value(json_object_get(one, "truncated")));
		fputc('\n', out);
	}
}

static void print_evaluated(FILE *out, const char *key, const json_t *values)
{
	json_t *value;

	json_object_foreach((json_t *)values, key, value)
	    fprintf(out, "%s = %s\n", key, json_string_value(value));
}

static void print_registers(FILE *out, const char *key, const json_t *registers)
{
	json_t *value;

	json_object_foreach((json_t *)registers, key, value)
	    fprintf(out, "%-8s %s\n", key, json_string_value(value));
}

static void print_whole(FILE *out, const char *key, const json_t *value)
{
	(void)key;
	if (json_is_array(value))
		print_lines(out, value, "");
	else
		fprintf(out, "%s\n", json_string_value(value));
}

/* Says what is missing; if nothing is, a reader needs no line about it. */
static void print_sandbox(FILE *out, const char *key, const json_t *sandbox)
{
	const char *layer;
	json_t *state;

	if (strcmp(text_of(sandbox, "level"), "full") == 0)
		return;
	fprintf(out, "%s: %s", key, text_of(sandbox, "level"));
	json_object_foreach(json_object_get(sandbox, "layers"), layer, state)
	{
		const char *word = json_string_value(state);
		if (word == NULL || strcmp(word, "full") != 0)
			fprintf(out, ", %s %s", layer, word == NULL ? "" : word);
	}
	fputc('\n', out);
}

/* ---- The heading ----------------------------------------------------------------------------- */

static const char *const heading[] = {"reason", "signal", "breakpoint", "watch", "return_value",
    "moment", "side", "tid", "thread_name", "conclusion", "old", "new", "dump"};

static bool is_of_heading(const char *key)
{
	for (size_t i = 0; i < sizeof(heading) / sizeof(*heading); i++)
		if (strcmp(key, heading[i]) == 0)
			return true;
	return false;
}

static void print_watch(FILE *out, const json_t *watch)
{
	fprintf(out, ", %s", text_of(watch, "expression"));
	if (json_object_get(watch, "out_of_scope") != NULL)
		fputs(": out of scope", out);
	else if (json_object_get(watch, "old") != NULL)
		fprintf(out, ": %s -> %s", text_of(watch, "old"), text_of(watch, "new"));
	else
		fprintf(out, ": %s", text_of(watch, "new"));
	if (text_of(watch, "side")[0] != 0)
		fprintf(out, ", just %s the write,", text_of(watch, "side"));
}

/* "breakpoint 1 at 177:4201, thread 1234 worker" */
static void print_heading(FILE *out, const json_t *result)
{
	static const char *const before[] = {"signal", "breakpoint", "return_value"};
	json_t *value, *tid = json_object_get(result, "tid");
	long begin;

	if (text_of(result, "conclusion")[0] != 0)
		fprintf(out, "%s\n", text_of(result, "conclusion"));
	begin = ftell(out);
	fputs(text_of(result, "reason"), out);
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		value = json_object_get(result, before[i]);
		if (value == NULL || (i == 0 && text_of(result, "conclusion")[0] != 0))
			continue;
		if (i == 0 && strcmp(text_of(result, "reason"), "signal") != 0)
			fputs("signal", out);
		fprintf(out, "%s%s", ftell(out) > begin ? " " : "", i == 2 ? "value " : "");
		print_row(out, value, 0);
	}
	if (json_object_get(result, "watch") != NULL)
		print_watch(out, json_object_get(result, "watch"));
	if (text_of(result, "moment")[0] != 0)
		fprintf(out, "%sat %s", ftell(out) > begin ? " " : "", text_of(result, "moment"));
	if (text_of(result, "side")[0] != 0)
		fprintf(out, ", just %s the write", text_of(result, "side"));
	if (tid != NULL) {
		fprintf(out, "%sthread ", ftell(out) > begin ? ", " : "");
		print_scalar(out, tid);
		fprintf(out, "%s%s", text_of(result, "thread_name")[0] != 0 ? " " : "",
		    text_of(result, "thread_name"));
	}
	if (ftell(out) > begin)
		fputc('\n', out);
	if (text_of(result, "new")[0] != 0)
		fprintf(
		    out, "it was %s\nand is  %s\n", text_of(result, "old"), text_of(result, "new"));
}

/* ---- All of it ------------------------------------------------------------------------------- */

typedef void print_field(FILE *out, const char *key, const json_t *value);

static const struct {
	const char *key;
	print_field *print;
} printers[] = {
    {"frame", print_one_frame},
    {"frames", print_frames},
    {"callers", print_frames},
    {"formatted", print_formatted},
    {"threads", print_threads},
    {"goroutines", print_goroutines},
    {"changes", print_changes},
    {"hops", print_hops},
    {"hits", print_hits},
    {"source", print_whole},
    {"variables", print_values},
    {"results", print_values},
    {"evaluated", print_evaluated},
    {"registers", print_registers},
    {"instructions", print_whole},
    {"mappings", print_whole},
    {"layout", print_whole},
    {"members", print_whole},
    {"sandbox", print_sandbox},
};

static print_field *printer_of(const char *key)
{
	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++)
		if (strcmp(key, printers[i].key) == 0)
			return printers[i].print;
	return print_any;
}

char *answers_text(json_t *result)
{
	bool dumped = json_object_get(result, "dump") != NULL;
	const char *key;
	char *text = NULL;
	size_t size = 0;
	json_t *value;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	print_heading(out, result);
	if (dumped)
		fputs(text_of(result, "dump"), out);
	json_object_foreach(result, key, value)
	{
		/* The dump already shows both. */
		bool said = dumped && (strcmp(key, "contents") == 0 || strcmp(key, "address") == 0);
		if (!is_of_heading(key) && !said)
			printer_of(key)(out, key, value);
	}
	json_object_del(result, "dump");
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	while (size > 0 && text[size - 1] == '\n')
		text[--size] = 0;
	return text;
}
