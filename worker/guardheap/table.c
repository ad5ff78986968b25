/*
 * Makes the table and finds blocks in it. The first call of malloc comes from the loader, before
 * any constructor and before libc knows the environment, so the variables are read from the stack.
 */
#include "worker/guardheap/table.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "worker/guardheap/calls.h"

#define BLOCKS_MAX     (4ULL << 20) /* that are remembered: 256 MB, touched as they are used */
#define GUARDED_BYTES  (1ULL << 38)
#define SHARED_BYTES   (1ULL << 34) /* that blocks without guards have */
#define PART_LEAST     (1ULL << 24)
#define PART_OF_LIMIT  4     /* each of the two, where the process may have only so much memory */
#define BYTES_OF_BLOCK 1024  /* of these, there is room for one block in the table */
#define MAPPINGS_USUAL 65530 /* Linux's default */
#define MAPPINGS_LEAST 1000

extern void *__libc_stack_end; /* ld.so's: argc, argv and the environment */

__attribute__((visibility("default"))) struct guardheap_table rr_warden_guardheap;

static struct guardheap_count own_count, *shared_count = &own_count;

struct guardheap_table *heap_table(void)
{
	return &rr_warden_guardheap;
}

struct guardheap_count *heap_count(void)
{
	return shared_count;
}

static const char *variable(const char *name)
{
	const long *at = __libc_stack_end;
	const char *const *entry = (const char *const *)(at + 1 + *at + 1);

	for (; *entry; entry++) {
		size_t i = 0;

		while (name[i] && (*entry)[i] == name[i])
			i++;
		if (!name[i] && (*entry)[i] == '=')
			return *entry + i + 1;
	}
	return NULL;
}

static uint64_t number_of(const char *text, uint64_t otherwise)
{
	uint64_t number = 0;

	if (!text || *text < '0' || *text > '9')
		return otherwise;
	for (; *text >= '0' && *text <= '9' && number < UINT32_MAX; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

/* Each guarded block splits a mapping in three, of which it keeps two. The rest is the program's.
 */
static void set_limits(struct guardheap_table *table)
{
	char text[32];
	uint64_t mappings;

	calls_read("/proc/sys/vm/max_map_count", text, sizeof(text));
	mappings = number_of(text, MAPPINGS_USUAL);
	if (mappings < MAPPINGS_LEAST)
		mappings = MAPPINGS_LEAST;
	table->live_max = number_of(variable(GUARDHEAP_LIMIT_VARIABLE), mappings * 3 / 8);
	table->live_large_max = table->live_max + mappings / 16;
	table->align = number_of(variable(GUARDHEAP_ALIGN_VARIABLE), GUARDHEAP_ALIGN);
	if (table->align == 0 || table->align > HEAP_ALIGN_MAX ||
	    (table->align & (table->align - 1)))
		table->align = GUARDHEAP_ALIGN;
}

static void set_mode(struct guardheap_table *table)
{
	const char *mode = variable(GUARDHEAP_MODE_VARIABLE), *before = "guard_before";

	while (mode && *mode && *mode == *before)
		mode++, before++;
	table->mode = mode && !*mode && !*before ? GUARDHEAP_BEFORE : GUARDHEAP_END;
}

static void share_count(void)
{
	const char *path = variable(GUARDHEAP_COUNT_VARIABLE);
	void *page = path && *path ? calls_share(path) : NULL;

	if (page)
		shared_count = page;
	shared_count->magic = GUARDHEAP_MAGIC;
	atomic_fetch_add((_Atomic uint64_t *)&shared_count->processes, 1);
}

/*
 * The largest part of the limit that leaves the program enough to run: it also maps files, and
 * stacks of threads. LIMIT: its blocks together can have no more than both parts.
 */
static uint64_t part_of_limit(uint64_t most)
{
	struct {
		uint64_t now, ceiling;
	} limit = {0};

	if (kernel_call(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) != 0)
		return most;
	while (most > PART_LEAST && most > limit.now / PART_OF_LIMIT)
		most /= 2;
	return most;
}

static bool reserve(struct guardheap_table *table, uint64_t bytes, uint64_t shared)
{
	table->guarded = calls_map(0, bytes, PROT_NONE);
	table->shared = calls_map(0, shared, PROT_NONE);
	table->guarded_owners =
	    calls_map(0, bytes / GUARDHEAP_PAGE * sizeof(uint32_t), PROT_READ | PROT_WRITE);
	table->shared_owners =
	    calls_map(0, shared / GUARDHEAP_UNIT * sizeof(uint32_t), PROT_READ | PROT_WRITE);
	if (table->guarded && table->shared && table->guarded_owners && table->shared_owners) {
		table->guarded_next = table->guarded + GUARDHEAP_PAGE; /* what lies before it */
		table->guarded_end = table->guarded + bytes;
		table->shared_next = table->shared;
		table->shared_end = table->shared + shared;
		return true;
	}
	if (table->guarded)
		call3(SYS_munmap, (long)table->guarded, (long)bytes, 0);
	if (table->shared)
		call3(SYS_munmap, (long)table->shared, (long)shared, 0);
	if (table->guarded_owners)
		call3(SYS_munmap, (long)table->guarded_owners,
		    (long)(bytes / GUARDHEAP_PAGE * sizeof(uint32_t)), 0);
	if (table->shared_owners)
		call3(SYS_munmap, (long)table->shared_owners,
		    (long)(shared / GUARDHEAP_UNIT * sizeof(uint32_t)), 0);
	return false;
}

bool table_make(void)
{
	struct guardheap_table *table = heap_table();

	if (table->magic)
		return true;
	uint64_t bytes = part_of_limit(GUARDED_BYTES), shared = part_of_limit(SHARED_BYTES);

	for (; bytes >= PART_LEAST && shared >= PART_LEAST; bytes /= 2, shared /= 2) {
		if (!reserve(table, bytes, shared))
			continue;
		table->count_max = (bytes + shared) / BYTES_OF_BLOCK;
		if (table->count_max > BLOCKS_MAX)
			table->count_max = BLOCKS_MAX;
		while (table->count_max > 1024 &&
		       !(table->blocks =
			       calls_map(0, table->count_max * sizeof(struct guardheap_block),
				   PROT_READ | PROT_WRITE)))
			table->count_max /= 2;
		set_limits(table);
		set_mode(table);
		share_count();
		table->magic = table->blocks ? GUARDHEAP_MAGIC : 0;
		break;
	}
	return table->magic != 0;
}

struct guardheap_block *table_block(uint32_t number)
{
	return (struct guardheap_block *)heap_table()->blocks + number;
}

uint32_t table_number(const struct guardheap_block *block)
{
	return (uint32_t)(block - (const struct guardheap_block *)heap_table()->blocks);
}

uint32_t table_new(void)
{
	struct guardheap_table *table = heap_table();

	if (table->count + 1 >= table->count_max)
		return 0;
	return (uint32_t)++table->count;
}

static uint32_t *owner_of(const struct guardheap_block *block, uint64_t address)
{
	const struct guardheap_table *table = heap_table();

	if (block->guarded)
		return (uint32_t *)table->guarded_owners +
		       (address - table->guarded) / GUARDHEAP_PAGE;
	return (uint32_t *)table->shared_owners + (address - table->shared) / GUARDHEAP_UNIT;
}

/* The first of its pages or units, and where its address lies, which is another one if it is
 * aligned. */
void table_set_owner(const struct guardheap_block *block, uint32_t number)
{
	const struct guardheap_table *table = heap_table();
	uint64_t place = block->guarded ? table->guarded + block->place * GUARDHEAP_PAGE
					: table->shared + block->place * GUARDHEAP_UNIT;

	*owner_of(block, place) = number;
	*owner_of(block, block->address) = number;
}

static struct guardheap_block *search_down(const uint32_t *owners, uint64_t number)
{
	while (number > 0 && !owners[number])
		number--;
	return owners[number] ? table_block(owners[number]) : NULL;
}

struct guardheap_block *table_find(uint64_t address, struct guardheap_block **in)
{
	const struct guardheap_table *table = heap_table();

	*in = NULL;
	if (address >= table->guarded && address < table->guarded_next)
		*in = search_down((const uint32_t *)table->guarded_owners,
		    (address - table->guarded) / GUARDHEAP_PAGE);
	else if (address >= table->shared && address < table->shared_next)
		*in = search_down((const uint32_t *)table->shared_owners,
		    (address - table->shared) / GUARDHEAP_UNIT);
	return *in && (*in)->address == address ? *in : NULL;
}

void queue_add(struct queue *queue, uint32_t number)
{
	table_block(number)->next = 0;
	if (queue->last)
		table_block(queue->last)->next = number;
	else
		queue->first = number;
	queue->last = number;
}

uint32_t queue_take(struct queue *queue, uint64_t room, int most)
{
	uint32_t before = 0, number = queue->first;

	for (; number && most > 0; most--) {
		struct guardheap_block *block = table_block(number);

		if (block->room >= room) {
			if (before)
				table_block(before)->next = block->next;
			else
				queue->first = block->next;
			if (queue->last == number)
				queue->last = before;
			return number;
		}
		before = number;
		number = block->next;
	}
	return 0;
}
