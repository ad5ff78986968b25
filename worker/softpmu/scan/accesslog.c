/*
 * It must never be short of an access without saying so, nor count one twice: whoever reads it has
 * no other way to know.
 */
#include "worker/softpmu/scan/accesslog.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/packet.h"
#include "worker/softpmu/cache/recover.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/x86/accesses.h"
#include "worker/x86/classify.h"
#include "worker/x86/decode.h"

/* ---- Packets --------------------------------------------------------------------------------- */

static void forget_rows(struct accesslog *log)
{
	log->table.rows = 0;
	log->turn = log->page = 0;
}

static void end(struct accesslog *log)
{
	const uint64_t begun = log->begun, number = log->number;

	free(log->row);
	*log = (struct accesslog){.begun = begun, .number = number};
}

static void begin(struct accesslog *log, pid_t borrower, uint64_t address, uint64_t size)
{
	end(log);
	log->begun++;
	log->borrower = borrower;
	if (size == 0 || size > sizeof(uint64_t) || !processor()->debug_registers)
		return;
	log->address = address;
	log->size = size;
	log->table.state = ACCESS_ON;
}

/* The number of the list changes with it: code that was made for another one asks too much. */
static void make_quiet(struct accesslog *log, uint64_t pc)
{
	if (log->quiet.count == ACCESS_QUIET_MAX || quiet_list_has(&log->quiet, pc))
		return;
	log->quiet.end[log->quiet.count++] = pc;
	log->number++;
}

static void show_rows(struct accesslog *log)
{
	memset(log->table.row, 0, sizeof log->table.row);
	for (size_t i = 0; i < ACCESS_ROWS_PAGE && log->page + i < log->table.rows; i++)
		log->table.row[i] = log->row[log->page + i];
}

void accesslog_take(struct accesslog *log, pid_t borrower, const char *packet)
{
	uint64_t number[PACKET_NUMBERS];
	const char *asked = packet_read(packet, "QRRWarden.access:", number);

	if (!log)
		return;
	if (*packet == '\0' || (asked && *asked == '\0'))
		end(log);
	if (!asked)
		return;
	if (*asked == 'b')
		return begin(log, borrower, number[0], number[1]);
	if (log->table.state == 0)
		return;
	switch (*asked) {
	case 'q':
		return make_quiet(log, number[0]);
	case 'w':
		if (log->wanted_count < ACCESS_WANTED_MAX)
			log->wanted[log->wanted_count++] = number[0];
		return;
	case 'p':
		log->page = number[0];
		return;
	case 'f':
		return forget_rows(log);
	}
}

bool accesslog_read(struct accesslog *log, int fd, uint64_t address, void *buffer, size_t size)
{
	if (log->table.state == 0 || !address_is_part(address, size, ACCESSMARK, sizeof log->table))
		return false;
	tracees_name_memory(&log->memory, fd);
	show_rows(log);
	memcpy(buffer, (const char *)&log->table + (address - ACCESSMARK), size);
	return true;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static bool is_on(struct accesslog *log, struct tracee *tracee)
{
	if (!log || log->table.state != ACCESS_ON || !log->memory.process)
		return false;
	if (tracee->access != log->begun) {
		tracee->access = log->begun;
		tracee->access_member =
		    tracee->borrower == log->borrower && tracees_run_in(&log->memory, tracee);
		tracee->access_thread = UINT64_MAX;
	}
	return tracee->access_member;
}

static bool is_introduced(const struct tracee *tracee)
{
	return tracee->access_thread != UINT64_MAX;
}

void accesslog_rr_wrote(struct accesslog *log, uint64_t address, size_t size)
{
	if (log->table.state && log->hides && address < log->address + log->size &&
	    log->address < address + size)
		log->table.state |= ACCESS_LOST;
}

/* How many accesses may come until one is shown, that one included; at least 1. */
static uint64_t until_shown(struct accesslog *log, const struct tracee *tracee)
{
	const uint64_t total = log->table.total;
	uint64_t wanted;

	if (!is_introduced(tracee))
		return 1;
	while (log->wanted_next < log->wanted_count && log->wanted[log->wanted_next] <= total)
		log->wanted_next++;
	if (log->wanted_next == log->wanted_count)
		return UINT64_MAX;
	/* The one before it is shown, too. */
	wanted = log->wanted[log->wanted_next];
	return wanted - total > 1 ? wanted - total - 1 : 1;
}

static struct access_row *add_row(struct accesslog *log)
{
	const size_t room = log->room ? 2 * log->room : 64;
	struct access_row *larger;

	if (log->table.rows == log->room) {
		larger =
		    room > ACCESSLOG_ROWS_MAX ? NULL : realloc(log->row, room * sizeof *larger);
		if (!larger) {
			log->table.state |= ACCESS_LOST;
			return NULL;
		}
		log->row = larger;
		log->room = room;
	}
	return &log->row[log->table.rows++];
}

/* That of this instruction in the thread's turn. */
static struct access_row *find_row(struct accesslog *log, uint64_t thread, uint64_t pc)
{
	struct access_row *row;

	if (log->turn < log->table.rows && log->row[log->turn].thread != thread)
		log->turn = log->table.rows;
	for (size_t i = log->turn; i < log->table.rows; i++) {
		if (log->row[i].pc == pc)
			return &log->row[i];
	}
	row = add_row(log);
	if (row)
		*row = (struct access_row){.thread = thread, .pc = pc, .first = log->table.total};
	return row;
}

static void hide(struct accesslog *log, const struct tracee *tracee, uint64_t pc)
{
	struct access_row *row;

	log->table.total++;
	log->hides = true;
	row = find_row(log, tracee->access_thread, pc);
	if (row) {
		row->count++;
		row->last = log->table.total;
	}
}

/* The last one is over. */
static void look(struct accesslog *log, const struct tracee *tracee)
{
	log->before = 0;
	if (!memory_read(tracee->tid, log->address, &log->before, log->size))
		log->table.state |= ACCESS_LOST;
}

static void show(struct accesslog *log, struct tracee *tracee, uint64_t pc)
{
	if (!is_introduced(tracee))
		tracee->access_thread = log->threads++;
	log->table.shown = ++log->table.total;
	log->table.thread = tracee->access_thread;
	log->table.pc = pc;
	log->table.stale = log->hides;
	log->table.old = log->before;
	log->hides = false;
	log->turn = log->table.rows;
}

/* Of rr's debug registers, that which alone watches data, and just these bytes; -1: none does. */
static int watch_of(const struct accesslog *log, const struct tracee *tracee)
{
	int only = -1;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, stop;

		if (!debug_registers_rr_watch(&tracee->debug, i, &start, &stop))
			continue;
		if (only >= 0 || start != log->address || stop != start + log->size)
			return -1;
		only = (int)i;
	}
	return only;
}

bool accesslog_hides(struct accesslog *log, struct tracee *tracee, unsigned hits, uint64_t pc)
{
	int watch;

	if (hits == 0 || !is_on(log, tracee))
		return false;
	watch = watch_of(log, tracee);
	if (watch < 0)
		log->table.state |= ACCESS_LOST;
	if (watch < 0 || !(hits & 1u << watch))
		return false;
	/* It would see behind a step of its own that the bytes are others. */
	if (hits != 1u << watch || tracee->mode == RESUME_STEP ||
	    !quiet_list_has(&log->quiet, pc) || until_shown(log, tracee) == 1) {
		show(log, tracee, pc);
		return false;
	}
	hide(log, tracee, pc);
	look(log, tracee);
	return true;
}

void accesslog_note_step(struct accesslog *log, struct tracee *tracee, uint64_t pc)
{
	if (!is_on(log, tracee) || !log->hides)
		return;
	log->table.step_total = log->table.total;
	log->table.step_pc = pc;
}

/* ---- The code cache -------------------------------------------------------------------------- */

static void unmark(struct space *space)
{
	struct watches *watches = &space->watches;

	watches_mark(&space->arena, watches->marked, watches->unmarked, 0);
	watches->marked = watches->unmarked = 0;
}

/* Whether the code writes this tracee's accesses into its log. */
static bool is_inlined(struct accesslog *log, struct tracee *tracee)
{
	return is_on(log, tracee) && log->quiet.count > 0 && watch_of(log, tracee) >= 0;
}

bool accesslog_set(struct accesslog *log, struct space *space, struct tracee *tracee)
{
	struct watches *watches = &space->watches;
	const uint64_t number = is_inlined(log, tracee) ? log->number : 0;
	const bool anew = watches->quiet_number != number;

	watches->quiet = log ? &log->quiet : NULL;
	watches->quiet_number = number;
	if (anew)
		unmark(space);
	return anew;
}

bool accesslog_is_in(const struct space *space)
{
	return space->watches.quiet_number != 0;
}

/* `more` of its entries do not count. The log is written from its end to its beginning. Returns how
 * many entries it has. */
static uint64_t begin_log(
    struct accesslog *log, struct space *space, const struct tracee *tracee, uint64_t more)
{
	const uint64_t until = until_shown(log, tracee);
	const uint64_t room = until < ARENA_TOUCHES_MAX - more ? until + more : ARENA_TOUCHES_MAX;

	*arena_slot(&space->arena, ARENA_SLOT_TOUCH_ROOM) =
	    *arena_slot(&space->arena, ARENA_SLOT_TOUCHES) = room;
	return room;
}

int accesslog_begin(struct accesslog *log, struct space *space, struct tracee *tracee)
{
	struct watches *watches = &space->watches;

	begin_log(log, space, tracee, 0);
	if (watches->marked == watches->unmarked) {
		watches->marked = log->address;
		watches->unmarked = log->address + log->size;
		watches_mark(&space->arena, watches->marked, watches->unmarked, 1);
	}
	return debug_registers_blind(&tracee->debug, tracee->tid);
}

/* Whether the access of an entry touches what is watched, and not only what has the same low bits
 * of its address. */
static bool touches(const struct accesslog *log, uint64_t touched, uint64_t toucher)
{
	const uint64_t size = toucher >> ACCESS_LOG_SIZE_BIT;

	return touched < log->address + log->size && log->address < touched + size;
}

/* All entries but `kept` of the last ones. The program may have written anything there. */
static void drain(
    struct accesslog *log, const struct space *space, const struct tracee *tracee, uint64_t kept)
{
	const uint64_t left = *arena_slot(&space->arena, ARENA_SLOT_TOUCHES) + kept;
	uint64_t at = *arena_slot(&space->arena, ARENA_SLOT_TOUCH_ROOM);

	if (at > ARENA_TOUCHES_MAX || left > at) {
		log->table.state |= ACCESS_LOST;
		return;
	}
	for (; at > left; at--) {
		const uint64_t touched = arena_slot(&space->arena, ARENA_TOUCHED)[at - 1];
		const uint64_t toucher = arena_slot(&space->arena, ARENA_TOUCHERS)[at - 1];

		if (touches(log, touched, toucher))
			hide(log, tracee, toucher & ((1ull << ACCESS_LOG_SIZE_BIT) - 1));
	}
}

void accesslog_end(struct accesslog *log, struct space *space, struct tracee *tracee)
{
	drain(log, space, tracee, 0);
	if (log->hides)
		look(log, tracee);
	*arena_slot(&space->arena, ARENA_SLOT_TOUCH_ROOM) =
	    *arena_slot(&space->arena, ARENA_SLOT_TOUCHES);
	debug_registers_disarm(&tracee->debug, tracee->tid);
}

/* The last entry is that of the instruction that comes now: it stays in the log, from which the way
 * back may take it. */
static bool answer_full(struct accesslog *log, struct space *space, const struct tracee *tracee)
{
	const uint64_t last = *arena_slot(&space->arena, ARENA_SLOT_TOUCHES);
	uint64_t touched, toucher, left;

	if (last >= ARENA_TOUCHES_MAX) {
		log->table.state |= ACCESS_LOST;
		return false;
	}
	touched = arena_slot(&space->arena, ARENA_TOUCHED)[last];
	toucher = arena_slot(&space->arena, ARENA_TOUCHERS)[last];
	drain(log, space, tracee, 1);
	left = begin_log(log, space, tracee, touches(log, touched, toucher) ? 0 : 1) - 1;
	*arena_slot(&space->arena, ARENA_SLOT_TOUCHES) = left;
	arena_slot(&space->arena, ARENA_TOUCHED)[left] = touched;
	arena_slot(&space->arena, ARENA_TOUCHERS)[left] = toucher;
	return left > 0;
}

/* Whether the instruction at rip may touch the bytes. */
static bool may_touch(
    const struct accesslog *log, const struct tracee *tracee, const struct user_regs_struct *there)
{
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	const size_t length = memory_read_code(tracee->tid, there->rip, bytes, sizeof bytes);
	struct classified in;
	struct accesses accesses;

	if (length == 0 || !classify(there->rip, bytes, length, &in))
		return true;
	accesses_of(bytes, in.z.length, there->rip, &accesses);
	for (unsigned i = 0; i < accesses.count; i++) {
		uint64_t first, last;

		accesses_range(&accesses.list[i], there, NULL, true, &first, &last);
		if (first < log->address + log->size && log->address < last)
			return true;
	}
	return false;
}

bool accesslog_answer(struct accesslog *log, struct space *space, struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs)
{
	const struct user_regs_struct there = recover_question(space, place, regs);

	return place->distance > 0 ? answer_full(log, space, tracee)
				   : !may_touch(log, tracee, &there);
}
