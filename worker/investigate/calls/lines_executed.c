/*
 * rr_lines_executed: which lines of a function or file ran, and how often. Each place where the
 * line table begins a statement gets a breakpoint. A place that is passed more often than HOT loses
 * it: the software counter counts its passes without a stop, in a run of its own, because it has
 * one sum for all places. Without that counter, gdb counts by itself.
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
#include "worker/gdb/must.h"
#include "worker/investigate/counting/counted.h"
#include "worker/investigate/search/counted_place.h"
#include "worker/investigate/code/line_table.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/search/search.h"
#include "worker/investigate/code/where.h"
#include "worker/serve/handlers.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/placement.h"
#include "worker/breaks/passes.h"
#include "worker/moment/excursion.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/names.h"
#include "worker/moment/moment_names.h"
#include "worker/read/code/source.h"

#define PLACES_MAX 400 /* breakpoints */
#define NO_STOP	   1000000000
#define HOT	   100 /* stops that take about as long as a run */
#define NEVER_MAX  60  /* stretches of lines named as never run */

struct beginning {
	unsigned long long address, function; /* its own; of the first instruction around it */
	int line, number;		      /* number: gdb's */
	bool hot;			      /* the count is not complete */
	long long count;
};

struct lines_executed {
	struct replay *replay;
	const struct lines_executed_args *args;
	char path[PATH_MAX];
	struct beginning *table;
	size_t table_count, count; /* the places to count come first */
	int first, last, cut;	   /* lines; cut: from there on there were too many, or 0 */
	bool by_itself;		   /* gdb counts, and does not stop */
	bool counts_hot;	   /* the software counter counts what is passed often */
	size_t hot, hot_counted;   /* places */
	bool short_table;
	bool optimized; /* the compiler mixed the code of several lines */
};

/* ---- The line table -------------------------------------------------------------------------- */

static bool read_table(struct lines_executed *lines, struct failure *failure)
{
	struct line_table table = {0};
	bool ok = line_table_read(lines->replay, lines->path, &table, failure);

	for (size_t i = 0; ok && i < table.count; i++)
		lines->table[lines->table_count++] = (struct beginning){
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
	const struct beginning *one = a, *other = b;

	if (one->line != other->line)
		return one->line < other->line ? -1 : 1;
	return one->address < other->address ? -1 : one->address > other->address;
}

/* Keeps the places of those lines, each once, as many as there may be breakpoints. */
static void keep_places(struct lines_executed *lines)
{
	struct beginning *table = lines->table;
	char name[128];

	qsort(table, lines->table_count, sizeof(*table), by_line);
	for (size_t i = 0; i < lines->table_count && !lines->cut; i++) {
		if (table[i].line < lines->first || table[i].line > lines->last ||
		    (lines->count && by_line(&table[lines->count - 1], &table[i]) == 0))
			continue;
		if (lines->count == PLACES_MAX)
			lines->cut = table[i].line;
		else
			table[lines->count++] = table[i];
	}
	/* A line is counted whole or not at all. */
	while (lines->cut && lines->count && table[lines->count - 1].line == lines->cut)
		lines->count--;
	for (size_t i = 0; i < lines->count; i++)
		where_entry(
		    lines->replay, table[i].address, &table[i].function, name, sizeof(name));
	lines->first = lines->count ? table[0].line : 0;
	lines->last = lines->count ? table[lines->count - 1].line : 0;
}

/* ---- Counting -------------------------------------------------------------------------------- */

static bool set_breakpoints(struct lines_executed *lines, struct failure *failure)
{
	for (size_t i = 0; i < lines->count; i++) {
		if (!location_hits_is_loaded(
			lines->replay, lines->args->location, lines->table[i].address, failure))
			return false;
		lines->table[i].number =
		    temporary_breakpoint_insert_at(lines->replay, lines->table[i].address);
	}
	temporary_breakpoints_stay(lines->replay, true);
	return true;
}

static void pass_on(struct lines_executed *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		if (lines->table[i].number)
			gdb_must(replay_gdb(lines->replay), NULL, "-break-after %d %d",
			    lines->table[i].number, NO_STOP);
	lines->by_itself = true;
}

/* All lines that begin there: gdb names only one of their breakpoints. */
static void see_place(struct lines_executed *lines, struct replay *replay, unsigned long long pc)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct beginning *place = &lines->table[i];

		if (!place->number || place->address != pc)
			continue;
		place->count++;
		if (!lines->counts_hot || place->count % HOT != 0 || !passes_begin_once(replay, pc))
			continue;
		place->hot = true;
		lines->hot++;
		temporary_breakpoint_delete(replay, place->number);
		place->number = 0;
	}
}

static void take_counts(struct lines_executed *lines)
{
	json_t *results = NULL;

	if (!lines->by_itself)
		return;
	gdb_must(replay_gdb(lines->replay), &results, "-break-list");
	for (size_t i = 0; i < lines->count; i++)
		if (lines->table[i].number)
			lines->table[i].count = mi_number(
			    mi_breakpoint_row(mi_breakpoints(results), lines->table[i].number),
			    "times", 0);
	json_decref(results);
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)failure;
	if (hit->breakpoint)
		see_place(context, replay, replay_now(replay)->pc);
	return SCAN_ON;
}

static void clear_breakpoints(struct lines_executed *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		temporary_breakpoint_delete(lines->replay, lines->table[i].number);
		lines->table[i].number = 0;
	}
	temporary_breakpoints_stay(lines->replay, false);
}

/* ---- What is passed often -------------------------------------------------------------------- */

static void set_count(struct lines_executed *lines, unsigned long long address, long long count)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct beginning *place = &lines->table[i];

		if (!place->hot || place->address != address)
			continue;
		place->count = count;
		place->hot = false;
		lines->hot_counted++;
	}
}

/* The code cache has no code for a breakpoint on these: each pass would stop rr and gdb, as for a
 * breakpoint that gdb counts by itself, but not as often in a second. */
static bool stops_always(struct replay *replay, unsigned long long address)
{
	struct instruction instruction;

	return accessed_instruction(replay, address, &instruction) &&
	       (instruction.jumps || instruction.returns);
}

/* Until the time is over, or one place cannot be counted so. */
static void count_places(struct lines_executed *lines, struct search *search)
{
	struct replay *replay = lines->replay;
	bool ok = true;

	for (size_t i = 0; i < lines->count && ok; i++) {
		const unsigned long long address = lines->table[i].address;
		long long count;

		if (!lines->table[i].hot || stops_always(replay, address))
			continue;
		ok = counted_place(search, address, &count);
		if (ok)
			set_count(lines, address, count);
		worker_progress(replay_worker(replay), (double)lines->hot_counted,
		    (double)lines->hot, "places that are passed often");
	}
}

static void count_inside(struct lines_executed *lines, struct search *search)
{
	struct passes_way way = {0};

	clear_breakpoints(lines);
	passes_clear(lines->replay, &way);
	count_places(lines, search);
	passes_restore(lines->replay, &way);
}

/* The software counter cannot count them here, or nobody knows where it stopped. */
static void stop_at_hot(struct lines_executed *lines, struct search *search)
{
	struct failure ignored = {0};
	enum search_end end = SEARCH_FAILED;

	lines->counts_hot = false;
	if (search_again(search, &search->from, &ignored)) {
		for (size_t i = 0; i < lines->count; i++) {
			struct beginning *place = &lines->table[i];

			if (!place->hot)
				continue;
			place->number =
			    temporary_breakpoint_insert_at(lines->replay, place->address);
			place->count = 0;
		}
		if (!search->bounded)
			pass_on(lines);
		end = search_run(search, see, lines, &ignored);
		take_counts(lines);
	}
	for (size_t i = 0; i < lines->count; i++) {
		struct beginning *place = &lines->table[i];

		if (place->hot && end == SEARCH_WHOLE)
			set_count(lines, place->address, place->count);
		else if (place->hot && place->count < HOT)
			place->count = HOT;
	}
	json_decref(ignored.details);
}

static void count_hot(struct lines_executed *lines, struct search *search)
{
	struct replay *replay = lines->replay;

	count_inside(lines, search);
	if (lines->hot_counted < lines->hot && !replay_worker(replay)->interrupt &&
	    !replay_worker(replay)->broken)
		stop_at_hot(lines, search);
	/* What was counted until then is the answer. */
	if (replay_worker(replay)->interrupt && !replay_worker(replay)->broken)
		replay_worker(replay)->half_read = false;
}

static void clear(struct lines_executed *lines)
{
	clear_breakpoints(lines);
	free(lines->table);
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* Of the line that begins at places[*at]; moves *at on to the next line. *least: there may be more.
 */
static long long count_line(const struct lines_executed *lines, size_t *at, bool *least)
{
	const struct beginning *table = lines->table;
	size_t begin = *at, end = begin;
	long long sum = 0;

	*least = false;
	while (end < lines->count && table[end].line == table[begin].line)
		end++;
	for (size_t i = begin; i < end; i++) {
		long long most = table[i].count;
		bool counted = false;

		*least |= table[i].hot;
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

/* "  11  30  for (...)", with the line's count first, or nothing where it has no code; "  300+" if
 * there may be more. */
static json_t *list(const struct lines_executed *lines)
{
	json_t *source = source_between(lines->replay, lines->path, lines->first, lines->last);
	char *text = NULL;
	size_t size = 0, at = 0;
	FILE *to = open_memstream(&text, &size);
	json_t *listing = NULL;
	bool least;

	for (const char *row = json_string_value(source); to && row && *row;) {
		int length = (int)strcspn(row, "\n"), line = (int)strtol(row, NULL, 10);

		while (at < lines->count && lines->table[at].line < line)
			count_line(lines, &at, &least);
		if (at < lines->count && lines->table[at].line == line) {
			long long count = count_line(lines, &at, &least);

			fprintf(to, least ? "%7lld+ %.*s\n" : "%8lld %.*s\n", count, length, row);
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
	bool least;

	*ran = *all = 0;
	for (size_t at = 0; at <= lines->count;) {
		bool end = at == lines->count;
		int line = end ? 0 : lines->table[at].line;
		long long count = end ? 1 : count_line(lines, &at, &least);

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
	json_t *answer = json_object(), *rows, *listing;

	rows = never(lines, &ran, &all);
	listing = list(lines);
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
		    json_sprintf("lines from %d on are not counted: there can be %d breakpoints; "
				 "name a function",
			lines->cut, PLACES_MAX));
	if (lines->short_table)
		json_object_set_new(answer, "incomplete",
		    json_string("the file's line table is too long: lines may be missing"));
	search_tell(search, end, answer);
	if (end == SEARCH_WHOLE && lines->hot_counted < lines->hot)
		json_object_set_new(answer, "cut_off",
		    json_sprintf("the time is over: which lines ran is complete, but %zu of %zu "
				 "places that were passed more than %d times are not counted, and "
				 "their lines show a + behind the least count; to go on, give a "
				 "longer deadline, or name a smaller function",
			lines->hot - lines->hot_counted, lines->hot, HOT - 1));
	return answer;
}

static json_t *count_all(struct lines_executed *lines, struct failure *failure)
{
	struct search search = {.replay = lines->replay};
	enum search_end end = SEARCH_FAILED;
	struct moment stretch[2];
	unsigned long long sum;
	json_t *answer = NULL;

	if (search_stretch(lines->replay, lines->args->from, lines->args->to, stretch, failure) &&
	    search_begin(&search, lines->replay, stretch, failure) &&
	    set_breakpoints(lines, failure)) {
		lines->counts_hot = passes_sum(lines->replay, &sum);
		if (!search.bounded && !lines->counts_hot)
			pass_on(lines);
		if (search.bounded)
			counted_guard(lines->replay, &search.bound, &search.guard);
		end = search_run(&search, see, lines, failure);
	}
	if (end != SEARCH_FAILED)
		take_counts(lines);
	if (end == SEARCH_WHOLE && lines->hot)
		count_hot(lines, &search);
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
	clear(&lines);
	return excursion_answer(&excursion, answer, failure);
}
