#include "worker/investigate/report/raised.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/report/panicked.h"
#include "worker/moment/position.h"
#include "worker/moment/signals.h"
#include "worker/run/sweep/resume.h"
#include "worker/serve/begins.h"
#include "worker/session/stop_reason.h"

#define PLACES_MAX 4

/* "panic: runtime error: index out of range [5]", "fatal error: all goroutines are asleep". */
static bool is_gos(const char *line)
{
	return (begins(line, "panic: ") || begins(line, "fatal error: ")) &&
	       strstr(line, "\ngoroutine ");
}

/* "raised CONSTRAINT_ERROR : a.adb:32 index check failed", "raised LEDGER.TOO_LATE : no". */
static bool is_adas(const char *line)
{
	size_t name;

	if (!begins(line, "raised "))
		return false;
	line += strlen("raised ");
	name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
	return name > 0 && (begins(line + name, " : ") || line[name] == '\n' || !line[name]);
}

/* "core.exception.ArrayIndexError@a.d(28): index [5] is out of bounds for array of length 4". */
static bool is_ds(const char *line)
{
	size_t name = strcspn(line, " @\n"), rest, digits;

	if (line[name] != '@' || !memchr(line, '.', name))
		return false;
	rest = name + strcspn(line + name, "(\n");
	digits = line[rest] == '(' ? strspn(line + rest + 1, "0123456789") : 0;
	return digits > 0 && begins(line + rest + 1 + digits, ")");
}

static bool is_fortrans(const char *line)
{
	return begins(line, "Fortran runtime error: ");
}

static const char *const rusts_places[] = {"rust_panic", NULL};
static const char *const gos_places[] = {"runtime.gopanic", "runtime.throw", NULL};
static const char *const ds_places[] = {
    "_d_throw", "_d_throw_exception", "_d_throwdwarf", "_d_throwc", NULL};
static const char *const ds_printer[] = {"rt.dmain2.formatThrowable", "_d_print_throwable", NULL};

/* By the exit status that its runtime gives. Rust's text has a reader of its own. */
static const struct {
	int status;
	bool (*is)(const char *line);
	const char *const *places, *const *printer;
} runtimes[] = {
    {2, is_gos, gos_places, NULL},
    {1, is_ds, ds_places, ds_printer},
    {1, is_adas, NULL, NULL},
    {2, is_fortrans, NULL, NULL},
};

static void take(const char *line, char *text)
{
	snprintf(text, RAISED_TEXT_MAX, "%.*s", (int)strcspn(line, "\n"), line);
}

/* The last of them: those before it were caught. */
static bool find_line(const char *output, int status, struct raised *raised)
{
	bool found = false;

	for (const char *line = output; line; line = strchr(line, '\n'), line += line != NULL)
		for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
			if (runtimes[i].status == status && runtimes[i].is(line)) {
				raised->places = runtimes[i].places;
				raised->printer = runtimes[i].printer;
				take(line, raised->text);
				found = true;
			}
	return found;
}

bool raised_find(const json_t *report, const json_t *output, struct raised *raised)
{
	const json_t *status = json_object_get(report, "exit_code");
	const char *printed = json_string_value(output);

	*raised = (struct raised){0};
	if (!status || !printed)
		return false;
	if (json_integer_value(status) != PANICKED_STATUS)
		return find_line(printed, (int)json_integer_value(status), raised);
	raised->places = rusts_places;
	return panicked_read(printed, raised->text, sizeof(raised->text));
}

/* The stops; how many there are. A program has those of its own runtime. */
static int set_stops(struct replay *replay, const char *const *places, int numbers[PLACES_MAX])
{
	int count = 0;

	for (int i = 0; i < PLACES_MAX && places[i]; i++) {
		int number = temporary_breakpoint_insert(replay, places[i]);

		if (number)
			numbers[count++] = number;
	}
	return count;
}

/* Whether the program stands where it passed one of the places last. */
static bool run_back(struct replay *replay, const char *const *places)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};
	int numbers[PLACES_MAX], count = set_stops(replay, places, numbers);
	cleanup_failure struct failure ignored = {0};
	bool found = count && resume_run(replay, &back, &ignored) &&
		     position_update(replay, &ignored) && stop_kind(replay) == STOP_BREAKPOINT;

	while (count-- > 0)
		temporary_breakpoint_delete(replay, numbers[count]);
	if (found)
		replay_moves(replay);
	return found;
}

bool raised_go_back(struct replay *replay, const struct raised *raised)
{
	bool found;

	signals_pass_all(replay);
	found = (!raised->printer || run_back(replay, raised->printer)) &&
		run_back(replay, raised->places);
	if (!replay_worker(replay)->broken)
		signals_stop_again(replay);
	return found;
}
