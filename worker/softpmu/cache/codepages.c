/*
 * Copies of code pages, in a table of fixed size. Keeps only pages of private mappings that are
 * readable, executable and not writable: only system calls and rr's own writes change these, and we
 * see both. Reads any other code again each time. Must never give out a page that is not
 * executable, or call code unchanging that may change unseen.
 */
#include "worker/softpmu/cache/codepages.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memfile.h"
#include "worker/softpmu/base/memory.h"

enum {
	PAGE = 4096,
	PAGE_SLOTS = 8192, /* 32 MB of copies at most */
	MAPS_FIRST = 1 << 16,
	MAPS_MAX = 64 << 20,
};

struct page {
	uint64_t address;
	bool held; /* a copy is here: every address may be one, 0 too */
	uint8_t bytes[PAGE];
};

struct codepages {
	struct mappings mappings;
	bool stale;
	struct page *slot[PAGE_SLOTS];
};

/* The text of /proc/TID/maps, ended by a NUL; NULL when it cannot be read. */
static char *read_text(pid_t tid)
{
	size_t size = MAPS_FIRST, used = 0;
	char *text = malloc(size + 1), name[64];
	long fd, got = 1;

	snprintf(name, sizeof name, "/proc/%d/maps", tid);
	fd = kernel_call(SYS_open, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	while (text && fd >= 0 && got > 0) {
		got = kernel_call(SYS_read, fd, (long)(text + used), (long)(size - used), 0, 0, 0);
		used += got > 0 ? (size_t)got : 0;
		if (used == size) {
			char *larger = size < MAPS_MAX ? realloc(text, size * 2 + 1) : NULL;

			if (!larger)
				got = -1;
			else
				text = larger;
			size *= 2;
		}
	}
	if (fd >= 0)
		kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
	if (!text || fd < 0 || got < 0) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	return text;
}

static bool add(struct mappings *mappings, const struct mapping *mapping)
{
	if (mappings->count == mappings->room) {
		size_t room = mappings->room ? mappings->room * 2 : 64;
		struct mapping *larger = realloc(mappings->list, room * sizeof *larger);

		if (!larger)
			return false;
		mappings->list = larger;
		mappings->room = room;
	}
	mappings->list[mappings->count++] = *mapping;
	return true;
}

bool mappings_read(struct mappings *mappings, pid_t tid)
{
	char *text = read_text(tid), *next;
	bool ok = text;

	mappings->count = 0;
	for (char *line = text; ok && line && *line; line = next) {
		uint64_t start, end;
		char *rights;
		struct mapping mapping;

		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		start = strtoul(line, &rights, 16);
		if (*rights != '-')
			continue;
		end = strtoul(rights + 1, &rights, 16);
		if (next - rights < 6 || *rights++ != ' ')
			continue;
		mapping = (struct mapping){.start = start,
		    .end = end,
		    .code = rights[0] == 'r' && rights[2] == 'x',
		    .changes = rights[1] == 'w' || rights[3] == 's',
		    .executable = rights[2] == 'x',
		    .ours = memfile_is_in(line, (size_t)(next - line))};
		ok = add(mappings, &mapping);
	}
	free(text);
	return ok;
}

void mappings_free(struct mappings *mappings)
{
	free(mappings->list);
	*mappings = (struct mappings){0};
}

/* The first mapping that ends above address. */
static size_t first_behind(const struct mappings *mappings, uint64_t address)
{
	size_t low = 0, high = mappings->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (mappings->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address)
{
	size_t i = first_behind(mappings, address);

	return i < mappings->count && mappings->list[i].start <= address ? &mappings->list[i]
									 : NULL;
}

bool mappings_is_free(const struct mappings *mappings, uint64_t start, uint64_t end)
{
	size_t i = first_behind(mappings, start);

	return i == mappings->count || mappings->list[i].start >= end;
}

struct codepages *codepages_new(struct mappings *mappings)
{
	struct codepages *pages = calloc(1, sizeof *pages);

	if (!pages)
		return NULL;
	pages->mappings = *mappings;
	pages->stale = true;
	*mappings = (struct mappings){0};
	return pages;
}

void codepages_free(struct codepages *pages)
{
	if (!pages)
		return;
	for (size_t i = 0; i < PAGE_SLOTS; i++)
		free(pages->slot[i]);
	mappings_free(&pages->mappings);
	free(pages);
}

static struct page **slot_of(struct codepages *pages, uint64_t address)
{
	return &pages->slot[(address / PAGE) % PAGE_SLOTS];
}

/* The copy of the page at address, which is a page's, or NULL. */
static const struct page *kept(const struct codepages *pages, uint64_t address)
{
	const struct page *page = pages->slot[(address / PAGE) % PAGE_SLOTS];

	return page && page->held && page->address == address ? page : NULL;
}

/* Makes it. The mapping must not change. NULL when it cannot be read. */
static const struct page *keep(struct codepages *pages, pid_t tid, uint64_t address)
{
	struct page **slot = slot_of(pages, address);
	struct page *page = *slot;

	if (!page)
		page = *slot = malloc(sizeof *page);
	if (!page)
		return NULL;
	page->held = false;
	if (!memory_read(tid, address, page->bytes, PAGE))
		return NULL;
	page->address = address;
	page->held = true;
	return page;
}

/* The mapping of code at an address, or NULL. */
static const struct mapping *find_code(struct codepages *pages, pid_t tid, uint64_t address)
{
	const struct mapping *mapping;

	if (pages->stale && !mappings_read(&pages->mappings, tid))
		return NULL;
	pages->stale = false;
	mapping = mappings_find(&pages->mappings, address);
	return mapping && mapping->code ? mapping : NULL;
}

/* Copies the bytes within one page; false if it is not such code. */
static bool copy_part(struct codepages *pages, pid_t tid, uint64_t address, uint8_t *bytes,
    size_t length, bool changes)
{
	const struct page *page = kept(pages, address - address % PAGE);
	const struct mapping *mapping = page ? NULL : find_code(pages, tid, address);

	if (page ? changes : !mapping || mapping->changes != changes)
		return false;
	if (changes)
		return memory_read(tid, address, bytes, length);
	if (!page)
		page = keep(pages, tid, address - address % PAGE);
	if (page)
		memcpy(bytes, page->bytes + address % PAGE, length);
	return page;
}

size_t codepages_read(struct codepages *pages, pid_t tid, uint64_t address, uint8_t *bytes,
    size_t length, bool *changes)
{
	const struct mapping *mapping =
	    kept(pages, address - address % PAGE) ? NULL : find_code(pages, tid, address);
	size_t used = 0;

	*changes = mapping && mapping->changes;
	while (used < length && address + used >= address) {
		size_t part = PAGE - (address + used) % PAGE;

		if (part > length - used)
			part = length - used;
		if (!copy_part(pages, tid, address + used, bytes + used, part, *changes))
			break;
		used += part;
	}
	return used;
}

void codepages_forget(struct codepages *pages, uint64_t start, uint64_t end)
{
	uint64_t first = start / PAGE;
	uint64_t last = end > start ? (end - 1) / PAGE : first;

	for (size_t i = 0; last - first >= PAGE_SLOTS && i < PAGE_SLOTS; i++) {
		struct page *page = pages->slot[i];

		if (page && page->address / PAGE >= first && page->address / PAGE <= last)
			page->held = false;
	}
	for (uint64_t i = first; last - first < PAGE_SLOTS && i <= last; i++) {
		struct page *page = *slot_of(pages, i * PAGE);

		if (page && page->address == i * PAGE)
			page->held = false;
	}
}

void codepages_remapped(struct codepages *pages)
{
	pages->stale = true;
}

bool codepages_touches_code(const struct codepages *pages, uint64_t start, uint64_t end)
{
	for (size_t i = first_behind(&pages->mappings, start); i < pages->mappings.count; i++) {
		if (pages->mappings.list[i].start >= end)
			return false;
		if (pages->mappings.list[i].executable)
			return true;
	}
	return false;
}
