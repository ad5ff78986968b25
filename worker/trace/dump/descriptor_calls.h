#ifndef WORKER_DESCRIPTOR_CALLS_H
#define WORKER_DESCRIPTOR_CALLS_H
/*
 * What each system call does to the descriptors of its process. Only a table.
 */
#include "worker/trace/dump/inputs.h"

#define FLAG_NONE    (-1)
#define FLAG_ALWAYS  (-2)
#define FLAG_UNKNOWN (-3)

enum slot_closes { CLOSES_NEVER, CLOSES_AT_EXEC, CLOSES_PERHAPS };

enum effect {
	OPENS,
	PAIR,
	DUP,
	DUP_TO,
	CONTROL,
	DEVICE,
	CLOSES,
	CLOSES_RANGE,
	UNSHARES,
	NAMES,	  /* gives a socket an address */
	RECEIVES, /* may receive descriptors */
	PASSES,	  /* may pass descriptors on */
	TAKES,	  /* takes those of others */
	MOVES,	  /* bytes, without a read or a write; `bit` has a bit for each such argument */
	UNKNOWN,  /* may do anything to what the process holds */
};

struct call_row {
	const char *name;
	enum effect effect;
	int flags; /* the argument with the bit for closing at exec, or FLAG_… */
	unsigned long long bit;
	bool socket;
};

/* NULL: nothing. */
const struct call_row *descriptor_call(const struct input_call *call);

/* Whether it may begin or close descriptors. */
bool descriptor_call_changes(const struct call_row *row);

/* Whether what it begins is closed at an exec. */
enum slot_closes descriptor_call_closes(const struct call_row *row, const struct input_call *call);

#endif
