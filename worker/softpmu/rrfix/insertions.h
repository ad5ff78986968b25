/*
 * The int3s that rr has inserted. rr (to 5.9 at least) does not notice when the program unmaps or
 * replaces the memory under a breakpoint: it then writes the old byte to where nothing is mapped,
 * which ends rr, or into the code that lies there now, which spoils the replay. A library that
 * dlopen maps where ld.so.cache was before is enough, when rr replays both for a search backward.
 */
#ifndef RR_WARDEN_SOFTPMU_INSERTIONS_H
#define RR_WARDEN_SOFTPMU_INSERTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { INSERTIONS_MAX = 512 }; /* those beyond are not watched */

struct insertions {
	struct insertion {
		int fd; /* the memory of the tracee, as rr has it open */
		uint64_t address;
		uint8_t replaced;
	} list[INSERTIONS_MAX];
	unsigned count;
};

/*
 * rr is about to write one byte at this address of the memory that fd stands for. True when the
 * write would take out an int3 that has gone with its mapping: the write must then not be made, and
 * rr must be told that it was.
 */
bool insertions_gone(struct insertions *insertions, int fd, uint64_t address, uint8_t byte);

/* fd is closed: its number can come to stand for other memory. */
void insertions_close(struct insertions *insertions, int fd);

#endif
