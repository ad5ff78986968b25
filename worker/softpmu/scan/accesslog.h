/*
 * Accesses to what rr watches, reads too, that are counted by thread and instruction while rr and
 * gdb hear of few. A scan for races asks for that with packets that rr does not know, at a stop:
 *
 *   QRRWarden.access:b,ADDRESS,SIZE  numbers the accesses from here on; each is shown
 *   QRRWarden.access:q,PC            those by the instruction before PC need not be shown
 *   QRRWarden.access:w,NUMBER        but this one is, and the one before it
 *   QRRWarden.access:p,FIRST         the table shows the rows FIRST and on, until they are
 * forgotten QRRWarden.access:f               forgets the rows QRRWarden.access:                no
 * more
 *
 * all in hexadecimal, the numbers of `w` ascending. Then the table at ACCESSMARK is read: the
 * process of that read is the one whose accesses count, until it runs another program. The first
 * access of each thread is shown in any case. The rows are in the order of their first accesses.
 *
 * Outside of the code cache an access is what a debug register reports. In it, the debug registers
 * that watch data are out of force while there is something quiet, and the code of a quiet
 * instruction writes its access into a log before it runs (translate/accesscode.h); where the leg
 * ends between the two, the way back takes it out again, see struct place. Any other instruction
 * that touches what is watched leaves the cache for the debug registers.
 *
 * rr has not seen what the hidden ones wrote. Where it writes there itself, for the kernel, it
 * would compare with older bytes: then the table says that something is lost, for good. Before a
 * wanted access the one before it is shown, so that gdb knows the value that it had; of any other
 * one behind a hidden one, the table has the bytes.
 *
 * rr compares the bytes behind each step of its own too (Task.cc, compute_trap_reasons), and shows
 * a hit where they are others than it saw last: the table tells of such steps.
 *
 * Behind a hit in a repeated string instruction rr goes on in another process, from a moment that
 * is past (ReplayTimeline.cc, fix_watchpoint_coalescing_quirk): what it does there is not counted,
 * and stops. Whoever asks sees that by the numbers.
 *
 * LIMIT: one debug register, so one place of at most eight bytes.
 */
#ifndef RR_WARDEN_SOFTPMU_ACCESSLOG_H
#define RR_WARDEN_SOFTPMU_ACCESSLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/base/memoryof.h"
#include "worker/softpmu/base/quietlist.h"

struct place;
struct space;
struct tracee;

enum { ACCESSLOG_ROWS_MAX = 1 << 20 };

struct accesslog {
	struct access_table table;
	uint64_t begun;	 /* of logs, ever */
	uint64_t number; /* of the lists of what is quiet, ever */
	uint64_t address;
	size_t size;
	struct memory_of memory;
	pid_t borrower; /* as in struct tracee: vfork's child has the same memory */
	uint64_t threads;
	bool hides;	 /* since an access was shown, one was hidden */
	uint64_t before; /* the bytes behind that */
	struct quiet_list quiet;
	uint64_t wanted[ACCESS_WANTED_MAX]; /* numbers, ascending */
	size_t wanted_count, wanted_next;
	struct access_row *row; /* to be freed */
	size_t room;
	size_t page; /* the first row that is read */
	size_t turn; /* the row with which the present thread's turn begins */
};

/* gdb has sent this packet; "": it ends all that it has asked for. borrower: of what rr has seen
 * stop last, as in struct tracee. */
void accesslog_take(struct accesslog *log, pid_t borrower, const char *packet);

/* As tally_read, at ACCESSMARK. */
bool accesslog_read(struct accesslog *log, int fd, uint64_t address, void *buffer, size_t size);

/* rr has written there, in some process. */
void accesslog_rr_wrote(struct accesslog *log, uint64_t address, size_t size);

/* The tracee has hit these of rr's debug registers, bits 0 to 3, and stands at pc. True: rr need
 * not see that. */
bool accesslog_hides(struct accesslog *log, struct tracee *tracee, unsigned hits, uint64_t pc);

/* rr has let the tracee make one step, to pc, without a hit. */
void accesslog_note_step(struct accesslog *log, struct tracee *tracee, uint64_t pc);

/* ---- In the code cache ----------------------------------------------------------------------- */

/* Before a leg in the cache. True when the code there must be made anew. The log must outlive the
 * space. */
bool accesslog_set(struct accesslog *log, struct space *space, struct tracee *tracee);

/* Whether it is in force in that space: then the next ones take the places of changelog.h's. */
bool accesslog_is_in(const struct space *space);

/* The leg begins. 0, or -errno: the tracee has ended. */
int accesslog_begin(struct accesslog *log, struct space *space, struct tracee *tracee);

/* The leg is over: the registers are the program's own. */
void accesslog_end(struct accesslog *log, struct space *space, struct tracee *tracee);

/* An int3 of that code, at this place, asks about what comes now, or because the log is full. True
 * if the tracee goes on in the cache behind it; else the hardware runs the instruction. */
bool accesslog_answer(struct accesslog *log, struct space *space, struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs);

#endif
