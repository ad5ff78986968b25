/*
 * To seek a moment costs much more than to stop on the way. So, where few other calls come between,
 * the program runs on to the next visit, and stops at each call that is made by the same
 * instruction.
 */
#include "worker/investigate/files/call_visits.h"

#include <sched.h>
#include <stdlib.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/run/recorded_call.h"
#include "worker/moment/position.h"
#include "worker/moment/signals.h"
#include "worker/moment/visit.h"
#include "worker/run/sweep/scan.h"
#include "worker/session/images.h"

#define PLACES_MAX 24 /* instructions at which it stops */
#define STOPS_MAX  40 /* on the way from one visit to the next; behind more of them, it seeks */

struct way {
	struct replay *replay;
	const struct kernel_writes *writes;
	const struct call_visit *visits; /* of one image of one process */
	size_t count;
	unsigned long long places[PLACES_MAX];
	int numbers[PLACES_MAX]; /* gdb's; 0: not set */
	size_t place_count;
	bool many; /* there are more places: each visit is sought */
	bool set;
	const struct input_call *wanted;
};

static int compare(const void *left, const void *right)
{
	const struct input_call *a = ((const struct call_visit *)left)->call,
				*b = ((const struct call_visit *)right)->call;

	return a->entered < b->entered ? -1 : a->entered > b->entered;
}

/* ---- Where it stops -------------------------------------------------------------------------- */

static bool is_place(const struct way *way, unsigned long long pc)
{
	for (size_t i = 0; i < way->place_count; i++)
		if (way->places[i] == pc)
			return true;
	return false;
}

static void learn_places(struct way *way)
{
	for (size_t i = 0; i < way->count; i++) {
		unsigned long long pc = way->visits[i].call->pc;

		if (is_place(way, pc))
			continue;
		way->many |= way->place_count == PLACES_MAX;
		if (way->many)
			return;
		way->places[way->place_count++] = pc;
	}
}

static void set_places(struct way *way, bool set)
{
	for (size_t i = 0; i < way->place_count && set != way->set; i++) {
		if (!set)
			temporary_breakpoint_delete(way->replay, way->numbers[i]);
		way->numbers[i] =
		    set ? temporary_breakpoint_insert_at(way->replay, way->places[i]) : 0;
	}
	way->set = set;
}

static bool is_guest(const struct input_task *task)
{
	return task->kind == INPUT_CLONE && (task->flags & CLONE_VM) &&
	       !(task->flags & CLONE_THREAD);
}

/* Whether a process runs in the memory of its parent between them, as vfork's children do. */
static bool has_guest(
    const struct way *way, const struct input_call *from, const struct input_call *to)
{
	const struct inputs *inputs = &way->writes->inputs;

	for (size_t i = 0; i < inputs->task_count; i++) {
		const struct input_task *guest = &inputs->tasks[i];
		size_t end = i + 1;

		if (!is_guest(guest) || guest->event > to->entered)
			continue;
		while (end < inputs->task_count && (inputs->tasks[end].tid != guest->tid ||
						       inputs->tasks[end].kind == INPUT_CLONE))
			end++;
		if (end == inputs->task_count || inputs->tasks[end].event >= from->entered)
			return true;
	}
	return false;
}

/* How often it would stop on the way; it need not count many. */
static size_t stops_between(
    const struct way *way, const struct input_call *from, const struct input_call *to)
{
	const long long pid = kernel_writes_process(way->writes, to->tid);
	size_t stops = 0;

	for (const struct input_call *call = from + 1; call < to && stops <= STOPS_MAX; call++)
		stops +=
		    is_place(way, call->pc) && kernel_writes_process(way->writes, call->tid) == pid;
	return stops;
}

/* rr (5.6) runs for ever where a process in the memory of the debugged one comes to a breakpoint.
 */
static bool can_run(const struct way *way, const struct input_call *before)
{
	return before && !way->many && !has_guest(way, before, way->wanted) &&
	       stops_between(way, before, way->wanted) <= STOPS_MAX;
}

/* ---- The way to one -------------------------------------------------------------------------- */

static bool is_at(const struct replay *replay, const struct input_call *call)
{
	const struct moment *now = replay_now(replay);

	return now->event == call->entered && now->tid == call->tid && now->pc == call->pc;
}

static enum scan_verdict see_stop(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct way *way = context;

	(void)hit;
	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	return replay_now(replay)->event >= way->wanted->entered ? SCAN_ENOUGH : SCAN_ON;
}

static bool run_to(struct way *way, struct failure *failure)
{
	set_places(way, true);
	return scan_run(way->replay, FORWARD, 2LL * STOPS_MAX, see_stop, way, failure) ==
		   SCAN_FOUND &&
	       is_at(way->replay, way->wanted);
}

static bool seek(struct way *way, struct failure *failure)
{
	const struct moment at = recorded_call_moment(way->wanted);

	set_places(way, false);
	return at.pc && position_go(way->replay, &at, failure);
}

static bool go(struct way *way, const struct input_call *before, struct failure *failure)
{
	if (can_run(way, before) && run_to(way, failure))
		return true;
	if (!worker_goes_on(replay_worker(way->replay)))
		return false;
	failure_forget(failure);
	return seek(way, failure);
}

bool call_visits_pass(struct replay *replay, const struct input_call *call)
{
	cleanup_failure struct failure ignored = {0};
	bool ok = recorded_call_pass(replay, &ignored);

	return ok && replay_now(replay)->tid == call->tid &&
	       replay_now(replay)->event > call->event;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void visit_some(struct way *way, call_visits_see *see, void *context)
{
	const struct input_call *before = NULL;

	learn_places(way);
	for (size_t i = 0; i < way->count && worker_goes_on(replay_worker(way->replay)); i++) {
		cleanup_failure struct failure ignored = {0};

		way->wanted = way->visits[i].call;
		before = go(way, before, &ignored) ? way->wanted : NULL;
		if (before)
			see(context, way->replay, &way->visits[i]);
	}
	set_places(way, false);
}

/* How many from the first on are of the process and image in which the session is now. */
static size_t count_here(const struct replay *replay, const struct kernel_writes *writes,
    const struct call_visit *visits, size_t count, long long pid)
{
	const size_t image = images_of_event(replay, visits[0].call->entered);
	size_t here = 0;

	while (here < count && kernel_writes_process(writes, visits[here].call->tid) == pid &&
	       images_of_event(replay, visits[here].call->entered) == image)
		here++;
	return here;
}

/* Of one process after the other, because to go to another one costs most. */
static void by_process(const struct kernel_writes *writes, struct call_visit *visits, size_t count)
{
	size_t done = 0;

	while (done < count) {
		const long long pid = kernel_writes_process(writes, visits[done].call->tid);

		for (size_t i = done; i < count; i++) {
			const struct call_visit visit = visits[i];

			if (kernel_writes_process(writes, visit.call->tid) != pid)
				continue;
			for (size_t j = i; j > done; j--)
				visits[j] = visits[j - 1];
			visits[done++] = visit;
		}
	}
}

void call_visits_go(struct replay *replay, const struct kernel_writes *writes,
    struct call_visit *visits, size_t count, call_visits_see *see, void *context)
{
	size_t done = 0;

	qsort(visits, count, sizeof(*visits), compare);
	by_process(writes, visits, count);
	while (done < count && worker_goes_on(replay_worker(replay))) {
		const struct input_call *first = visits[done].call;
		const long long pid = kernel_writes_process(writes, first->tid);
		struct way way = {.replay = replay, .writes = writes, .visits = &visits[done]};
		cleanup_failure struct failure ignored = {0};
		const bool there = visit_process(replay, pid, first->entered, &ignored);

		way.count = there ? count_here(replay, writes, way.visits, count - done, pid) : 1;
		signals_pass_all(replay);
		if (there)
			visit_some(&way, see, context);
		signals_stop_again(replay);
		done += way.count;
	}
}
