/*
 * Remembers what rr inserted. A write of one other byte to the same address is rr's removal if it
 * is the byte that was there before; the int3 must then still be there.
 */
#include "worker/softpmu/rrfix/insertions.h"

#include <stddef.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/process.h"

#define INT3 0xcc

static struct insertion *find(struct insertions *insertions, int fd, uint64_t address)
{
	for (unsigned i = 0; i < insertions->count; i++) {
		struct insertion *insertion = &insertions->list[i];

		if (insertion->fd == fd && insertion->address == address)
			return insertion;
	}
	return NULL;
}

static void drop(struct insertions *insertions, struct insertion *insertion)
{
	*insertion = insertions->list[--insertions->count];
}

static bool read_byte(int fd, uint64_t address, uint8_t *byte)
{
	*byte = 0;
	return kernel_call(SYS_pread64, fd, (long)byte, 1, (long)address, 0, 0) == 1;
}

static void insert(struct insertions *insertions, int fd, uint64_t address)
{
	struct insertion *insertion = find(insertions, fd, address);
	uint8_t replaced;

	if (!read_byte(fd, address, &replaced) || replaced == INT3)
		return;
	if (!insertion) {
		if (insertions->count == INSERTIONS_MAX)
			return;
		insertion = &insertions->list[insertions->count++];
	}
	*insertion = (struct insertion){fd, address, replaced};
}

void insertions_note_read(struct insertions *insertions, int fd, uint64_t address, size_t size)
{
	insertions->read.fd = fd;
	insertions->read.address = address;
	insertions->read.fresh = size == 1;
}

void insertions_note_run(struct insertions *insertions)
{
	insertions->read.fresh = false;
}

bool insertions_gone(struct insertions *insertions, int fd, uint64_t address, uint8_t byte)
{
	bool looked_first = insertions->read.fresh && insertions->read.fd == fd &&
			    insertions->read.address == address;
	struct insertion *insertion;
	uint8_t present;

	insertions->read.fresh = false;
	if (byte == INT3 && looked_first) {
		insert(insertions, fd, address);
		return false;
	}
	insertion = find(insertions, fd, address);
	if (!insertion || insertion->replaced != byte)
		return false;
	drop(insertions, insertion);
	return !read_byte(fd, address, &present) || present != INT3;
}

bool insertions_find(
    const struct insertions *insertions, pid_t tid, uint64_t address, uint8_t *replaced)
{
	for (unsigned i = 0; i < insertions->count; i++) {
		const struct insertion *insertion = &insertions->list[i];

		if (insertion->address != address ||
		    !process_shares_memory(tid, process_of_memory(insertion->fd)))
			continue;
		*replaced = insertion->replaced;
		return true;
	}
	return false;
}

void insertions_close(struct insertions *insertions, int fd)
{
	for (unsigned i = insertions->count; i-- > 0;)
		if (insertions->list[i].fd == fd)
			drop(insertions, &insertions->list[i]);
}
