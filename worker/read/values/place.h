#ifndef WORKER_PLACE_H
#define WORKER_PLACE_H
/*
 * Where the value of an expression lies in memory, in the selected thread and frame.
 */
#include "worker/session/replay.h"

enum { PLACE_EXPRESSION_MAX = REPLAY_EXPRESSION_MAX + 64 };

/* What is meant: the expression itself if `length` is 0, else that many bytes at the address that
 * it gives. */
void place_expression(
    char place[static PLACE_EXPRESSION_MAX], const char *expression, long long length);

/* Its address and its size; false: it has none that gdb knows. */
bool place_of_value(struct replay *replay, const char *expression, unsigned long long *address,
    unsigned long long *size);

/* The same; false with *failure filled, of an interrupt too. */
bool place_find(struct replay *replay, const char *expression, unsigned long long *address,
    unsigned long long *size, struct failure *failure);

/* The address as text, to watch the value again later, when the names in the expression may mean
 * something else. Owned by the caller; NULL if there is none. */
char *place_address(struct replay *replay, const char *expression);

/* What to say if nothing was seen to access an address because nothing is mapped there now;
 * `length` as for place_expression. NULL: something is mapped there. */
json_t *place_unmapped(struct replay *replay, unsigned long long address, long long length);

#endif
