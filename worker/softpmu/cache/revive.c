/*
 * It must never put a body in force whose code is not compared with what the tracee has now.
 */
#include "worker/softpmu/cache/revive.h"

#include "worker/softpmu/base/memory.h"

enum { CODE_MAX = 1024 }; /* more than a block has */

uint64_t revive_hash(const uint8_t *bytes, size_t length, bool changes)
{
	return blocks_hash(bytes, length) ^ (changes ? 1 : 0);
}

bool revive_is_possible(const struct space *space, pid_t tid)
{
	for (uint32_t number = 1; number < blocks_count(space->blocks); number++) {
		const struct block_entry *entry = blocks_get(space->blocks, number);
		const struct variant *variant = &entry->variant[entry->latest];
		uint8_t bytes[CODE_MAX];

		if (variant->body && variant->length <= sizeof bytes)
			return memory_read(tid, entry->original, bytes, variant->length) &&
			       revive_hash(bytes, variant->length, false) == variant->hash;
	}
	return false;
}

bool revive_block(struct space *space, pid_t tid, uint32_t number)
{
	struct block_entry *entry = blocks_get(space->blocks, number);
	uint8_t bytes[CODE_MAX];
	bool changes;

	/* It may have been out of force when the check of the heap began to ask in its code, or
	 * ceased to. */
	if (space->watches.check_number != 0)
		return false;
	for (int i = 0; i < BLOCK_VARIANTS; i++) {
		const struct variant *variant = &entry->variant[i];

		if (!variant->body || variant->length > sizeof bytes ||
		    codepages_read(space->pages, tid, entry->original, bytes, variant->length,
			&changes) != variant->length ||
		    revive_hash(bytes, variant->length, changes) != variant->hash)
			continue;
		blocks_revive(space->blocks, number, i);
		return true;
	}
	return false;
}
