/*
 * Speaks to the software counter. It must never leave a check on: it would cost the next run its
 * time.
 */
#include "worker/investigate/memcheck/heap_check.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/must.h"
#include "worker/investigate/code/allocator.h"
#include "worker/read/code/mappings.h"
#include "worker/read/names/symbol.h"
#include "worker/read/values/accessed.h"
#include "worker/serve/begins.h"

struct name {
	const char *name;
	enum heapcheck_function kind;
};

static const struct name of_glibc[] = {{"__libc_malloc", HEAPCHECK_MALLOC},
    {"__libc_calloc", HEAPCHECK_CALLOC}, {"__libc_realloc", HEAPCHECK_REALLOC},
    {"__libc_free", HEAPCHECK_FREE}, {"__libc_memalign", HEAPCHECK_ALIGNED}};

static const char *const writing[HEAP_CHECK_WRITING] = {"write", "pwrite64", "send", "sendto"};

/* Of glibc, too, unless the program has others. */
static const struct name of_all[] = {{"malloc", HEAPCHECK_MALLOC}, {"calloc", HEAPCHECK_CALLOC},
    {"realloc", HEAPCHECK_REALLOC}, {"free", HEAPCHECK_FREE}, {"memalign", HEAPCHECK_ALIGNED},
    {"aligned_alloc", HEAPCHECK_ALIGNED}, {"posix_memalign", HEAPCHECK_MEMALIGN},
    {"valloc", HEAPCHECK_MALLOC}, {"pvalloc", HEAPCHECK_MALLOC},
    {"malloc_usable_size", HEAPCHECK_USABLE}, {"cfree", HEAPCHECK_FREE}};

static bool has(const struct heap_functions *functions, unsigned long long address)
{
	for (size_t i = 0; i < functions->count; i++)
		if (functions->list[i].address == address)
			return true;
	return false;
}

static void add(struct replay *replay, struct heap_functions *functions, const struct name *names,
    size_t count, unsigned flag)
{
	for (size_t i = 0; i < count && functions->count < HEAP_CHECK_FUNCTIONS; i++) {
		unsigned long long address = symbol_address(replay, names[i].name);

		if (!address || has(functions, address))
			continue;
		functions->list[functions->count].address = address;
		functions->list[functions->count++].kind = names[i].kind | flag;
	}
}

#define OWN_MAX 0x8000 /* farther away, it is something else */

static void extend(struct heap_functions *functions, unsigned long long address)
{
	const unsigned long long malloc = functions->list[0].address;

	if (address + OWN_MAX < malloc || address > malloc + OWN_MAX)
		return;
	if (address < functions->own_start)
		functions->own_start = address;
	if (address > functions->own_end)
		functions->own_end = address;
}

/* glibc's functions of malloc are beside each other, with those between them that only they use. */
static void find_own(struct replay *replay, struct heap_functions *functions)
{
	static const char *const others[] = {"malloc_trim", "malloc_stats", "malloc_info",
	    "mallopt", "mallinfo", "mallinfo2", "malloc_usable_size", "__libc_memalign",
	    "__libc_valloc"};

	functions->own_start = functions->own_end = functions->list[0].address;
	for (size_t i = 0; i < sizeof(of_glibc) / sizeof(*of_glibc); i++)
		extend(functions, functions->list[i].address);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		extend(functions, symbol_address(replay, others[i]));
}

static void find_code_of(struct heap_functions *functions, const struct mapping *mapping)
{
	const unsigned long long inside = functions->list[0].address;
	const char *name = strrchr(mapping->file, '/');
	const bool is_loader = name && begins(name, "/ld-");

	if (functions->codes < HEAP_CHECK_CODE &&
	    (is_loader || (inside >= mapping->start && inside < mapping->end))) {
		functions->code[functions->codes].start = mapping->start;
		functions->code[functions->codes++].end = mapping->end;
	}
	if (functions->others < HEAP_CHECK_OTHERS &&
	    (is_loader || (name && begins(name, "/librrpreload")))) {
		functions->other[functions->others].start = mapping->start;
		functions->other[functions->others++].end = mapping->end;
	}
}

/* The code with the C library's malloc in it, or the program's own if there is no other; and the
 * loader's. */
static void find_code(struct replay *replay, struct heap_functions *functions)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);

	for (size_t i = 0; i < mappings_count(mappings); i++) {
		if (mappings_get(mappings, i)->rights[2] == 'x')
			find_code_of(functions, mappings_get(mappings, i));
	}
}

bool heap_functions_find(struct replay *replay, struct heap_functions *functions)
{
	enum allocator_malloc called = allocator_malloc(replay);
	const size_t all = sizeof(of_all) / sizeof(*of_all);

	*functions =
	    (struct heap_functions){.glibc = symbol_address(replay, "mallopt") != 0 &&
					     symbol_address(replay, of_glibc[0].name) != 0};
	functions->replaced = called == ALLOCATOR_MALLOC_OTHER;
	if (functions->glibc) {
		add(replay, functions, of_glibc, sizeof(of_glibc) / sizeof(*of_glibc),
		    HEAPCHECK_GLIBC);
		add(replay, functions, of_all, all, functions->replaced ? 0 : HEAPCHECK_GLIBC);
	} else if (called == ALLOCATOR_MALLOC_OTHER ||
		   (symbol_address(replay, "malloc") && symbol_address(replay, "free"))) {
		functions->replaced = true;
		add(replay, functions, of_all, all, 0);
	}
	if (functions->count == 0 || (functions->glibc && called == ALLOCATOR_MALLOC_UNKNOWN))
		return false;
	if (functions->glibc)
		find_own(replay, functions);
	find_code(replay, functions);
	for (size_t i = 0; i < HEAP_CHECK_WRITING; i++)
		functions->writing[i] = symbol_address(replay, writing[i]);
	return true;
}

static void tell(
    struct replay *replay, const char *what, unsigned long long a, unsigned long long b)
{
	gdb_must_packet(replay_gdb(replay), "check:%s,%llx,%llx", what, a, b);
}

bool heap_check_begin(struct replay *replay, const struct heap_functions *functions, bool whole)
{
	struct check_table table;

	if (!replay_counts_in_software(replay))
		return false;
	tell(replay, "b", whole, 0);
	for (size_t i = 0; i < functions->count; i++)
		tell(replay, "f", functions->list[i].kind, functions->list[i].address);
	tell(replay, "a", functions->own_start, functions->own_end);
	for (size_t i = 0; i < functions->codes; i++)
		tell(replay, "l", functions->code[i].start, functions->code[i].end);
	return heap_check_read(replay, &table);
}

void heap_check_pool(struct replay *replay, unsigned long long address, unsigned long long gives,
    unsigned long long takes)
{
	gdb_must_packet(replay_gdb(replay), "check:p,%llx,%llx,%llx", address, gives, takes);
}

void heap_check_only_blocks(struct replay *replay)
{
	tell(replay, "o", 0, 0);
}

void heap_check_undefined(struct replay *replay, const struct heap_functions *functions)
{
	tell(replay, "d", 0, 0);
	for (size_t i = 0; i < functions->others; i++)
		tell(replay, "n", functions->other[i].start, functions->other[i].end);
	for (size_t i = 0; i < HEAP_CHECK_WRITING; i++)
		if (functions->writing[i])
			tell(replay, "f", HEAPCHECK_WRITE, functions->writing[i]);
}

void heap_check_show_sites(
    struct replay *replay, unsigned long long since, unsigned kind, size_t first)
{
	gdb_must_packet(replay_gdb(replay), "check:g,%llx,%x,%zx", since, kind, first);
}

bool heap_check_only_lost(struct replay *replay)
{
	struct check_table table;

	tell(replay, "u", 0, 0);
	return heap_check_read(replay, &table) && table.state & CHECK_REACH;
}

void heap_check_show(struct replay *replay)
{
	tell(replay, "s", 1, 0);
}

void heap_check_no_returns(struct replay *replay)
{
	tell(replay, "r", 0, 0);
}

void heap_check_want(struct replay *replay, unsigned long long number)
{
	tell(replay, "c", number, 0);
}

bool heap_check_read(struct replay *replay, struct check_table *table)
{
	return accessed_in_any_case(replay, CHECKMARK, table, sizeof(*table)) &&
	       table->state & CHECK_ON;
}

void heap_check_end(struct replay *replay)
{
	if (!replay_worker(replay)->broken)
		gdb_must_packet(replay_gdb(replay), "check:");
}
