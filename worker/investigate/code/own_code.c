/*
 * Asks gdb which functions the program has, and for the line tables of their files.
 */
#include "worker/investigate/code/own_code.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/code/line_table.h"
#include "worker/read/values/accessed.h"
#include "worker/read/frames/frame.h"

#define FUNCTIONS_MAX 8000
#define ID_BYTES_MAX  56

static int by_address(const void *a, const void *b)
{
	const struct own_place *one = a, *other = b;

	return one->address < other->address ? -1 : one->address > other->address;
}

size_t own_code_find(const struct own_code *code, unsigned long long address)
{
	const struct own_place wanted = {.address = address}, *found;

	found = bsearch(&wanted, code->places, code->count, sizeof(wanted), by_address);
	return found ? (size_t)(found - code->places) : code->count;
}

static bool is_own(struct replay *replay, const char *path)
{
	json_auto_t *frame = json_pack("{s:o}", "at", json_sprintf("%s:1", path));

	return frame && frame_is_own(replay, frame);
}

static void add_place(
    struct own_code *code, unsigned long long address, int line, size_t file, bool entry)
{
	if (code->count == OWN_CODE_PLACES_MAX) {
		code->cut = true;
		return;
	}
	code->places[code->count++] = (struct own_place){
	    .address = address, .line = line, .file = (unsigned short)file, .entry = entry};
}

/* Each `Line 26 of "a.c" starts at address 0x11de <discount> ...`: copies and overloads have
 * several.
 */
static void add_entry(
    struct replay *replay, struct own_code *code, const char *path, const char *name)
{
	static const char mark[] = " at address 0x";
	const char *at,
	    *said = gdb_shown(replay_gdb(replay), "calls of a function are not compared",
		"info line -source '%s' -function %.500s", path, name);

	for (; said && (at = strstr(said, "Line ")) != NULL; said = at + 5) {
		const char *address = strstr(at, mark), *next = strstr(at + 5, "Line ");

		if (address && (!next || address < next))
			add_place(code, strtoull(address + sizeof(mark) - 3, NULL, 16),
			    (int)strtol(at + 5, NULL, 10), code->file_count, true);
	}
}

static void add_rows(struct replay *replay, struct own_code *code, const struct line_table *table,
    const char *path, const json_t *functions)
{
	json_t *function;
	size_t i;

	for (i = 0; i < table->count; i++)
		add_place(
		    code, table->rows[i].address, table->rows[i].line, code->file_count, false);
	json_array_foreach((json_t *)functions, i, function)
	{
		const char *name = mi_text(function, "name");

		if (name && !replay_worker(replay)->broken)
			add_entry(replay, code, path, name);
	}
}

static bool read_file(struct replay *replay, struct own_code *code, const json_t *row)
{
	const char *path = mi_text(row, "fullname");
	cleanup_failure struct failure ignored = {0};
	struct line_table table = {0};

	if (!path || !is_own(replay, path) || code->file_count == OWN_CODE_FILES_MAX)
		return path && code->file_count < OWN_CODE_FILES_MAX;
	if (line_table_read(replay, path, &table, &ignored)) {
		code->files[code->file_count] = strdup(path);
		add_rows(replay, code, &table, path, json_object_get(row, "symbols"));
		code->file_count++;
		code->cut |= table.is_short;
	}
	line_table_free(&table);
	return !replay_worker(replay)->broken;
}

/* Each address once, each with its function. */
static void arrange(struct own_code *code)
{
	size_t to = 0, function = 0;

	qsort(code->places, code->count, sizeof(*code->places), by_address);
	for (size_t i = 0; i < code->count; i++) {
		if (to && code->places[to - 1].address == code->places[i].address) {
			code->places[to - 1].entry |= code->places[i].entry;
			continue;
		}
		code->places[to++] = code->places[i];
	}
	code->count = to;
	for (size_t i = 0; i < to; i++) {
		function = code->places[i].entry ? i : function;
		code->places[i].function = (unsigned)function;
	}
}

/* "0x... - 0x... is .note.gnu.build-id" of the program itself; a library's line goes on with " in
 * ".
 */
static void read_id(struct replay *replay, struct own_code *code)
{
	static const char mark[] = " is .note.gnu.build-id\n";
	unsigned char bytes[ID_BYTES_MAX];
	unsigned long long from, to;
	const char *at, *line,
	    *said = gdb_shown(
		replay_gdb(replay), "the builds are compared by their places alone", "info files");
	char *end;

	code->id[0] = '\0';
	if (!said || !(at = strstr(said, mark)))
		return;
	for (line = at; line > said && line[-1] != '\n'; line--)
		;
	from = strtoull(line, &end, 16);
	to =
	    strstr(end, "0x") && strstr(end, "0x") < at ? strtoull(strstr(end, "0x"), NULL, 16) : 0;
	if (to <= from || to - from > sizeof(bytes) ||
	    !accessed_whole(replay, from, bytes, (size_t)(to - from)))
		return;
	for (size_t i = 0; i < to - from; i++)
		snprintf(code->id + 2 * i, 3, "%02x", bytes[i]);
}

bool own_code_read(struct replay *replay, struct own_code *code, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *row;
	bool ok;
	size_t i;

	*code = (struct own_code){.places = calloc(OWN_CODE_PLACES_MAX, sizeof(*code->places))};
	if (!code->places)
		return failure_no_memory(failure);
	ok = gdb_check(gdb,
	    gdb_command(gdb, &results, "-symbol-info-functions --max-results %d", FUNCTIONS_MAX),
	    ERROR_GDB_FAILED, NULL, failure);
	json_array_foreach(json_object_get(json_object_get(results, "symbols"), "debug"), i, row)
	{
		if (!ok || !read_file(replay, code, row))
			break;
	}
	json_decref(results);
	if (!ok)
		return false;
	arrange(code);
	read_id(replay, code);
	if (code->count)
		return true;
	failure_set(failure, ERROR_NOT_FOUND, "build the program with -g, and record it again",
	    "%.300s has no source lines of its own", replay_executable(replay));
	return false;
}

void own_code_free(struct own_code *code)
{
	for (size_t i = 0; i < code->file_count; i++)
		free(code->files[i]);
	free(code->places);
	*code = (struct own_code){0};
}

static bool have_same_places(const struct own_code *one, const struct own_code *other)
{
	if (one->count != other->count || one->file_count != other->file_count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (one->places[i].line != other->places[i].line ||
		    one->places[i].address - one->places[0].address !=
			other->places[i].address - other->places[0].address)
			return false;
	return true;
}

bool own_code_is_same(
    const struct own_code *one, const struct own_code *other, struct failure *failure)
{
	if (strcmp(one->id, other->id) == 0 && have_same_places(one, other))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "record both runs with the same build of the program; good_pid and bad_pid choose the "
	    "process",
	    "the two runs are of different programs, or of different builds of one: %s",
	    strcmp(one->id, other->id) != 0 ? "their build ids differ" : "their lines differ");
	return false;
}
