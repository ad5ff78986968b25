/*
 * The check of a program's heap: each load and store that touches a byte of the heap that is in no
 * live block, and what is freed that is no block. Asked for with packets that rr does not know, at
 * a stop where the program begins:
 *
 *   QRRWarden.check:b,WHOLE         begins; WHOLE 1: the program has no block yet
 *   QRRWarden.check:f,KIND,ADDRESS  a function of the allocator, see enum heapcheck_function
 *   QRRWarden.check:p,ADDRESS,GIVES,TAKES  a function of an allocator that was named, see
 *                                   check_pool_gives and check_pool_takes, and pools.h
 *   QRRWarden.check:l,START,END     code of the C library
 *   QRRWarden.check:a,START,END     code of the allocator, which may touch everything
 *   QRRWarden.check:s,SHOWN         1: findings are shown from here on
 *   QRRWarden.check:o               only the blocks are followed, no access is looked at
 *   QRRWarden.check:d               what was never written is looked for, see below, and nothing
 *                                   else
 *   QRRWarden.check:n,START,END     code whose loads are not followed then
 *   QRRWarden.check:c,NUMBER        that call of the allocator is shown (at most CHECK_WANTED)
 *   QRRWarden.check:r,SHOWN         0: writes over return addresses are shown no more
 *   QRRWarden.check:g,SINCE,KIND,FIRST  the live blocks made by calls after SINCE go into the table
 *                                   by the ways of this kind: CHECK_SITES of them, FIRST and on
 *   QRRWarden.check:u               of the blocks only those that the program cannot reach now
 *   QRRWarden.check:                no more
 *
 * all in hexadecimal. Then the table at CHECKMARK is read: the process of that read is checked. A
 * finding is shown to rr as a hit of the watchpoint that gdb has at CHECKMARK, before the
 * instruction where that runs in the code cache, behind it where it is stepped. Each is shown once:
 * by its instruction and the call that has allocated the block.
 *
 * The allocator's functions are met where they begin and where they return. Meanwhile the thread
 * may touch everything. What has no call open any more, by its stack pointer, has left it in
 * another way.
 *
 * LIMIT: what the kernel writes in a system call is not checked, nor are stack operands, vectors of
 * addresses, and operands with a segment. A handler of a signal that comes while an allocator's
 * function runs is not checked. A load of the C library's that begins in a block and goes on behind
 * it is none: its functions for strings read whole vectors and words.
 *
 * Calls of functions that copy, see calls/copies.h, are looked at where they are made: there the
 * name is known, see calls/slots.h.
 */
#ifndef RR_WARDEN_SOFTPMU_HEAPCHECK_H
#define RR_WARDEN_SOFTPMU_HEAPCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/base/memoryof.h"
#include "worker/softpmu/scan/heapblocks.h"
#include "worker/softpmu/scan/heapreach.h"
#include "worker/softpmu/scan/heapsites.h"
#include "worker/softpmu/scan/heapshadow.h"
#include "worker/softpmu/traps/debugregs.h"
#include "worker/x86/accesses.h"
#include "worker/x86/tallymark.h"

struct heapfollow;
struct place;
struct pool_function;
struct poolblock;
struct pools;
struct slots;
struct space;
struct tracee;

enum {
	CHECK_ENTRIES = 48,	 /* functions */
	CHECK_RETURNS = 1 << 14, /* a power of two; half of it is used */
	CHECK_EXEMPT = 1 << 12,	 /* the same */
	CHECK_SEEN = 1 << 12,	 /* the same */
	CHECK_CODE = 8,		 /* ranges of the C library's code */
	CHECK_COVERED = 256,	 /* ranges of the heap that were marked as a whole */
	CHECK_WANTED = 256,
	CHECK_HITS = 1 << 10, /* a power of two */
	CHECK_HITS_MAX = 200, /* of one instruction that finds nothing new: then it is exempt */
};

struct heapcheck {
	struct check_table table;
	uint64_t number; /* of checks, ever */
	bool uncovered;	 /* there is a block in memory that was not marked as a whole */
	bool whole, shown, by_program; /* by_program: it moves the end of its data itself */
	bool blocks_only, lost_only, returns_off;
	struct memory_of memory;
	pid_t member[HEAPREACH_THREADS]; /* its threads, as far as they have been met */
	size_t members;
	struct {
		uint64_t address;
		uint8_t function; /* enum heapcheck_function */
	} entry[CHECK_ENTRIES];
	size_t entries;
	/* own: the allocator's code */
	struct range code[CHECK_CODE], covered[CHECK_COVERED], own;
	size_t codes, covers;
	/* Sets of addresses, see addressset.h: where calls return to, instructions that are not
	 * looked at, and what was shown. */
	uint64_t returns[CHECK_RETURNS], exempt[CHECK_EXEMPT], seen[CHECK_SEEN];
	size_t return_count, exempt_count, seen_count;
	uint16_t hits[CHECK_HITS];	 /* that were known already, by the instruction */
	uint64_t break_start, break_end; /* the end of the program's data, at first and now */
	uint64_t wanted[CHECK_WANTED];
	size_t wanted_count;
	struct heapblocks blocks;
	struct heapsites sites; /* as they were asked for last */
	struct heapshadow shadow;
	struct slots *slots;	   /* NULL: calls that copy are not looked at */
	struct pools *pools;	   /* NULL: no allocator was named */
	struct heapfollow *follow; /* NULL: what was never written is not looked for */
};

/* A check may be NULL: then nothing is ever checked. */

/* gdb has sent this packet; "": it ends all that it has asked for. */
void heapcheck_take(struct heapcheck *check, const char *packet);
void heapcheck_end(struct heapcheck *check);

/* As tally_read, at CHECKMARK. */
bool heapcheck_read(struct heapcheck *check, int fd, uint64_t address, void *buffer, size_t size);

/* Whether accesses of this tracee are checked. */
bool heapcheck_is_on(struct heapcheck *check, struct tracee *tracee);

/* ---- In the code cache ----------------------------------------------------------------------- */

/* Before a leg in the cache. True when the code there must be made anew. The check must outlive the
 * space. */
bool heapcheck_set(struct heapcheck *check, struct space *space, struct tracee *tracee,
    const struct user_regs_struct *regs);

enum heapcheck_verdict {
	HEAPCHECK_GOES_ON,
	HEAPCHECK_SHOWS,  /* the table has something new for gdb */
	HEAPCHECK_STEPS,  /* the instruction is to be stepped, and behind it that is shown */
	HEAPCHECK_LEAVES, /* the code here is made anew: the leg ends, and it is judged again */
};

/*
 * The tracee stands with these registers at this place of its space: it is about to do the
 * instruction that this stands for.
 *
 * rr 5.6 does not take a hit of a watchpoint at or behind a repeated string instruction for one: it
 * goes back to see which repetition that is (ReplayTimeline::fix_watchpoint_coalescing_quirk), and
 * the check would be lost. Such a finding is shown behind the instruction that follows.
 */
enum heapcheck_verdict heapcheck_judge_place(struct heapcheck *check, struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs);

/* ---- Its parts ------------------------------------------------------------------------------ */

/* Whether the code there is the C library's, or the loader's. */
bool heapcheck_is_library(const struct heapcheck *check, uint64_t address);

/* heapcalls.c: the tracee stands where a function of the allocator begins or returns. */
enum heapcheck_verdict heapcheck_meet_call(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* The code looks at the heap, or at nothing there, as that says. */
void heapcheck_show_shadow(const struct heapcheck *check, const struct tracee *tracee);

/* heapcalls.c: whether the call with this number is to be shown; then it is in the table. */
bool heapcheck_show_wanted(struct heapcheck *check, uint64_t number);

/* heapjudge.c: the accesses of the instruction at rip. */
enum heapcheck_verdict heapcheck_judge_accesses(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* The same: something wrong is touched at `address`, by an access of [start, start + size). */
enum heapcheck_verdict heapcheck_report(struct heapcheck *check, struct tracee *tracee,
    enum check_kind kind, uint64_t pc, uint64_t address, uint64_t start, uint64_t size);

/* ---- pools.c and poolcalls.c ----------------------------------------------------------------- */

/* Allocators that were named, see pools.h. pools NULL: none is; then nothing here does anything. */

/* One more function, see check_pool_gives and check_pool_takes. */
void pools_add(struct heapcheck *check, uint64_t address, uint64_t gives, uint64_t takes);
void pools_free(struct pools *pools);

/* The one that begins there; NULL: none does. */
const struct pool_function *pools_function(const struct pools *pools, uint64_t address);

/* The tracee stands where that begins. */
enum heapcheck_verdict pools_begin(struct heapcheck *check, struct tracee *tracee,
    const struct pool_function *function, const struct user_regs_struct *regs);

/* It may stand where one returns to. */
void pools_return(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* Its stack pointer is there, or about to be: it has left what it has called below. */
void pools_leave(struct heapcheck *check, struct tracee *tracee, uint64_t sp);

/* Whether a call of a named function, in which it is, is a finding itself. */
bool pools_have_told(const struct tracee *tracee);

/* A function of theirs has given a block of malloc's, or frees one. */
void pools_note_wrapper(struct heapcheck *check);

/* A block of malloc's was made, or has another size; or it was freed by that call. */
void pools_note_made(struct pools *pools, uint64_t start, uint64_t size);
void pools_note_dropped(struct pools *pools, uint64_t start, uint64_t size, uint64_t number);

/* It was unmapped, or mapped anew. */
void pools_note_unmapped(struct pools *pools, uint64_t start, uint64_t end);

/* The block of theirs that a wrong byte belongs to, rather than to `heap` (NULL: no block). NULL:
 * none does. */
const struct poolblock *pools_near(
    const struct pools *pools, uint64_t address, const struct heapblock *heap);

/* ---- heapreturns.c --------------------------------------------------------------------------- */

/*
 * Return addresses on the stacks. The shadow has SHADOW_RETURN for their bytes: a call marks where
 * it puts one, and a return takes the mark away, in the cache and by steps alike; what moves the
 * stack pointer up past marks takes them away, too. A store over one is a finding where the code
 * that is called has not returned, and what is written is no address of code. Whoever is shown it
 * has to see for himself that an unwinder takes the address from there, too: a call that was left
 * in another way may have left its mark.
 *
 * LIMIT: a repeated string instruction of the program's own is looked at where it begins and ends.
 */
bool heapreturns_are_noted(const struct heapcheck *check);

/* The tracee is about to do the instruction at rip; stepped: by a step. */
void heapreturns_note(struct heapcheck *check, struct tracee *tracee,
    const struct user_regs_struct *regs, bool stepped);

/* Where an access goes: [start, end), and if it is masked, of that only the selected bytes, see
 * accesses_selected. */
struct heapcheck_span {
	uint64_t start, end, selected;
};

/* From the first byte that it touches to the last. */
struct heapcheck_span heapcheck_touched(
    const struct access *access, const struct heapcheck_span *span);

/* That writes there, and touches nothing of the heap that is wrong. */
enum heapcheck_verdict heapreturns_judge(struct heapcheck *check, struct tracee *tracee,
    const struct access *access, const struct heapcheck_span *span, const uint8_t *bytes,
    size_t length, const struct user_regs_struct *regs);

/* heapjudge.c: shows the table's finding at this instruction, at once or later. */
enum heapcheck_verdict heapcheck_show(struct heapcheck *check, struct tracee *tracee, uint64_t pc);

/* Whether the allocator's own code is there: it keeps its lists in freed blocks. */
bool heapcheck_is_own(const struct heapcheck *check, uint64_t address);

/*
 * The C library's functions for strings also read aligned words of which the first byte is the
 * string's, and nothing is made of what is behind its end: as a whole, or, strspn and its like, its
 * four bytes one by one. Whether the access at `start` of the instruction at rip is of this kind;
 * and where the word begins.
 */
bool heapcheck_reads_ahead(const struct heapcheck *check, const struct access *access,
    uint64_t start, const struct user_regs_struct *regs, uint64_t *first);

/* Whether an access can go to the heap, and whether the C library's strings are read so. */
bool heapcheck_is_meant(const struct access *access);
bool heapcheck_is_library_vector(
    const struct heapcheck *check, uint64_t address, const struct access *access);

/* The code asks before the instruction there from here on. False: there is no room. */
bool heapcheck_ask_at(struct heapcheck *check, struct space *space, uint64_t address);

/* The instruction there is looked at no more. */
void heapcheck_exempt(struct heapcheck *check, struct space *space, uint64_t address);

/* ---- heapfollow.c ---------------------------------------------------------------------------- */

/*
 * What was never written. The shadow has the undefined bits of each byte of the heap and of the
 * stacks: all of them from the call of the allocator or the move of the stack pointer on that made
 * its room, and none behind a store. The code in the cache keeps it so and asks where a load gets
 * undefined bits. From there on the thread is stepped, and what becomes of these bits is followed
 * through its registers, its flags and its memory, until none is left in its registers; then it
 * runs in the cache again. So nothing is undefined in the registers of a thread that runs there.
 *
 * A finding is a branch, an address or the target of a jump that depends on undefined bits, or such
 * bytes that are written to a file. It is shown before its instruction.
 *
 * LIMIT: a thread's first registers are defined, and so are floating-point numbers of the x87 and
 * what is computed with whole vectors. What is too costly to follow is defined again; the table
 * says so. A store through a segment is not to the heap or a stack.
 */

/* NULL when memory is short. */
struct heapfollow *heapfollow_new(void);
void heapfollow_free(struct heapfollow *follow);

/* Nothing that code there loads is followed. */
void heapfollow_skip(struct heapfollow *follow, uint64_t start, uint64_t end);
bool heapfollow_skips(const struct heapfollow *follow, uint64_t address);

/* It has taken too long: nothing is followed any more. NULL: it has not. */
bool heapfollow_is_over(const struct heapfollow *follow);

/* The tracee is about to do the instruction at rip; stepped: by a step, and not in the cache. */
enum heapcheck_verdict heapfollow_judge(struct heapcheck *check, struct tracee *tracee,
    const struct user_regs_struct *regs, bool stepped);

/* Of a tracee that is followed: whether the instruction at rip is a new finding. */
bool heapfollow_finds(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* It is followed no more. */
void heapfollow_leave(struct heapcheck *check, struct tracee *tracee);

/* ---- Everywhere ------------------------------------------------------------------------------ */

/* A tracee is in a system call, or behind it. */
void heapcheck_note_call(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* The tracee is about to be stepped at regs->rip. Whether what was found is shown behind it. */
bool heapcheck_judge_step(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* Bits 0 to 3: rr's debug register at such a mark; 0: gdb has no watchpoint there. */
unsigned heapcheck_watch(const struct debug_registers *registers, uint64_t mark);

/* rr has written to a program's memory. */
void heapcheck_note_write(struct heapcheck *check, uint64_t address, uint64_t size);

/* Whether the tracee has to be stepped: what it has loaded is followed. */
bool heapcheck_follows(struct heapcheck *check, struct tracee *tracee);

/* Behind a step, before the next one: whether something was found that gdb is to see here. */
bool heapcheck_finds(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

/* It is about to go elsewhere, into a handler of a signal. */
void heapcheck_leave(struct heapcheck *check, struct tracee *tracee);

/* It runs another program now. */
void heapcheck_note_exec(struct heapcheck *check, const struct tracee *tracee);

#endif
