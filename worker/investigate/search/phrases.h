#ifndef WORKER_PHRASES_H
#define WORKER_PHRASES_H
/*
 * The words of a source line that name what an instruction used: the function pointer of a call,
 * the divisor of a division, the pointer that is followed. The line is only a hint: what it names
 * is checked against the value and the place that the instruction has.
 */
#include "worker/session/replay.h"

#define PHRASE_MAX 160

/*
 * In the selected thread's innermost frame. `value` is where the call goes, and `address` where the
 * pointer lies (0: it is in a register). phrase: "actor->act"; "" if no words of the line have that
 * value, or if several do. *place: where it lies as the program's memory, 0 if that is not known.
 */
void phrases_find_callee(struct replay *replay, unsigned long long value,
    unsigned long long address, char phrase[PHRASE_MAX], unsigned long long *place);

/* The same for what stands behind a / or a %; the value has `size` bytes. */
void phrases_find_divisor(struct replay *replay, unsigned long long value, unsigned size,
    unsigned long long address, char phrase[PHRASE_MAX]);

/* The same for a pointer that is followed: what stands before -> or [, or behind a *; "this" if the
 * line has no such words. */
void phrases_find_pointer(struct replay *replay, unsigned long long value, char phrase[PHRASE_MAX],
    unsigned long long *place);

/* A call of a virtual function on the line of an object in whose table `slot` would lie: "shape",
 * and where the pointer to the table lies. False if there is none, or there are several. */
bool phrases_find_object(struct replay *replay, unsigned long long slot, char object[PHRASE_MAX],
    unsigned long long *place);

/*
 * A call of a virtual function on the line whose table has the target: "shape" is the object's
 * words, *table where its table lies. False if there is none.
 */
bool phrases_find_virtual(struct replay *replay, unsigned long long target, char object[PHRASE_MAX],
    char method[PHRASE_MAX], unsigned long long *table);

#endif
