#ifndef SUPERVISOR_INSPECTOR_H
#define SUPERVISOR_INSPECTOR_H
/*
 * Reads an untrusted file in a child that can do nothing but read it and answer with bytes. The
 * caller must check the answer.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sandbox/sandbox.h"

/* Reads the file, of which it has a copy in memory, and fills answer[size]. Returns how many bytes
 * it filled. Runs confined: it can only allocate memory. */
typedef size_t inspector_read(
    unsigned char *bytes, size_t length, unsigned char *answer, size_t size);

/*
 * Has `read` read the regular file that is open, in a child with the policy's layers, and copies
 * its answer into answer[size]. Returns its length; 0 if the file cannot be read, or the child died
 * or needed more than `deadline_ms`.
 */
size_t inspector_run(int file, inspector_read *read, const struct sandbox_policy *policy,
    int deadline_ms, void *answer, size_t size);

/* Waits until a child has written something, or nobody can any more. False: not before the
 * deadline, a moment of deadline_now. */
bool inspector_await(int from, int64_t deadline);

#endif
