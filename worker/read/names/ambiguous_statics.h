#ifndef WORKER_AMBIGUOUS_STATICS_H
#define WORKER_AMBIGUOUS_STATICS_H
/*
 * Names for which gdb would take a static variable of another file. It takes any that it finds, in
 * the C library as well: a wrong answer without a word.
 */
#include "worker/session/replay.h"

/*
 * Whether the names in an expression, which is harmless, mean what they should in the selected
 * frame: a variable that the frame knows, or the only static variable of that name in the program
 * or the frame's library. False with *failure filled: there are several, or only one of another
 * library. True if gdb cannot tell, because it has no Python.
 */
bool ambiguous_statics_check(
    struct replay *replay, const char *expression, struct failure *failure);

#endif
