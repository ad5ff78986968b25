#ifndef WORKER_GUARDED_PROGRAM_H
#define WORKER_GUARDED_PROGRAM_H
/*
 * Whether a program can be run with the guard heap.
 */
#include <stdbool.h>
#include "sandbox/wire/failure.h"

/*
 * Looks into the program's file; `program` is the caller's name for it. False with *failure filled
 * when the guard heap cannot be loaded into it or would not be called: it is static, of another
 * processor, built with a sanitizer, or has an allocator of its own. A script, or what cannot be
 * read, passes.
 */
bool guarded_program_check(const char *file, const char *program, struct failure *failure);

#endif
