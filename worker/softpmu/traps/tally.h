/*
 * Changes of what rr watches, counted by the instruction that made them, while rr and gdb hear of
 * few. A history of a value asks for that with packets that rr does not know, at a stop:
 *
 *   QRRWarden.tally:n;ADDRESS,SIZE,BYTES   counts from here, where the bytes are those
 *   QRRWarden.tally:w;ADDRESS,SIZE,BYTES;NUMBER;NUMBER...
 *   QRRWarden.always:PC
 *   QRRWarden.tally:                       no more
 *
 * all in hexadecimal. After `n`, the first change of each instruction is shown to rr, each one of
 * an instruction named with `always`, and the last of each TALLY_EVERY. After `w`, the changes of
 * those numbers are shown. The table that it keeps is read at TALLYMARK, for the first time before
 * the program runs on: the process of that read is the one whose changes it counts, in its own
 * memory.
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

#include "worker/x86/tallymark.h"

struct tracee;

struct tally {
	struct tally_table table;
	uint64_t number; /* of tallies, ever */
	uint64_t address;
	size_t size;
	uint8_t last[TALLY_SIZE_MAX]; /* the bytes behind the last change */
	uint8_t seen[TALLY_SIZE_MAX]; /* what rr saw last */
	bool shows_new;
	bool by_rr; /* the bytes are those of a change of rr's own ... */
	bool told;  /* ... and the table has been read since */
	bool always[TALLY_ROWS];
	uint64_t wanted[TALLY_WANTED_MAX]; /* numbers, ascending */
	size_t wanted_count, wanted_next;
	pid_t process, reader; /* reader: a task of it. 0: not known yet */
};

/* A whole packet of gdb's, which ends with a NUL. */
void tally_take(struct tally *tally, const char *packet);

void tally_end(struct tally *tally);

/* rr is about to let this tracee run. */
void tally_resume(struct tally *tally, struct tracee *tracee);

/* rr has written there, in some process. */
void tally_rr_wrote(struct tally *tally, uint64_t address, size_t size);

enum tally_verdict { TALLY_IS_NOT_ASKED, TALLY_HIDES, TALLY_SHOWS };

/* The tracee has hit these of rr's debug registers, bits 0 to 3, and stands at pc. */
enum tally_verdict tally_hit(
    struct tally *tally, struct tracee *tracee, unsigned hits, uint64_t pc);

/* rr reads `size` bytes of a process there, for gdb, through this descriptor of its memory. True if
 * they are of the table, and now in buffer. */
bool tally_read(struct tally *tally, int fd, uint64_t address, void *buffer, size_t size);

#endif
