#ifndef SUPERVISOR_PROGRAM_SIGHT_H
#define SUPERVISOR_PROGRAM_SIGHT_H
/*
 * The programs and libraries of a recording, shown by their files.
 */
#include "sandbox/sandbox.h"

struct composition;

/* Offers what the open trace says was mapped and what is a program; sets the composition's sight.
 * What cannot be shown is left out: rr says what it misses. */
void program_sight_add(
    struct composition *composition, int trace, const struct sandbox_policy *policy);

#endif
