/*
 * A block is told by its calls, a place on the stack by the variable that is there in a frame that
 * is still there.
 */
#include "worker/investigate/memcheck/unwritten.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/library.h"
#include "worker/gdb/must.h"
#include "worker/read/code/mappings.h"
#include "worker/serve/begins.h"

#define MARK	  "rr-said\t"
#define PLACE_MAX 512

bool unwritten_is(const struct check_table *table)
{
	switch ((enum check_kind)table->kind) {
	case CHECK_BRANCH:
	case CHECK_ADDRESS:
	case CHECK_TARGET:
	case CHECK_OUTPUT:
	case CHECK_LENGTH:
		return true;
	case CHECK_READ:
	case CHECK_WRITE:
	case CHECK_FREE:
	case CHECK_RESIZE:
	case CHECK_CALL:
	case CHECK_RETURN:
	case CHECK_OVERLAP:
		return false;
	}
	return false;
}

/* The field of a line that is divided by tabs, with a NUL behind it; moves *text behind that. */
static char *next_field(char **text)
{
	char *field = *text, *end = field + strcspn(field, "\t\n");

	*text = *end ? end + 1 : end;
	*end = '\0';
	return field;
}

/* What one of the script's functions says about an address, behind its mark; NULL: nothing. Copied,
 * because gdb's text is gone with the next command. */
static char *ask(
    struct replay *replay, const char *function, unsigned long long address, char line[PLACE_MAX])
{
	struct gdb *gdb = replay_gdb(replay);
	const char *said;

	if (library_run(gdb, "stack_variables") != GDB_DONE ||
	    !(said = behind_mark(
		  gdb_shown(gdb, NULL, "python %s(0x%llx)", function, address), MARK)))
		return NULL;
	snprintf(line, PLACE_MAX, "%s", said);
	return line;
}

/* "total, a local variable of main (a.c:6)"; false: none is known. */
static bool say_variable(struct replay *replay, unsigned long long address, char text[PLACE_MAX])
{
	char line[PLACE_MAX], *at = ask(replay, "rr_variable", address, line), *function, *place;

	if (!at)
		return false;
	function = next_field(&at);
	place = next_field(&at);
	snprintf(text, PLACE_MAX, "%.200s, a local variable of %.150s (%.100s)", next_field(&at),
	    function, place);
	return true;
}

static bool is_on_stack(struct replay *replay, unsigned long long address)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const struct mapping *mapping = mappings_find(mappings, address);

	return mapping && strcmp(mapping->file, "[stack]") == 0;
}

static void say_place(struct replay *replay, const struct check_table *table, char text[PLACE_MAX])
{
	const unsigned long long address = table->address;

	if (table->block_state != CHECK_NO_BLOCK)
		snprintf(text, PLACE_MAX, "byte %llu of a block of %llu %s%s",
		    address - (unsigned long long)table->block,
		    (unsigned long long)table->block_size,
		    table->block_size == 1 ? "byte" : "bytes",
		    table->block_state == CHECK_FREED ? ", which is freed by now" : "");
	else if (!say_variable(replay, address, text))
		snprintf(text, PLACE_MAX, "0x%llx%s", address,
		    is_on_stack(replay, address) ? ", on the stack" : "");
}

static const char *use_of(const struct check_table *table)
{
	switch ((enum check_kind)table->kind) {
	case CHECK_ADDRESS:
		return "the address of a load or store depends on";
	case CHECK_TARGET:
		return "the target of a jump or call depends on";
	case CHECK_OUTPUT:
		return "what is written to a file has";
	case CHECK_LENGTH:
		return "how much is written to a file depends on";
	case CHECK_BRANCH:
	case CHECK_READ:
	case CHECK_WRITE:
	case CHECK_FREE:
	case CHECK_RESIZE:
	case CHECK_CALL:
	case CHECK_RETURN:
	case CHECK_OVERLAP:
		break;
	}
	return "a branch depends on";
}

void unwritten_say(struct replay *replay, const struct check_table *table, char text[UNWRITTEN_MAX])
{
	char place[PLACE_MAX];

	say_place(replay, table, place);
	snprintf(text, UNWRITTEN_MAX, "%s memory that was never written%s: %s", use_of(table),
	    table->copied ? ", or was copied from such" : "", place);
}

bool unwritten_return_say(
    struct replay *replay, const struct check_table *table, char text[UNWRITTEN_MAX])
{
	char line[PLACE_MAX], *at = ask(replay, "rr_return_address", table->address, line);
	char variable[PLACE_MAX];
	const char *function;
	bool known;

	if (!at)
		return false;
	function = next_field(&at);
	known = say_variable(replay, table->start, variable);
	snprintf(text, UNWRITTEN_MAX,
	    "write of %llu %s at 0x%llx: over the return address of %.150s%s%.300s",
	    (unsigned long long)table->size, table->size == 1 ? "byte" : "bytes",
	    (unsigned long long)table->start, *function ? function : "a function without a name",
	    known ? ", from " : "", known ? variable : "");
	return true;
}

/* "sum (a.c:9)" */
static json_t *place_of(struct replay *replay, unsigned long long pc)
{
	char line[PLACE_MAX], *at = ask(replay, "rr_place", pc, line), *function;

	if (!at)
		return json_sprintf("0x%llx", pc);
	function = next_field(&at);
	at = next_field(&at);
	if (!*at)
		return json_string(function);
	return *function ? json_sprintf("%s (%s)", function, at) : json_string(at);
}

json_t *unwritten_loaded(struct replay *replay, const struct check_table *table)
{
	return table->loaded == table->pc || table->kind == CHECK_OUTPUT
		   ? NULL
		   : place_of(replay, table->loaded);
}
