/*
 * malloc hands a block that was freed lately out again without writing to it where a watchpoint
 * sees it. So this looks for the return of an allocating function with the block as its result, to
 * tell an old value from one of a block that is read after its release.
 */
#include "worker/investigate/values/origin_former.h"

#include <stdio.h>
#include "worker/breaks/temporary_breakpoint.h"
#include "worker/investigate/search/where.h"
#include "worker/moment/moment_names.h"
#include "worker/moment/position.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/signals.h"
#include "worker/run/scan.h"

static enum scan_verdict see_return(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)context;
	(void)replay;
	(void)failure;
	return hit->kind == STOP_BREAKPOINT ? SCAN_ENOUGH : SCAN_ON;
}

/* Back to the last return of an allocating function with the block. */
static bool find_return(
    struct origin *origin, const struct origin_block *block, struct failure *failure)
{
	const struct allocator *allocator = &origin->allocator;
	struct replay *replay = origin->replay;
	int numbers[ALLOCATOR_RETURNS_MAX];
	enum scan_end end;
	char where[128];

	for (size_t i = 0; i < allocator->return_count; i++) {
		snprintf(where, sizeof(where), "-c \"(unsigned long) %s == %lluUL\" *0x%llx",
		    allocator->returns[i].in, block->address, allocator->returns[i].address);
		numbers[i] = temporary_breakpoint_insert(replay, where);
	}
	signals_pass_all(replay);
	end = scan_run(replay, BACKWARD, 1000, see_return, NULL, failure);
	signals_stop_again(replay);
	for (size_t i = 0; i < allocator->return_count; i++)
		temporary_breakpoint_delete(replay, numbers[i]);
	return end == SCAN_FOUND && position_update(replay, failure);
}

/*
 * The program stands where the block was released, before `read`: goes on to where it was handed
 * out again, the last time before `read`, and stores in block->by by what. False: it was not, or
 * that is not known, and the program stands where it did, or the session is lost.
 */
static bool find_handout(
    struct origin *origin, struct origin_block *block, const struct moment *read)
{
	struct replay *replay = origin->replay;
	const struct moment released = replay->moment;
	struct return_ticket here = return_ticket_hold(replay);
	struct failure failure = {0};
	bool found = position_go(replay, read, &failure) && find_return(origin, block, &failure) &&
		     position_order(&replay->moment, &released) > 0;

	if (found)
		allocator_called(replay, block->by, sizeof(block->by));
	else if (worker_goes_on(replay->worker))
		return_ticket_use(replay, &here, &failure);
	return_ticket_release(replay, &here);
	json_decref(failure.details);
	return found;
}

/* At the last write before: {moment, frame}; NULL: there is none, or it is not known. */
static json_t *find_writer(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	json_t *moment;

	if (!origin_go_to_last_store(origin, failure))
		return NULL;
	moment = moment_name(replay, &replay->moment);
	return json_pack("{s:o, s:o}", "moment", moment, "frame", where_own(replay));
}

/* Stores in origin->left what wrote the bytes before `released`, and comes back. */
static void tell_former(struct origin *origin, const struct moment *released)
{
	struct replay *replay = origin->replay;
	struct return_ticket here = return_ticket_hold(replay);
	struct failure failure = {0};

	if (position_go(replay, released, &failure))
		origin->left = find_writer(origin, &failure);
	if (worker_goes_on(replay->worker))
		return_ticket_use(replay, &here, &failure);
	return_ticket_release(replay, &here);
	json_decref(failure.details);
}

static bool is_zero(const struct origin_bytes *now)
{
	for (unsigned i = 0; i < now->size; i++)
		if (now->bytes[i])
			return false;
	return true;
}

/* Nobody set them in the block's present life: says since when, and who wrote what is there. */
static bool from_unset(struct origin *origin, struct origin_block *block, const struct moment *read)
{
	const struct moment begun = origin->replay->moment;
	const char *by = block->by[0] ? block->by : "the allocator";

	if (block->life == LIFE_FREED && find_handout(origin, block, read))
		block->life = LIFE_NEW;
	if (worker_goes_on(origin->replay->worker) && !is_zero(&origin->now))
		tell_former(origin, &begun);
	if (block->life == LIFE_NEW)
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing wrote it since the block at 0x%llx was allocated by %s",
		    block->address, by);
	if (block->life == LIFE_GROWN)
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing wrote it since %s made the block at 0x%llx larger, without setting "
		    "what it added",
		    by, block->address);
	return origin_finish(origin, ORIGIN_UNSET,
	    "nothing of the program wrote it since %s released the block at 0x%llx: it is read "
	    "after that%s",
	    by, block->address,
	    origin->allocator.partly ? ", or the block was handed out again and this was not set"
				     : "");
}

bool origin_from_block(struct origin *origin, struct origin_block *block, const struct moment *read,
    struct failure *failure)
{
	if (block->life == LIFE_ZEROED && is_zero(&origin->now))
		return origin_finish(origin, ORIGIN_FILLED,
		    "calloc, which handed out the block at 0x%llx filled with zeros",
		    block->address);
	from_unset(origin, block, read);
	return !worker_goes_on(origin->replay->worker) ? origin_stop(origin, failure) : false;
}
