/*
 * Keeps the table. It must never be short of a change without saying so: whoever reads it has no
 * other way to know.
 */
#include "worker/softpmu/traps/tally.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/softpmu/traps/tracees.h"

static const char begins[] = "QRRWarden.tally:", always[] = "QRRWarden.always:";

void tally_end(struct tally *tally)
{
	const uint64_t number = tally->number;

	*tally = (struct tally){.number = number};
}

static bool counts(const struct tally *tally)
{
	return tally->table.state & TALLY_ON && !(tally->table.state & TALLY_LOST);
}

static void lose(struct tally *tally)
{
	tally->table.state |= TALLY_LOST;
}

/* A number behind one character; moves *at behind it. False: there is none. */
static bool take_number(const char **at, char before, uint64_t *number)
{
	char *end;

	if (**at != before)
		return false;
	*number = strtoull(*at + 1, &end, 16);
	if (end == *at + 1)
		return false;
	*at = end;
	return true;
}

static bool take_bytes(const char **at, uint8_t *bytes, size_t size)
{
	if (**at != ',')
		return false;
	for (size_t i = 0; i < size; i++) {
		const char pair[3] = {(*at)[1 + 2 * i], (*at)[1 + 2 * i] ? (*at)[2 + 2 * i] : 0, 0};
		char *end;

		bytes[i] = (uint8_t)strtoul(pair, &end, 16);
		if (end != pair + 2)
			return false;
	}
	*at += 1 + 2 * size;
	return true;
}

static bool take_wanted(struct tally *tally, const char *at)
{
	while (*at) {
		if (tally->wanted_count == TALLY_WANTED_MAX ||
		    !take_number(&at, ';', &tally->wanted[tally->wanted_count++]))
			return false;
	}
	return true;
}

/* What is not understood begins nothing: the table says that. */
static void begin(struct tally *tally, const struct hushed *hushed, const char *at)
{
	uint64_t size = 0;

	tally_end(tally);
	tally->number++;
	tally->shows_new = *at == 'n' || *at == 'N';
	tally->inlined = *at == 'N' || *at == 'W' || *at == 'P';
	tally->predicate = *at == 'p' || *at == 'P' ? hushed : NULL;
	at += *at != '\0';
	if (!take_number(&at, ';', &tally->address) || !take_number(&at, ',', &size) || size == 0 ||
	    size > TALLY_SIZE_MAX || !take_bytes(&at, tally->last, (size_t)size) ||
	    !take_wanted(tally, at)) {
		tally_end(tally);
		return;
	}
	tally->size = (size_t)size;
	memcpy(tally->seen, tally->last, sizeof tally->seen);
	tally->table.state = TALLY_ON;
}

static struct tally_row *find(struct tally *tally, uint64_t pc)
{
	for (uint64_t i = 0; i < tally->table.count; i++) {
		if (tally->table.row[i].pc == pc)
			return &tally->table.row[i];
	}
	return NULL;
}

static void show_always(struct tally *tally, uint64_t pc)
{
	const struct tally_row *row = find(tally, pc);

	if (row)
		tally->always[row - tally->table.row] = true;
}

void tally_take(struct tally *tally, const struct hushed *hushed, const char *packet)
{
	if (strncmp(packet, begins, sizeof begins - 1) == 0)
		begin(tally, hushed, packet + sizeof begins - 1);
	else if (strncmp(packet, always, sizeof always - 1) == 0)
		show_always(tally, strtoull(packet + sizeof always - 1, NULL, 16));
}

static bool read_bytes(const struct tally *tally, pid_t tid, uint8_t now[TALLY_SIZE_MAX])
{
	return memory_read(tid, tally->address, now, tally->size);
}

static bool same(const struct tally *tally, const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, tally->size) == 0;
}

/* gdb has only one process, whose memory it reads. */
static void learn_process(struct tally *tally, int fd)
{
	if (tally->memory.process)
		return;
	tracees_name_memory(&tally->memory, fd);
	tally->reader = tally->memory.process;
	if (!tally->memory.process || !processor()->debug_registers)
		lose(tally);
}

static bool is_member(struct tally *tally, struct tracee *tracee)
{
	if (tracee->tally != tally->number) {
		tracee->tally = tally->number;
		tracee->tally_member = tracees_run_in(&tally->memory, tracee);
	}
	return tracee->tally_member;
}

/* gdb has had the time to see what rr has written. */
static void settle(struct tally *tally)
{
	if (tally->by_rr && tally->told) {
		memcpy(tally->last, tally->seen, tally->size);
		tally->by_rr = false;
	}
}

void tally_resume(struct tally *tally, struct tracee *tracee)
{
	uint8_t now[TALLY_SIZE_MAX];

	if (!counts(tally))
		return;
	if (!is_member(tally, tracee))
		return;
	tally->reader = tracee->tid;
	if (!read_bytes(tally, tracee->tid, now)) {
		lose(tally);
		return;
	}
	settle(tally);
	if (!same(tally, now, tally->last))
		lose(tally);
}

/* rr compares now. It shows nothing where the bytes are again what it saw last. */
void tally_rr_wrote(struct tally *tally, uint64_t address, size_t size)
{
	uint8_t now[TALLY_SIZE_MAX];
	bool changed;

	if (!counts(tally) || address >= tally->address + tally->size ||
	    tally->address >= address + size)
		return;
	if (!read_bytes(tally, tally->reader, now)) {
		lose(tally);
		return;
	}
	settle(tally);
	changed = !same(tally, now, tally->last);
	if (same(tally, now, tally->seen)) {
		if (changed && !tally->by_rr)
			lose(tally);
		return;
	}
	memcpy(tally->seen, now, tally->size);
	tally->told = false;
	tally->table.others += (uint64_t)changed - (uint64_t)tally->by_rr;
	tally->by_rr = changed;
}

/* NULL: the table is full. */
static struct tally_row *add(struct tally *tally, uint64_t pc)
{
	struct tally_table *table = &tally->table;
	struct tally_row *row = find(tally, pc);

	if (!row && table->count == TALLY_ROWS)
		return NULL;
	table->total++;
	if (!row) {
		row = &table->row[table->count++];
		*row = (struct tally_row){.pc = pc, .first = table->total};
	}
	row->count++;
	row->last = table->total;
	return row;
}

/* The last change has led to these bytes. */
static void look_for_predicate(struct tally *tally, uint64_t bytes)
{
	if (tally->predicate && !tally->table.found &&
	    !hushed_is_false(tally->predicate, tally->address, tally->size, bytes))
		tally->table.found = tally->table.total;
}

/* Whether the change of this number or the next one is wanted. */
static bool is_wanted(struct tally *tally, uint64_t number)
{
	while (
	    tally->wanted_next < tally->wanted_count && tally->wanted[tally->wanted_next] < number)
		tally->wanted_next++;
	return tally->wanted_next < tally->wanted_count &&
	       tally->wanted[tally->wanted_next] <= number + 1;
}

/* Whether the last change of a row is shown for what it is. */
static bool is_marked(const struct tally *tally, const struct tally_row *row)
{
	return tally->always[row - tally->table.row] || tally->table.found ||
	       (tally->shows_new &&
		   (row->count == 1 || (!tally->inlined && row->last % TALLY_EVERY == 0)));
}

static enum tally_verdict note_change(
    struct tally *tally, const uint8_t *now, uint64_t pc, bool alone)
{
	const struct tally_row *row = add(tally, pc);
	bool differs = !same(tally, now, tally->seen);

	if (!row) {
		lose(tally);
		return TALLY_IS_NOT_ASKED;
	}
	memcpy(tally->last, now, tally->size);
	look_for_predicate(tally, tally_last(tally));
	if (alone && !is_wanted(tally, row->last) && !is_marked(tally, row))
		return TALLY_HIDES;
	memcpy(tally->seen, now, tally->size);
	if (differs)
		tally->table.shown = row->last;
	return TALLY_SHOWS;
}

enum tally_verdict tally_hit(struct tally *tally, struct tracee *tracee, unsigned hits, uint64_t pc)
{
	uint8_t now[TALLY_SIZE_MAX];
	uint64_t start = 0, end = 0;
	int watch;

	if (!counts(tally) || hits == 0)
		return TALLY_IS_NOT_ASKED;
	watch = debug_registers_only_watch(&tracee->debug, &start, &end);
	if (watch >= 0 && !(hits & 1u << watch))
		return TALLY_IS_NOT_ASKED;
	if (watch < 0 || start != tally->address || end != start + tally->size ||
	    !is_member(tally, tracee) || !read_bytes(tally, tracee->tid, now)) {
		lose(tally);
		return TALLY_IS_NOT_ASKED;
	}
	if (!same(tally, now, tally->last))
		return note_change(tally, now, pc, hits == 1u << watch);
	if (hits == 1u << watch)
		return TALLY_HIDES;
	memcpy(tally->seen, now, tally->size);
	return TALLY_SHOWS;
}

/* The tracee's membership is known: tally_resume comes first. */
bool tally_is_inlined(struct tally *tally, const struct tracee *tracee)
{
	return counts(tally) && tally->inlined &&
	       (!tally->predicate || tally->table.total >= TALLY_LOOKS) && tally->memory.process &&
	       processor()->debug_registers && !tally->by_rr && !tally->table.found &&
	       tracee->tally == tally->number && tracee->tally_member;
}

uint64_t tally_room(struct tally *tally)
{
	const uint64_t total = tally->table.total;

	if (tally->table.found)
		return 0;
	while (
	    tally->wanted_next < tally->wanted_count && tally->wanted[tally->wanted_next] <= total)
		tally->wanted_next++;
	if (tally->wanted_next == tally->wanted_count)
		return UINT64_MAX;
	/* The one before a wanted change is shown, too. */
	return tally->wanted[tally->wanted_next] - total > 2
		   ? tally->wanted[tally->wanted_next] - total - 2
		   : 0;
}

static const struct tally_asker *asker_of(const struct tally *tally, uint64_t store)
{
	return &tally->askers[store * 0x9e3779b97f4a7c15ull >> 54 & (TALLY_ASKERS - 1)];
}

bool tally_counts_inline(const struct tally *tally, uint64_t store)
{
	const struct tally_asker *asker = asker_of(tally, store);

	return asker->store == store && asker->asks >= TALLY_ASKS_MAX;
}

enum tally_answer tally_ask(struct tally *tally, uint64_t store, bool touches)
{
	struct tally_asker *asker = (struct tally_asker *)asker_of(tally, store);
	const struct tally_row *row = find(tally, store);

	if (row && tally->always[row - tally->table.row])
		return touches ? TALLY_ASKS_AGAIN : TALLY_NEEDS_NO_ASK;
	if (asker->store != store)
		*asker = (struct tally_asker){.store = store};
	if (row || !tally->shows_new)
		asker->asks = TALLY_ASKS_MAX;
	else
		asker->asks++;
	if (asker->asks >= TALLY_ASKS_MAX)
		return TALLY_IS_INLINE;
	return touches ? TALLY_ASKS_AGAIN : TALLY_NEEDS_NO_ASK;
}

void tally_note(struct tally *tally, uint64_t store, uint64_t bytes)
{
	if (!add(tally, store))
		lose(tally);
	memcpy(tally->last, &bytes, tally->size);
	look_for_predicate(tally, bytes);
}

uint64_t tally_last(const struct tally *tally)
{
	uint64_t bytes = 0;

	memcpy(&bytes, tally->last, tally->size);
	return bytes;
}

bool tally_now(struct tally *tally, const struct tracee *tracee, uint64_t *bytes)
{
	uint8_t now[TALLY_SIZE_MAX] = {0};

	if (!read_bytes(tally, tracee->tid, now)) {
		lose(tally);
		return false;
	}
	memcpy(bytes, now, sizeof *bytes);
	return true;
}

bool tally_read(struct tally *tally, int fd, uint64_t address, void *buffer, size_t size)
{
	if (!(tally->table.state & TALLY_ON) ||
	    !address_is_part(address, size, TALLYMARK, sizeof tally->table))
		return false;
	learn_process(tally, fd);
	memcpy(buffer, (const char *)&tally->table + (address - TALLYMARK), size);
	tally->told = true;
	return true;
}
