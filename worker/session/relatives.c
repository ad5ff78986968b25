/*
 * Keeps what differs from process to process, and exchanges it. Must never let a visit change what
 * the supervisor knows of the session.
 */
#include "worker/session/relatives.h"
#include "worker/session/replay_inside.h"

#include <stdlib.h>
#include "worker/session/images.h"
#include "worker/trace/dump/execs.h"

struct relative {
	long long pid;
	bool forked;
	struct images *images;
};

struct relatives {
	struct relative *list;
	size_t count;
	bool away;
	/* Of the session's own process, while another one is present. */
	struct relative home;
	long long asked_pid;
	struct moment end;
	void (*changed)(struct replay *replay);
};

static struct relative *find(const struct relatives *relatives, long long pid)
{
	for (size_t i = 0; i < relatives->count; i++)
		if (relatives->list[i].pid == pid)
			return &relatives->list[i];
	return NULL;
}

static bool add(struct replay *replay, struct execs *execs, int pid, unsigned *next)
{
	struct relatives *relatives = replay->relatives;
	struct relative *list, one = {.pid = pid, .forked = pid != execs->first_pid};

	if (pid == replay->pid || relatives->count == RELATIVES_MAX || find(relatives, pid))
		return true;
	one.images = images_of_process(execs, pid, one.forked, *next);
	list = reallocarray(relatives->list, relatives->count + 1, sizeof(*list));
	if (list)
		relatives->list = list;
	if (!list || !one.images) {
		images_free(one.images);
		return false;
	}
	*next = images_next(one.images);
	list[relatives->count++] = one;
	return true;
}

/* Those that the session's process descends from: the nearest first, should there be too many. */
static bool add_ancestors(struct replay *replay, struct execs *execs, unsigned *next)
{
	const struct forking *fork = execs_fork(execs, (int)replay->pid);
	bool ok = true;

	for (size_t i = 0; ok && fork && i < RELATIVES_MAX; i++) {
		ok = add(replay, execs, fork->parent, next);
		fork = execs_fork(execs, fork->parent);
	}
	return ok;
}

static bool learn_others(struct replay *replay, struct execs *execs)
{
	unsigned next = images_next(replay->images);
	bool ok;

	relatives_free(replay->relatives);
	replay->relatives = calloc(1, sizeof(*replay->relatives));
	ok = replay->relatives && add_ancestors(replay, execs, &next) &&
	     (!execs->first_pid || add(replay, execs, execs->first_pid, &next));
	for (size_t i = 0; ok && i < execs->count; i++)
		ok = add(replay, execs, execs->list[i].pid, &next);
	for (size_t i = 0; ok && i < execs->fork_count; i++)
		ok = add(replay, execs, execs->forks[i].pid, &next);
	for (size_t i = 0; ok && i < execs->ending_count; i++)
		if (execs->endings[i].tid == execs->endings[i].pid)
			ok = add(replay, execs, execs->endings[i].pid, &next);
	return ok;
}

bool relatives_learn(struct replay *replay, struct failure *failure)
{
	const struct replay *beside = replay->beside;
	struct execs execs;
	bool ok = execs_read(replay->worker, replay->trace_dir, beside ? beside->trace_dir : NULL,
		      EXECS_READ_MS, &execs, failure) &&
		  outside_is_as_it_was(&execs.outside, replay->warnings, failure) &&
		  images_from_execs(replay, &execs, failure);

	if (ok && !learn_others(replay, &execs)) {
		failure_no_memory(failure);
		ok = false;
	}
	execs_free(&execs);
	return ok;
}

/* What is bound to a program that was not known is bound to it from now on. */
static void bind(struct breakpoint_list *breakpoints, long long program)
{
	for (size_t i = 0; program && i < breakpoints->count; i++)
		if (breakpoints->entries[i].bound && !breakpoints->entries[i].image)
			breakpoints->entries[i].image = program;
}

void relatives_learn_forks(struct replay *replay, const struct execs *execs)
{
	struct relatives *relatives = replay->relatives;

	bind(replay->breakpoints, images_learn_fork(replay->images, execs));
	for (size_t i = 0; relatives && i < relatives->count; i++)
		images_learn_fork(relatives->list[i].images, execs);
}

void relatives_free(struct relatives *relatives)
{
	if (!relatives)
		return;
	for (size_t i = 0; i < relatives->count; i++)
		images_free(relatives->list[i].images);
	free(relatives->list);
	free(relatives);
}

static void become(struct replay *replay, const struct relative *one)
{
	replay->images = one->images;
	replay->pid = one->pid;
	replay->from_fork = one->forked;
	images_leave(replay);
}

static void leave_home(struct replay *replay)
{
	struct relatives *relatives = replay->relatives;

	relatives->away = true;
	relatives->home = (struct relative){replay->pid, replay->from_fork, replay->images};
	relatives->asked_pid = replay->asked.pid;
	relatives->end = replay->end;
	relatives->changed = replay->changed;
	replay->changed = NULL;
}

static void turn_to(struct replay *replay, const struct relative *one)
{
	if (!replay->relatives->away)
		leave_home(replay);
	become(replay, one);
	replay->asked.pid = one->pid;
	replay->end = (struct moment){0};
}

bool relatives_turn_to(struct replay *replay, long long pid)
{
	const struct relative *one = replay->relatives ? find(replay->relatives, pid) : NULL;

	if (pid == replay->pid)
		return true;
	if (pid == relatives_home(replay))
		relatives_turn_home(replay);
	else if (one)
		turn_to(replay, one);
	return replay->pid == pid;
}

void relatives_turn_home(struct replay *replay)
{
	struct relatives *relatives = replay->relatives;

	if (!relatives_is_away(replay))
		return;
	become(replay, &relatives->home);
	replay->asked.pid = relatives->asked_pid;
	replay->end = relatives->end;
	replay->changed = relatives->changed;
	relatives->away = false;
}

void relatives_settle(struct replay *replay)
{
	struct relatives *relatives = replay->relatives;
	struct relative *one;

	if (!relatives_is_away(replay))
		return;
	one = find(relatives, replay->pid);
	images_take_over(one->images, relatives->home.images);
	*one = relatives->home;
	relatives->home = (struct relative){0};
	replay->changed = relatives->changed;
	relatives->away = false;
}

long long relatives_at_event(const struct replay *replay, long long event)
{
	const struct images *own =
	    relatives_is_away(replay) ? replay->relatives->home.images : replay->images;
	const struct forked_by *by = images_fork(own);
	long long pid = relatives_home(replay);
	const struct relative *one;

	while (by->pid && event <= by->event && replay->relatives &&
	       (one = find(replay->relatives, by->pid))) {
		pid = one->pid;
		by = images_fork(one->images);
	}
	return pid;
}

static const struct images *images_of(const struct replay *replay, long long pid)
{
	const struct relatives *relatives = replay->relatives;
	const struct relative *one;

	if (pid == replay->pid)
		return replay->images;
	if (relatives_is_away(replay) && pid == relatives->home.pid)
		return relatives->home.images;
	one = relatives ? find(relatives, pid) : NULL;
	return one ? one->images : NULL;
}

bool relatives_descends(const struct replay *replay, long long pid, long long from)
{
	const struct images *images = images_of(replay, pid);

	while (images && images_fork(images)->pid) {
		if (images_fork(images)->pid == from)
			return true;
		images = images_of(replay, images_fork(images)->pid);
	}
	return false;
}

bool relatives_is_away(const struct replay *replay)
{
	return replay->relatives && replay->relatives->away;
}

long long relatives_home(const struct replay *replay)
{
	return relatives_is_away(replay) ? replay->relatives->home.pid : replay->pid;
}

bool relatives_turn_to_number(struct replay *replay, unsigned number, size_t *image)
{
	const struct relatives *relatives = replay->relatives;

	if (images_by_number(replay->images, number, image))
		return true;
	for (size_t i = 0; relatives && i < relatives->count; i++) {
		if (!images_by_number(relatives->list[i].images, number, image))
			continue;
		turn_to(replay, &relatives->list[i]);
		return true;
	}
	return false;
}
