/*
 * Must never leave the counter's check on.
 */
#include "worker/investigate/memcheck/heap_pass.h"

#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/watchpoint.h"
#include "worker/investigate/code/where.h"
#include "worker/investigate/heap/first_call.h"
#include "worker/investigate/memcheck/heap_pools.h"

static const struct moment start = {.event = 0};

static enum scan_verdict see_first(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct heap_pass *pass = context;

	(void)hit;
	(void)failure;
	return heap_functions_find(replay, &pass->functions) ? SCAN_ENOUGH : SCAN_ON;
}

enum search_end heap_pass_find(
    struct heap_pass *pass, struct search *search, struct failure *failure)
{
	enum search_end end;

	if (heap_functions_find(pass->replay, &pass->functions))
		return SEARCH_ENOUGH;
	end = first_call_search(search, see_first, pass, failure);
	/* The program itself may not call it. */
	if (end == SEARCH_WHOLE && heap_functions_find(pass->replay, &pass->functions))
		end = SEARCH_ENOUGH;
	return end;
}

void heap_pass_without_malloc(struct failure *failure)
{
	failure_set(failure, ERROR_UNSUPPORTED,
	    "rr_trace_calls lists the calls of an allocator of the program's own; "
	    "rr_value_history shows who wrote to an address",
	    "no malloc was found: the program does not call one, or it is linked "
	    "statically and its symbols are stripped");
}

/* Where the program begins. */
static bool turn_on(struct heap_pass *pass, struct failure *failure)
{
	struct replay *replay = pass->replay;

	pass->on = true;
	pass->found = 0;
	if (heap_check_begin(replay, &pass->functions, !replay_is_from_fork(replay))) {
		if (pass->pools)
			heap_pools_tell(replay, pass->pools);
		if (pass->kind == HEAP_PASS_BLOCKS)
			heap_check_only_blocks(replay);
		if (pass->kind == HEAP_PASS_UNDEFINED)
			heap_check_undefined(replay, &pass->functions);
		pass->watch = watchpoint_insert_word(replay, CHECKMARK, WATCH_ACCESS);
	}
	if (pass->watch)
		return true;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "start the server with --pmu=software, and ask again",
	    "only the software counter checks the heap, and this session counts with %s",
	    replay_pmu(replay));
	return false;
}

enum search_end heap_pass_begin(
    struct heap_pass *pass, struct search *search, struct failure *failure)
{
	return search_again(search, &start, failure) && turn_on(pass, failure)
		   ? SEARCH_WHOLE
		   : search_failed(search, failure);
}

static enum scan_verdict see_nothing(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)context;
	(void)replay;
	(void)hit;
	(void)failure;
	return SCAN_ON;
}

enum search_end heap_pass_run(struct search *search, struct failure *failure)
{
	return search_run(search, see_nothing, NULL, failure);
}

enum search_end heap_pass_begin_to(
    struct heap_pass *pass, const struct moment *to, struct failure *failure)
{
	const struct moment stretch[2] = {start, *to};
	struct search search = {.replay = pass->replay};
	enum search_end end;

	if (!search_begin(&search, pass->replay, stretch, failure) || !turn_on(pass, failure))
		end = search_failed(&search, failure);
	else
		end = search_is_empty(&search) ? SEARCH_WHOLE : heap_pass_run(&search, failure);
	heap_check_read(pass->replay, &pass->table);
	pass->found = pass->table.found;
	search_end(&search);
	return end;
}

bool heap_pass_sees(struct heap_pass *pass, const struct hit *hit)
{
	if (hit->number != pass->watch || !heap_check_read(pass->replay, &pass->table) ||
	    pass->table.found == pass->found)
		return false;
	pass->found = pass->table.found;
	return true;
}

void heap_pass_end(struct heap_pass *pass)
{
	temporary_breakpoint_delete(pass->replay, pass->watch);
	pass->watch = 0;
	if (pass->on)
		heap_check_end(pass->replay);
	pass->on = false;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

struct visit {
	struct heap_pass *pass;
	heap_pass_call *visit;
	void *context;
};

static enum scan_verdict see_call(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct visit *visit = context;
	struct heap_pass *pass = visit->pass;

	(void)replay;
	(void)failure;
	if (!heap_pass_sees(pass, hit))
		return SCAN_ON;
	visit->visit(visit->context, pass);
	pass->wanted -= pass->wanted > 0;
	return pass->wanted ? SCAN_ON : SCAN_ENOUGH;
}

/* Once, though several may ask for the same call. */
static void want(struct heap_pass *pass, const unsigned long long *numbers, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (numbers[i] == numbers[at])
			return;
	if (numbers[at])
		heap_check_want(pass->replay, numbers[at]);
	pass->wanted += numbers[at] != 0;
}

void heap_pass_visit(struct heap_pass *pass, const unsigned long long *numbers, size_t count,
    heap_pass_call *visit, void *context)
{
	const struct moment stretch[2] = {start, {.event = REPLAY_EVENT_FAR}};
	struct search search = {.replay = pass->replay};
	struct visit visiting = {pass, visit, context};
	cleanup_failure struct failure ignored = {0};

	pass->wanted = 0;
	if (search_begin(&search, pass->replay, stretch, &ignored) && turn_on(pass, &ignored)) {
		for (size_t i = 0; i < count; i++)
			want(pass, numbers, i);
		if (pass->wanted)
			search_run(&search, see_call, &visiting, &ignored);
	}
	heap_pass_end(pass);
	search_end(&search);
}

/* ---- In words -------------------------------------------------------------------------------- */

const char *heap_pass_allocator(const struct heap_pass *pass)
{
	if (pass->functions.replaced)
		return "malloc and free (the program has one of its own)";
	return pass->functions.glibc ? "glibc's malloc and free" : "malloc and free";
}
