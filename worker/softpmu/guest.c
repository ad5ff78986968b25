/*
 * Copies of a tracee's pages. It must never write back a byte that the program did not write (but
 * for the rest of an aligned word of eight), never let code run that the tracee may not execute,
 * and never copy a page that can change behind the copy: memory that the program shares, maybe with
 * itself at another address.
 */
#include "worker/softpmu/guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "worker/softpmu/kernel.h"

enum {
	PAGES = 256, /* a power of two */
	PROBES = 16,
	NOWHERE = 1, /* the address of no page */
	WORD = 8,
	WORDS = GUEST_PAGE / WORD,
	MAPPINGS_MAX = 4096, /* of one process; with more, nothing runs here */
	MAPS_READ = 1 << 15,
	RUNS_MAX = 512, /* pieces in one write */
	FORBIDDEN_MAX = 4,
};

struct page {
	uint64_t address;
	uint32_t generation; /* the episode it was read in */
	bool writable, executable, executed, dirty;
	uint64_t words[WORDS / 64]; /* which words were written */
	uint8_t *bytes;
};

struct mapping {
	uint64_t start, end;
	bool writable, executable, shared;
};

struct guest {
	pid_t tid;
	uint32_t generation;
	struct page page[PAGES];
	struct page *last; /* found last: somebody may still be at it */
	uint8_t *store;
	bool mapped; /* the mappings are those of tid */
	size_t mappings;
	struct mapping *mapping;
	size_t forbidden;
	struct {
		uint64_t start, end;
	} forbid[FORBIDDEN_MAX];
	struct {
		uint64_t address;
		size_t size; /* 0: not in use */
		bool write;
		_Alignas(64) uint8_t bytes[2 * GUEST_ACCESS_MAX];
	} bounce;
};

struct guest *guest_new(void)
{
	struct guest *guest = aligned_alloc(64, (sizeof *guest + 63) & ~(size_t)63);

	if (!guest)
		return NULL;
	memset(guest, 0, sizeof *guest);
	guest->store = aligned_alloc(GUEST_PAGE, PAGES * GUEST_PAGE);
	guest->mapping = calloc(MAPPINGS_MAX, sizeof *guest->mapping);
	if (!guest->store || !guest->mapping) {
		free(guest->store);
		free(guest->mapping);
		free(guest);
		return NULL;
	}
	for (size_t i = 0; i < PAGES; i++)
		guest->page[i].bytes = guest->store + i * GUEST_PAGE;
	return guest;
}

void guest_begin(struct guest *guest, pid_t tid, bool keep_maps)
{
	guest->generation++;
	guest->bounce.size = 0;
	guest->forbidden = 0;
	guest->mapped = guest->mapped && keep_maps && guest->tid == tid;
	guest->tid = tid;
}

void guest_forbid(struct guest *guest, uint64_t start, uint64_t end)
{
	if (guest->forbidden == FORBIDDEN_MAX)
		return;
	guest->forbid[guest->forbidden].start = start;
	guest->forbid[guest->forbidden++].end = end;
}

static bool is_forbidden(const struct guest *guest, uint64_t address, size_t size)
{
	for (size_t i = 0; i < guest->forbidden; i++) {
		if (address < guest->forbid[i].end && address + size > guest->forbid[i].start)
			return true;
	}
	return false;
}

static bool hex(const char **at, const char *end, uint64_t *value)
{
	const char *start = *at;

	*value = 0;
	for (; *at < end; ++*at) {
		char c = **at;
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
						   : -1;

		if (digit < 0)
			break;
		*value = *value << 4 | (uint64_t)digit;
	}
	return *at > start;
}

/*
 * rr's own shared memory is mapped once in a tracee, and nobody else writes to it meanwhile. The
 * system call buffer is used so much that leaving it out would cost recording a third of its speed.
 */
static bool is_of_rr(const char *line, const char *end)
{
	static const char *const name[] = {
	    "/rr-shared-syscallbuf.", "/rr-shared-preload_thread_locals-"};

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		if (memmem(line, (size_t)(end - line), name[i], strlen(name[i])))
			return true;
	}
	return false;
}

/* "start-end rwxp ...": true when the line is one of these. */
static bool parse_mapping(const char *line, const char *end, struct mapping *mapping)
{
	if (!hex(&line, end, &mapping->start) || end - line < 1 || *line++ != '-' ||
	    !hex(&line, end, &mapping->end) || end - line < 5 || *line != ' ')
		return false;
	mapping->writable = line[2] == 'w';
	mapping->executable = line[3] == 'x';
	mapping->shared = line[4] != 'p' && !is_of_rr(line, end);
	return true;
}

static bool parse_text(struct guest *guest, const char *text, const char *end)
{
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (!newline || guest->mappings == MAPPINGS_MAX ||
		    !parse_mapping(line, newline, &guest->mapping[guest->mappings]))
			return false;
		guest->mappings++;
		line = newline + 1;
	}
	return true;
}

/* Reads the mappings; on any doubt there are none, and nothing runs here. */
static void read_mappings(struct guest *guest)
{
	static char text[MAPS_READ];
	char path[64];
	size_t held = 0;
	bool good = true;
	long fd, got = 0;

	guest->mapped = true;
	guest->mappings = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", guest->tid);
	fd = kernel_call(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	if (fd < 0)
		return;
	while (good && (got = kernel_call(SYS_read, fd, (long)text + (long)held,
			    (long)(sizeof text - held), 0, 0, 0)) > 0) {
		char *last;

		held += (size_t)got;
		last = memrchr(text, '\n', held);
		if (!last)
			break;
		good = parse_text(guest, text, last + 1);
		held -= (size_t)(last + 1 - text);
		memmove(text, last + 1, held);
	}
	kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
	if (!good || got < 0 || held > 0)
		guest->mappings = 0;
}

static const struct mapping *find_mapping(struct guest *guest, uint64_t address)
{
	size_t low = 0, high;

	if (!guest->mapped)
		read_mappings(guest);
	high = guest->mappings;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (address < guest->mapping[middle].start)
			high = middle;
		else if (address >= guest->mapping[middle].end)
			low = middle + 1;
		else
			return &guest->mapping[middle];
	}
	guest->mapped = false; /* the stack may have grown: look again next time */
	return NULL;
}

static struct page *fill(struct guest *guest, struct page *page, uint64_t address)
{
	const struct mapping *mapping = find_mapping(guest, address);
	struct iovec local = {page->bytes, GUEST_PAGE};
	struct iovec remote = {(void *)(uintptr_t)address, GUEST_PAGE};

	/* What was there is gone, whatever comes; but the place stays taken, for those behind it.
	 */
	page->address = NOWHERE;
	if (!mapping || mapping->shared ||
	    kernel_read_tracee(guest->tid, &local, 1, &remote, 1) != GUEST_PAGE)
		return NULL;
	page->address = address;
	page->generation = guest->generation;
	page->writable = mapping->writable;
	page->executable = mapping->executable;
	page->executed = page->dirty = false;
	memset(page->words, 0, sizeof page->words);
	return page;
}

/*
 * The page of an address, or NULL. A copy that was only read gives way to another; one that was
 * executed does not, because nobody may write to it behind the back of what was made of it.
 */
static struct page *find_page(struct guest *guest, uint64_t address)
{
	uint64_t base = address & ~(uint64_t)(GUEST_PAGE - 1);
	size_t at = (size_t)(base >> 12 ^ base >> 19) & (PAGES - 1);
	struct page *place = NULL;

	for (size_t i = 0; i < PROBES; i++) {
		struct page *page = &guest->page[(at + i) & (PAGES - 1)];

		if (page->generation != guest->generation) {
			place = page;
			break;
		}
		if (page->address == base)
			return guest->last = page;
		if (!page->dirty && !page->executed && page != guest->last)
			place = page;
	}
	/* None: the episode ends. */
	return guest->last = place ? fill(guest, place, base) : NULL;
}

static void mark(struct page *page, size_t offset, size_t size)
{
	page->dirty = true;
	for (size_t word = offset / WORD; word <= (offset + size - 1) / WORD; word++)
		page->words[word / 64] |= 1ull << (word % 64);
}

static bool may_write(const struct page *page)
{
	return page->writable && !page->executed;
}

static void *access_across(
    struct guest *guest, uint64_t address, size_t size, bool write, struct page *first)
{
	size_t offset = (size_t)(address & (GUEST_PAGE - 1)), part = GUEST_PAGE - offset;
	struct page *second = find_page(guest, address + part);
	uint8_t *bytes = guest->bounce.bytes + (address & (GUEST_ACCESS_MAX - 1));

	if (!second || (write && (!may_write(first) || !may_write(second))))
		return NULL;
	memcpy(bytes, first->bytes + offset, part);
	memcpy(bytes + part, second->bytes, size - part);
	guest->bounce.address = address;
	guest->bounce.size = write ? size : 0;
	return bytes;
}

void *guest_access(struct guest *guest, uint64_t address, size_t size, bool write)
{
	size_t offset = (size_t)(address & (GUEST_PAGE - 1));
	struct page *page = find_page(guest, address);

	if (!page || is_forbidden(guest, address, size))
		return NULL;
	if (offset + size > GUEST_PAGE)
		return access_across(guest, address, size, write, page);
	if (write) {
		if (!may_write(page))
			return NULL;
		mark(page, offset, size);
	}
	return page->bytes + offset;
}

void guest_settle(struct guest *guest)
{
	uint64_t address = guest->bounce.address;
	size_t size = guest->bounce.size;
	size_t offset = (size_t)(address & (GUEST_PAGE - 1)), part = GUEST_PAGE - offset;
	const uint8_t *bytes = guest->bounce.bytes + (address & (GUEST_ACCESS_MAX - 1));
	struct page *first, *second;

	if (size == 0)
		return;
	guest->bounce.size = 0;
	first = find_page(guest, address);
	second = find_page(guest, address + part);
	if (!first || !second)
		return; /* both were there a moment ago */
	memcpy(first->bytes + offset, bytes, part);
	memcpy(second->bytes, bytes + part, size - part);
	mark(first, offset, part);
	mark(second, 0, size - part);
}

size_t guest_code(struct guest *guest, uint64_t address, const uint8_t **bytes)
{
	struct page *page = find_page(guest, address);

	if (!page || !page->executable || page->dirty)
		return 0;
	page->executed = true;
	*bytes = page->bytes + (address & (GUEST_PAGE - 1));
	return GUEST_PAGE - (size_t)(address & (GUEST_PAGE - 1));
}

static bool written(const struct page *page, size_t word)
{
	return word < WORDS && page->words[word / 64] >> (word % 64) & 1;
}

/* The pieces of a page that were written, as pairs of vectors; how many. */
static size_t written_runs(const struct page *page, struct iovec *local, struct iovec *remote)
{
	size_t runs = 0;

	for (size_t word = 0; word < WORDS && runs < RUNS_MAX; word++) {
		size_t start = word;

		while (written(page, word))
			word++;
		if (word == start)
			continue;
		local[runs] = (struct iovec){page->bytes + start * WORD, (word - start) * WORD};
		remote[runs] = (struct iovec){
		    (void *)(uintptr_t)(page->address + start * WORD), (word - start) * WORD};
		runs++;
	}
	return runs;
}

bool guest_write_back(struct guest *guest)
{
	struct iovec local[RUNS_MAX], remote[RUNS_MAX];

	for (size_t i = 0; i < PAGES; i++) {
		const struct page *page = &guest->page[i];
		size_t runs;
		long length = 0;

		if (page->generation != guest->generation || !page->dirty)
			continue;
		runs = written_runs(page, local, remote);
		for (size_t run = 0; run < runs; run++)
			length += (long)local[run].iov_len;
		if (kernel_call(SYS_process_vm_writev, guest->tid, (long)local, (long)runs,
			(long)remote, (long)runs, 0) != length)
			return false;
	}
	return true;
}

bool guest_agrees(struct guest *guest, uint64_t *where)
{
	struct iovec local[RUNS_MAX], remote[RUNS_MAX];
	uint8_t bytes[GUEST_PAGE];

	for (size_t i = 0; i < PAGES; i++) {
		const struct page *page = &guest->page[i];
		size_t runs;

		if (page->generation != guest->generation || !page->dirty)
			continue;
		runs = written_runs(page, local, remote);
		for (size_t run = 0; run < runs; run++) {
			/* cppcheck-suppress legacyUninitvar; it is filled through this */
			struct iovec into = {bytes, remote[run].iov_len};

			*where = (uint64_t)(uintptr_t)remote[run].iov_base;
			if (kernel_read_tracee(guest->tid, &into, 1, &remote[run], 1) !=
				(long)into.iov_len ||
			    memcmp(bytes, local[run].iov_base, into.iov_len) != 0)
				return false;
		}
	}
	return true;
}
