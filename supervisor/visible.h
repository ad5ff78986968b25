#ifndef SUPERVISOR_VISIBLE_H
#define SUPERVISOR_VISIBLE_H
/*
 * What a worker may see of the file system, and what of it it may change: from the policy, and,
 * where that names no roots, from the directories that the call itself names.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "sandbox/proto.h"
#include "supervisor/policy.h"

#define VISIBLE_BYTES_MAX      (24 * 1024)
#define VISIBLE_RECORDINGS_MAX 32
#define VISIBLE_PATHS_MAX      (2 * POLICY_LIST_MAX + 16)

/* Entries end with NUL: a letter and an absolute path. 'r' is read-only, 'w' writable, 'c' writable
 * and made when it does not exist. */
struct visible {
	const char *here; /* the server's working directory, absolute; set by the owner */
	bool show_home;	  /* $HOME read-only, but what begins with a dot */
	size_t length;
	char entries[VISIBLE_BYTES_MAX];
};

/* `args` are the tool's arguments, or those of the session's start; NULL: none. Reads the
 * environment and visible->here, nothing else. */
void visible_for(struct visible *visible, const struct policy *policy, enum worker_kind kind,
    const json_t *args);

/* Where the program of a recording lies and ran: a later replay of the trace reads its symbols and
 * sources there. *recordings is an array, made at first and bounded. */
void visible_remember(
    json_t **recordings, const char *trace_dir, const json_t *args, const char *here);

/* Adds what is remembered of a trace (NULL: the last), where no policy names roots. */
void visible_add_remembered(struct visible *visible, const struct policy *policy,
    const json_t *recordings, const char *trace_dir);

/* As the lists that the sandbox takes, NULL-terminated and pointing into `visible`. Each has room
 * for VISIBLE_PATHS_MAX. */
void visible_lists(const struct visible *visible, const char **read_only, const char **read_write);

#endif
