/*
 * See ambiguous_statics.h. Asks gdb's Python, because no other command tells whose variable a name
 * is.
 */
#include "worker/read/names/ambiguous_statics.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/library.h"
#include "worker/gdb/must.h"
#include "worker/read/names/identifiers.h"
#include "worker/read/names/scope.h"
#include "worker/serve/words.h"
#include "worker/session/selection.h"
#include "worker/session/taught.h"

#define NAME_SHOWN 128
#define AMBIGUOUS  "rr-ambiguous " /* the name, and files that have it; see statics.py */

/* What an answer is without, where gdb cannot tell. */
#define UNCHECKED "a static variable of another file may be meant"

static bool is_keyword(struct identifier word)
{
	static const char *const keywords[] = {"char", "const", "double", "float", "int", "long",
	    "short", "signed", "sizeof", "struct", "union", "unsigned", "void", NULL};

	return is_one_of(word.name, word.length, keywords);
}

/* "python rr_check_all('a','b')": as many of the names from `next` on as one command holds, at
 * least one. `next` goes on to the first one that is left. False: there are no names. */
static bool write_command(
    const char *expression, struct identifier *next, char *command, size_t size)
{
	size_t length = (size_t)snprintf(command, size, "python rr_check_all(");
	int count = 0;

	for (; next->name; *next = identifier_next(expression, next->name + next->length)) {
		if (next->name[0] == '$' || is_keyword(*next) ||
		    next->length > REPLAY_EXPRESSION_MAX)
			continue;
		if (count > 0 && length + next->length + 5 > size)
			break;
		length += (size_t)snprintf(command + length, size - length, "%s'%.*s'",
		    count++ ? "," : "", (int)next->length, next->name);
	}
	snprintf(command + length, size - length, ")");
	return count > 0;
}

/* From a line "rr-ambiguous NAME FILE, FILE". */
static void fail(const char *line, struct failure *failure)
{
	char name[NAME_SHOWN] = "", file[NAME_SHOWN] = "", hint[FAILURE_HINT_MAX];
	int at = 0;

	sscanf(line, AMBIGUOUS "%127s %n%127[^,\n]", name, &at, file);
	snprintf(hint, sizeof(hint), "'%s'::%s is that file's", file, name);
	failure_set(failure, ERROR_INVALID_ARGUMENT, hint,
	    "No symbol \"%s\" in current context; static variables of that name are in other "
	    "files: %.*s",
	    name, (int)strcspn(line + at, "\n"), line + at);
}

static void define(struct replay *replay)
{
	struct gdb *gdb = replay_gdb(replay);
	struct taught *taught = replay_taught(replay);

	if (taught->statics != STATICS_UNTRIED)
		return;
	if (gdb_done_or_warn(gdb, library_run(gdb, "statics"), UNCHECKED))
		taught->statics = STATICS_CHECKED;
	else if (!replay_worker(replay)->interrupt)
		taught->statics = STATICS_UNKNOWN;
}

bool ambiguous_statics_check(struct replay *replay, const char *expression, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	struct identifier next = identifier_next(expression, expression);
	char command[REPLAY_EXPRESSION_MAX + 64]; /* any one name fits */
	const char *line = NULL;

	while (!line && write_command(expression, &next, command, sizeof(command))) {
		define(replay);
		if (replay_taught(replay)->statics != STATICS_CHECKED)
			return true;
		if (!selection_console(replay, command)) {
			gdb_done_or_warn(
			    gdb, replay_worker(replay)->broken ? GDB_LOST : GDB_REFUSED, UNCHECKED);
			return true;
		}
		line = strstr(gdb_console_text(gdb), AMBIGUOUS);
	}
	if (!line)
		return true;
	fail(line, failure);
	scope_explain(replay, failure);
	return false;
}
