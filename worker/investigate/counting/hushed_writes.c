/*
 * Hands a predicate to the software counter. It must never leave it there: the next watchpoint
 * would be silent.
 */
#include "worker/investigate/counting/hushed_writes.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/must.h"

void hushed_writes_make(struct hushed_writes *writes, struct replay *replay, const char *predicate)
{
	/* A register, or a variable of gdb's, may change without a write. */
	if (!replay_counts_in_software(replay) || strchr(predicate, '$') ||
	    !agent_code_make(replay, predicate, writes->code, &writes->place))
		writes->code[0] = '\0';
}

static void hand_over(struct replay *replay, const char *code)
{
	gdb_must_packet(replay_gdb(replay), "hushed:%s", code);
}

void hushed_writes_begin(const struct hushed_writes *writes, struct replay *replay)
{
	if (writes->code[0])
		hand_over(replay, writes->code);
}

void hushed_writes_end(const struct hushed_writes *writes, struct replay *replay)
{
	if (writes->code[0] && !replay_worker(replay)->broken)
		hand_over(replay, "");
}
