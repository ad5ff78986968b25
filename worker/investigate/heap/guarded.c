/*
 * Reads the guard heap's table out of the program's memory. A serial in the table is written where
 * a block is handed out or taken back, so who wrote it last is who did that.
 */
#include "worker/investigate/heap/guarded.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "worker/guardheap/layout.h"
#include "worker/serve/handlers.h"
#include "worker/investigate/code/where.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/values/accessed.h"
#include "worker/serve/sentence.h"

#define OWNERS_READ  512 /* at once, while a block is looked for downwards */
#define PAGES_BACK   (1ULL << 20)
#define MALLOC_ALIGN 16

struct look {
	struct replay *replay;
	struct guardheap_table table;
	struct guardheap_block block;
	uint64_t at; /* of the block in the table */
};

static bool find_table(struct replay *replay, unsigned long long *address)
{
	return accessed_number(replay, "(unsigned long) &" GUARDHEAP_SYMBOL, address);
}

bool guarded_is_there(struct replay *replay)
{
	unsigned long long address;

	return find_table(replay, &address);
}

static bool read_table(struct look *look)
{
	unsigned long long address;

	return find_table(look->replay, &address) &&
	       accessed_whole(look->replay, address, &look->table, sizeof(look->table)) &&
	       look->table.magic == GUARDHEAP_MAGIC;
}

static bool read_block(struct look *look, uint64_t number)
{
	look->at = look->table.blocks + number * sizeof(look->block);
	return number > 0 && number <= look->table.count &&
	       accessed_whole(look->replay, look->at, &look->block, sizeof(look->block));
}

/* The owner of a page or unit, or of the nearest one below that has one; 0: none. */
static uint32_t owner_of(const struct look *look, uint64_t owners_at, uint64_t page)
{
	uint32_t owners[OWNERS_READ];
	uint64_t looked = 0;

	while (looked < PAGES_BACK) {
		uint64_t count = page + 1 < OWNERS_READ ? page + 1 : OWNERS_READ;

		if (!accessed_whole(look->replay, owners_at + (page + 1 - count) * sizeof(*owners),
			owners, count * sizeof(*owners)))
			return 0;
		for (uint64_t i = count; i > 0; i--)
			if (owners[i - 1])
				return owners[i - 1];
		if (count > page)
			return 0;
		page -= count;
		looked += count;
	}
	return 0;
}

static uint64_t distance(const struct guardheap_block *block, uint64_t address)
{
	if (address < block->address)
		return block->address - address;
	return address < block->address + block->size ? 0
						      : address - block->address - block->size + 1;
}

/* The block that shares pages with others and has the address in its room. */
static bool find_shared(struct look *look, uint64_t address)
{
	uint64_t unit = (address - look->table.shared) / GUARDHEAP_UNIT;

	return read_block(look, owner_of(look, look->table.shared_owners, unit)) &&
	       !look->block.guarded && unit - look->block.place < look->block.room;
}

/* The block around an address, or the nearer of its two neighbours: both have a page without access
 * between them. */
static bool find_block(struct look *look, uint64_t address)
{
	uint64_t page = (address - look->table.guarded) / GUARDHEAP_PAGE;
	struct guardheap_block below = {0};
	uint64_t below_at;
	bool has_below;

	if (address >= look->table.shared && address < look->table.shared_next)
		return find_shared(look, address);
	if (address < look->table.guarded || address >= look->table.guarded_next)
		return false;
	has_below = read_block(look, owner_of(look, look->table.guarded_owners, page));
	below = look->block;
	below_at = look->at;
	if (has_below && distance(&below, address) == 0)
		return true;
	if (read_block(look, owner_of(look, look->table.guarded_owners, page + 1)) &&
	    look->block.address > address &&
	    (!has_below || distance(&look->block, address) < distance(&below, address)))
		return true;
	look->block = below;
	look->at = below_at;
	return has_below;
}

/* Goes back to the last write of a value: who did it, in words, and when, into `told`. */
static json_t *go_to_writer(
    struct look *look, const char *type, uint64_t address, json_t *told, const char *moment)
{
	struct last_change_args args = {.frame = -1, .move = true};
	cleanup_failure struct failure ignored = {0};
	json_auto_t *change = NULL;
	char text[64];

	snprintf(text, sizeof(text), "*(%s *) 0x%llx", type, (unsigned long long)address);
	args.expression = text;
	change = tool_last_change(look->replay, &args, &ignored);
	if (!change)
		return NULL;
	json_object_set_new(told, moment, moment_name(look->replay, replay_now(look->replay)));
	return where_own_words(look->replay);
}

/* Who had a value of the table written: "take_locked, called by add (a.c:6)" is add, because only
 * the guard heap itself writes there. */
static json_t *go_to_caller(struct look *look, uint64_t address, json_t *told, const char *moment)
{
	static const char called[] = ", called by ";
	json_auto_t *words = go_to_writer(look, "unsigned long", address, told, moment);
	const char *by;

	if (!words)
		return NULL;
	by = strstr(json_string_value(words), called);
	return json_string(by ? by + strlen(called) : "code without source lines");
}

static const char *or_unknown(const json_t *words)
{
	return words ? json_string_value(words) : "code that was not found";
}

/* "byte 16 of a block of 16 bytes", "4 bytes before a block of 24 bytes" */
static json_t *place_in(const struct look *look, uint64_t address)
{
	const struct guardheap_block *block = &look->block;

	if (address < block->address)
		return json_sprintf("%llu bytes before a block of %llu bytes",
		    (unsigned long long)(block->address - address),
		    (unsigned long long)block->size);
	return json_sprintf("byte %llu of a block of %llu bytes",
	    (unsigned long long)(address - block->address), (unsigned long long)block->size);
}

/* Who freed the block and who allocated it, in this order, because each search goes back. */
static json_t *tell_lives(struct look *look, const char *begin, json_t *told)
{
	json_auto_t *freed = NULL, *made = NULL;
	json_t *all;

	if (look->block.state == GUARDHEAP_FREED)
		freed = go_to_caller(
		    look, look->at + offsetof(struct guardheap_block, freed), told, "freed_at");
	made = go_to_caller(
	    look, look->at + offsetof(struct guardheap_block, allocated), told, "allocated_at");
	if (look->block.state == GUARDHEAP_FREED)
		all = json_sprintf(
		    "%s, allocated by %s, freed by %s", begin, or_unknown(made), or_unknown(freed));
	else
		all = json_sprintf("%s, allocated by %s", begin, or_unknown(made));
	return all;
}

static json_t *tell_damage(struct look *look, json_t *told)
{
	json_auto_t *place = place_in(look, look->table.wrong_address);
	json_auto_t *writer =
	    go_to_writer(look, "unsigned char", look->table.wrong_address, told, "moment");
	json_auto_t *begin =
	    json_sprintf("%s wrote %s", or_unknown(writer), json_string_value(place));

	return tell_lives(look, json_string_value(begin), told);
}

static json_t *tell_verdict(struct look *look, json_t *told)
{
	bool known = read_block(look, look->table.wrong_block);
	json_auto_t *place = NULL, *begin = NULL;

	if (!known)
		return json_sprintf("free of 0x%llx, which malloc never returned",
		    (unsigned long long)look->table.wrong_address);
	if (look->table.verdict == GUARDHEAP_DAMAGED)
		return tell_damage(look, told);
	place = place_in(look, look->table.wrong_address);
	begin = look->table.verdict == GUARDHEAP_DOUBLE_FREE
		    ? json_sprintf("double free of a block of %llu bytes",
			  (unsigned long long)look->block.size)
		    : json_sprintf("free of %s", json_string_value(place));
	return tell_lives(look, json_string_value(begin), told);
}

static json_t *tell_access(struct look *look, uint64_t address, json_t *told)
{
	json_auto_t *place = place_in(look, address);

	return tell_lives(look, json_string_value(place), told);
}

static void add_block(const struct look *look, json_t *told)
{
	if (look->block.size || look->block.address)
		json_object_set_new(told, "block",
		    json_sprintf("0x%llx, %llu bytes, %s", (unsigned long long)look->block.address,
			(unsigned long long)look->block.size,
			look->block.state == GUARDHEAP_FREED ? "freed" : "in use"));
}

/* Whether nothing is wrong with an access but what the guard heap itself does: a block in use ends
 * at a page without access, and is aligned no more than its size. malloc promises more, and clang
 * relies on that for C++'s new. */
static bool lacks_alignment(const struct look *look, uint64_t address)
{
	return !look->table.verdict && look->block.guarded && look->block.state == GUARDHEAP_LIVE &&
	       distance(&look->block, address) == 0 && look->block.address % MALLOC_ALIGN != 0;
}

/* Takes over the conclusion. */
static json_t *add_remedy(json_t *conclusion, const struct guardheap_block *block)
{
	return sentence_add(
	    conclusion, json_sprintf(". The block is in use, and the program may be right: "
				     "malloc aligns to %d, and the guard "
				     "heap aligns one of %llu bytes less, so that it ends at its "
				     "guard. Record it with env " GUARDHEAP_ALIGN_VARIABLE "=%d",
			    MALLOC_ALIGN, (unsigned long long)block->size, MALLOC_ALIGN));
}

json_t *guarded_tell(struct replay *replay, unsigned long long address)
{
	struct look look = {.replay = replay};
	json_t *told, *conclusion;

	if (!read_table(&look) || (!look.table.verdict && !find_block(&look, address)))
		return NULL;
	told = json_object();
	conclusion =
	    look.table.verdict ? tell_verdict(&look, told) : tell_access(&look, address, told);
	if (lacks_alignment(&look, address))
		conclusion = add_remedy(conclusion, &look.block);
	json_object_set_new(told, "conclusion", conclusion);
	add_block(&look, told);
	return told;
}

json_t *guarded_block(struct replay *replay, unsigned long long address, bool *guarded)
{
	struct look look = {.replay = replay};
	json_t *told, *conclusion;

	if (!read_table(&look) || !find_block(&look, address))
		return NULL;
	*guarded = look.block.guarded;
	told = json_object();
	conclusion = tell_access(&look, address, told);
	json_object_set_new(told, "conclusion",
	    json_sprintf("0x%llx is %s", address, json_string_value(conclusion)));
	json_decref(conclusion);
	add_block(&look, told);
	return told;
}
