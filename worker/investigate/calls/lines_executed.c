/*
 * rr_lines_executed: which lines of a function or file ran, and how often.
 *
 * A line can begin at several places. In a loop's head one is passed before the others, so the
 * count of the one that is passed most is the line's. Copies in several functions (inlined, or of a
 * template) add up.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/calls/line_counts.h"
#include "worker/investigate/code/line_table.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/search/search.h"
#include "worker/investigate/code/where.h"
#include "worker/serve/handlers.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/placement.h"
#include "worker/moment/excursion.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/names/names.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/code/source.h"

#define PAGE_BITS   12
#define LISTING_MAX 24000 /* bytes */
#define NEVER_MAX   60	  /* stretches of lines named as never run */

struct lines_executed {
	struct replay *replay;
	const struct lines_executed_args *args;
	char path[PATH_MAX];
	struct line_place *table;
	size_t table_count, count; /* the places to count come first */
	int first, last, cut;	   /* lines; cut: from there on there were too many, or 0 */
	bool short_table;
	bool optimized; /* the compiler mixed the code of several lines */
};

/* ---- The line table -------------------------------------------------------------------------- */

static bool read_table(struct lines_executed *lines, struct failure *failure)
{
	struct line_table table = {0};
	bool ok = line_table_read(lines->replay, lines->path, &table, failure);

	for (size_t i = 0; ok && i < table.count; i++)
		lines->table[lines->table_count++] = (struct line_place){
		    .address = table.rows[i].address, .line = table.rows[i].line};
	lines->short_table = table.is_short;
	lines->optimized = table.is_optimized;
	line_table_free(&table);
	return ok;
}

/* ---- Which lines ----------------------------------------------------------------------------- */

/* The lines of the function whose code has the address, as far as its own code goes. False with
 * *failure filled if gdb does not show that code: it may be too long. */
static bool add_function(struct lines_executed *lines, unsigned long long address,
    const char *wanted, struct failure *failure)
{
	json_t *results = NULL, *code, *one;
	unsigned long long entry;
	char name[256];
	size_t i, j;

	/* Somebody else's code around an inlined copy. */
	if (!where_entry(lines->replay, address, &entry, name, sizeof(name)) ||
	    strncmp(name, wanted, strcspn(wanted, "(")) != 0)
		return gdb_check(replay_gdb(lines->replay),
		    replay_worker(lines->replay)->broken ? GDB_LOST : GDB_DONE, ERROR_GDB_FAILED,
		    NULL, failure);
	if (!gdb_check(replay_gdb(lines->replay),
		gdb_command(
		    replay_gdb(lines->replay), &results, "-data-disassemble -a %llu -- 0", entry),
		ERROR_GDB_FAILED, "name its file instead", failure))
		return false;
	code = json_object_get(results, "asm_insns");
	for (i = 0; i < lines->table_count; i++)
		if (lines->table[i].address == entry &&
		    (!lines->first || lines->table[i].line < lines->first))
			lines->first = lines->table[i].line;
	json_array_foreach(code, j, one)
	{
		unsigned long long pc = mi_address(one, "address");

		for (i = 0; i < lines->table_count; i++)
			if (lines->table[i].address == pc && lines->table[i].line > lines->last)
				lines->last = lines->table[i].line;
	}
	json_decref(results);
	return true;
}

static bool choose_function(
    struct lines_executed *lines, const json_t *bkpt, struct failure *failure)
{
	const char *path = mi_text(mi_breakpoint_place(bkpt, 0), "fullname");
	const json_t *place;

	if (!path) {
		failure_set(failure, ERROR_NOT_FOUND, "build the program with -g",
		    "%.200s has no source lines", lines->args->location);
		return false;
	}
	snprintf(lines->path, sizeof(lines->path), "%s", path);
	if (!read_table(lines, failure))
		return false;
	for (size_t i = 0; (place = mi_breakpoint_place(bkpt, i)); i++) {
		const char *name = mi_text(place, "func");

		if (name && !add_function(lines, mi_address(place, "addr"), name, failure))
			return false;
	}
	if (lines->first && lines->last >= lines->first)
		return true;
	failure_set(failure, ERROR_UNSUPPORTED, "name its file instead",
	    "%.200s has no code of its own: the compiler put it into its callers",
	    lines->args->location);
	return false;
}

static bool is_file(const char *location)
{
	return !strchr(location, ':') && (strchr(location, '.') || strchr(location, '/'));
}

static bool choose_lines(struct lines_executed *lines, struct failure *failure)
{
	const char *location = lines->args->location;
	struct breakpoint wanted = {.what = (char *)location};
	json_t *bkpt;
	bool ok;

	if (is_file(location)) {
		lines->first = 1;
		lines->last = INT_MAX;
		return source_resolve(lines->replay, location, lines->path, failure) &&
		       read_table(lines, failure);
	}
	bkpt = placement_set(lines->replay, &wanted, failure);
	if (!bkpt) {
		names_explain(lines->replay, location, NULL, failure);
		return false;
	}
	temporary_breakpoint_delete(lines->replay, mi_number(bkpt, "number", 0));
	ok = choose_function(lines, bkpt, failure);
	json_decref(bkpt);
	return ok;
}

static int by_line(const void *a, const void *b)
{
	const struct line_place *one = a, *other = b;

	if (one->line != other->line)
		return one->line < other->line ? -1 : 1;
	return one->address < other->address ? -1 : one->address > other->address;
}

static int by_address(const void *a, const void *b)
{
	const struct line_place *one = *(struct line_place *const *)a,
				*other = *(struct line_place *const *)b;

	return one->address < other->address ? -1 : one->address > other->address;
}

static void find_function(const struct lines_executed *lines, struct line_place *place)
{
	char name[128];

	where_entry(lines->replay, place->address, &place->function, name, sizeof(name));
}

/* Of all places between two of the same function, it is that. sorted: by address, both ends known.
 */
static void find_between(
    const struct lines_executed *lines, struct line_place **sorted, size_t first, size_t last)
{
	const size_t middle = first + (last - first) / 2;

	if (sorted[first]->function == sorted[last]->function) {
		for (size_t i = first; i < last; i++)
			sorted[i]->function = sorted[last]->function;
		return;
	}
	if (middle == first)
		return;
	find_function(lines, sorted[middle]);
	find_between(lines, sorted, first, middle);
	find_between(lines, sorted, middle, last);
}

static void find_functions(const struct lines_executed *lines)
{
	struct line_place **sorted = calloc(lines->count + 1, sizeof(struct line_place *));

	if (sorted && lines->count) {
		for (size_t i = 0; i < lines->count; i++)
			sorted[i] = &lines->table[i];
		qsort(sorted, lines->count, sizeof(struct line_place *), by_address);
		find_function(lines, sorted[0]);
		find_function(lines, sorted[lines->count - 1]);
		find_between(lines, sorted, 0, lines->count - 1);
	}
	free(sorted);
}

/* Keeps the places of those lines, each once, as many as can be counted. */
static void keep_places(struct lines_executed *lines)
{
	struct line_place *table = lines->table;

	qsort(table, lines->table_count, sizeof(*table), by_line);
	for (size_t i = 0; i < lines->table_count && !lines->cut; i++) {
		if (table[i].line < lines->first || table[i].line > lines->last ||
		    (lines->count && by_line(&table[lines->count - 1], &table[i]) == 0))
			continue;
		if (lines->count == line_counts_max(lines->replay))
			lines->cut = table[i].line;
		else
			table[lines->count++] = table[i];
	}
	/* A line is counted whole or not at all. */
	while (lines->cut && lines->count && table[lines->count - 1].line == lines->cut)
		lines->count--;
	find_functions(lines);
	lines->first = lines->count ? table[0].line : 0;
	lines->last = lines->count ? table[lines->count - 1].line : 0;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* They may be of several libraries. */
static bool are_loaded(const struct lines_executed *lines, struct failure *failure)
{
	unsigned long long known = 0;

	for (size_t i = 0; i < lines->count; i++) {
		const unsigned long long address = lines->table[i].address;

		if (address >> PAGE_BITS == known)
			continue;
		if (!location_hits_is_loaded(
			lines->replay, lines->args->location, address, failure))
			return false;
		known = address >> PAGE_BITS;
	}
	return true;
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* Of the line that begins at places[*at]; moves *at on to the next line. */
static long long count_line(const struct lines_executed *lines, size_t *at)
{
	const struct line_place *table = lines->table;
	size_t begin = *at, end = begin;
	long long sum = 0;

	while (end < lines->count && table[end].line == table[begin].line)
		end++;
	for (size_t i = begin; i < end; i++) {
		long long most = table[i].count;
		bool counted = false;

		for (size_t j = begin; j < end; j++) {
			if (table[j].function != table[i].function)
				continue;
			counted |= j < i;
			most = table[j].count > most ? table[j].count : most;
		}
		sum += counted ? 0 : most;
	}
	*at = end;
	return sum;
}

/* "  11  30  for (...)", with the line's count first, or nothing where it has no code. *shown:
 * the last line of it, if there was no room for all. */
static json_t *list(const struct lines_executed *lines, int *shown)
{
	json_t *source = source_between(lines->replay, lines->path, lines->first, lines->last);
	char *text = NULL;
	size_t size = 0, at = 0;
	FILE *to = open_memstream(&text, &size);
	json_t *listing = NULL;

	for (const char *row = json_string_value(source); to && row && *row;) {
		int length = (int)strcspn(row, "\n"), line = (int)strtol(row, NULL, 10);

		if (ftell(to) > LISTING_MAX) {
			*shown = line - 1;
			break;
		}
		while (at < lines->count && lines->table[at].line < line)
			count_line(lines, &at);
		if (at < lines->count && lines->table[at].line == line) {
			long long count = count_line(lines, &at);

			fprintf(to, "%8lld %.*s\n", count, length, row);
		} else
			fprintf(to, "%8s %.*s\n", "", length, row);
		row += length + (row[length] == '\n');
	}
	if (to && fclose(to) == 0 && size)
		listing = json_stringn(text, size - 1);
	free(text);
	json_decref(source);
	return listing;
}

static json_t *never(const struct lines_executed *lines, size_t *ran, size_t *all)
{
	json_t *rows = json_array();
	int from = 0, to = 0;

	*ran = *all = 0;
	for (size_t at = 0; at <= lines->count;) {
		bool end = at == lines->count;
		int line = end ? 0 : lines->table[at].line;
		long long count = end ? 1 : count_line(lines, &at);

		if (count && from && json_array_size(rows) < NEVER_MAX)
			json_array_append_new(rows, from == to ? json_sprintf("%d", from)
							       : json_sprintf("%d-%d", from, to));
		from = count ? 0 : from ? from : line;
		to = line;
		if (end)
			break;
		(*all)++;
		*ran += count > 0;
	}
	return rows;
}

static json_t *answer_of(
    struct lines_executed *lines, const struct search *search, enum search_end end)
{
	size_t ran, all;
	int shown = 0;
	json_t *answer = json_object(), *rows, *listing;

	rows = never(lines, &ran, &all);
	listing = list(lines, &shown);
	json_object_set_new(answer, "conclusion",
	    json_sprintf("%s%zu of %zu lines of %.200s with code ran (%.300s:%d-%d)",
		lines->optimized ? "at least " : "", ran, all, lines->args->location, lines->path,
		lines->first, lines->last));
	if (listing)
		json_object_set_new(answer, "source", listing);
	if (json_array_size(rows))
		json_object_set(answer,
		    end == SEARCH_WHOLE && !search_is_empty(search) ? "never" : "not_seen", rows);
	json_decref(rows);
	if (lines->optimized)
		json_object_set_new(answer, "note",
		    json_string(
			"optimized code: a line with 0 may have run as part of another one, "
			"and a loop may count fewer passes"));
	if (lines->cut)
		json_object_set_new(answer, "cut",
		    json_sprintf("lines from %d on are not counted: %zu places can be counted at a "
				 "time; name a function",
			lines->cut, line_counts_max(lines->replay)));
	if (shown)
		json_object_set_new(answer, "not_shown",
		    json_sprintf("lines from %d on: the answer would be too long; name a function",
			shown + 1));
	if (lines->short_table)
		json_object_set_new(answer, "incomplete",
		    json_string("the file's line table is too long: lines may be missing"));
	search_tell(search, end, answer);
	return answer;
}

static json_t *count_all(struct lines_executed *lines, struct failure *failure)
{
	struct search search = {.replay = lines->replay};
	struct line_counts counts = {
	    .replay = lines->replay, .places = lines->table, .count = lines->count};
	enum search_end end = SEARCH_FAILED;
	struct moment stretch[2];
	json_t *answer = NULL;

	if (search_stretch(lines->replay, lines->args->from, lines->args->to, stretch, failure) &&
	    search_begin(&search, lines->replay, stretch, failure) && are_loaded(lines, failure))
		end = line_counts_run(&counts, &search, failure);
	if (replay_worker(lines->replay)->broken) {
		gdb_check(replay_gdb(lines->replay), GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
		end = SEARCH_FAILED;
	}
	if (end != SEARCH_FAILED)
		answer = answer_of(lines, &search, end);
	search_end(&search);
	return answer;
}

json_t *tool_lines_executed(
    struct replay *replay, const struct lines_executed_args *args, struct failure *failure)
{
	struct lines_executed lines = {.replay = replay, .args = args};
	json_t *answer = NULL;

	lines.table = calloc(LINE_TABLE_MAX, sizeof(*lines.table));
	if (!lines.table) {
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
		return NULL;
	}
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (choose_lines(&lines, failure)) {
		keep_places(&lines);
		answer = count_all(&lines, failure);
	}
	free(lines.table);
	return excursion_answer(&excursion, answer, failure);
}
