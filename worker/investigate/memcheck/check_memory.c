/*
 * rr_check_memory: runs through the recording once, and stops at each load and store that touches
 * heap memory outside of the live blocks, and at what is freed that is no block. Then once more, to
 * the calls that allocated and freed the blocks in question.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/code/where.h"
#include "worker/investigate/memcheck/check_words.h"
#include "worker/investigate/memcheck/heap_pass.h"
#include "worker/investigate/memcheck/heap_sites.h"
#include "worker/investigate/memcheck/pool_room.h"
#include "worker/investigate/memcheck/unwritten.h"
#include "worker/investigate/search/search.h"
#include "worker/moment/excursion.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/serve/handlers.h"
#include "worker/serve/sentence.h"

#define FINDINGS_MAX 100
#define CALLERS_MAX  4
#define WORDS_MAX    UNWRITTEN_MAX
#define CALLS_MAX    (HEAP_POOLS_NAMES * POOL_NAME_MAX)
#define UNSURE_MAX   100 /* writes over what may be a return address: then they are not looked at */

struct finding {
	struct check_table table;
	char what[WORDS_MAX];
	json_t *answer, *frame;
	unsigned others; /* instructions of the same line that do the same to the same block */
};

struct check {
	struct replay *replay;
	const struct check_memory_args *args;
	struct heap_pass pass;
	struct heap_pools pools;		   /* allocators that the client has named */
	struct finding findings[2 * FINDINGS_MAX]; /* those of both passes */
	size_t count, enough, most;		   /* enough: of this pass and those before it */
	unsigned unsure;
	bool before; /* the time was over before it began */
	/* The pass for what was never written: */
	struct check_table unwritten;
	enum search_end unwritten_end;		      /* SEARCH_CUT: also where it has not begun */
	json_t *unwritten_reached, *unwritten_failed; /* in words, or NULL */
};

/* ---- Findings -------------------------------------------------------------------------------- */

static bool is_same(const struct finding *one, const struct finding *other)
{
	const json_t *line = json_object_get(one->frame, "at"),
		     *function = json_object_get(one->frame, "function");

	return line && json_equal(line, json_object_get(other->frame, "at")) &&
	       json_equal(function, json_object_get(other->frame, "function")) &&
	       one->table.kind == other->table.kind &&
	       one->table.block_state == other->table.block_state &&
	       one->table.made == other->table.made &&
	       (!unwritten_is(&one->table) || strcmp(one->what, other->what) == 0);
}

/* The compiler makes several instructions of one statement, each of which is found: they are one
 * finding, that of the first one. */
static bool is_known(struct check *check, const struct finding *finding)
{
	for (size_t i = 0; i < check->count; i++)
		if (is_same(&check->findings[i], finding)) {
			check->findings[i].others += finding->table.kind != CHECK_RETURN;
			return true;
		}
	return false;
}

/* A call that was left in another way than by its return may have left its mark on the stack. */
static bool is_certain(struct check *check, struct finding *finding)
{
	if (unwritten_return_say(check->replay, &finding->table, finding->what))
		return true;
	if (++check->unsure == UNSURE_MAX)
		heap_check_no_returns(check->replay);
	return false;
}

static void take_finding(struct check *check)
{
	struct finding *finding = &check->findings[check->count];
	size_t levels;
	json_t *callers;

	finding->table = check->pass.table;
	levels = finding->table.called != 0; /* it stands in that function */
	if (finding->table.kind == CHECK_RETURN ? !is_certain(check, finding)
						: !pool_room_has(check->replay, &finding->table))
		return;
	if (unwritten_is(&finding->table))
		unwritten_say(check->replay, &finding->table, finding->what);
	else if (finding->table.kind != CHECK_RETURN)
		check_words(&finding->table, &check->pools, finding->what);
	position_take_sum(check->replay);
	finding->frame = where_own_from(check->replay, levels);
	if (is_known(check, finding)) {
		json_decref(finding->frame);
		return;
	}
	check->count++;
	callers = where_outer_callers_from(check->replay, levels, CALLERS_MAX);
	finding->answer = json_pack("{s:s, s:o, s:i, s:O}", "what", finding->what, "moment",
	    moment_name(check->replay, replay_now(check->replay)), "tid",
	    replay_now(check->replay)->tid, "frame", finding->frame);
	answer_add_list(finding->answer, "callers", callers);
	if (unwritten_is(&finding->table))
		json_object_set_new(
		    finding->answer, "loaded", unwritten_loaded(check->replay, &finding->table));
}

/* A call that some of them ask for: "make (a.c:6), called by main (a.c:10), at 12:345". */
static void take_call(void *context, struct heap_pass *pass)
{
	struct check *check = context;
	json_auto_t *caller = where_and_callers_from(pass->replay, pass->table.called != 0, 1),
		    *moment = moment_name(pass->replay, replay_now(pass->replay));
	json_auto_t *said =
	    json_sprintf("%s, at %s", json_string_value(caller), json_string_value(moment));

	for (size_t i = 0; i < check->count; i++) {
		const struct check_table *table = &check->findings[i].table;
		json_t *answer = check->findings[i].answer;

		if (table->made == pass->table.made && !json_object_get(answer, "allocated"))
			json_object_set(answer, "allocated", said);
		if (table->dropped == pass->table.made && !json_object_get(answer, "freed"))
			json_object_set(answer, "freed", said);
	}
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct check *check = context;

	(void)replay;
	(void)failure;
	if (!heap_pass_sees(&check->pass, hit))
		return SCAN_ON;
	take_finding(check);
	return check->count < check->enough ? SCAN_ON : SCAN_ENOUGH;
}

/* A wrapper of malloc may free what others have allocated. Whether a function is one is known when
 * it has returned, so not of the last finding where the pass ends with that. */
static bool is_doubtful(const struct check *check, size_t number, enum search_end end)
{
	const struct check_table *all = &check->pass.table, *table = &check->findings[number].table;

	if ((table->maker || table->called) && !heap_pools_are_all(all))
		return true;
	return table->foreign &&
	       ((all->state & CHECK_WRAPS) || (number + 1 == check->count && end == SEARCH_ENOUGH));
}

static void drop_doubtful(struct check *check, enum search_end end)
{
	size_t kept = 0;

	for (size_t i = 0; i < check->count; i++) {
		struct finding *finding = &check->findings[i];

		if (is_doubtful(check, i, end)) {
			json_decref(finding->answer);
			json_decref(finding->frame);
		} else {
			check->findings[kept++] = *finding;
		}
	}
	check->count = kept;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

static enum search_end run_check(struct check *check, struct search *search,
    const struct moment stretch[2], struct failure *failure)
{
	struct heap_pass *pass = &check->pass;
	enum search_end end;

	if (stretch[0].event == 0) {
		end = heap_pass_begin(pass, search, failure);
	} else {
		end = heap_pass_begin_to(pass, &stretch[0], failure);
		search->over = false;
	}
	check->before = end == SEARCH_CUT;
	if (end == SEARCH_WHOLE) {
		heap_check_show(pass->replay);
		end = search_run(search, see, check, failure);
	}
	heap_check_read(pass->replay, &pass->table);
	drop_doubtful(check, end);
	return end;
}

static enum search_end run_accesses(struct check *check, struct search *search,
    const struct moment stretch[2], struct failure *failure)
{
	enum search_end end = heap_pass_find(&check->pass, search, failure);

	check->enough = check->most;
	if (end == SEARCH_WHOLE)
		heap_pass_without_malloc(failure);
	if (end != SEARCH_ENOUGH)
		return end == SEARCH_WHOLE ? SEARCH_FAILED : end;
	if (!heap_pools_find(check->replay, &check->pools, &check->pass.functions, failure))
		return SEARCH_FAILED;
	return run_check(check, search, stretch, failure);
}

/* Once more, for what was never written. */
static void run_unwritten(struct check *check, const struct moment stretch[2])
{
	const bool before = check->before;
	struct search search = {.replay = check->replay};
	cleanup_failure struct failure failure = {0};

	check->pass.kind = HEAP_PASS_UNDEFINED;
	check->enough = check->count + check->most;
	check->unwritten_end = search_begin(&search, check->replay, stretch, &failure)
				   ? run_check(check, &search, stretch, &failure)
				   : search_failed(&search, &failure);
	check->unwritten = check->pass.table;
	if (!check->before)
		check->unwritten_reached = moment_name(check->replay, &search.reached);
	if (check->unwritten_end == SEARCH_FAILED)
		check->unwritten_failed = json_string(failure.message);
	heap_pass_end(&check->pass);
	search_end(&search);
	check->pass.kind = HEAP_PASS_ACCESSES;
	check->before = before;
}

/* The calls that made and freed the blocks of the findings. */
static void find_calls(struct check *check)
{
	unsigned long long numbers[4 * FINDINGS_MAX];

	for (size_t i = 0; i < check->count; i++) {
		numbers[2 * i] = check->findings[i].table.made;
		numbers[2 * i + 1] = check->findings[i].table.dropped;
	}
	heap_pass_visit(&check->pass, numbers, 2 * check->count, take_call, check);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static json_t *conclude(const struct check *check)
{
	const struct finding *first = &check->findings[0];
	json_auto_t *words = NULL;

	if (check->before)
		return json_string(
		    "the time was over before the check could begin: nothing was checked");
	if (check->count == 0)
		return json_sprintf("nothing touched heap memory outside of the live blocks, "
				    "nothing was freed that is no block, nothing was copied "
				    "between blocks that overlap, and no return address was "
				    "written over%s",
		    check->unwritten_end == SEARCH_WHOLE
			? "; nothing was found that depends on memory that was never "
			  "written"
			: "");
	words = where_words(first->frame);
	return json_sprintf("%zu %s; the first: %s, in %s", check->count,
	    check->count == 1 ? "finding" : "findings", first->what, json_string_value(words));
}

/* ", and 7 calls of pool_alloc, pool_free", or "" */
static void say_pools(const struct check *check, char *words, size_t size)
{
	const struct heap_pools *pools = &check->pools;
	size_t length;

	*words = '\0';
	if (pools->names == 0)
		return;
	length = (size_t)snprintf(
	    words, size, ", and %llu of ", (unsigned long long)check->pass.table.pool_calls);
	for (size_t i = 0; i < pools->names; i++)
		if (!heap_pools_is_named_before(pools, i))
			length += (size_t)snprintf(words + length, size - length, "%s%s",
			    i ? ", " : "", pools->name[i].function);
	snprintf(words + length, size - length, "%s", pools->unseen);
}

static json_t *say_incomplete(const struct check_table *table)
{
	return json_sprintf(
	    "%llu calls freed what none of the functions in alloc had given, %llu what one had: "
	    "others give blocks of this memory, too. Nothing is said of it: name them as well",
	    (unsigned long long)table->unknown, (unsigned long long)table->taken);
}

static json_t *say_checked(const struct check *check)
{
	const struct check_table *table = &check->pass.table;
	const unsigned long long state = table->state;
	char pools[CALLS_MAX + HEAP_POOLS_SAID];

	say_pools(check, pools, sizeof(pools));
	return json_sprintf(
	    "the loads and stores of the program and its libraries, with %llu calls "
	    "of %s%s. Not checked: what the kernel writes in system calls, the "
	    "stack but for return addresses, static data%s%s%s%s",
	    (unsigned long long)(table->calls - table->pool_calls),
	    heap_pass_allocator(&check->pass), pools,
	    state & CHECK_HAS_MAPPED ? ", large blocks with a mapping of their own once they are "
				       "freed (a use of these is a SIGSEGV)"
				     : "",
	    check->unsure >= UNSURE_MAX
		? ", return addresses from a moment on, because the stacks cannot be told"
		: "",
	    state & CHECK_NO_SHADOW ? ", and a part of the heap for which there was no room" : "",
	    state & CHECK_LOST ? ", and blocks that there was no room to note" : "");
}

/* Behind what it says of the pass before. */
static void tell_more(json_t *answer, const char *what, const json_t *reached)
{
	const char *before = json_string_value(json_object_get(answer, "more"));

	json_object_set_new(answer, "more",
	    json_sprintf("%s%sthere may be more %sbehind %s: give that as from, or a higher limit",
		before ? before : "", before ? "; " : "", what, json_string_value(reached)));
}

/* What came of the second pass. */
static void tell_unwritten(const struct check *check, json_t *answer)
{
	const unsigned long long state = check->unwritten.state;
	json_t *told;

	if (check->unwritten_failed)
		json_object_set(answer, "uninitialised_unknown", check->unwritten_failed);
	else if (check->unwritten_end == SEARCH_CUT)
		json_object_set_new(answer, "cut_off",
		    check->unwritten_reached
			? json_sprintf("the time is over: memory that was never written was "
				       "followed up to %s; give that as from, or a longer deadline",
			      json_string_value(check->unwritten_reached))
			: json_string("the time was over before memory that was never written "
				      "could be followed: give a longer deadline"));
	else if (check->unwritten_end == SEARCH_ENOUGH)
		tell_more(
		    answer, "uses of memory that was never written ", check->unwritten_reached);
	told = json_sprintf(
	    "%llu loads of heap and stack memory that was never written, up to what depends on "
	    "it%s%s. Not followed: through floating-point numbers of the x87 and arithmetic of "
	    "whole "
	    "vectors",
	    (unsigned long long)check->unwritten.followed,
	    state & CHECK_UNDECIDED ? "; not all of them, because that takes too long" : "",
	    state & CHECK_NO_SHADOW ? "; for a part of the memory there was no room" : "");
	json_object_set_new(answer, "followed", told);
}

static void say_others(const struct finding *finding)
{
	if (finding->others)
		json_object_set_new(finding->answer, "also",
		    json_sprintf("%u more %s of this line", finding->others,
			finding->others == 1 ? "instruction" : "instructions"));
}

static json_t *answer_of(
    const struct check *check, const struct search *search, enum search_end end)
{
	json_t *answer = json_pack("{s:o}", "conclusion", conclude(check)), *list = json_array();
	json_auto_t *reached = moment_name(check->replay, &search->reached);

	for (size_t i = 0; i < check->count; i++) {
		say_others(&check->findings[i]);
		json_array_append(list, check->findings[i].answer);
	}
	answer_add_list(answer, "findings", list);
	if (check->before)
		json_object_set_new(
		    answer, "cut_off", json_string("the time is over: give a longer deadline"));
	else if (end != SEARCH_ENOUGH)
		search_tell(search, end, answer);
	if (end == SEARCH_ENOUGH)
		tell_more(answer, "", reached);
	if (!heap_pools_are_all(&check->pass.table))
		json_object_set_new(answer, "incomplete", say_incomplete(&check->pass.table));
	json_object_set_new(answer, "checked", say_checked(check));
	return answer;
}

/* ---- Leaks ----------------------------------------------------------------------------------- */

/* Says it in the conclusion, too. */
static void tell_leaks(const struct heap_sites *sites, size_t limit, json_t *answer)
{
	const json_t *before = json_object_get(answer, "conclusion");
	json_auto_t *others = NULL;
	json_t *list, *most;
	char size[HEAP_SIZE_WORDS], words[WORDS_MAX];

	list = heap_sites_list(sites, limit, &others);
	most = json_object_get(json_array_get(list, 0), "allocated");
	heap_sites_size(size, sites->chosen.blocks, sites->chosen.bytes);
	if (sites->before || sites->unknown)
		snprintf(words, sizeof(words), "%s",
		    sites->unknown
			? "leaks cannot be found here: the program's memory cannot be read"
			: "the time was over before leaks were looked for");
	else if (sites->chosen.blocks == 0)
		snprintf(words, sizeof(words), "no block is lost");
	else
		snprintf(words, sizeof(words), "lost, because nothing points to them%s: %s%s",
		    sites->end == SEARCH_CUT ? " where the time was over" : "", size,
		    most ? ", the most allocated by " : "");
	json_object_set_new(answer, "conclusion",
	    json_sprintf(
		"%s; %s%s", json_string_value(before), words, most ? json_string_value(most) : ""));
	answer_add_list(answer, "leaks", list);
	json_object_set(answer, "other_leaks", others);
}

static void add_leaks(struct check *check, const struct moment *to, json_t *answer)
{
	const struct moment start = {.event = 0};
	struct heap_sites *sites = calloc(1, sizeof(*sites));
	cleanup_failure struct failure ignored = {0};

	if (sites && heap_sites_find(sites, check->replay, &start, to, true, &ignored))
		tell_leaks(sites, check->most, answer);
	else
		json_object_set_new(answer, "leaks_unknown",
		    json_string(sites ? ignored.message : "out of memory"));
	if (sites)
		heap_sites_free(sites);
	free(sites);
}

static json_t *check_all(struct check *check, struct failure *failure)
{
	struct search search = {.replay = check->replay};
	enum search_end end = SEARCH_FAILED;
	struct moment stretch[2];
	json_t *answer = NULL;
	bool ran_unwritten;

	if (search_stretch(check->replay, check->args->from, check->args->to, stretch, failure) &&
	    search_begin(&search, check->replay, stretch, failure))
		end = run_accesses(check, &search, stretch, failure);
	heap_pass_end(&check->pass);
	ran_unwritten = check->args->uninitialised && (end == SEARCH_WHOLE || end == SEARCH_ENOUGH);
	if (ran_unwritten)
		run_unwritten(check, stretch);
	if (end != SEARCH_FAILED)
		answer = answer_of(check, &search, end);
	search_end(&search);
	if (answer && check->count && end != SEARCH_CUT)
		find_calls(check);
	if (answer && check->count && (check->pass.wanted || end == SEARCH_CUT))
		json_object_set_new(answer, "unfinished",
		    json_string("the time was over before all calls that made and freed the blocks "
				"were looked at: give a longer deadline, or a lower limit"));
	if (answer && ran_unwritten)
		tell_unwritten(check, answer);
	else if (answer && check->args->uninitialised)
		json_object_set_new(answer, "uninitialised_unknown",
		    json_string(
			"the check was cut off before memory that was never written could be "
			"followed"));
	if (answer && check->args->leaks)
		add_leaks(check, &stretch[1], answer);
	return answer;
}

/* What the client names, and what does not go with it. */
static bool read_names(struct check *check, struct failure *failure)
{
	const struct check_memory_args *args = check->args;

	if (!heap_pools_read(&check->pools, args->alloc, args->free, failure))
		return false;
	if (check->pools.names && (args->leaks || args->uninitialised)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "ask for leaks or uninitialised in a call without alloc and free",
		    "leaks and uninitialised know malloc's blocks only, and not those of named "
		    "allocators");
		return false;
	}
	check->pass.pools = check->pools.names ? &check->pools : NULL;
	return true;
}

json_t *tool_check_memory(
    struct replay *replay, const struct check_memory_args *args, struct failure *failure)
{
	struct check *check = calloc(1, sizeof(*check));
	json_t *answer = NULL;

	if (!check)
		return failure_no_memory(failure);
	check->args = args;
	check->replay = check->pass.replay = replay;
	check->unwritten_end = SEARCH_CUT;
	check->most = args->limit < FINDINGS_MAX ? (size_t)args->limit : FINDINGS_MAX;
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (read_names(check, failure))
		answer = check_all(check, failure);
	for (size_t i = 0; i < check->count; i++) {
		json_decref(check->findings[i].answer);
		json_decref(check->findings[i].frame);
	}
	json_decref(check->unwritten_reached);
	json_decref(check->unwritten_failed);
	free(check);
	return excursion_answer(&excursion, answer, failure);
}
