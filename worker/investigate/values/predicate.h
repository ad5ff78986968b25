#ifndef WORKER_PREDICATE_H
#define WORKER_PREDICATE_H
/*
 * What the text of a predicate says about what it reads.
 */
#include <stdbool.h>

/* Whether it may come to read more places than the processor can watch. */
bool predicate_may_grow(const char *predicate);

/* Whether it reads anything of the program: a name, an address, or a call, which is refused later.
 */
bool predicate_reads(const char *predicate);

#endif
