#ifndef WORKER_BIND_H
#define WORKER_BIND_H
/*
 * Makes an expression mean the same variables everywhere: each variable is replaced by what lies at
 * its address. So a local stays the same variable even in frames that have another one of its name.
 */
#include "worker/session/replay.h"

#define BIND_NAMES_MAX 16

/* What "node->count" means elsewhere. */
enum bind_means {
	BIND_VARIABLES, /* the member of what node points to there */
	BIND_OBJECTS,	/* the member of what it points to now */
};

#define BIND_TEXT_MAX (REPLAY_EXPRESSION_MAX + BIND_NAMES_MAX * 24)

/* Looks names up in the selected frame. *local becomes the lowest address among them that lies on
 * the selected thread's stack; 0: none does. False with *failure filled if a variable has no
 * address, or if there are too many. gdb keeps the addresses until the next call. */
bool bind_names(struct replay *replay, const char *expression, enum bind_means means,
    char bound[BIND_TEXT_MAX], unsigned long long *local, struct failure *failure);

#endif
