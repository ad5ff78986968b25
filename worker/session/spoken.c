/*
 * See spoken.h. Other languages than C and C++ are left alone: there the same text can mean
 * something else.
 */
#include "worker/session/spoken.h"
#include "worker/session/replay_inside.h"

#include <string.h>
#include "worker/gdb/mi/says.h"

/* Words of gdb's "show language". The first are those in which C++ is read at second hand. */
static const char *const near_cxx[] = {"currently c\"", "currently asm", "currently minimal",
    "currently none", "currently unknown", "currently local", NULL};
static const char *const family[] = {"currently c\"", "currently c++\"", "currently objective-c\"",
    "currently opencl\"", "currently asm\"", "currently minimal\"", NULL};

/* What gdb says of the language of this frame; NULL: nothing. */
static const char *language_of(struct replay *replay, int thread, int frame)
{
	if (gdb_command(replay->gdb, NULL,
		"-interpreter-exec --thread %d --frame %d console \"show language\"", thread,
		frame) != GDB_DONE)
		return NULL;
	return gdb_console_text(replay->gdb);
}

static bool has_one(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* Whether gdb reads expressions of this frame as C, or has no language for it. */
static bool is_near_cxx(struct replay *replay, int thread, int frame)
{
	const char *language = language_of(replay, thread, frame);

	return language && has_one(language, near_cxx);
}

/* Memory that cannot be read cannot be read in C++ either. */
static bool is_worth_it(const struct replay *replay)
{
	return worker_goes_on(replay->worker) &&
	       !gdb_says(gdb_message(replay->gdb), SAYS_UNREADABLE) &&
	       !gdb_says(gdb_message(replay->gdb), SAYS_TOO_LARGE);
}

enum gdb_outcome spoken_command(struct replay *replay, json_t **results, int thread, int frame,
    const char *command, const char *rest)
{
	enum gdb_outcome outcome = gdb_command(
	    replay->gdb, results, "%s --thread %d --frame %d %s", command, thread, frame, rest);

	if (outcome != GDB_REFUSED || !is_worth_it(replay))
		return outcome;
	/* Once more in its own language otherwise, for its message. */
	return gdb_command(replay->gdb, results, "%s --thread %d --frame %d %s%s", command, thread,
	    frame, is_near_cxx(replay, thread, frame) ? "--language c++ " : "", rest);
}

bool spoken_is_foreign(struct replay *replay)
{
	const char *language = is_worth_it(replay) ? language_of(replay, replay->selected.number,
							 replay->selected.frame)
						   : NULL;

	return language && strstr(language, "currently ") && !has_one(language, family);
}

enum gdb_outcome spoken_as_c(struct replay *replay, json_t **results, const char *quoted)
{
	return gdb_command(replay->gdb, results,
	    "-data-evaluate-expression --thread %d --frame %d --language c %s",
	    replay->selected.number, replay->selected.frame, quoted);
}

enum gdb_outcome spoken_here(struct replay *replay, json_t **results, const char *quoted)
{
	return spoken_command(replay, results, replay->selected.number, replay->selected.frame,
	    "-data-evaluate-expression", quoted);
}

enum gdb_outcome spoken_console(struct replay *replay, const char *quoted)
{
	char rest[GDB_QUOTED_MAX + sizeof("console ")];

	snprintf(rest, sizeof(rest), "console %s", quoted);
	return spoken_command(replay, NULL, replay->selected.number, replay->selected.frame,
	    "-interpreter-exec", rest);
}
