/*
 * A run forward in which gdb notifies no change has shown that the same are loaded all along it.
 * After a run back gdb may still know one that is not loaded yet, and is not believed until it has
 * read them anew, or the program stands where they are known.
 */
#include "worker/session/loaded.h"

#include "worker/gdb/exchange.h"
#include "worker/session/images.h"

static const struct solibs *known_to_gdb(struct replay *replay)
{
	return &gdb_exchange(replay_gdb(replay))->solibs;
}

/* The program is about to come elsewhere without a run there. */
static void jump(struct replay *replay)
{
	replay_loaded(replay)->last = (struct moment){0};
}

void loaded_anew(struct replay *replay)
{
	gdb_took_back(replay_gdb(replay));
	replay_loaded(replay)->agrees = true;
	jump(replay);
}

/* A stretch begins and ends at an instant, of which other threads' ticks say nothing. */
static bool is_after(const struct moment *there, const struct moment *from)
{
	return there->event > from->event ||
	       (there->event == from->event && there->tid == from->tid &&
		   there->ticks >= from->ticks);
}

static bool holds(const struct loaded_stretch *stretch, const struct moment *there)
{
	return is_after(there, &stretch->from) && is_after(&stretch->to, there);
}

/* Whether those that gdb knows now are known to be loaded there. */
static bool is_known(struct replay *replay, const struct moment *there)
{
	const struct loaded *loaded = replay_loaded(replay);
	const unsigned long long sum = known_to_gdb(replay)->sum;
	const unsigned image = images_number(replay);

	for (size_t i = 0; i < loaded->count; i++)
		if (loaded->stretches[i].image == image && loaded->stretches[i].sum == sum &&
		    holds(&loaded->stretches[i], there))
			return true;
	return false;
}

/* Makes the stretches that it touches one. */
static void add(struct loaded *loaded, struct loaded_stretch wanted)
{
	size_t kept = 0;

	for (size_t i = 0; i < loaded->count; i++) {
		const struct loaded_stretch *other = &loaded->stretches[i];

		if (other->image != wanted.image || other->sum != wanted.sum ||
		    !(holds(other, &wanted.from) || holds(other, &wanted.to) ||
			holds(&wanted, &other->from))) {
			loaded->stretches[kept++] = *other;
			continue;
		}
		if (is_after(&wanted.from, &other->from))
			wanted.from = other->from;
		if (is_after(&other->to, &wanted.to))
			wanted.to = other->to;
	}
	/* The oldest one goes. */
	if (kept == LOADED_STRETCHES_MAX) {
		for (size_t i = 1; i < kept; i++)
			loaded->stretches[i - 1] = loaded->stretches[i];
		kept--;
	}
	loaded->stretches[kept] = wanted;
	loaded->count = kept + 1;
}

void loaded_note(struct replay *replay)
{
	const struct moment *now = replay_now(replay);
	const struct solibs *solibs = known_to_gdb(replay);
	struct loaded *loaded = replay_loaded(replay);
	const bool back = gdb_took_back(replay_gdb(replay));

	if (back)
		jump(replay);
	/* An interrupt may have met gdb while it read one. */
	if ((back && !is_known(replay, now)) || gdb_was_interrupted(replay_gdb(replay)))
		loaded->agrees = false;
	if (!loaded->agrees)
		return;
	const bool same = loaded->last.event && loaded->changes == solibs->changes &&
			  is_after(now, &loaded->last);

	add(loaded, (struct loaded_stretch){.image = images_number(replay),
			.sum = solibs->sum,
			.from = same ? loaded->last : *now,
			.to = *now});
	loaded->last = *now;
	loaded->changes = solibs->changes;
}

static const struct moment *exactly(struct replay *replay, const struct moment *there)
{
	return there && there->event == REPLAY_EVENT_FAR ? replay_end(replay) : there;
}

bool loaded_same(struct replay *replay, const struct moment *there)
{
	there = exactly(replay, there);
	return there && there->event && replay_loaded(replay)->agrees && is_known(replay, there);
}

bool loaded_seek(struct replay *replay, const char *target)
{
	jump(replay);
	replay_loaded(replay)->agrees = false;
	return gdb_seek(replay_gdb(replay), target) == GDB_DONE;
}

void loaded_trust(struct replay *replay)
{
	replay_loaded(replay)->agrees = true;
	loaded_note(replay);
}

const struct linked *loaded_linked_before(struct replay *replay, const struct moment *to)
{
	const struct linked *linked = &replay_loaded(replay)->linked;

	return to->pc && linked->held && linked->image == images_number(replay) &&
		       linked->at.event == to->event && linked->at.tid == to->tid &&
		       linked->at.ticks <= to->ticks && loaded_same(replay, &linked->at)
		   ? linked
		   : NULL;
}
