#ifndef SUPERVISOR_RECORDED_FILES_H
#define SUPERVISOR_RECORDED_FILES_H
/*
 * The files that a recording says it mapped: a replay needs these and no others. A trace is
 * untrusted, so a child that can do nothing else reads it. Its answer is only a list of names,
 * which the caller must check.
 */
#include <stddef.h>
#include "sandbox/sandbox.h"

#define RECORDED_FILES_BYTES_MAX (512 * 1024)

/*
 * The names in the trace directory's list of mappings, each ending with NUL, one after the other in
 * names[size]: absolute paths as the recorded program saw them, and names of files in the
 * trace. Returns how many bytes were filled; 0 when the list cannot be read.
 */
size_t recorded_files_list(
    int trace, const struct sandbox_policy *policy, char *names, size_t size);

/* For the tests: the same for the bytes of an unpacked list, without a child. */
size_t recorded_files_parse(const unsigned char *bytes, size_t length, char *names, size_t size);

#endif
