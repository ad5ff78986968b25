#ifndef WORKER_CALLED_H
#define WORKER_CALLED_H
/*
 * Which function a frame has called, by the call that it comes back behind: also where gdb has no
 * name for the code that runs, as in a part of a function that the compiler has moved away.
 */
#include "worker/read/names/symbol.h"

/* The function of the direct call that ends at an address, without "@plt" behind its name. False:
 * there is none, or nothing names what it calls. */
bool called_before(struct replay *replay, unsigned long long back, struct symbol *called);

#endif
