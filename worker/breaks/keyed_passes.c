/*
 * Speaks to the software counter's library, in packets that rr does not know.
 */
#include "worker/breaks/keyed_passes.h"

#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"

static void tell(struct replay *replay, const char *what, unsigned long long number)
{
	gdb_must_packet(replay_gdb(replay), "%s:%llx", what, number);
}

static bool read_table(struct replay *replay, struct key_table *table)
{
	return accessed_whole(replay, KEYMARK_TABLE, table, sizeof(*table)) &&
	       (table->state & ~(uint64_t)KEYS_NEGATIVE) == KEYS_ON && table->count <= KEYS_MAX;
}

bool keyed_passes_begin(struct replay *replay)
{
	struct key_table table;

	gdb_must_packet(replay_gdb(replay), "keys:");
	return read_table(replay, &table) && table.count == 0;
}

void keyed_passes_name(struct replay *replay, unsigned long long key)
{
	tell(replay, "key", key);
}

void keyed_passes_rule(struct replay *replay, unsigned long long pc, const struct stack_rule *rule)
{
	gdb_must_packet(
	    replay_gdb(replay), "rule:%llx,%x,%x,%x", pc, rule->above, rule->kept, rule->by_rbp);
}

void keyed_passes_next(struct replay *replay, unsigned long long sum)
{
	tell(replay, "next", sum);
}

static bool read_all(
    struct replay *replay, struct key_row rows[KEYS_MAX], size_t *count, bool *negative)
{
	struct key_table table;

	*count = 0;
	do {
		tell(replay, "shown", *count);
		if (!read_table(replay, &table))
			return false;
		*negative = table.state & KEYS_NEGATIVE;
		for (size_t i = 0; i < KEYS_SHOWN && *count < table.count; i++)
			rows[(*count)++] = table.row[i];
	} while (*count < table.count);
	return true;
}

bool keyed_passes_read(
    struct replay *replay, struct key_row rows[KEYS_MAX], size_t *count, bool *negative)
{
	bool read;

	gdb_shield(replay_gdb(replay), true);
	read = read_all(replay, rows, count, negative);
	gdb_shield(replay_gdb(replay), false);
	return read;
}
