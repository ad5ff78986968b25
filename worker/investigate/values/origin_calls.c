/*
 * The calling convention of x86-64 for C and C++. Where a function's parameters are not known, or a
 * language has a convention of its own, nothing is said.
 */
#include "worker/investigate/values/origin_calls.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/prototype.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/code/preceding.h"
#include "worker/read/names/symbol.h"
#include "worker/gdb/must.h"

/* As the processor counts them. */
enum { RAX = 0, RCX = 1, RDX = 2, RSP = 4, RSI = 6, RDI = 7 };

/* The place among the arguments of a general register; -1: it has none. */
static int argument_of(const struct piece *piece)
{
	static const unsigned order[] = {RDI, RSI, RDX, RCX, 8, 9};

	for (size_t i = 0; !piece->vector && i < sizeof(order) / sizeof(*order); i++)
		if (piece->number == order[i])
			return (int)i;
	return -1;
}

/* LLVM returns large structures in rcx as well. */
static bool may_be_result(const struct piece *piece)
{
	return piece->vector ? piece->number < 4
			     : piece->number == RAX || piece->number == RDX || piece->number == RCX;
}

static bool is_c_here(struct replay *replay)
{
	const char *said = gdb_shown(replay_gdb(replay), NULL, "show language");

	return said && (strstr(said, "currently c\"") || strstr(said, "currently c++\""));
}

void origin_calls_enter(struct origin *origin, struct origin_calls *calls, unsigned long long next)
{
	calls->unsure |= !preceding_may_call(origin->replay, next);
	if (calls->inside++ == 0)
		origin_function(origin->replay, calls->returned, sizeof(calls->returned));
}

/* The symbol of a function as gdb's types know it; false for stubs, and for copies that the
 * compiler made with other parameters: "f.isra.0". */
static bool name_callee(struct replay *replay, unsigned long long entry, struct symbol *symbol)
{
	return symbol_at(replay, entry, symbol) && !symbol->offset && !strchr(symbol->name, '@') &&
	       !strchr(symbol->name, '.');
}

bool origin_calls_leave(struct origin *origin, struct origin_calls *calls, unsigned long long next)
{
	const struct origin_bytes *now = &origin->now;
	struct replay *replay = origin->replay;
	int argument = argument_of(&now->piece), most;
	struct symbol callee;
	char brief[BRIEF_NAME_MAX];

	if (calls->inside) {
		calls->inside--;
		return true;
	}
	if (calls->left)
		return true;
	calls->left = true;
	if (calls->unsure || now->piece.vector || !name_callee(replay, next, &callee) ||
	    !is_c_here(replay))
		return true;
	most = prototype_integers(replay, callee.name);
	if (most < 0)
		return true;
	if (argument >= most)
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing wrote %%%s in the call of %s that begins here, which gets no "
		    "argument there",
		    flow_register_name(now->piece.number), brief_name(callee.name, brief));
	if (now->must_be_set && flow_is_preserved(&now->piece) && now->piece.number != RSP)
		return origin_finish(origin, ORIGIN_UNSET,
		    "nothing wrote %%%s in the call of %s that begins here: what is there was "
		    "its caller's",
		    flow_register_name(now->piece.number), brief_name(callee.name, brief));
	return true;
}

bool origin_calls_may_write(struct origin *origin, const struct origin_calls *calls)
{
	const struct piece *piece = &origin->now.piece;

	if (!calls->inside || calls->unsure || may_be_result(piece) || piece->vector ||
	    flow_is_preserved(piece) || !calls->returned[0] || !is_c_here(origin->replay))
		return true;
	return origin_finish(origin, ORIGIN_UNSET,
	    "nothing wrote %%%s since %s had returned, which no function returns a value in: it "
	    "holds what was left there",
	    flow_register_name(piece->number), calls->returned);
}
