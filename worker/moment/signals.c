/*
 * Keeps for each signal whether it stops, as {name: true|false}, and tells gdb. Names are gdb's:
 * SIG and capitals, SIG34 for what has no name.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "worker/gdb/must.h"
#include "worker/serve/handlers.h"
#include "worker/session/images.h"
#include "worker/moment/signals.h"

#define NAME_MAX_BYTES 16
#define COMMAND_MAX    1200
#define SIGNALS_MAX    64
#define REALTIME_FIRST 32

/* Timers, children, terminals, and the signals that the C library sends to its own threads. */
static const char *const noise[] = {"SIGALRM", "SIGVTALRM", "SIGPROF", "SIGCHLD", "SIGIO", "SIGURG",
    "SIGWINCH", "SIG32", "SIG33", NULL};

/* Signals for which people use a debugger, handled or not, and those with which gdb itself stops
 * the program. */
static const int always[] = {
    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGINT, SIGKILL, SIGSTOP};

static const char *name_of(int number, char name[NAME_MAX_BYTES])
{
	const char *abbreviation = number < REALTIME_FIRST ? sigabbrev_np(number) : NULL;

	if (number == SIGIO) /* which the C library calls SIGPOLL */
		snprintf(name, NAME_MAX_BYTES, "SIGIO");
	else if (abbreviation)
		snprintf(name, NAME_MAX_BYTES, "SIG%.11s", abbreviation);
	else
		snprintf(name, NAME_MAX_BYTES, "SIG%d", number);
	return name;
}

/* The number of a name, which may lack SIG and be in lower case; 0: no signal. */
static int number_of(const char *text)
{
	char name[NAME_MAX_BYTES];

	/* gdb does not know SIGSTKFLT, and nobody sends it. */
	for (int number = 1; number <= SIGNALS_MAX; number++)
		if (number != SIGSTKFLT && (strcasecmp(name_of(number, name), text) == 0 ||
					       strcasecmp(name + 3, text) == 0))
			return number;
	return 0;
}

static bool stops_always(int number)
{
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (always[i] == number)
			return true;
	return false;
}

/* Tells gdb in one command which signals stop, or which do not. */
static void tell(struct replay *replay, const json_t *signals, bool stop)
{
	char command[COMMAND_MAX] = "handle";
	const char *name;
	json_t *stops;

	json_object_foreach((json_t *)signals, name, stops)
	{
		if (json_is_true(stops) == stop) {
			strlcat(command, " ", sizeof(command));
			strlcat(command, name, sizeof(command));
		}
	}
	if (strcmp(command, "handle") == 0)
		return;
	strlcat(command, stop ? " stop print pass" : " nostop noprint pass", sizeof(command));
	gdb_must_console(replay_gdb(replay), command);
}

static void tell_all(struct replay *replay, const json_t *signals)
{
	tell(replay, signals, true);
	tell(replay, signals, false);
}

void signals_begin(struct replay *replay)
{
	char name[NAME_MAX_BYTES];

	for (size_t i = 0; noise[i]; i++)
		json_object_set_new(replay_signals(replay), noise[i], json_false());
	for (int number = 1; number <= SIGNALS_MAX; number++)
		if (images_handle_signal(replay, number) && !stops_always(number) &&
		    number != SIGSTKFLT)
			json_object_set_new(
			    replay_signals(replay), name_of(number, name), json_false());
	tell_all(replay, replay_signals(replay));
}

void signals_stop_at_faults(struct replay *replay)
{
	gdb_must_console(replay_gdb(replay),
	    "handle SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGSYS stop print pass");
}

/* gdb's "all" leaves out the signals with which it stops the program itself: SIGINT, for which rr
 * has a stop without a signal, and SIGTRAP, which scan.h passes over. rr reports a process's end as
 * SIGKILL. */
void signals_pass_all(struct replay *replay)
{
	replay_run(replay)->signals_pass = true;
	gdb_must_console(replay_gdb(replay), "handle all nostop noprint pass");
	gdb_must_console(replay_gdb(replay), "handle SIGKILL stop print pass");
	gdb_must_console(replay_gdb(replay), "handle SIGINT nostop noprint pass");
}

void signals_stop_again(struct replay *replay)
{
	if (replay_worker(replay)->broken)
		return;
	replay_run(replay)->signals_pass = false;
	gdb_must_console(replay_gdb(replay), "handle all stop print pass");
	gdb_must_console(replay_gdb(replay), "handle SIGINT stop print pass");
	signals_apply(replay);
}

void signals_apply(struct replay *replay)
{
	tell_all(replay, replay_signals(replay));
}

json_t *signals_save(const struct replay *replay)
{
	return json_deep_copy(replay_signals(replay));
}

void signals_restore(struct replay *replay, const json_t *saved)
{
	const char *name;
	json_t *stops;

	json_object_foreach((json_t *)saved, name, stops)
	{
		if (number_of(name))
			json_object_set(replay_signals(replay), name, stops);
	}
	tell_all(replay, replay_signals(replay));
}

/* Adds what a call asks for to `changes`; false with *failure filled. */
static bool take(json_t *changes, const json_t *names, bool stop, struct failure *failure)
{
	char name[NAME_MAX_BYTES];
	const json_t *entry;
	size_t i;

	json_array_foreach(names, i, entry)
	{
		const char *text = json_string_value(entry);
		int number = text ? number_of(text) : 0;

		if (!number) {
			failure_set(failure, ERROR_INVALID_ARGUMENT,
			    "use names such as SIGUSR1, or SIG34 for a signal without a name",
			    "there is no signal %.40s", text ? text : "");
			return false;
		}
		if (!stop && (number == SIGTRAP || number == SIGINT)) {
			failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
			    "%s cannot be passed over, because breakpoints and interrupts use it",
			    name_of(number, name));
			return false;
		}
		json_object_set_new(changes, name_of(number, name), json_boolean(stop));
	}
	return true;
}

bool signals_stop_at(struct replay *replay, const char *name, struct failure *failure)
{
	json_t *changes = json_object(), *names = json_pack("[s]", name);
	bool ok = take(changes, names, true, failure);

	if (ok) {
		json_object_update(replay_signals(replay), changes);
		tell_all(replay, changes);
	}
	json_decref(names);
	json_decref(changes);
	return ok;
}

/* The signals that do not stop. */
static json_t *answer(const struct replay *replay)
{
	json_t *passed = json_array(), *stops;
	const char *name;

	json_object_foreach(replay_signals(replay), name, stops)
	{
		if (!json_is_true(stops))
			json_array_append_new(passed, json_string(name));
	}
	return json_pack("{s:o}", "passed_over", passed);
}

json_t *tool_signals(
    struct replay *replay, const struct signals_args *args, struct failure *failure)
{
	json_t *changes = json_object(), *result = NULL;

	if (take(changes, args->pass, false, failure) && take(changes, args->stop, true, failure)) {
		json_object_update(replay_signals(replay), changes);
		tell_all(replay, changes);
		result = answer(replay);
		replay_changed(replay);
	}
	json_decref(changes);
	return result;
}
