/*
 * The calls of named functions, see pools.h. A call that is met twice, because the tracee stood
 * before its first instruction in between, must never count twice.
 */
#include "worker/softpmu/scan/pools.h"

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tracees.h"

#define SIZE_MAX_GIVEN (1ull << 46) /* more is no size */
#define RESULT_LEAST   4096	    /* below are null pointers */
#define STACK_NEAR     (8ull << 20) /* farther up, it is another stack */

/* The registers of arguments, in their order. */
static uint64_t argument(const struct user_regs_struct *regs, unsigned number)
{
	const uint64_t list[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx, regs->r8, regs->r9};

	return number < sizeof list / sizeof *list ? list[number] : 0;
}

static uint64_t size_given(
    const struct pool_function *function, const struct user_regs_struct *regs)
{
	const uint64_t value = check_pool_value(function->gives);
	const unsigned width = check_pool_width(function->gives);
	uint64_t size;

	if (check_pool_kind(function->gives) == CHECK_POOL_CONSTANT)
		return value;
	size = argument(regs, (unsigned)value);
	return width < sizeof size ? size & ((1ull << 8 * width) - 1) : size;
}

static struct pool_call *innermost(struct tracee *tracee)
{
	return tracee->pool_depth ? &tracee->pool_call[tracee->pool_depth - 1] : NULL;
}

static bool frees_all(const struct pool_function *function)
{
	return function->frees == CHECK_POOL_ALL || function->frees == CHECK_POOL_ALL_GLOBAL;
}

static bool is_global(const struct pool_function *function)
{
	return function->frees == CHECK_POOL_ALL_GLOBAL || (function->gives & CHECK_POOL_GLOBAL);
}

/* What is freed or resized has to be a block. What other functions of the allocator pass to each
 * other within a call need not be. */
static enum heapcheck_verdict take_back(struct heapcheck *check, struct tracee *tracee,
    const struct pool_function *function, struct pool_call *call, bool outermost)
{
	struct poolblock *block = poolblocks_at(&check->pools->blocks, call->block);
	enum heapcheck_verdict verdict;

	if (frees_all(function))
		pools_drop_all(check, call->pool, call->number);
	if (call->block == 0)
		return HEAPCHECK_GOES_ON;
	if (block && !block->dropped) {
		check->table.taken++;
		if (!function->gives)
			pools_drop(check, block, call->number);
		return HEAPCHECK_GOES_ON;
	}
	if (!outermost || (!block && !check->whole) ||
	    (!block && pools_may_be_block(check, call->block)))
		return HEAPCHECK_GOES_ON;
	check->table.unknown += !block;
	verdict = heapcheck_report(check, tracee, function->gives ? CHECK_RESIZE : CHECK_FREE,
	    call->back, call->block, call->block, 0);
	if (verdict != HEAPCHECK_GOES_ON) {
		check->table.called = function->name + 1u;
		check->table.foreign = pools_is_foreign(check->pools, call->block);
	}
	call->reported = true;
	return verdict;
}

enum heapcheck_verdict pools_begin(struct heapcheck *check, struct tracee *tracee,
    const struct pool_function *function, const struct user_regs_struct *regs)
{
	const struct pool_call *outer = innermost(tracee);
	struct pool_call call = {.function = (uint8_t)(function - check->pools->function),
	    .sp = regs->rsp,
	    .number = check->table.calls + 1,
	    .size = function->gives ? size_given(function, regs) : 0,
	    .block =
		function->frees && !frees_all(function) ? argument(regs, function->frees - 1u) : 0,
	    .pool = is_global(function) ? 0 : regs->rdi};
	enum heapcheck_verdict verdict;

	if ((outer && regs->rsp >= outer->sp) ||
	    !memory_read_word(tracee->tid, regs->rsp, &call.back))
		return HEAPCHECK_GOES_ON; /* the same once more, or a jump from it */
	check->table.calls++;
	check->table.pool_calls++;
	verdict = take_back(check, tracee, function, &call, !outer);
	if (tracee->pool_depth == POOL_DEPTH || !heapcheck_ask_at(check, tracee->space, call.back))
		check->table.state |= CHECK_LOST;
	else
		tracee->pool_call[tracee->pool_depth++] = call;
	heapcheck_show_shadow(check, tracee);
	if (!heapcheck_show_wanted(check, call.number))
		return verdict;
	check->table.called = function->name + 1u;
	return HEAPCHECK_SHOWS;
}

static void end_call(struct heapcheck *check, const struct tracee *tracee,
    const struct pool_call *call, const struct user_regs_struct *regs)
{
	const struct pool_function *function = &check->pools->function[call->function];
	struct poolblock *old = poolblocks_at(&check->pools->blocks, call->block);
	const struct poolblock block = {.start = regs->rax,
	    .size = call->size,
	    .site = call->back,
	    .made = call->number,
	    .pool = call->pool,
	    .name = function->name};
	const bool resized = function->frees && old && !old->dropped;

	if (!function->gives)
		return;
	if (block.start < RESULT_LEAST) {
		if (resized && call->size == 0)
			pools_drop(check, old, call->number);
		return;
	}
	if (resized && old->start != block.start)
		pools_drop(check, old, call->number);
	if (call->size < SIZE_MAX_GIVEN)
		pools_give(check, tracee, &block, regs->rsp);
}

void pools_return(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	for (const struct pool_call *call; (call = innermost(tracee)) && call->back == regs->rip &&
					   regs->rsp == call->sp + sizeof(uint64_t);) {
		tracee->pool_depth--;
		end_call(check, tracee, call, regs);
		heapcheck_show_shadow(check, tracee);
	}
}

bool pools_have_told(const struct tracee *tracee)
{
	return tracee->pool_depth && tracee->pool_call[0].reported;
}

void pools_leave(struct heapcheck *check, struct tracee *tracee, uint64_t sp)
{
	const unsigned depth = tracee->pool_depth;

	for (const struct pool_call *call;
	     (call = innermost(tracee)) && sp > call->sp && sp - call->sp < STACK_NEAR;)
		tracee->pool_depth--;
	if (tracee->pool_depth != depth)
		heapcheck_show_shadow(check, tracee);
	pools_note_stack(check, tracee, sp);
}
