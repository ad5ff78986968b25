/*
 * The calls that map, unmap and protect. If in doubt, it deactivates more than necessary, which
 * only costs time.
 */
#include "worker/softpmu/cache/cachecalls.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "worker/softpmu/base/memory.h"

enum effect {
	NOTHING,
	RANGE,	     /* address and length are its first two arguments */
	RANGE_MAPS,  /* mmap: the same, and its result is where */
	RANGE_MOVES, /* mremap */
	FROM_HERE,   /* brk: memory above its argument may be gone */
	ANYTHING,
};

static enum effect effect_of(uint64_t number)
{
	switch (number) {
	case SYS_mmap:
		return RANGE_MAPS;
	case SYS_mprotect:
	case SYS_pkey_mprotect:
	case SYS_munmap:
	case SYS_madvise:
		return RANGE;
	case SYS_mremap:
		return RANGE_MOVES;
	case SYS_brk:
		return FROM_HERE;
	case SYS_shmat:
	case SYS_shmdt:
	case SYS_remap_file_pages:
		return ANYTHING;
	default:
		return NOTHING;
	}
}

bool cachecalls_is_one(uint64_t number)
{
	return effect_of(number) != NOTHING;
}

/* As the kernel does, all of a page that is named in part. */
static void touch(struct space *space, uint64_t start, uint64_t length, bool executable)
{
	const uint64_t in_page = 4095;
	uint64_t end = start + length;

	end = end < start || end + in_page < end ? UINT64_MAX : (end + in_page) & ~in_page;
	start &= ~in_page;
	if (arena_overlaps(&space->arena, start, end))
		space->broken = space->replaced = true;
	if (executable || codepages_touches_code(space->pages, start, end))
		codepages_remapped(space->pages);
	blocks_invalidate(space->blocks, start, end);
	codepages_forget(space->pages, start, end);
}

/*
 * Behind a call into which rr has put one of its own, orig_rax is that one's, and the other
 * registers are the program's. So only what such a call takes or gives is believed: an address that
 * is a page's and not 0, where nothing is. LIMIT: a program that unmaps all from 0 on, the cache
 * too, is not noticed.
 */
static bool is_page(uint64_t address)
{
	return address != 0 && address < (uint64_t)-4096 && address % 4096 == 0;
}

static void touch_pages(struct space *space, uint64_t start, uint64_t length, bool executable)
{
	if (is_page(start))
		touch(space, start, length, executable);
}

void cachecalls_note(struct space *space, const struct user_regs_struct *regs)
{
	const uint64_t near_heap = 1ull << 30;
	bool executable = regs->rdx & PROT_EXEC;

	switch (effect_of(regs->orig_rax)) {
	case NOTHING:
		return;
	case RANGE:
		touch_pages(space, regs->rdi, regs->rsi, executable);
		return;
	case RANGE_MAPS:
		if (regs->r10 & MAP_FIXED)
			touch_pages(space, regs->rdi, regs->rsi, executable);
		/* At the call's instruction, rax is its number. */
		touch_pages(space, regs->rax, regs->rsi, executable);
		if (is_page(regs->rax) && executable)
			space_note_mapped(space, regs->rax, regs->rax + regs->rsi);
		return;
	case RANGE_MOVES:
		touch_pages(space, regs->rdi, regs->rsi, true);
		touch_pages(space, is_page(regs->rax) ? regs->rax : regs->r8, regs->rdx, true);
		return;
	case FROM_HERE:
		if (codepages_touches_code(space->pages, regs->rdi, regs->rdi + near_heap)) {
			blocks_invalidate(space->blocks, regs->rdi, regs->rdi + near_heap);
			codepages_forget(space->pages, regs->rdi, regs->rdi + near_heap);
			codepages_remapped(space->pages);
		}
		return;
	case ANYTHING:
		blocks_invalidate(space->blocks, 0, UINT64_MAX);
		codepages_forget(space->pages, 0, UINT64_MAX);
		codepages_remapped(space->pages);
		return;
	}
}

/* Not more of the path than is read here can be of interest. */
bool cachecalls_opens_memory(pid_t tid, const struct user_regs_struct *regs)
{
	static const char name[] = "mem";
	uint64_t at = regs->orig_rax == SYS_open ? regs->rdi : regs->rsi;
	char path[64] = {0};
	const char *slash;

	if (regs->orig_rax != SYS_open && regs->orig_rax != SYS_openat &&
	    regs->orig_rax != SYS_openat2)
		return false;
	memory_read_some(tid, at, path, sizeof path - 1);
	slash = strrchr(path, '/');
	return strcmp(slash ? slash + 1 : path, name) == 0;
}
