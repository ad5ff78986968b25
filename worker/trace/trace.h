#ifndef WORKER_TRACE_H
#define WORKER_TRACE_H
/*
 * A trace directory: found as rr finds it, under an allowed root, and looked at without believing
 * it. Never reads more of it than a line of its version file, never writes.
 */
#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "worker/serve/ops.h"

#define TRACE_PATH_MAX	  4096
#define TRACE_ENTRIES_MAX 100000 /* files of one trace: more is not a trace */
#define TRACE_LATEST	  "latest-trace"
/* What rr said when it stopped itself, in the trace of that recording. */
#define TRACE_LAST_WORDS_FILE "rr-warden.last-words"
/* Where the processes of a recording with the guard heap count. */
#define TRACE_GUARDHEAP_FILE "rr-warden.guardheap"
#define TRACE_LOCK_WAIT_MS   1000
#define TRACE_BEGINNING_S    3 /* rr needs no longer to make all files of a trace */

enum trace_state {
	TRACE_NONE,	  /* not a trace */
	TRACE_COMPLETE,	  /* rr closed it */
	TRACE_RECORDING,  /* an rr is writing it now */
	TRACE_INCOMPLETE, /* rr died while it wrote it: cannot be replayed */
};

struct trace {
	int directory; /* O_DIRECTORY, CLOEXEC; -1 when closed; the lock of trace_lock is on it */
	char path[TRACE_PATH_MAX];
	enum trace_state state;
};

/* Where traces go that nobody named: _RR_TRACE_DIR, XDG_DATA_HOME/rr, ~/.local/share/rr, ~/.rr, as
 * for rr, but never rr's last resort, a directory in /tmp that all users share. Returns 0, or -1
 * with errno: ENOENT when the user has no home, ENAMETOOLONG. */
int trace_base_dir(char *path, size_t size);

/* Makes a client's path absolute (a leading "~/" is HOME; a single name is looked for here and then
 * in the base directory; empty is the latest trace). Resolves no links. Returns 0, or -1 with errno
 * as above. */
int trace_name_to_path(const char *name, char *path, size_t size);

/* The same for a file that is no trace: a single name is one here. */
int trace_file_to_path(const char *name, char *path, size_t size);

/* Fills the failure after one of the three failed. Returns false. */
bool trace_fail_name(const char *name, struct failure *failure);

/* Fills *failure with "WHAT PATH", and what errno says when `error` is not 0. Returns false. */
bool trace_fail_path(struct failure *failure, enum error_code code, const char *hint,
    const char *what, const char *path, int error);

/* gdb is told paths in one line of text, and clients in JSON: what neither can name would never be
 * replayed. rr's own messages end at a line's end, too. False with *failure filled. */
bool trace_check_nameable(const char *what, const char *path, struct failure *failure);

/* True when `path`, absolute and without links, is one of the directories or under one; true for
 * an empty list. */
bool trace_path_is_under(const json_t *directories, const char *path);

/* Finds out what an open directory is. */
enum trace_state trace_state_of(int directory);

/*
 * Opens the trace a client named, links resolved, and checks that it is one, under worker's roots.
 * With `complete`, one that cannot be replayed is an error too, and it is locked until
 * trace_close: nobody removes it. Returns false with the reply
 * failed. trace_close afterwards, in both cases.
 */
bool trace_open(const struct worker *worker, const char *name, bool complete, struct trace *trace,
    struct failure *failure);
void trace_close(struct trace *trace);

/*
 * rr maps the files of a trace as it replays: who uses one holds a shared lock on its directory,
 * who removes it an exclusive one, across servers and users. A lock ends with its descriptor. A
 * shared one needs no right to write, so that a replay in its sandbox can hold it. Where the file
 * system has no locks, they are all granted. Waits TRACE_LOCK_WAIT_MS at most, for those who only
 * look; false when somebody else has it.
 */
enum trace_use { TRACE_USE, TRACE_REMOVE };
bool trace_lock(int directory, enum trace_use use);

/* Opens a directory for reading, links resolved; *path gets where it really is. -1 with errno. */
int trace_open_directory(const char *name, char *path, size_t size);

/* The same below the worker's trace roots. -1: *path is `name`, and *error is the errno, or 0 with
 * *failure filled because the place is outside of the roots. */
int trace_open_allowed(const struct worker *worker, const char *name, char path[TRACE_PATH_MAX],
    int *error, struct failure *failure);

/* A directory stream on a duplicate of `directory`, from its start; NULL with errno. */
DIR *trace_entries(int directory);

/* A path as clients see it. */
json_t *trace_path_to_json(const char *path);

/* True when `name` is a name that rr (or rr-warden) gives a file of a trace. */
bool trace_owns_name(const char *name);

#endif
