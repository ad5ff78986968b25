/*
 * It must never take another process's space for a tracee's: a space is known by what the tracee
 * has mapped, and two never share their memory.
 */
#include "worker/softpmu/cache/spaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "worker/softpmu/base/inject.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/cache/revive.h"

enum {
	KEPT = 8,
	KEPT_BYTES = 64 << 20,
};

struct spaces {
	struct space *used;
	struct space *kept; /* the latest first; no task uses them */
	uint64_t ids;
	uint64_t made, blocks; /* in spaces that are gone */
	bool warned;
	bool given_up;
};

struct spaces *spaces_new(void)
{
	struct spaces *spaces = calloc(1, sizeof *spaces);

	if (spaces)
		spaces->ids = (uint64_t)kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0) << 32 | 0x1cac4e;
	return spaces;
}

uint64_t spaces_made(const struct spaces *spaces)
{
	return spaces->made;
}

uint64_t spaces_blocks(const struct spaces *spaces)
{
	uint64_t blocks = spaces->blocks;

	for (const struct space *space = spaces->used; space; space = space->next)
		blocks += space->translated;
	return blocks;
}

struct space *spaces_first(const struct spaces *spaces)
{
	return spaces->used;
}

static void drop_kept(struct space **at)
{
	struct space *space = *at;

	*at = space->next;
	space_free(space);
}

/* Of each program only the latest is kept, and not too many, and not too much. */
static void keep(struct spaces *spaces, struct space *space)
{
	size_t count = 0, size = 0;
	struct space **at = &spaces->kept;

	codepages_free(space->pages);
	space->pages = NULL;
	space->next = spaces->kept;
	spaces->kept = space;
	while (*at) {
		size += space_size(*at);
		if (count >= KEPT || (count > 0 && size > KEPT_BYTES) ||
		    (*at != space && (*at)->program == space->program)) {
			size -= space_size(*at);
			drop_kept(at);
			continue;
		}
		count++;
		at = &(*at)->next;
	}
}

void spaces_leave(struct spaces *spaces, struct tracee *tracee)
{
	struct space *space = tracee->space;

	tracee->space = NULL;
	tracee->cache_refused = false;
	if (!space || --space->tasks > 0)
		return;
	for (struct space **at = &spaces->used; *at; at = &(*at)->next) {
		if (*at != space)
			continue;
		*at = space->next;
		break;
	}
	spaces->blocks += space->translated;
	if (space->broken)
		space_free(space);
	else
		keep(spaces, space);
}

static bool has_mapped(const struct tracee *tracee, const struct space *space)
{
	return arena_id_in(tracee->tid, space->arena.data) == space->arena.id;
}

/* Tasks that ended without a notice, killed by an exec in another thread. */
static void forget_vanished(void *context, struct tracee *tracee)
{
	if (tracee->space && !has_mapped(tracee, tracee->space))
		spaces_leave(context, tracee);
}

struct space *spaces_find(struct spaces *spaces, struct tracee *tracee)
{
	if (tracee->space && has_mapped(tracee, tracee->space))
		return tracee->space;
	if (tracee->space)
		spaces_leave(spaces, tracee);
	for (struct space *space = spaces->used; space; space = space->next) {
		if (!has_mapped(tracee, space))
			continue;
		space->tasks++;
		return tracee->space = space;
	}
	return NULL;
}

/* A number for the program that tid runs. It serves only to look in a likely place first. */
static uint64_t program_of(pid_t tid)
{
	struct stat file;
	char name[64];

	snprintf(name, sizeof name, "/proc/%d/exe", tid);
	return stat(name, &file) == 0 ? file.st_ino ^ (uint64_t)file.st_dev << 48 : 0;
}

/*
 * The one of these that knows most of the program, and knows it where it is now: mostly, one that
 * is begun again lies elsewhere.
 */
static const struct space *best_of(
    const struct space *list, pid_t tid, uint64_t program, const struct space *best)
{
	for (const struct space *space = list; space; space = space->next) {
		if (space->program == program && !space->broken &&
		    (!best || blocks_count(space->blocks) > blocks_count(best->blocks)) &&
		    revive_is_possible(space, tid))
			best = space;
	}
	return best;
}

/* Once: thousands of processes may go the same way. */
static void warn(struct spaces *spaces, pid_t tid, const char *reason)
{
	if (!spaces->warned)
		message_warn("process %d runs without the code cache, because %s: the "
			     "recording is correct, but slow",
		    tid, reason);
	spaces->warned = true;
}

void spaces_tell_broken(struct spaces *spaces, const struct space *space, pid_t tid)
{
	if (!spaces->given_up)
		warn(spaces, tid,
		    space->replaced ? "the program mapped something over it"
				    : "there was no memory to translate its code");
}

void spaces_tell_out_of_reach(struct spaces *spaces, pid_t tid)
{
	if (!spaces->warned && !spaces->given_up)
		message_warn("some code of process %d runs without the code cache, because it lies "
			     "far from all other and there is no room for more of the cache: the "
			     "recording is correct, but slow",
		    tid);
	spaces->warned = true;
}

static struct space *make(struct spaces *spaces, struct tracees *tracees, struct tracee *tracee,
    const struct user_regs_struct *regs, bool *killed)
{
	const char *reason = "no memory";
	const struct space *from;
	uint64_t program;
	struct space *space;

	if (spaces->given_up || tracee->cache_refused || !inject_is_possible(tracee->tid))
		return NULL;
	tracees_visit(tracees, forget_vanished, spaces);
	program = program_of(tracee->tid);
	from = best_of(spaces->used, tracee->tid, program, NULL);
	from = best_of(spaces->kept, tracee->tid, program, from);
	space = space_new(tracee->tid, regs, spaces->ids++, from, &reason);
	*killed = !space && !reason;
	if (*killed)
		return NULL;
	if (!space) {
		tracee->cache_refused = true;
		warn(spaces, tracee->tid, reason);
		return NULL;
	}
	spaces->made++;
	space->program = program;
	space->tasks = 1;
	space->next = spaces->used;
	spaces->used = space;
	return tracee->space = space;
}

struct space *spaces_get(struct spaces *spaces, struct tracees *tracees, struct tracee *tracee,
    const struct user_regs_struct *regs, bool *killed)
{
	struct space *space = spaces_find(spaces, tracee);

	*killed = false;
	return space ? space : make(spaces, tracees, tracee, regs, killed);
}

void spaces_give_up(struct spaces *spaces)
{
	for (struct space *space = spaces->used; space; space = space->next)
		space->broken = true;
	spaces->given_up = true;
}
