/*
 * Counts how often each of many instructions begins, in one run and without a stop. Asked for with
 * packets that rr does not know, at a stop:
 *
 *   QRRWarden.lines:b                begins anew, with none
 *   QRRWarden.lines:a,ADDRESS,...    these too, each higher than the one before it
 *   QRRWarden.lines:p,FIRST          the counts, FIRST and on, go into the table
 *   QRRWarden.lines:                 no more
 *
 * all in hexadecimal. Then the table at LINEMARK is read: the process of that read is the one that
 * is counted, until it runs another program.
 *
 * In the code cache, the instruction is preceded by code that counts (translate/linecode.h). That
 * code and the instruction are not one: where a leg ends between them, the way back takes the pass
 * off again, see struct place. Outside of the cache each instruction is a step, and is counted
 * before it.
 *
 * LIMIT: outside of the cache, each repetition of a `rep` instruction counts.
 */
#ifndef RR_WARDEN_SOFTPMU_LINECOUNT_H
#define RR_WARDEN_SOFTPMU_LINECOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/base/linelist.h"
#include "worker/softpmu/base/memoryof.h"

struct space;
struct tracee;

struct linecount {
	uint64_t number; /* of those that were begun, ever */
	struct memory_of memory;
	pid_t borrower; /* as in struct tracee: vfork's child has the same memory */
	struct line_table table;
	struct line_list list;
	uint64_t passes[LINES_MAX];
};

/* gdb has sent this packet; "": it ends all that it has asked for. borrower: of what rr has seen
 * stop last, as in struct tracee. */
void linecount_take(struct linecount *lines, pid_t borrower, const char *packet);

/* As tally_read, at LINEMARK. */
bool linecount_read(struct linecount *lines, int fd, uint64_t address, void *buffer, size_t size);

/* Whether this tracee's passes are counted, so that it runs in the cache or in steps. */
bool linecount_is_on(struct linecount *lines, struct tracee *tracee);

/* Before a leg in the cache. True when the code there must be made anew. The count must outlive the
 * space. */
bool linecount_set(struct linecount *lines, struct space *space, struct tracee *tracee);

/* The leg is over. */
void linecount_end_leg(struct linecount *lines, const struct space *space, struct tracee *tracee);

/* A leg outside of the cache begins with these registers. */
void linecount_note(
    struct linecount *lines, struct tracee *tracee, const struct user_regs_struct *regs);

/* The tracee runs another program. */
void linecount_note_exec(struct linecount *lines, const struct tracee *tracee);

#endif
