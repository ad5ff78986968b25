/*
 * The bounded cache of regions. It must never hand out a region as current without the comparison:
 * code changes under us by rr's breakpoints, by mmap, and by the tracee itself.
 */
#include "worker/softpmu/legs/regions.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/memory.h"

enum {
	REGIONS_SLOTS = 8192,		/* a power of two */
	REGIONS_BYTES_MAX = 384 * 1024, /* then the cache starts over; it uses at most 4 MB in rr */
};

struct regions {
	size_t bytes;
	struct region *slot[REGIONS_SLOTS];
};

static size_t region_size(const struct region *region)
{
	return sizeof *region + region->spans * sizeof region->span[0] + region->length;
}

struct regions *regions_new(void)
{
	return calloc(1, sizeof(struct regions));
}

static struct region **slot_of(struct regions *regions, const struct region_key *key)
{
	uint64_t hash = key->root * 0x9e3779b97f4a7c15ull;

	hash ^= (uint64_t)(key->stops << 2 | key->lookahead << 1 | key->syscall_stops) << 40;
	return &regions->slot[hash >> 40 & (REGIONS_SLOTS - 1)];
}

static bool same_key(const struct region_key *a, const struct region_key *b)
{
	return a->root == b->root && a->stops == b->stops && a->lookahead == b->lookahead &&
	       a->syscall_stops == b->syscall_stops;
}

/* A pinned region leaves the table now and is freed when it is unpinned. */
static void evict(struct regions *regions, struct region **slot)
{
	struct region *region = *slot;

	*slot = NULL;
	if (!region)
		return;
	regions->bytes -= region_size(region);
	if (region->pins == 0)
		free(region);
}

void regions_pin(struct region *region)
{
	if (region)
		region->pins++;
}

void regions_unpin(struct regions *regions, struct region *region)
{
	if (region && --region->pins == 0 && *slot_of(regions, &region->key) != region)
		free(region);
}

static struct region *build_into(
    struct regions *regions, struct region **slot, pid_t tid, const struct region_key *key)
{
	struct region *region =
	    region_build(key, memory_is_writable(tid, key->root), memory_code_reader, &tid);

	evict(regions, slot);
	if (!region)
		return NULL;
	if (regions->bytes + region_size(region) > REGIONS_BYTES_MAX) {
		for (size_t i = 0; i < REGIONS_SLOTS; i++)
			evict(regions, &regions->slot[i]);
	}
	regions->bytes += region_size(region);
	*slot = region;
	return region;
}

struct region *regions_get(struct regions *regions, pid_t tid, const struct region_key *key)
{
	struct region **slot = slot_of(regions, key);

	if (*slot && same_key(&(*slot)->key, key))
		return *slot;
	return build_into(regions, slot, tid, key);
}

struct region *regions_rebuild(struct regions *regions, pid_t tid, const struct region_key *key)
{
	return build_into(regions, slot_of(regions, key), tid, key);
}

static size_t add_remotes(struct iovec *remote, size_t count, const struct region *region)
{
	for (unsigned i = 0; i < region->spans; i++) {
		const struct region_span *span = &region->span[i];

		if (!span->unread)
			remote[count++] = (struct iovec){
			    (void *)(uintptr_t)span->start, (size_t)(span->end - span->start)};
	}
	return count;
}

bool regions_match(pid_t tid, const struct region *first, const struct region *second)
{
	uint8_t bytes[2 * REGION_BYTES];
	struct iovec remote[2 * REGION_SPANS];
	size_t length = first->length + (second ? second->length : 0u);
	struct iovec local = {bytes, length};
	size_t count = add_remotes(remote, 0, first);

	if (second)
		count = add_remotes(remote, count, second);
	if (length == 0)
		return true;
	if (memory_read_lists(tid, &local, 1, remote, count) != (long)length)
		return false;
	return memcmp(bytes, first->code, first->length) == 0 &&
	       (!second || memcmp(bytes + first->length, second->code, second->length) == 0);
}
