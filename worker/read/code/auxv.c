/*
 * gdb reads it.
 */
#include "worker/read/code/auxv.h"

#include "worker/gdb/mi/text.h"
#include "worker/gdb/must.h"
#include "worker/serve/begins.h"

unsigned long long auxv_entry(struct replay *replay, const char *not_done)
{
	const char *text = gdb_shown(replay_gdb(replay), not_done, "info auxv");

	return hex_behind(behind_mark(text, "AT_ENTRY "), "0x");
}
