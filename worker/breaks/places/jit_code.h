#ifndef WORKER_JIT_CODE_H
#define WORKER_JIT_CODE_H
/*
 * Breakpoints in code that the program makes while it runs. rr writes its int3s into memory when a
 * search begins, and not again when the program maps memory there later: it then passes by. The
 * processor's breakpoints need no memory, so we take one of these, while there is one. (For the
 * libraries that a program loads, gdb's own breakpoint in the loader makes rr write them again.)
 */
#include <jansson.h>
#include "worker/session/replay.h"

/*
 * Takes the breakpoint that -break-insert has made of `arguments`; `made` are its results. If it is
 * in such code, sets it anew in hardware. Returns it, or the new one in its place, as gdb describes
 * it; owned, NULL if none was made.
 */
json_t *jit_code_in_hardware(struct replay *replay, const json_t *made, const char *arguments);

#endif
