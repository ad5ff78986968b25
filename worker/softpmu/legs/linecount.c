/*
 * It must never count for a process that nobody has asked about.
 */
#include "worker/softpmu/legs/linecount.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/packet.h"
#include "worker/softpmu/base/process.h"
#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tracees.h"

static void begin(struct linecount *lines, pid_t borrower)
{
	lines->number++;
	lines->memory = (struct memory_of){0};
	lines->borrower = borrower;
	lines->list.count = 0;
	memset(lines->passes, 0, sizeof lines->passes);
	lines->table = (struct line_table){.state = LINES_ON};
}

static void end(struct linecount *lines)
{
	lines->table.state = 0;
	lines->list.count = 0;
}

/* ",7f30,7f34" */
static void add(struct linecount *lines, const char *at)
{
	struct line_list *list = &lines->list;

	while (*at == ',') {
		char *end;
		const uint64_t address = strtoull(at + 1, &end, 16);

		at = end;
		if (list->count < LINES_MAX &&
		    (list->count == 0 || address > list->address[list->count - 1]))
			list->address[list->count++] = address;
	}
	lines->table.count = list->count;
	lines->number++; /* the code counts fewer */
}

static void show(struct linecount *lines, uint64_t first)
{
	memset(lines->table.passes, 0, sizeof lines->table.passes);
	for (size_t i = 0; i < LINES_PAGE && first + i < lines->list.count; i++)
		lines->table.passes[i] = lines->passes[first + i];
}

void linecount_take(struct linecount *lines, pid_t borrower, const char *packet)
{
	uint64_t number[PACKET_NUMBERS];
	const char *asked = packet_read(packet, "QRRWarden.lines:", number);

	if (!lines)
		return;
	if (*packet == '\0' || (asked && *asked == '\0'))
		end(lines);
	if (!asked)
		return;
	if (*asked == 'b')
		begin(lines, borrower);
	else if (*asked == 'a' && lines->table.state)
		add(lines, asked + 1);
	else if (*asked == 'p' && lines->table.state)
		show(lines, number[0]);
}

bool linecount_read(struct linecount *lines, int fd, uint64_t address, void *buffer, size_t size)
{
	if (lines->table.state == 0 ||
	    !address_is_part(address, size, LINEMARK, sizeof lines->table))
		return false;
	tracees_name_memory(&lines->memory, fd);
	memcpy(buffer, (const char *)&lines->table + (address - LINEMARK), size);
	return true;
}

bool linecount_is_on(struct linecount *lines, struct tracee *tracee)
{
	if (!lines || lines->table.state != LINES_ON || !lines->memory.process)
		return false;
	if (tracee->lines != lines->number) {
		tracee->lines = lines->number;
		tracee->lines_member =
		    tracee->borrower == lines->borrower && tracees_run_in(&lines->memory, tracee);
	}
	return tracee->lines_member;
}

/* The code there is that of vfork's child too, which nobody asks about. */
bool linecount_set(struct linecount *lines, struct space *space, struct tracee *tracee)
{
	struct watches *watches = &space->watches;
	const uint64_t number = linecount_is_on(lines, tracee) ? lines->number : 0;
	const bool anew = watches->lines_number != number;

	watches->lines = lines ? &lines->list : NULL;
	watches->lines_number = number;
	if (anew && number)
		memset(
		    arena_slot(&space->arena, ARENA_LINES), 0, LINES_MAX * sizeof *lines->passes);
	return anew;
}

void linecount_end_leg(struct linecount *lines, const struct space *space, struct tracee *tracee)
{
	uint64_t *passes = arena_slot(&space->arena, ARENA_LINES);

	if (!space->watches.lines_number || !linecount_is_on(lines, tracee))
		return;
	for (size_t i = 0; i < lines->list.count; i++) {
		lines->passes[i] += passes[i];
		passes[i] = 0;
	}
}

void linecount_note(
    struct linecount *lines, struct tracee *tracee, const struct user_regs_struct *regs)
{
	size_t line;

	if (!linecount_is_on(lines, tracee))
		return;
	line = line_list_find(&lines->list, regs->rip);
	if (line != LINES_MAX && passcount_begins(tracee, regs))
		lines->passes[line]++;
}

void linecount_note_exec(struct linecount *lines, const struct tracee *tracee)
{
	if (lines && lines->table.state && lines->memory.process &&
	    process_of(tracee->tid) == process_of(lines->memory.process))
		lines->table.state = LINES_ON | LINES_ENDED;
}
