#ifndef WORKER_GENERATED_H
#define WORKER_GENERATED_H
/*
 * Breakpoints in code that the program makes while it runs. rr writes its int3s into memory when a
 * search begins, and not again when the program maps memory there later: it then passes by. The
 * processor's breakpoints need no memory, so we take one of these, while there is one. (For the
 * libraries that a program loads, gdb's own breakpoint in the loader makes rr write them again.)
 */
#include <jansson.h>
#include "worker/session/replay.h"

/*
 * Takes a breakpoint as gdb described it, which -break-insert made of `arguments`. If it is in such
 * code, sets it anew in hardware. Returns it, or the new one in its place; owned, NULL for NULL.
 */
json_t *generated_in_hardware(struct replay *replay, json_t *bkpt, const char *arguments);

#endif
