/*
 * malloc hands a block that was freed lately out again without writing to it where a watchpoint
 * sees it, and the calls that write to a block also do so to others: they split, join and release
 * them. So what the program got a block from is the call that returned it.
 */
#include "worker/investigate/values/origin_former.h"

#include <stdio.h>
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/code/where.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/signals.h"
#include "worker/read/values/accessed.h"
#include "worker/run/sweep/scan.h"
#include "worker/session/selection.h"

#define RETURNS_LOOKED_AT 1000

static enum scan_verdict see_return(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)context;
	(void)replay;
	(void)failure;
	return hit->kind == STOP_BREAKPOINT ? SCAN_ENOUGH : SCAN_ON;
}

/* Breakpoints at all returns of functions that hand out blocks, with the block as their result;
 * block 0: with any. */
static void insert_returns(struct origin *origin, unsigned long long block, int *numbers)
{
	const struct allocator *allocator = &origin->allocator;
	char where[128], condition[80] = "";

	for (size_t i = 0; i < allocator->return_count; i++) {
		if (block)
			snprintf(condition, sizeof(condition),
			    "-c \"(unsigned long) %s == %lluUL\" ", allocator->returns[i].in,
			    block);
		snprintf(
		    where, sizeof(where), "%s*0x%llx", condition, allocator->returns[i].address);
		numbers[i] = temporary_breakpoint_insert(origin->replay, where);
	}
}

static void remove_returns(struct origin *origin, const int *numbers)
{
	for (size_t i = 0; i < origin->allocator.return_count; i++)
		temporary_breakpoint_delete(origin->replay, numbers[i]);
}

/* Back to the last return of such a function with the block. */
static bool find_return(
    struct origin *origin, const struct origin_block *block, struct failure *failure)
{
	struct replay *replay = origin->replay;
	int numbers[ALLOCATOR_RETURNS_MAX];
	enum scan_end end;

	insert_returns(origin, block->address, numbers);
	signals_pass_all(replay);
	end = scan_run(replay, BACKWARD, RETURNS_LOOKED_AT, see_return, NULL, failure);
	signals_stop_again(replay);
	remove_returns(origin, numbers);
	return end == SCAN_FOUND && position_update(replay, failure);
}

/* What a call of that name, which handed the block out, makes of it. */
static enum origin_life life_from(const char *by)
{
	if (strcmp(by, "calloc") == 0)
		return LIFE_ZEROED;
	return strstr(by, "realloc") ? LIFE_COPIED : LIFE_NEW;
}

/* Back over all returns with the block since it was free: realloc also returns one that it leaves
 * where it is. The program stands at the earliest, or, false, there was none. */
static bool find_first_return(struct origin *origin, struct origin_block *block,
    const struct moment *free, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct return_ticket there;
	bool found = false, more = true;

	while (more && find_return(origin, block, failure) &&
	       position_order(replay_now(replay), free) > 0) {
		if (found)
			return_ticket_release(replay, &there);
		there = return_ticket_hold(replay);
		found = true;
		allocator_called(replay, &origin->allocator, block->by, sizeof(block->by));
		more = strstr(block->by, "realloc") != NULL;
	}
	if (!found)
		return false;
	found = worker_goes_on(replay_worker(replay)) && return_ticket_use(replay, &there, failure);
	return_ticket_release(replay, &there);
	return found;
}

/*
 * The program stands where the block became free, or remained so, before `read`: goes on to where
 * it was handed out, the last time before `read`, and stores in *block by what. False: it was not,
 * or that is not known, and the program stands where it did, or the session is lost.
 */
static bool find_handout(
    struct origin *origin, struct origin_block *block, const struct moment *read)
{
	struct replay *replay = origin->replay;
	const struct moment released = *replay_now(replay);
	struct return_ticket here = return_ticket_hold(replay);
	cleanup_failure struct failure failure = {0};
	bool found = position_go(replay, read, &failure) &&
		     find_first_return(origin, block, &released, &failure);

	if (found)
		block->life = life_from(block->by);
	else if (worker_goes_on(replay_worker(replay)))
		return_ticket_use(replay, &here, &failure);
	return_ticket_release(replay, &here);
	return found;
}

struct returning {
	struct origin *origin;
	unsigned long long block;
	int tid;
	bool same;
};

static enum scan_verdict see_result(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct returning *returning = context;
	const struct allocator *allocator = &returning->origin->allocator;
	unsigned long long pc, block;

	(void)failure;
	selection_take_stop(replay);
	if (hit->kind != STOP_BREAKPOINT || replay_selected(replay)->tid != returning->tid ||
	    !accessed_number(replay, "(unsigned long) $pc", &pc))
		return SCAN_ON;
	for (size_t i = 0; i < allocator->return_count; i++)
		if (allocator->returns[i].address == pc)
			returning->same =
			    accessed_number(replay, allocator->returns[i].in, &block) &&
			    block == returning->block;
	return SCAN_ENOUGH;
}

/* In a call of the allocator: whether it returns the block. Comes back. */
static bool returns_block(
    struct origin *origin, const struct origin_block *block, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct return_ticket here = return_ticket_hold(replay);
	struct returning returning = {
	    .origin = origin, .block = block->address, .tid = replay_now(replay)->tid};
	int numbers[ALLOCATOR_RETURNS_MAX];

	insert_returns(origin, 0, numbers);
	signals_pass_all(replay);
	scan_run(replay, FORWARD, RETURNS_LOOKED_AT, see_result, &returning, failure);
	signals_stop_again(replay);
	remove_returns(origin, numbers);
	if (worker_goes_on(replay_worker(replay)))
		return_ticket_use(replay, &here, failure);
	return_ticket_release(replay, &here);
	return returning.same;
}

bool origin_block_is_new(struct origin *origin, struct origin_block *block, struct failure *failure)
{
	struct failure ignored = {0};
	bool same;

	if (block->life == LIFE_GROWN || block->life == LIFE_FREED)
		return true;
	same = returns_block(origin, block, &ignored);
	if (!worker_goes_on(replay_worker(origin->replay))) {
		*failure = ignored;
		return true;
	}
	json_decref(ignored.details);
	if (block->life == LIFE_DOUBT && same)
		return false;
	if (block->life == LIFE_DOUBT)
		block->life = LIFE_FREED;
	else if (!same)
		block->life = LIFE_LEFT;
	return true;
}

/* At the last write before: {moment, frame}; NULL: there is none, or it is not known. */
static json_t *find_writer(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	json_t *moment;

	if (!origin_go_to_last_store(origin, failure))
		return NULL;
	moment = moment_name(replay, replay_now(replay));
	return json_pack("{s:o, s:o}", "moment", moment, "frame", where_own(replay));
}

/* Stores in origin->left what wrote the bytes before `released`, and comes back. */
static void tell_former(struct origin *origin, const struct moment *released)
{
	struct replay *replay = origin->replay;
	struct return_ticket here = return_ticket_hold(replay);
	cleanup_failure struct failure failure = {0};

	if (position_go(replay, released, &failure))
		origin->left = find_writer(origin, &failure);
	if (worker_goes_on(replay_worker(replay)))
		return_ticket_use(replay, &here, &failure);
	return_ticket_release(replay, &here);
}

static bool is_zero(const struct origin_bytes *now)
{
	for (unsigned i = 0; i < now->size; i++)
		if (now->bytes[i])
			return false;
	return true;
}

/* Nobody set them in the block's present life: says since when. */
static bool tell_unset(struct origin *origin, const struct origin_block *block)
{
	const char *by = block->by[0] ? block->by : "the allocator";
	const unsigned long long at = block->address;

	switch (block->life) {
	case LIFE_GROWN:
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing wrote it since %s made the block at 0x%llx larger, without setting "
		    "what it added",
		    by, at);
	case LIFE_COPIED:
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing wrote it since %s handed out the block at 0x%llx, without copying so "
		    "far",
		    by, at);
	case LIFE_LEFT:
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing of the program wrote it since %s left a free block at 0x%llx, and no "
		    "call is known that handed that out",
		    by, at);
	case LIFE_FREED:
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing of the program wrote it since %s released the block at 0x%llx: it is "
		    "read after that%s",
		    by, at,
		    origin->allocator.partly
			? ", or the block was handed out again and this was not set"
			: "");
	case LIFE_ZEROED:
	case LIFE_NEW:
	case LIFE_SAME:
	case LIFE_DOUBT:
		break;
	}
	return origin_finish(origin, ORIGIN_UNSET,
	    "nothing wrote it since the block at 0x%llx was allocated by %s", at, by);
}

bool origin_from_block(struct origin *origin, struct origin_block *block, const struct moment *read,
    struct failure *failure)
{
	struct replay *replay = origin->replay;
	const struct moment begun = *replay_now(replay);

	if (block->life == LIFE_FREED || block->life == LIFE_LEFT)
		find_handout(origin, block, read);
	if (!worker_goes_on(replay_worker(replay)))
		return origin_stop(origin, failure);
	if (block->life == LIFE_ZEROED && is_zero(&origin->now))
		return origin_finish(origin, ORIGIN_FILLED,
		    "calloc, which handed out the block at 0x%llx filled with zeros",
		    block->address);
	if (!is_zero(&origin->now))
		tell_former(origin, &begun);
	return worker_goes_on(replay_worker(replay)) ? tell_unset(origin, block)
						     : origin_stop(origin, failure);
}
