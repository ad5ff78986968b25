/*
 * rr's hardware breakpoints in the code cache, where no debug register reaches: before the
 * instruction, an int3 asks us.
 *
 * And its watchpoints where the processor's debug registers do nothing, see processor.h. A single
 * step is judged by what its instruction touches. In the code cache, each instruction that may
 * touch what is watched is preceded by a look into a table of marked addresses, so nearly all of
 * them run on; the few that may be meant leave and are stepped.
 */
#ifndef RR_WARDEN_SOFTPMU_WATCHES_H
#define RR_WARDEN_SOFTPMU_WATCHES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/x86/accesses.h"
#include "worker/softpmu/cache/arena.h"
#include "worker/softpmu/base/linelist.h"
#include "worker/softpmu/base/quietlist.h"
#include "worker/softpmu/base/racelayout.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/debugregs.h"

enum watch_level {
	WATCH_NOTHING,
	WATCH_WRITES,
	WATCH_ALL, /* writes and reads */
};

enum {
	WATCH_ASKED = 16, /* breakpoints that one cache's code asks about; then it is made anew */
	WATCH_VAIN = 500, /* the same after so many questions about those that are gone */
	/* A table for each size of an access, 1 to 64 bytes, with a byte for the low 16 bits of the
	 * address where one begins. */
	WATCH_SIZES = 7,
	WATCH_TABLE_SIZE = 1 << 16,
};

struct heapcheck;

/* What the code does for a check of the heap, see scan/heapcheck.h. */
struct check_ways {
	/* Whether it asks before the instruction at this address, whatever that is. */
	bool (*asks)(const struct heapcheck *check, uint64_t address);
	/* How many bytes of an access it looks at, from its first; 0: at none. */
	uint32_t (*looks_at)(
	    const struct heapcheck *check, uint64_t address, const struct access *access);
	/* What the function does that the instruction calls through this slot, enum check_copier.
	 */
	uint8_t (*copies)(const struct heapcheck *check, pid_t tid, uint64_t slot);
	/* Whether the code notes where return addresses are, see translate/returncode.h. */
	bool (*returns)(const struct heapcheck *check);
	bool writes; /* the code writes to the shadow, see translate/definecode.h */
};

/* What the code in one cache is made for. */
struct watches {
	enum watch_level level;
	struct debug_registers set; /* what the tables say */
	uint64_t asked[WATCH_ASKED];
	uint64_t judged[WATCH_ASKED]; /* hash of the condition that the code judges */
	bool counted[WATCH_ASKED];    /* the code counts its passes */
	unsigned asked_count, vain;
	const struct conditions *conditions;
	uint64_t changes;	   /* of these that the code is made for */
	struct tally *tally;	   /* changes of which the code counts, see changelog.h; or NULL */
	uint64_t tally_number;	   /* the one for which it is made; 0: none */
	uint64_t marked, unmarked; /* what the tables say of that: [marked, unmarked) */
	const struct heapcheck *check; /* what the code checks; or NULL */
	const struct check_ways *ways; /* and how */
	uint64_t check_number;	       /* for which it is made; 0: none */
	const struct racecheck *races; /* the same for accesses that nothing orders */
	race_looks *race_looks;
	uint64_t race_number;
	const struct line_list *lines;	/* instructions whose passes the code counts; or NULL */
	uint64_t lines_number;		/* the same as check_number */
	const struct quiet_list *quiet; /* instructions whose accesses the code logs; or NULL */
	uint64_t quiet_number;		/* the list for which it is made; 0: it logs none */
};

/*
 * Brings the tables in the arena up to date. True when the code there must be made anew, because it
 * looks for too little, does not ask at a breakpoint, or judges a condition that has changed. The
 * conditions must outlive the watches.
 */
bool watches_set(struct watches *watches, const struct arena *arena,
    const struct debug_registers *registers, const struct conditions *conditions);

/* Marks [start, end) in the tables, or no more (0). */
void watches_mark(const struct arena *arena, uint64_t start, uint64_t end, uint8_t value);

/* The code has asked before the instruction at this address. */
void watches_note_question(
    struct watches *watches, const struct debug_registers *registers, uint64_t address);

/* Whether the code asks before the instruction at this address. */
bool watches_asks(const struct watches *watches, uint64_t address);

/* The condition on which that question depends; NULL: it is always asked. */
const struct condition *watches_condition(const struct watches *watches, uint64_t address);

/* Whether code at this level must look at an access. */
bool watches_look_at(enum watch_level level, const struct access *access);

/* The offset in the data part of the table for this access; 0 when it fits none. */
uint32_t watches_table(const struct access *access);

/* Bits 0 to 3: the data watchpoints that the instruction touches. masks, all: see accesses_range.
 */
unsigned watches_touched(const struct debug_registers *registers, const uint8_t *bytes,
    size_t length, const struct user_regs_struct *regs, const uint64_t *masks, bool all);

/* The same for a task that stands before it, and its next repetition; reads the masks if they
 * matter. */
unsigned watches_touched_by(pid_t tid, const struct debug_registers *registers,
    const uint8_t *bytes, size_t length, const struct user_regs_struct *regs);

/* Whether a part of an instruction's repetitions can run by itself: rep movs, stos and lods, which
 * end with their count. */
bool watches_can_part(const struct accesses *accesses);

/* How many repetitions of such an instruction come before the first that touches what is watched.
 */
uint64_t watches_part(const struct debug_registers *registers, const struct accesses *accesses,
    const struct user_regs_struct *regs);

/* For a task that stands before it: how many repetitions of an instruction can run before one
 * touches what is watched; UINT64_MAX: all that are left. */
uint64_t watches_untouched(pid_t tid, const struct debug_registers *registers, const uint8_t *bytes,
    size_t length, const struct user_regs_struct *regs);

/* Bits 0 to 3: the hardware breakpoints at this address. */
unsigned watches_reached(const struct debug_registers *registers, uint64_t address);

/* Whether the processor stops at such a breakpoint as soon as a tracee with these registers goes
 * on, before the instruction: not if the resume flag is set. */
bool watches_trap_first(
    const struct debug_registers *registers, const struct user_regs_struct *regs);

#endif
