/*
 * The code cache of one address space: its arena, and what we know about the code in it. Threads
 * and vfork's children share one; a forked child and a new program get their own.
 */
#ifndef RR_WARDEN_SOFTPMU_SPACE_H
#define RR_WARDEN_SOFTPMU_SPACE_H

#include "worker/softpmu/cache/arena.h"
#include "worker/softpmu/cache/blocks.h"
#include "worker/softpmu/cache/budget.h"
#include "worker/softpmu/cache/codepages.h"
#include "worker/softpmu/cache/places.h"
#include "worker/softpmu/cache/watches.h"

struct space {
	struct space *next;
	struct arena arena;
	struct blocks *blocks;
	struct codepages *pages;
	struct places places[ARENA_PARTS];
	uint32_t used[ARENA_PARTS]; /* bytes of code */
	uint32_t literals;
	uint64_t translated; /* blocks, ever */
	uint64_t program;    /* which one it is, as far as a file tells */
	uint32_t inherited;  /* the blocks below this number */
	/* Code that was mapped since: what was inherited for it may come back. */
	uint64_t mapped_start, mapped_end;
	unsigned turn; /* of the counters, block by block */
	struct budget budget;
	struct watches watches;
	bool at_its_reach; /* no more parts can be had: code that none reaches runs outside */
	bool broken;	   /* nothing runs in it any more */
	bool replaced;	   /* it is, because the program mapped something over it */
	unsigned tasks;	   /* that use it */
};

/*
 * Makes and maps a new one in tracee tid; NULL with *reason. regs as for arena_map. It inherits all
 * of the translations of `from` (NULL: none) that were made from the code that tid has.
 */
struct space *space_new(pid_t tid, const struct user_regs_struct *regs, uint64_t id,
    const struct space *from, const char **reason);
void space_free(struct space *space);

/*
 * Sees to it that code at regs->rip can be translated, with another part where none is near, if one
 * can be had. The jumps that were written to there lead to us, so all is forgotten then. False if
 * the tracee is being killed. No tracee may be in the cache.
 */
bool space_reach(struct space *space, pid_t tid, const struct user_regs_struct *regs);

/* Code may have been mapped at [start, end). */
void space_note_mapped(struct space *space, uint64_t start, uint64_t end);

/* Puts in force what was inherited for code that is mapped now. No tracee may be in the cache. */
void space_revive_mapped(struct space *space, pid_t tid);

/* Bytes of translated code. */
size_t space_size(const struct space *space);

/* Forgets all translations. No tracee may be in the cache. */
void space_flush(struct space *space);

/* The place at an address of the cache, or NULL. */
const struct place *space_place(const struct space *space, uint64_t address);

/* Where the passes of the instruction at this address are counted, which the code counts. */
uint64_t *space_line(const struct space *space, uint64_t address);

/* The counters, as budget_load wants them. */
void space_counters(const struct space *space, uint64_t *counter[BUDGET_COUNTERS]);

#endif
