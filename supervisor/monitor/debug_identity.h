#ifndef SUPERVISOR_DEBUG_IDENTITY_H
#define SUPERVISOR_DEBUG_IDENTITY_H
/*
 * Who an ELF file is, by its build id, and whether it has debug information. The file is untrusted,
 * so a child that can do nothing else reads it.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "sandbox/sandbox.h"

#define BUILD_ID_MAX 64 /* bytes */

struct build_id {
	uint8_t length; /* 0: it has none */
	uint8_t bytes[BUILD_ID_MAX];
};

enum debug_file {
	DEBUG_FILE_UNREAD,  /* the child gave no answer in its time */
	DEBUG_FILE_FOREIGN, /* no ELF file of a program */
	DEBUG_FILE_DAMAGED, /* its sections lie behind its end */
	DEBUG_FILE_EMPTY,   /* it has no debug information */
	DEBUG_FILE_FULL
};

struct debug_identity {
	uint8_t file; /* enum debug_file */
	struct build_id own;
	struct build_id shared; /* of the file of which dwz made a part of its debug information */
	char shared_name[PATH_MAX]; /* of that file: absolute, or seen from this one */
};

/* Reads the regular file that is open, in a child with the policy's layers. */
void debug_identity_read(
    struct debug_identity *identity, int file, const struct sandbox_policy *policy);

/* Whether both have the same; false if they have none. */
bool build_id_equal(const struct build_id *one, const struct build_id *other);

/* The name that gdb looks for below a directory of debug files, ".build-id/ab/cdef.debug". */
#define BUILD_ID_NAME_MAX (2 * BUILD_ID_MAX + 32)
void build_id_name(const struct build_id *id, char name[BUILD_ID_NAME_MAX]);

#endif
