#ifndef TESTS_E2E_CORES_H
#define TESTS_E2E_CORES_H
/*
 * Real core files of the programs of tests/programs, on any machine: the kernel's where it writes
 * plain ones, else gdb's.
 */
#include <stdbool.h>

/* Runs a program in the folder until a signal ends it. The path of its core file there, called
 * `name`, to be freed. `words` are its arguments, as a shell takes them. */
char *core_make(const char *folder, const char *name, const char *program, const char *words);

/* The same of a program of any path. */
char *core_make_of(const char *folder, const char *name, const char *path, const char *words);

/* The last one made is the kernel's. gdb's lacks the rights of pages that it did not copy, begins
 * with other pages and ends with notes. Says that the rest is skipped if it is gdb's. */
bool core_is_the_kernels(void);

#endif
