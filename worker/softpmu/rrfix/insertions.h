/*
 * The int3s that rr has inserted. rr (to 5.9 at least) does not notice when the program unmaps or
 * replaces the memory under a breakpoint: it then writes the old byte to where nothing is mapped,
 * which ends rr, or into the code that lies there now, which spoils the replay. A library that
 * dlopen maps where ld.so.cache was before is enough, when rr replays both for a search backward.
 *
 * rr writes the program's data in the same way, and among them are bytes like an int3 (the first of
 * a combining accent in UTF-8). Only before it inserts does it read the byte that it is about to
 * replace, in the same stop of the program.
 */
#ifndef RR_WARDEN_SOFTPMU_INSERTIONS_H
#define RR_WARDEN_SOFTPMU_INSERTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { INSERTIONS_MAX = 512 }; /* those beyond are not watched */

struct insertions {
	struct insertion {
		int fd; /* the memory of the tracee, as rr has it open */
		uint64_t address;
		uint8_t replaced;
	} list[INSERTIONS_MAX];
	unsigned count;
	struct {
		int fd;
		uint64_t address;
		bool fresh; /* nothing has been read, written or run since */
	} read;		    /* the byte that rr has read last */
};

/* rr has read size bytes at this address of the memory that fd stands for. */
void insertions_note_read(struct insertions *insertions, int fd, uint64_t address, size_t size);

/* rr runs the program on. */
void insertions_note_run(struct insertions *insertions);

/*
 * rr is about to write one byte at this address of the memory that fd stands for. True when the
 * write would take out an int3 that has gone with its mapping: the write must then not be made, and
 * rr must be told that it was.
 */
bool insertions_gone(struct insertions *insertions, int fd, uint64_t address, uint8_t byte);

/* Whether rr has an int3 at this address of the tracee; *replaced: what was there. */
bool insertions_find(
    const struct insertions *insertions, pid_t tid, uint64_t address, uint8_t *replaced);

/* fd is closed: its number can come to stand for other memory. */
void insertions_close(struct insertions *insertions, int fd);

#endif
