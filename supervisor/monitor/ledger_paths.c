/*
 * See ledger_paths.h. The list is our own, but a recorded program can write it, and the files may
 * be others by now, so each is judged again.
 */
#include "supervisor/monitor/ledger_paths.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/ledger.h"
#include "supervisor/monitor/visible_paths.h"

#define SHOWN_MAX 500 /* there must be room for the trace's own files */

/* Whether it is an ELF file of the user or of root, and no core. */
static bool is_debug_file(const char *real)
{
	cleanup_fd int fd = open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	unsigned char start[EI_NIDENT + 2];
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       (status.st_uid == geteuid() || status.st_uid == 0) &&
	       pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
	       memcmp(start, ELFMAG, SELFMAG) == 0 &&
	       start[EI_NIDENT] + start[EI_NIDENT + 1] != ET_CORE;
}

void ledger_paths_add(struct composition *composition, const char *trace)
{
	struct ledger *ledger = ledger_load(trace);
	struct source_homes homes;
	size_t shown = 0;

	source_homes_find(&homes);
	for (size_t i = 0; ledger && i < ledger->count && shown < SHOWN_MAX; i++) {
		const struct ledger_entry *entry = &ledger->entries[i];
		char real[PATH_MAX];
		/* followed by the name that gdb knows, so that the links on the way are seen too */
		if (entry->kind != LEDGER_DEBUG ||
		    visible_paths_follow(&composition->visible, entry->name, false, real) < 0 ||
		    strcmp(real, entry->place) != 0 || !source_place_is_open(&homes, real) ||
		    !is_debug_file(real))
			continue;
		shown += visible_paths_add(&composition->visible, VISIBLE_READ, real) == 0;
	}
	ledger_free(ledger);
}
