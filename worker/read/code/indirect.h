#ifndef WORKER_INDIRECT_H
#define WORKER_INDIRECT_H
/*
 * Indirect functions of a program (STT_GNU_IFUNC): the loader calls their resolvers, which are the
 * program's own code, while it links the program.
 */
#include <stdbool.h>

/* Whether a file may have some: also true if it cannot be read. */
bool indirect_may_be_in(const char *file);

#endif
