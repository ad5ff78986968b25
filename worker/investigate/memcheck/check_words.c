/*
 * See check_words.h.
 */
#include "worker/investigate/memcheck/check_words.h"

#include <stdio.h>
#include <string.h>

static const char *bytes_word(unsigned long long count)
{
	return count == 1 ? "byte" : "bytes";
}

/* "byte 16 of a block of 16 bytes", "4 bytes before a freed block of 100 bytes" */
static void say_place(
    const struct check_table *table, const struct heap_pools *pools, char *words, size_t size)
{
	const char *freed = table->block_state == CHECK_FREED ? "freed " : "";
	const unsigned long long length = table->block_size, offset = table->address - table->block;
	char behind[64] = "";

	const char *name = heap_pools_name(pools, table->maker);
	char of[POOL_NAME_MAX + 8] = "";

	if (table->block_state == CHECK_NO_BLOCK) {
		snprintf(words, size, "heap memory that is in no block");
		return;
	}
	if (name)
		snprintf(of, sizeof(of), " of %s", name);
	if (table->address < table->block) {
		const unsigned long long before = table->block - table->address;

		snprintf(words, size, "%llu %s before a %sblock of %llu %s%s", before,
		    bytes_word(before), freed, length, bytes_word(length), of);
		return;
	}
	if (offset > length)
		snprintf(behind, sizeof(behind), ", %llu %s behind its end", offset - length,
		    bytes_word(offset - length));
	snprintf(words, size, "byte %llu of a %sblock of %llu %s%s%s", offset, freed, length,
	    bytes_word(length), of, behind);
}

/* "memcpy reads 20 bytes at 0x4000 and writes 20 bytes at 0x4008, which overlap" */
static void say_overlap(const struct check_table *table, char *words, size_t size)
{
	static const char *const names[CHECK_COPIERS] = CHECK_COPIER_NAMES;
	const char *name = table->copier < CHECK_COPIERS ? names[table->copier] : NULL;

	snprintf(words, size,
	    "%s reads %llu %s at 0x%llx and writes %llu %s at 0x%llx, which overlap",
	    name ? name : "a copy", (unsigned long long)table->source_size,
	    bytes_word(table->source_size), (unsigned long long)table->source,
	    (unsigned long long)table->size, bytes_word(table->size),
	    (unsigned long long)table->start);
}

/* "free of 0x4000, a block of 16 bytes that is freed already (double free)" */
static void say_call(const struct check_table *table, const struct heap_pools *pools,
    const char *place, char *words, size_t size)
{
	const char *named = heap_pools_name(pools, table->called),
		   *maker = heap_pools_name(pools, table->maker),
		   *call = named			 ? named
			   : table->kind == CHECK_RESIZE ? "realloc"
							 : "free";

	if (table->block_state == CHECK_FREED && table->address == table->block)
		snprintf(words, size,
		    "%s of 0x%llx, a block of %llu %s%s%s that is freed already%s", call,
		    (unsigned long long)table->address, (unsigned long long)table->block_size,
		    bytes_word(table->block_size), maker ? " of " : "", maker ? maker : "",
		    table->kind == CHECK_FREE ? " (double free)" : "");
	else
		snprintf(words, size, "%s of 0x%llx, which is no block%s%s%s", call,
		    (unsigned long long)table->address, named ? " of its allocator" : "",
		    table->block_state == CHECK_NO_BLOCK ? "" : ": ",
		    table->block_state == CHECK_NO_BLOCK ? "" : place);
}

void check_words(
    const struct check_table *table, const struct heap_pools *pools, char words[CHECK_WORDS_MAX])
{
	char place[CHECK_WORDS_MAX / 2];

	if (table->kind == CHECK_OVERLAP) {
		say_overlap(table, words, CHECK_WORDS_MAX);
		return;
	}
	say_place(table, pools, place, sizeof(place));
	if (table->kind == CHECK_READ || table->kind == CHECK_WRITE)
		snprintf(words, CHECK_WORDS_MAX, "%s of %llu %s at 0x%llx: %s",
		    table->kind == CHECK_WRITE ? "write" : "read", (unsigned long long)table->size,
		    bytes_word(table->size), (unsigned long long)table->start, place);
	else
		say_call(table, pools, place, words, CHECK_WORDS_MAX);
}
