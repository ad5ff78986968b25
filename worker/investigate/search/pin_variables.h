#ifndef WORKER_PIN_VARIABLES_H
#define WORKER_PIN_VARIABLES_H
/*
 * Makes an expression mean the same variables everywhere: each variable is replaced by what lies at
 * its address. So a local stays the same variable even in frames that have another one of its name.
 */
#include "worker/session/replay.h"

#define PIN_NAMES_MAX 16

/* What "node->count" means elsewhere. */
enum pin_means {
	PIN_VARIABLES, /* the member of what node points to there */
	PIN_OBJECTS,   /* the member of what it points to now */
};

#define PIN_TEXT_MAX (REPLAY_EXPRESSION_MAX + PIN_NAMES_MAX * 24)

/* Looks names up in the selected frame. *local becomes the lowest address among them that lies on
 * the selected thread's stack; 0: none does. False with *failure filled if a variable has no
 * address, or if there are too many. gdb keeps the addresses until the next call. */
bool pin_variables(struct replay *replay, const char *expression, enum pin_means means,
    char bound[PIN_TEXT_MAX], unsigned long long *local, struct failure *failure);

#endif
