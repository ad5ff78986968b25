/*
 * The default hook prints "\nthread 'NAME' (ID) panicked at FILE:LINE:COLUMN:\nMESSAGE\n"; before
 * Rust 1.73, "thread 'NAME' panicked at 'MESSAGE', FILE:LINE:COLUMN\n". A hook of the program's own
 * prints what it likes, and then there is nothing to read here.
 */
#include "worker/investigate/report/panicked.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/report/report.h"

#define TOLD_MAX 600

static const char begins[] = "thread '", panics[] = " panicked at ";

/* The end of a panic's text: of its message's line, and of the line before it if that ends in ":".
 */
static const char *end_of(const char *line)
{
	const char *end = strchrnul(line, '\n');

	return *end && end > line && end[-1] == ':' ? strchrnul(end + 1, '\n') : end;
}

/* Raised because of another panic: in a function or a destructor that one passed through. */
static bool is_second(const char *line, const char *end)
{
	static const char *const seconds[] = {
	    "panic in a function that cannot unwind", "panic in a destructor during cleanup"};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++)
		if (memmem(line, (size_t)(end - line), seconds[i], strlen(seconds[i])))
			return true;
	return false;
}

static void take(const char *line, const char *end, char *text, size_t size)
{
	size_t used = 0;

	for (; line < end && used + 1 < size; line++)
		text[used++] = *line == '\n' ? ' ' : *line;
	text[used] = '\0';
}

bool panicked_read(const char *output, char *text, size_t size)
{
	bool found = false;

	for (const char *line = output; line; line = strchr(line, '\n'), line += line != NULL) {
		const char *end = end_of(line);

		if (strncmp(line, begins, strlen(begins)) != 0 ||
		    !memmem(line, (size_t)(end - line), panics, strlen(panics)) ||
		    (found && is_second(line, end)))
			continue;
		take(line, end, text, size);
		found = true;
	}
	return found;
}

void panicked_tell(json_t *report, const json_t *output)
{
	const char *signal = mi_text(report, "signal");
	bool aborted = signal && strcmp(signal, "SIGABRT") == 0;
	char text[TOLD_MAX];

	if (aborted && output && panicked_read(json_string_value(output), text, sizeof(text)))
		report_add_cause(report, text);
}
