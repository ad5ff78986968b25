#ifndef WORKER_CORE_GAPS_H
#define WORKER_CORE_GAPS_H
/*
 * Memory that a core file does not have, because a file has it: code, above all. gdb reads it from
 * the file of that name, whatever is there by now, and as zeros if nothing is.
 */
#include "worker/session/launch/core_program.h"

/*
 * Makes gdb fail to read what is not known. Returns which of its descriptors gdb shall open as the
 * core file. Warns of the files that are not here, or are other ones by now.
 */
int core_gaps_close(struct replay *replay, const char *sysroot);

#endif
