#ifndef WORKER_INSERTED_H
#define WORKER_INSERTED_H
/*
 * The breakpoints and watchpoints that gdb has set in rr, as the packets that set them. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

struct inserted {
	/* "Z0,4f10,1;X3,220127" and a 0, one behind the other; with a z: rr has lost it */
	char *packets;
	size_t length;
	size_t last, next; /* the packet that rr has got last, and the one to send next */
	bool awaited;	   /* rr has not replied to gdb's last one yet */
};

/* Starts as {0}. */
void inserted_end(struct inserted *inserted);
void inserted_clear(struct inserted *inserted);

/* A packet of gdb's that begins with Z or z. *has: rr has it, as far as a removal is concerned.
 * False: out of memory. */
bool inserted_take(struct inserted *inserted, const char *body, size_t length, bool *has);

/* rr has replied to whatever gdb has sent. One that it refuses is none. */
void inserted_answer(struct inserted *inserted, bool done);

/* Whether there is a watchpoint. */
bool inserted_watches(const struct inserted *inserted);

/* The packets again, from the beginning, for an rr that has forgotten them; NULL: these were all.
 */
void inserted_rewind(struct inserted *inserted);
const char *inserted_next(struct inserted *inserted);
/* rr has refused the one that inserted_next gave last. */
void inserted_lose(struct inserted *inserted);

#endif
