/*
 * rr_check_memory: runs through the recording once, and stops at each load and store that touches
 * heap memory outside of the live blocks, and at what is freed that is no block. Then once more, to
 * the calls that allocated and freed the blocks in question.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/watchpoint.h"
#include "worker/investigate/code/where.h"
#include "worker/investigate/heap/first_call.h"
#include "worker/investigate/heap/heap_check.h"
#include "worker/investigate/search/search.h"
#include "worker/moment/excursion.h"
#include "worker/moment/moment_names.h"
#include "worker/moment/position.h"
#include "worker/serve/handlers.h"

#define FINDINGS_MAX 100
#define CALLERS_MAX  4
#define WORDS_MAX    300

struct finding {
	struct check_table table;
	char what[WORDS_MAX];
	json_t *answer, *frame;
};

struct check {
	struct replay *replay;
	const struct check_memory_args *args;
	struct heap_functions functions;
	struct check_table table; /* as it was read last */
	struct finding findings[FINDINGS_MAX];
	size_t count, most;
	int watch; /* gdb's number of the watchpoint that findings hit */
	unsigned long long found;
	size_t wanted;	 /* calls whose stacks are not known yet */
	bool on, before; /* before: `from` was not reached */
};

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *bytes_word(unsigned long long count)
{
	return count == 1 ? "byte" : "bytes";
}

/* "byte 16 of a block of 16 bytes", "4 bytes before a freed block of 100 bytes" */
static void say_place(const struct check_table *table, char *words, size_t size)
{
	const char *freed = table->block_state == CHECK_FREED ? "freed " : "";
	const unsigned long long length = table->block_size, offset = table->address - table->block;
	char behind[64] = "";

	if (table->block_state == CHECK_NO_BLOCK) {
		snprintf(words, size, "heap memory that is in no block");
		return;
	}
	if (table->address < table->block) {
		const unsigned long long before = table->block - table->address;

		snprintf(words, size, "%llu %s before a %sblock of %llu %s", before,
		    bytes_word(before), freed, length, bytes_word(length));
		return;
	}
	if (offset > length)
		snprintf(behind, sizeof(behind), ", %llu %s behind its end", offset - length,
		    bytes_word(offset - length));
	snprintf(words, size, "byte %llu of a %sblock of %llu %s%s", offset, freed, length,
	    bytes_word(length), behind);
}

static void say(struct finding *finding)
{
	const struct check_table *table = &finding->table;
	const char *call = table->kind == CHECK_RESIZE ? "realloc" : "free";
	char place[WORDS_MAX / 2];

	say_place(table, place, sizeof(place));
	if (table->kind == CHECK_READ || table->kind == CHECK_WRITE)
		snprintf(finding->what, sizeof(finding->what), "%s of %llu %s at 0x%llx: %s",
		    table->kind == CHECK_WRITE ? "write" : "read", (unsigned long long)table->size,
		    bytes_word(table->size), (unsigned long long)table->start, place);
	else if (table->block_state == CHECK_FREED && table->address == table->block)
		snprintf(finding->what, sizeof(finding->what),
		    "%s of 0x%llx, a block of %llu %s that is freed already%s", call,
		    (unsigned long long)table->address, (unsigned long long)table->block_size,
		    bytes_word(table->block_size),
		    table->kind == CHECK_FREE ? " (double free)" : "");
	else
		snprintf(finding->what, sizeof(finding->what),
		    "%s of 0x%llx, which is no block%s%s", call, (unsigned long long)table->address,
		    table->block_state == CHECK_NO_BLOCK ? "" : ": ",
		    table->block_state == CHECK_NO_BLOCK ? "" : place);
}

/* ---- Findings -------------------------------------------------------------------------------- */

static void take_finding(struct check *check)
{
	struct finding *finding = &check->findings[check->count++];
	json_t *callers = where_outer_callers(check->replay, CALLERS_MAX);

	finding->table = check->table;
	say(finding);
	position_take_sum(check->replay);
	finding->frame = where_own(check->replay);
	finding->answer = json_pack("{s:s, s:o, s:i, s:O}", "what", finding->what, "moment",
	    moment_name(check->replay, replay_now(check->replay)), "tid",
	    replay_now(check->replay)->tid, "frame", finding->frame);
	if (json_array_size(callers))
		json_object_set(finding->answer, "callers", callers);
	json_decref(callers);
}

/* "make (a.c:6), called by main (a.c:10), at 12:345" */
static json_t *say_call(struct replay *replay)
{
	json_t *where = where_own(replay), *words, *moment,
	       *callers = where_outer_callers(replay, 1), *said;
	const char *by = json_string_value(json_array_get(callers, 0));

	json_object_del(where, "in");
	json_object_del(where, "callers");
	words = where_words(where);
	moment = moment_name(replay, replay_now(replay));
	said = json_sprintf("%s%s%s, at %s", json_string_value(words), by ? ", called by " : "",
	    by ? by : "", json_string_value(moment));
	json_decref(where);
	json_decref(words);
	json_decref(moment);
	json_decref(callers);
	return said;
}

/* A call that some of them ask for. */
static void take_call(struct check *check)
{
	json_t *said = say_call(check->replay);

	for (size_t i = 0; i < check->count; i++) {
		const struct check_table *table = &check->findings[i].table;
		json_t *answer = check->findings[i].answer;

		if (table->made == check->table.made && !json_object_get(answer, "allocated"))
			json_object_set(answer, "allocated", said);
		if (table->dropped == check->table.made && !json_object_get(answer, "freed"))
			json_object_set(answer, "freed", said);
	}
	json_decref(said);
	check->wanted -= check->wanted > 0;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct check *check = context;

	(void)failure;
	if (hit->number != check->watch || !heap_check_read(replay, &check->table) ||
	    check->table.found == check->found)
		return SCAN_ON;
	check->found = check->table.found;
	if (check->table.kind == CHECK_CALL) {
		take_call(check);
		return check->wanted ? SCAN_ON : SCAN_ENOUGH;
	}
	take_finding(check);
	return check->count < check->most ? SCAN_ON : SCAN_ENOUGH;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

static enum scan_verdict see_first(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct check *check = context;

	(void)hit;
	(void)failure;
	return heap_functions_find(replay, &check->functions) ? SCAN_ENOUGH : SCAN_ON;
}

/* Where the program stands, or at its first call. */
static enum search_end find_functions(
    struct check *check, struct search *search, struct failure *failure)
{
	enum search_end end;

	if (heap_functions_find(check->replay, &check->functions))
		return SEARCH_ENOUGH;
	end = first_call_search(search, see_first, check, failure);
	/* The program itself may not call it. */
	if (end == SEARCH_WHOLE && heap_functions_find(check->replay, &check->functions))
		end = SEARCH_ENOUGH;
	return end;
}

static void end_check(struct check *check)
{
	temporary_breakpoint_delete(check->replay, check->watch);
	check->watch = 0;
	if (check->on)
		heap_check_end(check->replay);
	check->on = false;
}

/* Where the program begins. */
static bool begin_check(struct check *check, struct failure *failure)
{
	struct replay *replay = check->replay;

	check->on = true;
	check->found = 0;
	if (heap_check_begin(replay, &check->functions, !replay_is_from_fork(replay)))
		check->watch = watchpoint_insert_word(replay, CHECKMARK, WATCH_ACCESS);
	if (check->watch)
		return true;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "start the server with --pmu=software, and ask again",
	    "only the software counter checks the heap, and this session counts with %s",
	    replay_pmu(replay));
	return false;
}

static enum search_end run_to_from(struct check *check, struct search *before,
    const struct moment *start, const struct moment *from, struct failure *failure)
{
	const struct moment stretch[2] = {*start, *from};

	if (!search_begin(before, check->replay, stretch, failure) || !begin_check(check, failure))
		return SEARCH_FAILED;
	return search_is_empty(before) ? SEARCH_WHOLE : search_run(before, see, check, failure);
}

static enum search_end run_check(struct check *check, struct search *search,
    const struct moment stretch[2], struct failure *failure)
{
	const struct moment start = {.event = 0};
	struct search before = {.replay = check->replay};
	enum search_end end = find_functions(check, search, failure);

	if (end == SEARCH_WHOLE)
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rr_trace_calls lists the calls of an allocator of the program's own; "
		    "rr_value_history shows who wrote to an address",
		    "no malloc was found: the program does not call one, or it is linked "
		    "statically and its symbols are stripped");
	if (end != SEARCH_ENOUGH)
		return end == SEARCH_WHOLE ? SEARCH_FAILED : end;
	if (stretch[0].event == 0) {
		end = search_again(search, &start, failure) && begin_check(check, failure)
			  ? SEARCH_WHOLE
			  : SEARCH_FAILED;
	} else {
		end = run_to_from(check, &before, &start, &stretch[0], failure);
		check->before = end == SEARCH_CUT;
		search->over = false;
	}
	if (end == SEARCH_WHOLE) {
		heap_check_show(check->replay);
		end = search_run(search, see, check, failure);
	}
	heap_check_read(check->replay, &check->table);
	search_end(&before);
	return end;
}

/* Once, though several findings may ask for the same call. */
static void want(struct check *check, size_t before, unsigned long long number)
{
	for (size_t i = 0; i < before; i++)
		if (check->findings[i].table.made == number ||
		    check->findings[i].table.dropped == number)
			return;
	if (number)
		heap_check_want(check->replay, number);
	check->wanted += number != 0;
}

/* The calls that made and freed the blocks of the findings, from the beginning on. */
static void find_calls(struct check *check, struct failure *failure)
{
	const struct moment stretch[2] = {{.event = 0}, {.event = REPLAY_EVENT_FAR}};
	struct search search = {.replay = check->replay};

	if (search_begin(&search, check->replay, stretch, failure) && begin_check(check, failure)) {
		for (size_t i = 0; i < check->count; i++) {
			want(check, i, check->findings[i].table.made);
			want(check, i, check->findings[i].table.dropped);
		}
		if (check->wanted)
			search_run(&search, see, check, failure);
	}
	end_check(check);
	search_end(&search);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static json_t *conclude(const struct check *check)
{
	const struct finding *first = &check->findings[0];
	json_t *words, *conclusion;

	if (check->before)
		return json_string(
		    "the time was over before `from` was reached: nothing was checked");
	if (check->count == 0)
		return json_string("nothing touched heap memory outside of the live blocks, and "
				   "nothing was freed that is no block");
	words = where_words(first->frame);
	conclusion = json_sprintf("%zu %s; the first: %s, in %s", check->count,
	    check->count == 1 ? "finding" : "findings", first->what, json_string_value(words));
	json_decref(words);
	return conclusion;
}

static json_t *say_checked(const struct check *check)
{
	const unsigned long long state = check->table.state;

	return json_sprintf(
	    "the loads and stores of the program and its libraries, with %llu calls "
	    "of %s%s. Not checked: what the kernel writes in system calls, the "
	    "stack and static data%s%s%s",
	    (unsigned long long)check->table.calls,
	    check->functions.glibc && !check->functions.replaced ? "glibc's malloc and free"
								 : "malloc and free",
	    check->functions.replaced ? " (the program has one of its own)" : "",
	    state & CHECK_HAS_MAPPED ? ", large blocks with a mapping of their own once they are "
				       "freed (a use of these is a SIGSEGV)"
				     : "",
	    state & CHECK_NO_SHADOW ? ", and a part of the heap for which there was no room" : "",
	    state & CHECK_LOST ? ", and blocks that there was no room to note" : "");
}

static json_t *answer_of(
    const struct check *check, const struct search *search, enum search_end end)
{
	json_t *answer = json_pack("{s:o}", "conclusion", conclude(check)), *list = json_array();
	json_t *reached = moment_name(check->replay, &search->reached);

	for (size_t i = 0; i < check->count; i++)
		json_array_append(list, check->findings[i].answer);
	if (check->count)
		json_object_set(answer, "findings", list);
	json_decref(list);
	if (!check->before && end != SEARCH_ENOUGH)
		search_tell(search, end, answer);
	if (end == SEARCH_ENOUGH)
		json_object_set_new(answer, "more",
		    json_sprintf("there may be more behind %s: give that as from, or a higher "
				 "limit",
			json_string_value(reached)));
	json_object_set_new(answer, "checked", say_checked(check));
	json_decref(reached);
	return answer;
}

static json_t *check_all(struct check *check, struct failure *failure)
{
	struct search search = {.replay = check->replay};
	enum search_end end = SEARCH_FAILED;
	struct failure ignored = {0};
	struct moment stretch[2];
	json_t *answer = NULL;

	if (search_stretch(check->replay, check->args->from, check->args->to, stretch, failure) &&
	    search_begin(&search, check->replay, stretch, failure))
		end = run_check(check, &search, stretch, failure);
	end_check(check);
	if (end != SEARCH_FAILED)
		answer = answer_of(check, &search, end);
	search_end(&search);
	if (answer && check->count && end != SEARCH_CUT)
		find_calls(check, &ignored);
	if (answer && check->count && (check->wanted || end == SEARCH_CUT))
		json_object_set_new(answer, "unfinished",
		    json_string("the time was over before all calls that made and freed the blocks "
				"were looked at: give a longer deadline, or a lower limit"));
	json_decref(ignored.details);
	return answer;
}

json_t *tool_check_memory(
    struct replay *replay, const struct check_memory_args *args, struct failure *failure)
{
	struct check *check = calloc(1, sizeof(*check));
	json_t *answer;

	if (!check) {
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
		return NULL;
	}
	check->args = args;
	check->replay = replay;
	check->most = args->limit < FINDINGS_MAX ? (size_t)args->limit : FINDINGS_MAX;
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	answer = check_all(check, failure);
	for (size_t i = 0; i < check->count; i++) {
		json_decref(check->findings[i].answer);
		json_decref(check->findings[i].frame);
	}
	free(check);
	return excursion_answer(&excursion, answer, failure);
}
