/*
 * Finds the accesses of a program's threads to the same memory that nothing orders. Asked for with
 * packets that rr does not know, at a stop where the program begins:
 *
 *   QRRWarden.race:b              begins anew
 *   QRRWarden.race:n              a further pass, with what is known by now
 *   QRRWarden.race:l,START,END    code of the C library
 *   QRRWarden.race:x,START,END    code that is not looked at
 *   QRRWarden.race:y,ADDRESS      threads are ordered by what is there
 *   QRRWarden.race:s,SHOWN        1: pairs are kept from here on
 *   QRRWarden.race:w,NUMBER       the access of that number is shown (at most RACE_WANTED)
 *   QRRWarden.race:p,FIRST        the pairs, FIRST and on, go into the table
 *   QRRWarden.race:               no more
 *
 * all in hexadecimal. Then the table at RACEMARK is read: the process of that read is checked. A
 * wanted access is shown to rr as a hit of the watchpoint that gdb has at RACEMARK; so is the first
 * one of a second thread after `b`.
 *
 * The code in the cache writes each access into a log (translate/racecode.h), but for those that a
 * thread has noted since it began to run last, or since it has ordered itself with others. rr runs
 * one thread at a time, so the log has them in their order.
 *
 * What orders threads: an atomic instruction, and any access to memory that one has touched; the
 * creation of a thread; its end, for who reads then the word that the kernel clears. That a place
 * is one of these is known when the first atomic instruction comes there, and that an instruction
 * must write to the log each time when it has done so once. So the first pass only learns, and a
 * pass that has learned something is followed by another. The first one also learns which pages
 * several threads touch: only these are looked at then.
 *
 * LIMIT: what the kernel reads and writes is not seen, nor are stack operands, those with a
 * segment, vectors of addresses, and vectors that the C library reads. A plain store that the
 * program means as atomic orders nothing unless the caller says so. Atomic operations order all
 * that comes before and behind them, also where the program asked for less.
 */
#ifndef RR_WARDEN_SOFTPMU_RACECHECK_H
#define RR_WARDEN_SOFTPMU_RACECHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/base/memoryof.h"
#include "worker/softpmu/base/range.h"
#include "worker/softpmu/races/racecells.h"
#include "worker/softpmu/races/raceclocks.h"
#include "worker/softpmu/races/racetables.h"
#include "worker/softpmu/traps/debugregs.h"
#include "worker/x86/tallymark.h"

struct place;
struct space;
struct tracee;

enum {
	RACE_ORDERED = 1 << 18, /* a power of two; half of it is used */
	RACE_ORDERING = 1 << 14,
	RACE_PAGES = 1 << 20,
	RACE_CODE = 8,
	RACE_PAIRS = 1 << 9, /* the same as the others */
	RACE_WANTED = 256,
	RACE_RANGE_MAX = 1 << 16, /* of a string instruction, so much is noted */
};

struct racecheck {
	struct race_table table;
	uint64_t number;		/* of passes, ever */
	bool shown, learns, introduced; /* introduced: the second thread was shown */
	struct memory_of memory;
	uint64_t turn; /* of threads, and of their orders */
	unsigned last; /* the thread that ran last */
	struct range library[RACE_CODE], left_out[RACE_CODE];
	size_t libraries, left_outs;
	/* Sets of addresses, see addressset.h: of each four bytes by which threads are ordered; of
	 * the instructions that must note each access. */
	uint64_t *ordered, *ordering;
	size_t ordered_count, ordering_count;
	uint64_t *page; /* see racenotes.c */
	size_t page_count;
	uint64_t cleared[RACE_THREADS]; /* when the thread ends */
	uint64_t wanted[RACE_WANTED];
	size_t wanted_count;
	struct race_pair *pair; /* a hash table */
	struct racetables tables;
	struct raceclocks clocks;
	struct racecells cells;
};

/* gdb has sent this packet; "": it ends all that it has asked for. */
void racecheck_take(struct racecheck *check, const char *packet);

/* As tally_read, at RACEMARK. */
bool racecheck_read(struct racecheck *check, int fd, uint64_t address, void *buffer, size_t size);

/* Whether accesses of this tracee are looked at. */
bool racecheck_is_on(struct racecheck *check, struct tracee *tracee);

/* ---- In the code cache ----------------------------------------------------------------------- */

/* Before a leg in the cache. True when the code there must be made anew. The check must outlive the
 * space. */
bool racecheck_set(struct racecheck *check, struct space *space, struct tracee *tracee,
    const struct user_regs_struct *regs);

/* The leg is over. */
void racecheck_end_leg(struct racecheck *check, struct space *space, struct tracee *tracee);

/* The tracee stands with these registers at this place of its space: the log is full, or the code
 * asks. True if it stands at an access that is wanted. */
bool racecheck_judge_place(struct racecheck *check, struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs);

/* ---- Everywhere ------------------------------------------------------------------------------ */

/* The tracee is about to be stepped at regs->rip. Whether that is wanted. */
bool racecheck_judge_step(
    struct racecheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* One of the two has made the other. */
void racecheck_note_child(struct racecheck *check, struct tracee *parent, struct tracee *child);

/* A tracee is in a system call, or behind it. */
void racecheck_note_call(
    struct racecheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* ---- Its parts ------------------------------------------------------------------------------- */

/* racenotes.c: a thread has made this access. */
void racecheck_note(struct racecheck *check, struct space *space, unsigned thread,
    const struct race_access *access);

/* Threads are ordered by the four bytes there. False: that was known. */
bool racecheck_order(struct racecheck *check, uint64_t address);

/* Whether that is code of the C library. */
bool racecheck_is_library(const struct racecheck *check, uint64_t pc);

#endif
