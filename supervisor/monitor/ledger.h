#ifndef SUPERVISOR_LEDGER_H
#define SUPERVISOR_LEDGER_H
/*
 * The ledger: for each trace that this user recorded here, the files that the debug information of
 * the recorded programs named at that time. It is what replays of the trace may read of the user's
 * files. It is kept in the user's state directory, in a file for each trace, and belongs to a
 * trace's directory: its inode, when that was made, and the trace's header, which has its uuid.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define LEDGER_ENTRIES_MAX 20000
#define LEDGER_BYTES_MAX   (8 * 1024 * 1024)
#define LEDGER_FILES_MAX   2000		      /* traces */
#define LEDGER_TOTAL_MAX   (64 * 1024 * 1024) /* bytes of all */

enum ledger_kind {
	LEDGER_SOURCE = 'S',
	LEDGER_DEBUG = 'D',  /* a file of debug information that gdb opens itself */
	LEDGER_PROGRAM = 'P' /* a recorded file, to see whether it was built again */
};

struct ledger_entry {
	enum ledger_kind kind;
	long long modified, size; /* when it was recorded: ns, bytes */
	char *place;		  /* its path, links resolved */
	char *name; /* what the debug information calls it, if that leads elsewhere; else "" */
};

struct ledger {
	struct ledger_entry *entries; /* sorted by ledger_sort */
	size_t count, bytes;
	bool rebuilt; /* ledger_load: a program is another one than at the recording */
	char *text;   /* of ledger_load */
};

/* Adds a copy. Leaves out a path that has control characters, and what is too much. */
void ledger_add(struct ledger *ledger, enum ledger_kind kind, const struct stat *status,
    const char *place, const char *name);

/* The entry of a source by its place, or by its name at another place than `but` (NULL: at any);
 * NULL if there is none. */
const struct ledger_entry *ledger_find_place(const struct ledger *ledger, const char *place);
const struct ledger_entry *ledger_find_name(
    const struct ledger *ledger, const char *name, const char *but);

/* Whether a file is another one than at the recording. */
bool ledger_has_changed(const struct ledger_entry *entry, const struct stat *status);

/* The directory of the ledger, made if `make`. -1 with errno. */
int ledger_directory(char path[PATH_MAX], bool make);

/* Writes it for the open trace at `path`, links resolved. Returns 0, or -1 with errno. */
int ledger_save(struct ledger *ledger, int directory, int trace, const char *path);

/* The ledger of the trace at a path without links; NULL if it has none. */
struct ledger *ledger_load(const char *trace);

/* The name of the open trace's file in the ledger's directory. Returns 0, or -1 with errno. */
int ledger_name(int trace, char name[NAME_MAX]);

/* Removes the files of traces that have been gone for a week, because one may only have moved. Of
 * more than LEDGER_FILES_MAX files or LEDGER_TOTAL_MAX bytes, those of traces that are gone go
 * first, and then the oldest. */
void ledger_sweep(int directory);

void ledger_free(struct ledger *ledger);

#endif
