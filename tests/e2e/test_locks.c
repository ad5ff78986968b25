/*
 * rr_locks: who holds and awaits which locks at a moment, since when and by which code, and what
 * changed since another moment.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define BUILDS 2 /* -O0 and -O2 */
#define LOOKED "looked"
#define NONE   "held_locks none"
#define MANY   "held_locks 300000"	   /* calls */
#define LONG   "tallied 900000000 counter" /* seconds, on any machine */

static const char *const builds[BUILDS] = {"held_locks", "held_locks_O2"};
static const char *const classes[BUILDS] = {"held_locks_cc", "held_locks_cc_O2"};

static const json_t *row(const json_t *answer, const char *list, const char *lock)
{
	const json_t *one;
	cleanup_free char *text = json_dumps(answer, JSON_INDENT(1));
	size_t i;

	json_array_foreach(json_object_get(answer, list), i, one)
	{
		if (strcmp(answer_text(one, "lock"), lock) == 0)
			return one;
	}
	ck_abort_msg("no %s in %.1500s", lock, text);
	return NULL;
}

/* How many hold it and wait for it, each at the line of the program's source with this text. */
static void expect_lock(const json_t *answer, const char *source, const char *lock, size_t holders,
    const char *held_at, size_t waiters, const char *waiting_at)
{
	static const char *const lists[] = {"holders", "waiters"};
	const char *texts[] = {held_at, waiting_at};
	const size_t counts[] = {holders, waiters};
	const json_t *one = row(answer, "locks", lock), *thread;
	size_t i;

	for (int list = 0; list < 2; list++) {
		const json_t *threads = json_object_get(one, lists[list]);

		ck_assert_msg(json_array_size(threads) == counts[list], "%s of %s: %zu, not %zu",
		    lists[list], lock, json_array_size(threads), counts[list]);
		json_array_foreach(threads, i, thread)
		{
			char at[80];

			snprintf(
			    at, sizeof(at), "%s:%lld)", source, harness_line(source, texts[list]));
			expect_within(thread, "where", at);
			ck_assert_int_gt(answer_number(thread, "tid"), 0);
			expect_within(thread, "since", "@");
		}
	}
}

static void expect_at(const json_t *answer, const char *lock, size_t holders, const char *held_at,
    size_t waiters, const char *waiting_at)
{
	expect_lock(answer, "held_locks.c", lock, holders, held_at, waiters, waiting_at);
}

START_TEST(each_lock_has_its_holders_and_waiters)
{
	cleanup_scene struct scene scene = scene_open_at(builds[_i], LOOKED);

	scene_run_to(&scene, LOOKED);
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_locks", NULL);

	ck_assert_uint_eq(answer_count(answer, "locks"), 6);
	expect_at(answer, "mutex left", 1, "/* the keeper's */", 3, "/* a waiter's */");
	expect_at(answer, "rwlock pages", 2, "/* a reader's */", 1, "/* the writer's */");
	expect_at(answer, "semaphore slots", 0, "", 2, "/* a slot */");
	expect_at(answer, "condition ready", 0, "", 2, "/* the sleeper's */");
	expect_at(answer, "mutex third", 1, "/* the leaver's */", 0, "");
	expect_at(answer, "spinlock spin", 1, "/* main's second */", 0, "");
	expect_text(row(answer, "locks", "mutex third"), "holders.0.note", "this thread has ended");
	ck_assert(answer_true(row(answer, "locks", "rwlock pages"), "holders.1.reading"));
	expect_within(
	    answer, "conclusion", "4 locks are held, and 8 threads wait for locks; mutex ");
	expect_text(answer, "moment", answer_text(before, "moment"));
	ck_assert_ptr_null(json_object_get(answer, "waiting"));
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
	/* A lock is where its variable is. */
	expect_answer_within(
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "&left"), "value",
	    answer_text(row(answer, "locks", "mutex left"), "address"));
	/* Where it was taken, it is not yet held a moment before. */
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment",
	    answer_text(row(answer, "locks", "mutex third"), "holders.0.since"));
	expect_all(
	    client_tool(scene.client, "rr_step", "{s:b, s:s}", "reverse", 1, "unit", "instruction"),
	    HAS("reason", "step"));
	expect_all(client_tool(scene.client, "rr_locks", NULL),
	    HAS("conclusion", "3 locks are held, and 8 threads wait"));
}
END_TEST

START_TEST(changes_since_another_moment)
{
	cleanup_scene struct scene scene = scene_open_at(builds[_i], LOOKED);

	client_tool_done(scene.client, "rr_bookmark", "{s:s}", "name", "one");
	expect_all(client_tool(scene.client, "rr_locks", NULL), COUNT("locks", 2),
	    HAS("conclusion", "2 locks are held, and no thread waits for one"));
	scene_run_to(&scene, LOOKED);
	json_auto_t *answer = client_tool(scene.client, "rr_locks", "{s:s}", "from", "one");
	expect_within(
	    answer, "conclusion", "; since `from`: 1 held all along, 4 taken, 1 released");
	expect_within(row(answer, "locks", "mutex left"), "holders.0.held",
	    " events, all along since before `from`");
	expect_within(
	    row(answer, "locks", "rwlock pages"), "holders.0.held", ", taken since `from`");
	ck_assert_uint_eq(answer_count(answer, "released"), 1);
	expect_within(row(answer, "released", "mutex right"), "where", "main (");
	/* From elsewhere, and nothing between. */
	client_tool_done(scene.client, "rr_bookmark", "{s:s}", "name", "two");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	expect_all(client_tool(scene.client, "rr_locks", "{s:s, s:s, s:i}", "at", "two", "from",
		       "two", "limit", 1),
	    COUNT("locks", 1), ABSENT("released"), HAS("others", "5 locks"),
	    HAS("conclusion", "; since `from`: 5 held all along, 0 taken, 0 released"));
	expect_all(client_tool(scene.client, "rr_locks", "{s:s}", "at", "end"), COUNT("locks", 1),
	    IS("locks.0.lock", "mutex third"));
	client_tool_refused(
	    scene.client, "rr_locks", "invalid_argument", "{s:s, s:s}", "at", "one", "from", "two");
	client_tool_refused(
	    scene.client, "rr_locks", "invalid_argument", "{s:s}", "at", "99999999");
	client_tool_refused(scene.client, "rr_locks", "invalid_argument", "{s:i}", "limit", 0);
}
END_TEST

/* A moment at which a call begins: what it does comes after that. */
START_TEST(the_call_at_a_moment_is_after_it)
{
	cleanup_scene struct scene scene = scene_open_at(builds[_i], "swap_locks");

	scene_run_to(&scene, "pthread_mutex_unlock");
	client_tool_done(scene.client, "rr_bookmark", "{s:s}", "name", "unlocks");
	scene_run_to(&scene, "pthread_spin_lock");
	client_tool_done(scene.client, "rr_bookmark", "{s:s}", "name", "call");
	expect_all(client_tool(scene.client, "rr_locks", NULL),
	    HAS("conclusion", "3 locks are held, and 8 threads wait"));
	scene_run_to(&scene, LOOKED);
	expect_all(client_tool(scene.client, "rr_locks", "{s:s}", "from", "call"),
	    HAS("conclusion", "; since `from`: 4 held all along, 1 taken, 0 released"));
	expect_all(client_tool(scene.client, "rr_locks", "{s:s}", "from", "unlocks"),
	    HAS("conclusion", "; since `from`: 4 held all along, 1 taken, 1 released"));
}
END_TEST

START_TEST(locks_of_classes)
{
	cleanup_scene struct scene scene = scene_open_at(classes[_i], LOOKED);
	json_auto_t *answer = client_tool(scene.client, "rr_locks", NULL);

	expect_lock(answer, "held_locks_cc.cc", "mutex bank::first", 1, "// the mover's", 1,
	    "// the taker's");
	expect_lock(answer, "held_locks_cc.cc", "rwlock bank::rates", 1, "// its reading", 0, "");
	expect_lock(
	    answer, "held_locks_cc.cc", "condition bank::changed", 0, "", 1, "// the watcher's");
	ck_assert_uint_eq(answer_count(answer, "waiting"), 1);
	expect_within(answer, "waiting.0.waits_for", "bank::own: who holds it cannot be known");
	expect_within(answer, "doubts.0", "calls futex itself");
}
END_TEST

START_TEST(a_program_without_locks)
{
	cleanup_scene struct scene scene = scene_open_at(NONE, LOOKED);

	expect_all(client_tool(scene.client, "rr_locks", NULL),
	    HAS("conclusion", "no lock is held or waited for"), ABSENT("locks"), ABSENT("doubts"));
}
END_TEST

START_TEST(one_that_is_cut_off_says_so)
{
	cleanup_scene struct scene scene = scene_open(_i ? MANY : LONG, NULL);

	/* Time for some calls: an end that meets gdb while it reads one is no failure. */
	expect_all(client_tool(
		       scene.client, "rr_locks", "{s:s, s:i}", "at", "end", "deadline", 1 + 2 * _i),
	    HAS("cut_off", "give a longer deadline"), ABSENT("waiting"));
	expect_alive(scene.client, scene.session);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{each_lock_has_its_holders_and_waiters, BUILDS},
	    {changes_since_another_moment, BUILDS}, {the_call_at_a_moment_is_after_it, BUILDS},
	    {locks_of_classes, BUILDS}, {a_program_without_locks, 1},
	    {one_that_is_cut_off_says_so, 6}, {NULL, 0}};

	return scene_main_loops("locks", tests,
	    (const char *const[]){
		builds[0], builds[1], classes[0], classes[1], NONE, LONG, MANY, NULL});
}
