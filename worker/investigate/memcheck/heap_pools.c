/*
 * gdb says where the functions are, see script/pools.py. Must never follow one whose arguments are
 * not known for certain: the sizes would be wrong, and so would be all that follows.
 */
#include "worker/investigate/memcheck/heap_pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/library.h"
#include "worker/read/names/names.h"
#include "worker/gdb/must.h"
#include "worker/serve/begins.h"

#define MARK	  "rr-said\t"
#define PLACE_MAX 512

/* ---- What the client gives ------------------------------------------------------------------- */

static bool read_list(
    struct heap_pools *pools, const json_t *list, bool gives, struct failure *failure)
{
	const json_t *text;
	size_t i;

	json_array_foreach(list, i, text)
	{
		if (pools->names == HEAP_POOLS_NAMES) {
			failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
			    "alloc and free name more than %d functions", HEAP_POOLS_NAMES);
			return false;
		}
		if (!pool_names_read(
			json_string_value(text), gives, &pools->name[pools->names], failure))
			return false;
		pools->names++;
	}
	return true;
}

bool heap_pools_read(
    struct heap_pools *pools, const json_t *alloc, const json_t *freeing, struct failure *failure)
{
	if (!read_list(pools, alloc, true, failure))
		return false;
	pools->giving = pools->names;
	if (pools->giving == 0 && json_array_size(freeing)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "name the functions that give these blocks in alloc",
		    "free names functions of an allocator, and alloc names none");
		return false;
	}
	return read_list(pools, freeing, false, failure);
}

/* ---- Where they are -------------------------------------------------------------------------- */

/* What the script says of one place. */
struct place {
	unsigned long long entry; /* 0: inlined */
	bool has_pool;		  /* its first argument may be one */
	unsigned reg, width;	  /* width 0: not known, `why` */
	char why[PLACE_MAX];
};

/* Moves *at behind the line. */
static bool read_place(const char **at, struct place *place)
{
	const char *line = strstr(*at, MARK);
	char *end;

	*place = (struct place){0};
	if (!line)
		return false;
	line += strlen(MARK);
	*at = line + strcspn(line, "\n");
	if (begins(line, "0x"))
		place->entry = strtoull(line, NULL, 16);
	line = strchr(line, '\t');
	if (!line)
		return false;
	place->has_pool = strtoul(line + 1, &end, 10) != 0;
	place->reg = (unsigned)strtoul(end, &end, 10);
	place->width = (unsigned)strtoul(end, &end, 10);
	if (*end == '\t')
		snprintf(
		    place->why, sizeof(place->why), "%.*s", (int)strcspn(end + 1, "\n"), end + 1);
	return true;
}

static bool is_among(const struct heap_pools *pools, size_t count, const char *function)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(pools->name[i].function, function) == 0)
			return true;
	return false;
}

bool heap_pools_is_named_before(const struct heap_pools *pools, size_t number)
{
	return is_among(pools, number, pools->name[number].function);
}

static struct heap_pool *pool_at(struct heap_pools *pools, unsigned long long address)
{
	for (size_t i = 0; i < pools->count; i++)
		if (pools->list[i].address == address)
			return &pools->list[i];
	if (pools->count == HEAP_POOLS_FUNCTIONS)
		return NULL;
	pools->list[pools->count].address = address;
	return &pools->list[pools->count++];
}

static bool is_malloc(const struct heap_functions *functions, unsigned long long address)
{
	for (size_t i = 0; i < functions->count; i++)
		if (functions->list[i].address == address)
			return true;
	return false;
}

/* One that is in both lists gives a block for another. */
static bool add(
    struct heap_pools *pools, size_t number, const struct place *place, struct failure *failure)
{
	const struct pool_name *name = &pools->name[number];
	struct heap_pool *pool;

	if (place->width == 0) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "name a function around it, give NAME=BYTES, or build the program with -O1",
		    "calls of %s cannot be followed: %s", name->function, place->why);
		return false;
	}
	pool = pool_at(pools, place->entry);
	if (!pool) {
		failure_set(failure, ERROR_LIMIT, NULL, "these names are more than %d functions",
		    HEAP_POOLS_FUNCTIONS);
		return false;
	}
	if (number < pools->giving) {
		pool->gives = name->argument
				  ? check_pool_gives(CHECK_POOL_REGISTER, place->width, place->reg)
				  : check_pool_gives(CHECK_POOL_CONSTANT, 0, name->constant);
		if (!place->has_pool || (name->argument && place->reg == 0))
			pool->gives |= CHECK_POOL_GLOBAL;
		pool->takes = check_pool_takes((uint8_t)number, 0);
	} else {
		const uint8_t all = place->has_pool ? CHECK_POOL_ALL : CHECK_POOL_ALL_GLOBAL;

		pool->takes =
		    check_pool_takes(pool->gives ? check_pool_name(pool->takes) : (uint8_t)number,
			name->all ? all : (uint8_t)(place->reg + 1));
	}
	return true;
}

/* Whoever calls the copy is not seen to get a block, or to free one. */
static bool note_inlined(
    struct heap_pools *pools, size_t number, const struct place *place, struct failure *failure)
{
	const char *function = pools->name[number].function;
	const size_t length = strlen(pools->unseen);

	if (is_among(pools, pools->giving, place->why))
		return true;
	if (number < pools->giving) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "name that function instead or as well if it returns the block, or build the "
		    "program with -fno-inline",
		    "%s is inlined into %s: the blocks that it gives there cannot be seen",
		    function, place->why);
		return false;
	}
	snprintf(pools->unseen + length, sizeof(pools->unseen) - length,
	    "; not seen: %s where it is inlined into %s", function, place->why);
	return true;
}

static bool refuse_name(
    struct replay *replay, const struct pool_name *name, bool inlined, struct failure *failure)
{
	if (inlined) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "name a function around it, or build the program with -fno-inline",
		    "%s has no code of its own: it is inlined everywhere", name->function);
		return false;
	}
	failure_set(failure, ERROR_NOT_FOUND, NULL,
	    "the program has no function %s where it stands; a library that is loaded later has to "
	    "be there first: rr_goto",
	    name->function);
	names_suggest(replay, name->function, failure);
	return false;
}

/* All functions of one name. */
static bool find(struct replay *replay, struct heap_pools *pools, size_t number,
    const struct heap_functions *functions, struct failure *failure)
{
	const struct pool_name *name = &pools->name[number];
	struct place place;
	bool found = false, inlined = false;
	const char *said = gdb_shown(replay_gdb(replay), NULL, "python rr_pool('%s', %u, %s)",
	    name->function, name->argument, name->given ? "True" : "False");
	char *text;

	if (!said)
		return refuse_name(replay, name, false, failure);
	text = strdup(said);
	said = text ? text : "";
	while (read_place(&said, &place)) {
		bool taken = true;

		if (is_malloc(functions, place.entry)) {
			failure_set(failure, ERROR_INVALID_ARGUMENT, "leave it out",
			    "%s is followed in any case", name->function);
			taken = false;
		} else if (place.entry) {
			taken = add(pools, number, &place, failure);
			found = true;
		} else {
			inlined = true;
			taken = note_inlined(pools, number, &place, failure);
		}
		if (!taken) {
			free(text);
			return false;
		}
	}
	free(text);
	return found || refuse_name(replay, name, inlined, failure);
}

bool heap_pools_find(struct replay *replay, struct heap_pools *pools,
    const struct heap_functions *functions, struct failure *failure)
{
	pools->count = 0;
	pools->unseen[0] = '\0';
	if (pools->names && library_run(replay_gdb(replay), "pools") != GDB_DONE) {
		failure_set(failure, ERROR_GDB_FAILED, NULL,
		    "this gdb has no Python, which finds the functions of alloc and free");
		return false;
	}
	for (size_t i = 0; i < pools->names; i++)
		if (!find(replay, pools, i, functions, failure))
			return false;
	return true;
}

void heap_pools_tell(struct replay *replay, const struct heap_pools *pools)
{
	for (size_t i = 0; i < pools->count; i++)
		heap_check_pool(
		    replay, pools->list[i].address, pools->list[i].gives, pools->list[i].takes);
}

bool heap_pools_are_all(const struct check_table *table)
{
	enum { FEW = 8, PART = 8 };

	return table->unknown < FEW || PART * table->unknown < table->taken;
}

const char *heap_pools_name(const struct heap_pools *pools, unsigned long long number)
{
	return number && number <= pools->names ? pools->name[number - 1].function : NULL;
}
