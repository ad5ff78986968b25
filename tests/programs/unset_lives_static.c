/* The same in a statically linked program, whose heap begins with what the loader would hold. */
#include "unset_lives.c"
