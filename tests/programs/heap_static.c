/*
 * The same mistakes in a statically linked program.
 */
#include "heap_bugs.c"
