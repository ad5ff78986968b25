/*
 * Changes of what rr watches, counted by the instruction that made them, while rr and gdb hear of
 * few. A history of a value asks for that with packets that rr does not know, at a stop:
 *
 *   QRRWarden.tally:n;ADDRESS,SIZE,BYTES   counts from here, where the bytes are those
 *   QRRWarden.tally:w;ADDRESS,SIZE,BYTES;NUMBER;NUMBER...
 *   QRRWarden.tally:p;ADDRESS,SIZE,BYTES
 *   QRRWarden.always:PC
 *   QRRWarden.tally:                       no more
 *
 * all in hexadecimal. After `n`, the first change of each instruction is shown to rr, each one of
 * an instruction named with `always`, and the last of each TALLY_EVERY. After `w`, the changes of
 * those numbers are shown. After `p`, the first change behind which the expression of hushed.h may
 * hold, and all behind it. The table that it keeps is read at TALLYMARK, for the first time before
 * the program runs on: the process of that read is the one whose changes it counts, in its own
 * memory.
 *
 * With N, W and P, the code cache may count the changes that need not be shown, see
 * scan/changelog.h: no other process may share the bytes. Then those of every TALLY_EVERY are not
 * shown, and the first change after `P` may be counted before it is noticed.
 *
 * rr compares the bytes with those that it saw last, as gdb does, and shows no write that leaves
 * them the same. It has not seen the changes that were hidden, so one that leads back to what it
 * saw is not shown. Such an instruction is in the table all the same; before a wanted change, the
 * one before it is shown too, so that it differs.
 *
 * It counts what the processor's debug registers report of that process. At each of rr's requests
 * to run the bytes must be as the last change left them. They are not if rr has written them for
 * the kernel and gdb was not told (nobody has read the table since), if another process shares
 * them, or if they are unmapped: then a change may be missing, the table says so for good, and
 * everything is shown.
 */
#ifndef RR_WARDEN_SOFTPMU_TALLY_H
#define RR_WARDEN_SOFTPMU_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/softpmu/base/memoryof.h"
#include "worker/softpmu/traps/hushed.h"
#include "worker/x86/tallymark.h"

struct tracee;

enum {
	TALLY_ASKERS = 1024,   /* a power of two */
	TALLY_ASKS_MAX = 1000, /* of a store that has changed nothing: then it counts inline, too */
	/* So many changes are looked at before the code cache counts: of fewer, the one behind
	 * which a predicate holds is shown at once, and no second run has to go there. */
	TALLY_LOOKS = 1000,
};

struct tally {
	struct tally_table table;
	uint64_t number; /* of tallies, ever */
	uint64_t address;
	size_t size;
	uint8_t last[TALLY_SIZE_MAX]; /* the bytes behind the last change */
	uint8_t seen[TALLY_SIZE_MAX]; /* what rr saw last */
	bool shows_new;
	bool inlined;			/* the code cache may count */
	const struct hushed *predicate; /* NULL: none is looked for */
	struct tally_asker {
		uint64_t store; /* where it ends */
		uint32_t asks;
	} askers[TALLY_ASKERS]; /* stores that ask about each of their looks, or have asked */
	bool by_rr;		/* the bytes are those of a change of rr's own ... */
	bool told;		/* ... and the table has been read since */
	bool always[TALLY_ROWS];
	uint64_t wanted[TALLY_WANTED_MAX]; /* numbers, ascending */
	size_t wanted_count, wanted_next;
	struct memory_of memory;
	pid_t reader; /* a task that runs in it; 0: not known yet */
};

/* A whole packet of gdb's, which ends with a NUL. hushed: what a predicate is; it must outlive the
 * tally. */
void tally_take(struct tally *tally, const struct hushed *hushed, const char *packet);

void tally_end(struct tally *tally);

/* rr is about to let this tracee run. */
void tally_resume(struct tally *tally, struct tracee *tracee);

/* rr has written there, in some process. */
void tally_rr_wrote(struct tally *tally, uint64_t address, size_t size);

enum tally_verdict { TALLY_IS_NOT_ASKED, TALLY_HIDES, TALLY_SHOWS };

/* The tracee has hit these of rr's debug registers, bits 0 to 3, and stands at pc. */
enum tally_verdict tally_hit(
    struct tally *tally, struct tracee *tracee, unsigned hits, uint64_t pc);

/* ---- What the code cache counts: see scan/changelog.h ---------------------------------------- */

/* Whether the changes that this tracee makes can be counted there. */
bool tally_is_inlined(struct tally *tally, const struct tracee *tracee);

/* How many changes may come before one has to be shown. */
uint64_t tally_room(struct tally *tally);

/* Whether the code of the store that ends there counts its changes; else it asks. */
bool tally_counts_inline(const struct tally *tally, uint64_t store);

enum tally_answer {
	TALLY_ASKS_AGAIN,   /* the change may have to be shown: the hardware does the store */
	TALLY_NEEDS_NO_ASK, /* it need not */
	TALLY_IS_INLINE,    /* the same, and from here on the code counts it */
};

/* The store that ends there is about to write; touches: to the bytes. */
enum tally_answer tally_ask(struct tally *tally, uint64_t store, bool touches);

/* The store that ends there has changed the bytes to these. */
void tally_note(struct tally *tally, uint64_t store, uint64_t bytes);

/* The bytes behind the last change, in the low bits; and what they are now: false, they are gone,
 * and so is the count. */
uint64_t tally_last(const struct tally *tally);
bool tally_now(struct tally *tally, const struct tracee *tracee, uint64_t *bytes);

/* rr reads `size` bytes of a process there, for gdb, through this descriptor of its memory. True if
 * they are of the table, and now in buffer. */
bool tally_read(struct tally *tally, int fd, uint64_t address, void *buffer, size_t size);

#endif
