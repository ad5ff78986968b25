/*
 * The conditions of gdb's hardware breakpoints. gdb hands them to rr, which asks at each hit, and
 * that costs it a stop, a step and a part of a millisecond. We read them on their way to rr, so
 * that a hit whose condition is false passes without rr.
 *
 * Only hardware breakpoints: a debug register that rr sets is always gdb's breakpoint. rr needs its
 * int3s for itself, too.
 */
#ifndef RR_WARDEN_SOFTPMU_CONDITIONS_H
#define RR_WARDEN_SOFTPMU_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/traps/hushed.h"
#include "worker/softpmu/traps/passkeys.h"
#include "worker/softpmu/traps/tally.h"

enum {
	CONDITIONS_MAX = 16,	   /* breakpoints; those beyond are asked by rr */
	CONDITION_EXPRESSIONS = 8, /* each of which lets the breakpoint stop */
	CONDITION_BYTES = 512,
	CONDITIONS_PACKET = 8192, /* a longer packet is not understood */
};

struct condition {
	uint64_t address;
	unsigned count; /* of expressions; 0: it always stops */
	uint64_t hash;	/* of them; 0: there is none */
	bool counts;	/* passes, see passcount.h */
	bool keyed;	/* and does so by a key */
	bool adds;	/* and adds a value to its sum */
	struct expression {
		size_t length;
		uint8_t code[CONDITION_BYTES];
	} expression[CONDITION_EXPRESSIONS];
};

struct heapcheck;
struct racecheck;
struct linecount;
struct accesslog;

struct conditions {
	int fd; /* gdb's connection; -1: none */
	bool in_packet;
	size_t length; /* of the packet, so far */
	char packet[CONDITIONS_PACKET];
	uint64_t changes; /* ever */
	uint64_t passes;  /* counted, ever */
	/* As in struct tracee: of what rr has seen stop last, and of what stopped when gdb named
	 * the breakpoints, which is the process that it debugs. */
	pid_t stopped, debugged;
	unsigned count;
	struct condition list[CONDITIONS_MAX];
	struct hushed hushed;
	struct tally tally;
	struct passkeys keys;
	struct heapcheck *check;    /* of the heap; it outlives them */
	struct racecheck *races;    /* of accesses that nothing orders; the same */
	struct linecount *lines;    /* instructions whose passes are counted; the same */
	struct accesslog *accesses; /* to what rr watches; the same */
	/* Hears each packet; "": gdb has connected or gone, or its packet is not known. */
	void (*listener)(const struct conditions *conditions, const char *packet);
};

/* gdb has connected, or gone (-1). */
void conditions_connect(struct conditions *conditions, int fd);

/* rr has read this from gdb ("Packets" in gdb's manual, Appendix E.2). */
void conditions_take(struct conditions *conditions, const char *bytes, size_t length);

/* That of the breakpoint at this address; NULL: none is known. */
const struct condition *conditions_find(const struct conditions *conditions, uint64_t address);

/* Tracee tid hits the breakpoint at this address with these registers. False: gdb did not ask for
 * this hit. True: it did, or rr has to judge. */
bool conditions_may_hold(const struct conditions *conditions, uint64_t address, pid_t tid,
    const struct user_regs_struct *regs);

/* The same of one that counts. *noted: of the pass, if it has a key. */
enum pass_kind { PASS_IS_NOT_MEANT, PASS_COUNTS, PASS_MAY_HOLD, PASS_HAS_NEW_KEY };

struct pass_noted {
	uint64_t key, value;
};

enum pass_kind conditions_pass(const struct conditions *conditions, uint64_t address, pid_t tid,
    const struct user_regs_struct *regs, struct pass_noted *noted);

#endif
