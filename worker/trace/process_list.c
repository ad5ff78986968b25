/*
 * Parser of `rr ps`: a heading, then PID, PPID, EXIT and CMD between tabs, one process a line. A
 * recorded command line may hold newlines and tabs of its own, so that a line which does not begin
 * as a process does belongs to the command before. Must never trust a field.
 */
#include "worker/trace/process_list.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/serve/sentence.h"
#include "worker/trace/dump/execs.h"

#define HEADING	     "PID\tPPID\tEXIT\tCMD\n"
#define NOT_EXECUTED "(forked without exec)"
#define FIELD_MAX    32
#define FILE_SHOWN   400
#define SIGNAL_MAX   64

struct row {
	int pid, ppid; /* ppid 0: the first process */
	bool ended, signalled;
	int status; /* exit code, or signal */
	const char *command;
	size_t command_length;
};

const char *signal_to_name(int number, char *name, size_t size)
{
	const char *abbreviation = sigabbrev_np(number);

	if (abbreviation)
		snprintf(name, size, "SIG%s", abbreviation);
	else
		snprintf(name, size, "signal %d", number);
	return name;
}

/* The field up to `end` as a NUL-terminated copy; false when it is too long. */
static bool next_field(char *field, const char **at, const char *end)
{
	const char *tab = memchr(*at, '\t', (size_t)(end - *at));

	if (!tab || tab - *at >= FIELD_MAX)
		return false;
	memcpy(field, *at, (size_t)(tab - *at));
	field[tab - *at] = '\0';
	*at = tab + 1;
	return true;
}

static bool parse_number(const char *text, long long low, long long high, int *number)
{
	const char *error = NULL;

	*number = (int)strtonum(text, low, high, &error);
	return !error;
}

static bool parse_exit(const char *text, struct row *row)
{
	row->ended = true;
	if (strcmp(text, "none") == 0 || strcmp(text, "detach") == 0) {
		row->ended = false;
		return true;
	}
	row->signalled = *text == '-';
	if (row->signalled)
		return parse_number(text + 1, 1, SIGNAL_MAX, &row->status);
	return parse_number(text, 0, 255, &row->status);
}

/* Parses the beginning of a line as a process; false when it is something else. */
static bool parse_row(const char *line, const char *end, struct row *row)
{
	char pid[FIELD_MAX], ppid[FIELD_MAX], status[FIELD_MAX];

	*row = (struct row){0};
	if (!next_field(pid, &line, end) || !next_field(ppid, &line, end) ||
	    !next_field(status, &line, end))
		return false;
	/* "7 (3)": 3 is its number in a pid namespace of its own. */
	pid[strcspn(pid, " ")] = '\0';
	if (!parse_number(pid, 1, INT_MAX, &row->pid) || !parse_exit(status, row))
		return false;
	if (strcmp(ppid, "--") != 0 && !parse_number(ppid, 1, INT_MAX, &row->ppid))
		return false;
	row->command = line;
	row->command_length = (size_t)(end - line);
	return true;
}

static json_t *row_to_json(const struct row *row)
{
	char name[FIELD_MAX];
	json_t *process = json_pack("{s:i}", "pid", row->pid);

	answer_add_count(process, "ppid", row->ppid);
	if (!row->ended)
		json_object_set_new(process, "ended", json_false());
	else if (row->signalled)
		json_object_set_new(process, "signal",
		    json_string(signal_to_name(row->status, name, sizeof(name))));
	else
		json_object_set_new(process, "exit_code", json_integer(row->status));
	answer_add_flag(process, "forked",
	    row->command_length == strlen(NOT_EXECUTED) &&
		memcmp(row->command, NOT_EXECUTED, row->command_length) == 0);
	json_object_set_new(process, "command",
	    scrub_json_middle(row->command, row->command_length, PROCESS_COMMAND_MAX, NULL));
	return process;
}

/* Where the process's text ends: before the next line that begins as a process does. */
static const char *row_end(const char *at, const char *end)
{
	struct row next;

	for (;;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline || newline + 1 == end)
			return newline ? newline : end;
		const char *line_end = memchr(newline + 1, '\n', (size_t)(end - newline - 1));
		if (parse_row(newline + 1, line_end ? line_end : end, &next))
			return newline;
		at = newline + 1;
	}
}

/* Appends the process while its JSON fits the budget; the first that does not ends the budget. */
static bool append_within(json_t *processes, const struct row *row, size_t *budget)
{
	json_t *process = row_to_json(row);
	size_t size = json_dumpb(process, NULL, 0, JSON_COMPACT) + 1;

	if (size > *budget) {
		*budget = 0;
		json_decref(process);
		return false;
	}
	*budget -= size;
	json_array_append_new(processes, process);
	return true;
}

json_t *process_list_parse(const char *text, size_t length, size_t budget)
{
	const char *end = text + length;
	json_t *processes;
	json_t *list;
	size_t more = 0;

	if (length < strlen(HEADING) || memcmp(text, HEADING, strlen(HEADING)) != 0)
		return NULL;
	processes = json_array();
	for (const char *at = text + strlen(HEADING); at < end;) {
		const char *stop = row_end(at, end);
		struct row row;
		if (parse_row(at, stop, &row) && !append_within(processes, &row, &budget))
			more++;
		at = stop + 1;
	}
	list = json_pack("{s:o}", "processes", processes);
	answer_add_count(list, "more", (json_int_t)more);
	return list;
}

json_t *process_images(const struct execs *execs, int pid)
{
	json_t *images = NULL, *image;

	for (size_t i = 0; i < execs->count; i++) {
		const struct exec *exec = &execs->list[i];
		if (exec->pid != pid || json_array_size(images) >= PROCESS_IMAGES_MAX)
			continue;
		image = json_pack("{s:I}", "event", (json_int_t)exec->event);
		if (exec->file)
			json_object_set_new(image, "file",
			    scrub_json_middle(exec->file, strlen(exec->file), FILE_SHOWN, NULL));
		if (!images)
			images = json_array();
		json_array_append_new(images, image);
	}
	return images;
}
