/*
 * Follows pointers by their looks, through all that the program may write to. Must never take a
 * block for lost that it did not look for everywhere: then it gives up.
 */
#include "worker/softpmu/scan/heapreach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/codepages.h"

enum { PAGE = 4096, PAGES = 8192, WORD = sizeof(uint64_t), RED_ZONE = 128 };

#define MAPPING_MAX (1ull << 40) /* it takes too long to see which of its pages are there */

/* ---- Pure ------------------------------------------------------------------------------------ */

static void take_live(void *context, const struct heapblock *block)
{
	struct heapreach *reach = context;

	if (!block->dropped)
		reach->list[reach->count++] = (struct heapblock *)block;
}

static int by_start(const void *one, const void *other)
{
	const struct heapblock *const *a = one, *const *b = other;

	return (*a)->start < (*b)->start ? -1 : (*a)->start > (*b)->start;
}

bool heapreach_begin(struct heapreach *reach, const struct heapblocks *blocks)
{
	*reach = (struct heapreach){0};
	reach->list = malloc((blocks->used + 1) * sizeof(struct heapblock *));
	reach->met = malloc((blocks->used + 1) * sizeof(struct heapblock *));
	if (!reach->list || !reach->met) {
		heapreach_end(reach);
		return false;
	}
	heapblocks_visit(blocks, take_live, reach);
	for (size_t i = 0; i < reach->count; i++)
		reach->list[i]->reached = false;
	qsort(reach->list, reach->count, sizeof(struct heapblock *), by_start);
	return true;
}

void heapreach_end(struct heapreach *reach)
{
	free(reach->list);
	free(reach->met);
	*reach = (struct heapreach){0};
}

struct heapblock *heapreach_find(const struct heapreach *reach, uint64_t address)
{
	size_t low = 0, high = reach->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (reach->list[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	/* An empty block has a beginning, and the end of an array is passed by pointers to it. */
	return address - reach->list[low - 1]->start <= reach->list[low - 1]->size
		   ? reach->list[low - 1]
		   : NULL;
}

void heapreach_meet(struct heapreach *reach, uint64_t word)
{
	struct heapblock *block = heapreach_find(reach, word);

	if (!block || block->reached)
		return;
	block->reached = true;
	reach->met[reach->met_count++] = block;
}

/* ---- The program's memory -------------------------------------------------------------------- */

/* The words of [start, end); outside: but for those in blocks and in the heap around them. */
struct stretch {
	uint64_t start, end;
	bool outside;
};

static bool is_heap(
    const struct heapreach_program *program, const struct heapreach *reach, uint64_t address)
{
	const struct heapblock *block;

	for (size_t i = 0; i < program->heap_count; i++) {
		if (address >= program->heap[i].start && address < program->heap[i].end)
			return true;
	}
	block = heapreach_find(reach, address);
	return block && address < block->start + block->size;
}

/* Pages that the program has never touched hold no address, and a look at them would make them. */
struct presence {
	int pagemap; /* -1: it is not told, and all are looked at */
	uint64_t first, count;
	uint64_t entry[PAGES];
};

static bool is_present(struct presence *presence, uint64_t page)
{
	long got;

	if (presence->pagemap < 0)
		return true;
	if (page - presence->first >= presence->count) {
		got = kernel_call(SYS_pread64, presence->pagemap, (long)presence->entry,
		    sizeof presence->entry, (long)(page * WORD), 0, 0);
		presence->first = page;
		presence->count = got > 0 ? (uint64_t)got / WORD : 0;
	}
	return page - presence->first >= presence->count ||
	       presence->entry[page - presence->first] >> 62;
}

/* False: the program is gone. */
static bool meet_page(
    const struct heapreach_program *program, struct heapreach *reach, const struct stretch *stretch)
{
	uint64_t words[PAGE / WORD];
	const size_t size = stretch->end - stretch->start;
	struct iovec local = {words, size}, remote = {(void *)(uintptr_t)stretch->start, size};
	const long got = memory_read_lists(program->process, &local, 1, &remote, 1);

	/* What nobody can read holds nothing for the program. */
	for (long i = 0; i < got / WORD; i++) {
		if (heapreach_find(reach, words[i]) &&
		    !(stretch->outside && is_heap(program, reach, stretch->start + i * WORD)))
			heapreach_meet(reach, words[i]);
	}
	return got != -ESRCH && got != -EPERM;
}

static bool meet_all(const struct heapreach_program *program, struct heapreach *reach,
    struct presence *presence, const struct stretch *stretch)
{
	uint64_t at = (stretch->start + WORD - 1) & ~(uint64_t)(WORD - 1);
	bool met = true;

	while (met && at + WORD <= stretch->end) {
		uint64_t end = (at & ~(uint64_t)(PAGE - 1)) + PAGE;

		if (end > stretch->end)
			end = stretch->end & ~(uint64_t)(WORD - 1);
		if (is_present(presence, at / PAGE))
			met =
			    meet_page(program, reach, &(struct stretch){at, end, stretch->outside});
		at = end;
	}
	return met;
}

/* The registers of a thread, and where its stack ends: words below it are left over. */
static uint64_t meet_registers(struct heapreach *reach, pid_t tid)
{
	struct user_regs_struct regs = {0};

	if (kernel_ptrace(PTRACE_GETREGS, tid, 0, (uint64_t)&regs) < 0)
		return 0;
	for (size_t i = 0; i < sizeof regs / WORD; i++)
		heapreach_meet(reach, ((const uint64_t *)&regs)[i]);
	return regs.rsp - RED_ZONE;
}

static bool meet_roots(
    const struct heapreach_program *program, struct heapreach *reach, struct presence *presence)
{
	struct mappings mappings = {0};
	uint64_t sp[HEAPREACH_THREADS];
	bool met = mappings_read(&mappings, program->process);

	for (size_t i = 0; i < program->thread_count; i++)
		sp[i] = meet_registers(reach, program->threads[i]);
	for (size_t i = 0; met && i < mappings.count; i++) {
		const struct mapping *mapping = &mappings.list[i];
		struct stretch stretch = {mapping->start, mapping->end, true};

		for (size_t j = 0; j < program->thread_count; j++) {
			if (sp[j] > mapping->start && sp[j] < mapping->end &&
			    (stretch.start == mapping->start || sp[j] < stretch.start))
				stretch.start = sp[j];
		}
		if (mapping->changes && !mapping->ours)
			met = stretch.end - stretch.start <= MAPPING_MAX &&
			      meet_all(program, reach, presence, &stretch);
	}
	mappings_free(&mappings);
	return met;
}

bool heapreach_mark(struct heapblocks *blocks, const struct heapreach_program *program)
{
	struct presence *presence = calloc(1, sizeof *presence);
	struct heapreach reach;
	char name[64];
	bool met;

	if (!presence || !heapreach_begin(&reach, blocks)) {
		free(presence);
		return false;
	}
	snprintf(name, sizeof name, "/proc/%d/pagemap", program->process);
	presence->pagemap =
	    (int)kernel_call(SYS_openat, AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	met = meet_roots(program, &reach, presence);
	while (met && reach.met_count > 0) {
		const struct heapblock *block = reach.met[--reach.met_count];

		met = meet_all(program, &reach, presence,
		    &(struct stretch){block->start, block->start + block->size, false});
	}
	if (presence->pagemap >= 0)
		kernel_call(SYS_close, presence->pagemap, 0, 0, 0, 0, 0);
	free(presence);
	heapreach_end(&reach);
	return met;
}
