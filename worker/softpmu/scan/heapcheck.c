/*
 * What is asked for, and what the code in the cache is to look at. It must never leave a check on
 * that nobody has asked for.
 */
#include "worker/softpmu/scan/heapcheck.h"

#include <string.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/packet.h"
#include "worker/softpmu/base/process.h"
#include "worker/softpmu/cache/recover.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/calls/copies.h"
#include "worker/softpmu/calls/slots.h"
#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/traps/tracees.h"

enum { RSP = 4, VECTOR = 16 };

void heapcheck_end(struct heapcheck *check)
{
	uint64_t number;

	if (!check || check->table.state == 0)
		return;
	number = check->number;
	heapblocks_free(&check->blocks);
	heapsites_free(&check->sites);
	heapshadow_free(&check->shadow);
	heapfollow_free(check->follow);
	slots_free(check->slots);
	pools_free(check->pools);
	memset(check, 0, sizeof *check);
	check->number = number;
}

static void begin(struct heapcheck *check, bool whole)
{
	heapcheck_end(check);
	check->number++;
	check->whole = whole;
	check->table.state = CHECK_ON;
	check->slots = slots_new(copies_number);
}

static void add_entry(struct heapcheck *check, uint64_t function, uint64_t address)
{
	if (check->entries == CHECK_ENTRIES) {
		check->table.state |= CHECK_LOST;
		return;
	}
	check->entry[check->entries].address = address;
	check->entry[check->entries++].function = (uint8_t)function;
}

static void show_sites(struct heapcheck *check, const uint64_t number[PACKET_NUMBERS])
{
	const struct heapsites_choice choice = {number[0], (unsigned)number[1], check->lost_only};
	const uint64_t first = number[2];
	struct check_table *table = &check->table;
	struct heapsites *sites = &check->sites;

	if (number[1] >= CHECK_WAYS)
		return;
	if (first == 0 && !heapsites_collect(sites, &check->blocks, &choice))
		table->state |= CHECK_LOST;
	table->sites = sites->count;
	table->live = sites->blocks;
	table->live_bytes = sites->bytes;
	memset(table->site, 0, sizeof table->site);
	for (size_t i = 0; i < CHECK_SITES && first + i < sites->count; i++)
		table->site[i] = sites->list[first + i];
}

static void show_lost(struct heapcheck *check)
{
	const struct heapreach_program program = {.process = check->memory.process,
	    .threads = check->member,
	    .thread_count = check->members,
	    .heap = check->covered,
	    .heap_count = check->covers};

	/* Of further threads, the registers are not known. */
	check->lost_only = check->memory.process != 0 && check->members < HEAPREACH_THREADS &&
			   heapreach_mark(&check->blocks, &program);
	check->table.state |= check->lost_only ? CHECK_REACH : 0;
}

static void add_wanted(struct heapcheck *check, uint64_t number)
{
	if (check->wanted_count < CHECK_WANTED)
		check->wanted[check->wanted_count++] = number;
}

void heapcheck_take(struct heapcheck *check, const char *packet)
{
	uint64_t number[PACKET_NUMBERS];
	const char *asked = packet_read(packet, "QRRWarden.check:", number);

	if (*packet == '\0')
		heapcheck_end(check);
	if (!check || !asked)
		return;
	switch (*asked) {
	case 'b':
		return begin(check, number[0] != 0);
	case 'f':
		return add_entry(check, number[0], number[1]);
	case 'p':
		return pools_add(check, number[0], number[1], number[2]);
	case 'a':
		check->own = (struct range){number[0], number[1]};
		return;
	case 'l':
		return range_add(check->code, &check->codes, CHECK_CODE, number[0], number[1]);
	case 's':
		check->shown = number[0] != 0;
		return;
	case 'o':
		check->blocks_only = true;
		return;
	case 'd':
		check->follow = heapfollow_new();
		check->table.state |= check->follow ? 0 : CHECK_LOST;
		return;
	case 'n':
		return heapfollow_skip(check->follow, number[0], number[1]);
	case 'g':
		return show_sites(check, number);
	case 'u':
		return show_lost(check);
	case 'r':
		check->returns_off = number[0] == 0;
		return;
	case 'c':
		return add_wanted(check, number[0]);
	default:
		heapcheck_end(check);
	}
}

bool heapcheck_read(struct heapcheck *check, int fd, uint64_t address, void *buffer, size_t size)
{
	if (check->table.state == 0 ||
	    !address_is_part(address, size, CHECKMARK, sizeof check->table))
		return false;
	tracees_name_memory(&check->memory, fd);
	if (check->shadow.full)
		check->table.state |= CHECK_NO_SHADOW;
	memcpy(buffer, (const char *)&check->table + (address - CHECKMARK), size);
	return true;
}

static bool is_known(const struct heapcheck *check, pid_t tid)
{
	for (size_t i = 0; i < check->members; i++) {
		if (check->member[i] == tid)
			return true;
	}
	return false;
}

bool heapcheck_is_on(struct heapcheck *check, struct tracee *tracee)
{
	if (!check || check->table.state == 0 || !check->memory.process)
		return false;
	if (tracee->check != check->number) {
		tracee->check = check->number;
		tracee->check_call.back = tracee->check_due = 0;
		tracee->pool_depth = 0;
		tracee->check_follow = NULL;
		tracee->check_member = tracees_run_in(&check->memory, tracee);
		if (tracee->check_member && !is_known(check, tracee->tid) &&
		    check->members < HEAPREACH_THREADS)
			check->member[check->members++] = tracee->tid;
	}
	return tracee->check_member;
}

bool heapcheck_is_library(const struct heapcheck *check, uint64_t address)
{
	return range_has(check->code, check->codes, address);
}

bool heapcheck_is_own(const struct heapcheck *check, uint64_t address)
{
	return range_has(&check->own, 1, address);
}

bool heapcheck_is_library_vector(
    const struct heapcheck *check, uint64_t address, const struct access *access)
{
	return access->reads && !access->writes && access->size >= VECTOR &&
	       access->kind == ACCESS_PLAIN && heapcheck_is_library(check, address);
}

static bool asks(const struct heapcheck *check, uint64_t address)
{
	for (size_t i = 0; i < check->entries; i++) {
		if (check->entry[i].address == address)
			return true;
	}
	return pools_function(check->pools, address) ||
	       addressset_has(check->returns, CHECK_RETURNS, address);
}

/* The program's own stack, its static data and its threads' own are no heap. */
bool heapcheck_is_meant(const struct access *access)
{
	return !access->flushes && (access->reads || access->writes) && access->size > 0 &&
	       (access->base != RSP || (access->writes && access->index != ACCESS_NO_REGISTER)) &&
	       !access->relative && !access->segment &&
	       (access->base != ACCESS_NO_REGISTER || access->index != ACCESS_NO_REGISTER) &&
	       (access->kind == ACCESS_PLAIN || access->kind == ACCESS_STRING);
}

static uint32_t looks_at(
    const struct heapcheck *check, uint64_t address, const struct access *access)
{
	if (check->blocks_only || check->wanted_count > 0 || !heapcheck_is_meant(access) ||
	    access->displacement != (int32_t)access->displacement ||
	    heapcheck_is_own(check, address) ||
	    addressset_has(check->exempt, CHECK_EXEMPT, address))
		return 0;
	if (heapcheck_is_library_vector(check, address, access))
		return 1;
	return access->size;
}

static uint32_t looks_at_defined(
    const struct heapcheck *check, uint64_t address, const struct access *access)
{
	if (check->wanted_count > 0 || heapfollow_is_over(check->follow) ||
	    heapcheck_is_own(check, address) ||
	    addressset_has(check->exempt, CHECK_EXEMPT, address) ||
	    heapfollow_skips(check->follow, address))
		return 0;
	return access->size;
}

static uint8_t copies(const struct heapcheck *check, pid_t tid, uint64_t slot)
{
	return check->blocks_only || check->wanted_count > 0 ? CHECK_NO_COPIER
							     : slots_at(check->slots, tid, slot);
}

static const struct check_ways ways = {asks, looks_at, copies, heapreturns_are_noted, false};
static const struct check_ways defined_ways = {asks, looks_at_defined, NULL, NULL, true};

/* The thread is in no function of an allocator. */
static bool judges(const struct tracee *tracee)
{
	return tracee->check_call.back == 0 && tracee->pool_depth == 0;
}

bool heapcheck_set(struct heapcheck *check, struct space *space, struct tracee *tracee,
    const struct user_regs_struct *regs)
{
	struct watches *watches = &space->watches;
	bool on, anew;
	uint64_t number;

	/* A child of vfork is one of the process until it runs another program. */
	if (tracee->check_arena != space->arena.id)
		tracee->check = 0;
	tracee->check_arena = space->arena.id;
	on = heapcheck_is_on(check, tracee);
	/* Where nothing is followed any more, the code looks at no load. */
	number = on ? 2 * check->number + heapfollow_is_over(check->follow) : 0;
	anew = watches->check_number != number;

	watches->check = check;
	watches->ways = check && check->follow ? &defined_ways : &ways;
	watches->check_number = number;
	if (!on)
		return anew;
	if (!check->shadow.memory && !heapshadow_map(&check->shadow, tracee->tid, regs,
					 check->follow || heapreturns_are_noted(check)))
		check->table.state |= CHECK_NO_SHADOW;
	if ((check->follow || heapreturns_are_noted(check)) && check->shadow.memory)
		heapshadow_cover(&check->shadow, regs->rsp);
	pools_leave(check, tracee, regs->rsp);
	heapshadow_show(&check->shadow, space, check->follow || judges(tracee), check->follow);
	return anew;
}

void heapcheck_show_shadow(const struct heapcheck *check, const struct tracee *tracee)
{
	if (tracee->space)
		heapshadow_show(
		    &check->shadow, tracee->space, check->follow || judges(tracee), check->follow);
}

bool heapcheck_ask_at(struct heapcheck *check, struct space *space, uint64_t address)
{
	if (addressset_add(check->returns, CHECK_RETURNS, &check->return_count, address) && space)
		blocks_forget(space->blocks, address, address + 1);
	return addressset_has(check->returns, CHECK_RETURNS, address);
}

void heapcheck_exempt(struct heapcheck *check, struct space *space, uint64_t address)
{
	if (!addressset_add(check->exempt, CHECK_EXEMPT, &check->exempt_count, address) || !space)
		return;
	blocks_forget(space->blocks, address, address + 1);
}

static enum heapcheck_verdict judge(struct heapcheck *check, struct tracee *tracee,
    const struct user_regs_struct *regs, bool stepped)
{
	enum heapcheck_verdict verdict = HEAPCHECK_GOES_ON;

	check->table.checked++;
	if (tracee->check_due && tracee->check_due == regs->rip)
		return HEAPCHECK_STEPS;
	heapreturns_note(check, tracee, regs, stepped);
	if (asks(check, regs->rip))
		verdict = heapcheck_meet_call(check, tracee, regs);
	else
		pools_leave(check, tracee, regs->rsp);
	if (verdict == HEAPCHECK_GOES_ON && check->follow)
		verdict = heapfollow_judge(check, tracee, regs, stepped);
	else if (verdict == HEAPCHECK_GOES_ON && judges(tracee) &&
		 !heapcheck_is_own(check, regs->rip))
		verdict = heapcheck_judge_accesses(check, tracee, regs);
	tracee->check_found |= verdict == HEAPCHECK_SHOWS;
	return verdict;
}

enum heapcheck_verdict heapcheck_judge_place(struct heapcheck *check, struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs)
{
	const struct user_regs_struct there = recover_question(tracee->space, place, regs);

	return judge(check, tracee, &there, false);
}

bool heapcheck_judge_step(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	if (!heapcheck_is_on(check, tracee))
		return false;
	switch (judge(check, tracee, regs, true)) {
	case HEAPCHECK_GOES_ON:
	case HEAPCHECK_LEAVES:
		return false;
	case HEAPCHECK_SHOWS:
		break;
	case HEAPCHECK_STEPS:
		tracee->check_due = 0;
	}
	tracee->check_found = false;
	return true;
}

void heapcheck_note_write(struct heapcheck *check, uint64_t address, uint64_t size)
{
	if (check && check->table.state && check->follow && address + size > address)
		heapshadow_mark(&check->shadow, address, address + size, SHADOW_CLEAR);
}

bool heapcheck_follows(struct heapcheck *check, struct tracee *tracee)
{
	return heapcheck_is_on(check, tracee) && tracee->check_follow;
}

bool heapcheck_finds(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	return heapcheck_follows(check, tracee) && heapfollow_finds(check, tracee, regs);
}

void heapcheck_leave(struct heapcheck *check, struct tracee *tracee)
{
	if (heapcheck_follows(check, tracee))
		heapfollow_leave(check, tracee);
}

void heapcheck_note_exec(struct heapcheck *check, const struct tracee *tracee)
{
	if (check && check->table.state && check->memory.process &&
	    process_of(tracee->tid) == process_of(check->memory.process))
		heapcheck_end(check);
}

unsigned heapcheck_watch(const struct debug_registers *registers, uint64_t mark)
{
	unsigned found = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;

		if (debug_registers_rr_watch(registers, i, &start, &end) && start == mark)
			found |= 1u << i;
	}
	return found;
}
