/*
 * rr_race_scan: it sees the accesses that rr_value_history sees, and its order of them is the one
 * that follows from what the program itself wrote down; it names a race where there is one, and
 * says so where it cannot know.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/hang.h"
#include "tests/e2e/scene.h"

#define STEPS_MAX 600

/* ---- What the program wrote down ------------------------------------------------------------- */

struct step {
	char what;
	int thread, object;
	int number; /* of its kind: all arrivals at a barrier, or this thread's returns from it */
};

static struct {
	struct step steps[STEPS_MAX];
	size_t count;
	bool before[STEPS_MAX][STEPS_MAX];
} run;

/* A line is "T 1 2": what, by which thread, to which object. */
static void read_steps(const char *text)
{
	char *end;

	memset(&run, 0, sizeof(run));
	for (; *text; text = end + 1) {
		struct step *step = &run.steps[run.count];

		ck_assert_uint_lt(run.count, STEPS_MAX);
		step->what = *text;
		step->thread = (int)strtol(text + 1, &end, 10);
		step->object = (int)strtol(end, &end, 10);
		ck_assert_int_eq(*end, '\n');
		for (size_t i = 0; i < run.count; i++)
			step->number += run.steps[i].what == step->what &&
					(step->what == 'A' || run.steps[i].thread == step->thread);
		run.count++;
	}
}

/* Whether the first step orders the second one, which is later. */
static bool orders(const struct step *a, const struct step *b)
{
	static const struct {
		char from, to;
	} pairs[] = {
	    {'G', 'T'}, {'G', 'R'}, {'g', 'T'}, {'C', 'B'}, {'E', 'J'}, {'S', 'V'}, {'P', 'Q'}};

	if (a->thread == b->thread)
		return true;
	/* A barrier of two: its returns have an object of their own. */
	if (a->what == 'A' && b->what == 'Q' && b->object == 2)
		return a->number / 2 <= b->number;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (a->what == pairs[i].from && b->what == pairs[i].to && a->object == b->object)
			return true;
	return false;
}

/* Follows all ways from each step: no clocks. */
static void find_order(void)
{
	for (size_t a = run.count; a-- > 0;) {
		for (size_t b = a + 1; b < run.count; b++) {
			if (!orders(&run.steps[a], &run.steps[b]))
				continue;
			run.before[a][b] = true;
			for (size_t c = b + 1; c < run.count; c++)
				run.before[a][c] |= run.before[b][c];
		}
	}
}

static bool is_access(const struct step *step)
{
	return step->what == 'r' || step->what == 'w';
}

struct counts {
	long long accesses, unordered, pairs;
};

static struct counts count_unordered(void)
{
	struct counts counts = {0};
	bool unordered[STEPS_MAX] = {false};

	for (size_t b = 0; b < run.count; b++) {
		counts.accesses += is_access(&run.steps[b]);
		for (size_t a = 0; is_access(&run.steps[b]) && a < b; a++) {
			if (!is_access(&run.steps[a]) || run.before[a][b] ||
			    (run.steps[a].what == 'r' && run.steps[b].what == 'r'))
				continue;
			unordered[a] = unordered[b] = true;
			counts.pairs++;
		}
	}
	for (size_t i = 0; i < run.count; i++)
		counts.unordered += unordered[i];
	return counts;
}

static struct counts expected_counts(const char *output)
{
	read_steps(output);
	find_order();
	return count_unordered();
}

/* ---- The scan -------------------------------------------------------------------------------- */

/* Opens a session on a run, whose output the caller frees. */
static struct place open_run(const char *program, const char *way, char **output)
{
	struct place place = place_open();
	json_auto_t *record = client_record(place.client, place.trace, program, way);

	expect_number(record, "exit_code", 0);
	*output = strdup(answer_text(record, "stdout"));
	free(client_replay(place.client, place.trace));
	return place;
}

static long long pairs_of(const json_t *answer)
{
	const json_t *pairs = answer_at(answer, "pairs"), *pair;
	long long sum = 0;
	size_t i;

	json_array_foreach(pairs, i, pair) sum += answer_number(pair, "count");
	return sum;
}

/* The scan and the history show the same accesses, and the same values. */
static void expect_history(struct client *client, const json_t *scan, const char *expression)
{
	json_auto_t *history = client_tool(client, "rr_value_history", "{s:s, s:s, s:i}",
	    "expression", expression, "access", "access", "limit", 1000);
	static const char *const same[] = {"moment", "tid", "access", "old", "new", "value"};
	size_t count = answer_count(history, "changes");

	ck_assert_uint_eq(answer_count(scan, "accesses"), count);
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_array_get(answer_at(scan, "accesses"), i);
		const json_t *other = json_array_get(answer_at(history, "changes"), i);

		for (size_t j = 0; j < sizeof(same) / sizeof(*same); j++)
			ck_assert_msg(json_equal(json_object_get(one, same[j]),
					  json_object_get(other, same[j])) ||
					  (!json_object_get(one, same[j]) &&
					      !json_object_get(other, same[j])),
			    "%s of access %zu: %s, not %s", same[j], i, answer_show(one),
			    answer_show(other));
	}
}

static const struct {
	const char *way, *verdict, *said;
} ways[] = {
    {"plain", "race", "without a common lock"},
    {"locked", "ordered", "mutex first"},
    {"two_locks", "race", "without a common lock"},
    {"half_locked", "race", "without a common lock"},
    {"trylock", "ordered", "mutex first"},
    {"ignores_trylock", "race", "without a common lock"},
    {"timedlock", "ordered", "mutex first"},
    {"recursive", "ordered", "mutex recursive"},
    {"errors", "ordered", "mutex checked"},
    {"rwlock", "ordered", "rwlock shelf"},
    {"writes_as_reader", "race", "rwlock shelf only for reading"},
    {"spinlock", "ordered", "spinlock spin"},
    {"condition", "ordered", "mutex first"},
    {"semaphore", "ordered", "semaphore free_slots"},
    {"barrier", "ordered", "barrier phase"},
    {"once", "ordered", "pthread_once of once"},
    {"futex", "race", "without a common lock"},
    {"joined", "ordered", "pthread_join"},
};

#define WAYS (sizeof(ways) / sizeof(*ways))

/* It is the same where accesses are counted without a stop: all but the first one. */
static void expect_same_in_silence(struct client *client, const json_t *scan)
{
	json_t *stopping = json_deep_copy(scan);
	json_t *silent =
	    client_tool(client, "rr_race_scan", "{s:s, s:i}", "expression", "counter", "limit", 1);

	for (size_t i = 0; i < 2; i++) {
		json_object_del(i ? silent : stopping, "accesses");
		json_object_del(i ? silent : stopping, "more");
	}
	expect_same(stopping, silent);
}

static void compare(const char *program, size_t way)
{
	char *output;
	cleanup_place struct place place = open_run(program, ways[way].way, &output);
	struct counts counts = expected_counts(output);
	json_auto_t *scan = client_tool(
	    place.client, "rr_race_scan", "{s:s, s:i}", "expression", "counter", "limit", 1000);

	expect_text(scan, "verdict", ways[way].verdict);
	expect_within(scan, "conclusion", ways[way].said);
	expect_number(scan, "total", counts.accesses);
	ck_assert_int_eq(counts.unordered > 0, strcmp(ways[way].verdict, "race") == 0);
	/* A futex may order some of them, for all that the scan knows; when it does changes. */
	if (counts.unordered && strcmp(ways[way].way, "futex") == 0)
		ck_assert_int_le(answer_number(scan, "unordered"), counts.unordered);
	else if (counts.unordered)
		expect_number(scan, "unordered", counts.unordered);
	else
		expect_within(scan, "conclusion", "in this run");
	ck_assert_int_eq(pairs_of(scan), counts.pairs);
	expect_history(place.client, scan, "counter");
	expect_same_in_silence(place.client, scan);
	free(output);
}

START_TEST(the_order_is_what_follows_from_what_the_program_wrote_down)
{
	compare("races", (size_t)_i);
}
END_TEST

START_TEST(it_is_the_same_in_optimized_code)
{
	compare("races_O2", 2 * (size_t)_i);
}
END_TEST

START_TEST(it_is_the_same_in_a_static_program)
{
	compare("races_static", 3 * (size_t)_i + 1);
}
END_TEST

START_TEST(a_race_is_named_with_its_function_and_line_and_moments_that_can_be_gone_to)
{
	char *output, line[80];
	cleanup_place struct place place = open_run("races", "half_locked", &output);
	json_auto_t *scan =
	    client_tool(place.client, "rr_race_scan", "{s:s}", "expression", "counter");

	snprintf(line, sizeof(line), "store (tests/programs/races.c:%lld)",
	    harness_line("races", "counter = value; /* the write */"));
	expect_within(scan, "conclusion", line);
	expect_within(scan, "conclusion", "write counter at");
	/* One of the two holds the lock, which it took in the caller's caller. */
	json_t *holder = answer_at(scan, "pairs.0.first.locks") ? answer_at(scan, "pairs.0.first")
								: answer_at(scan, "pairs.0.second");
	expect_text(holder, "locks.0.lock", "mutex first");
	expect_within(holder, "locks.0.where", "lock (tests/programs/races.c:");
	json_t *stop = client_tool(
	    place.client, "rr_goto", "{s:s}", "moment", answer_text(holder, "locks.0.since"));
	ck_assert_int_eq(answer_number(stop, "tid"), answer_number(holder, "tid"));
	json_decref(stop);
	stop =
	    client_tool(place.client, "rr_goto", "{s:s}", "moment", answer_text(holder, "moment"));
	ck_assert_int_eq(answer_number(stop, "tid"), answer_number(holder, "tid"));
	expect_text(stop, "frame.function", "store");
	json_decref(stop);
	free(output);
}
END_TEST

START_TEST(a_lock_of_the_programs_own_makes_the_verdict_unknown)
{
	char *output;
	cleanup_place struct place place = open_run("races", "own_lock", &output);
	json_auto_t *scan =
	    client_tool(place.client, "rr_race_scan", "{s:s}", "expression", "counter");

	expect_text(scan, "verdict", "unknown");
	expect_within(scan, "conclusion", "not known whether this is a race");
	expect_within(scan, "unknown", "own_lock uses atomic operations");
	free(output);
}
END_TEST

START_TEST(atomic_accesses_are_no_race)
{
	char *output;
	cleanup_place struct place place = open_run("races", "atomic", &output);
	json_auto_t *scan =
	    client_tool(place.client, "rr_race_scan", "{s:s}", "expression", "counter");

	expect_text(scan, "verdict", "ordered");
	ck_assert_ptr_null(answer_at(scan, "pairs"));
	free(output);
}
END_TEST

START_TEST(each_process_after_a_fork_is_judged_for_itself)
{
	char *output;
	cleanup_place struct place place = open_run("races", "forked", &output);
	json_t *scan = client_tool(place.client, "rr_race_scan", "{s:s}", "expression", "counter");
	json_t *processes, *session;
	char pid[24];

	expect_text(scan, "verdict", "one thread");
	json_decref(scan);
	processes = client_tool(place.client, "rr_ps", "{s:s}", "trace_dir", place.trace);
	snprintf(pid, sizeof(pid), "%lld", answer_number(processes, "processes.1.pid"));
	session = client_tool(
	    place.client, "rr_replay_start", "{s:s, s:s}", "trace_dir", place.trace, "pid", pid);
	scan = client_tool(place.client, "rr_race_scan", "{s:s, s:s}", "expression", "counter",
	    "session", answer_text(session, "session"));
	expect_text(scan, "verdict", "race");
	expect_number(scan, "unordered", 16);
	json_decref(scan);
	json_decref(session);
	json_decref(processes);
	free(output);
}
END_TEST

/* ---- C++ ------------------------------------------------------------------------------------- */

static const struct {
	const char *way, *verdict, *said;
} classes[] = {
    {"plain", "race", "without a common lock"},
    {"guarded", "ordered", "mutex bank::first"},
    {"shared", "ordered", "rwlock bank::first"},
    {"writes_as_reader", "race", "only for reading"},
    {"recursive", "ordered", "mutex bank::first"},
    {"condition", "ordered", "mutex bank::first"},
    {"once", "ordered", "pthread_once"},
    {"flag", "unknown", "not known whether"},
};

#define CLASSES (sizeof(classes) / sizeof(*classes))

START_TEST(the_locks_of_cpp_are_those_of_c)
{
	size_t way = (size_t)_i % CLASSES;
	char *output;
	cleanup_place struct place place = open_run(
	    (size_t)_i < CLASSES ? "races_classes" : "races_classes_O2", classes[way].way, &output);
	json_auto_t *scan = client_tool(place.client, "rr_race_scan", "{s:s, s:i}", "expression",
	    "bank::first.balance", "limit", 1000);

	expect_text(scan, "verdict", classes[way].verdict);
	expect_within(scan, "conclusion", classes[way].said);
	expect_history(place.client, scan, "bank::first.balance");
	free(output);
}
END_TEST

/* ---- Who holds what -------------------------------------------------------------------------- */

static const struct {
	const char *way, *line, *lock, *function;
	long long threads;
} rings[] = {
    {"mutexes", "/* the first fork */", "mutex forks", "dine", 4},
    {"readers", "/* the page that it reads */", "rwlock ", "read_and_write", 3},
};

/* Each thread in the ring holds one lock, since the moment at which it got it. */
static void expect_holder(struct client *client, const json_t *thread, size_t ring)
{
	char line[80];
	json_t *stop;

	snprintf(line, sizeof(line), "%s (tests/programs/deadlock_ring.c:%lld)",
	    rings[ring].function, harness_line("deadlock_ring", rings[ring].line));
	ck_assert_uint_eq(answer_count(thread, "holds"), 1);
	expect_within(thread, "holds.0.lock", rings[ring].lock);
	expect_text(thread, "holds.0.where", line);
	expect_within(thread, "waits_for", rings[ring].lock);
	ck_assert_ptr_nonnull(answer_at(thread, "held_by"));
	stop =
	    client_tool(client, "rr_goto", "{s:s}", "moment", answer_text(thread, "holds.0.since"));
	expect_number(stop, "tid", answer_number(thread, "tid"));
	json_decref(stop);
}

START_TEST(a_ring_of_threads_is_reported_with_what_each_holds_and_since_when)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("deadlock_ring");
	json_t *report;

	hang_record(place.client, place.trace, json_pack("[s, s]", program, rings[_i].way),
	    (size_t)rings[_i].threads);
	report = client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_within(report, "conclusion", "deadlock: ");
	ck_assert_int_eq((long long)answer_count(report, "threads"), rings[_i].threads);
	for (long long i = 1; i < rings[_i].threads; i++) {
		const json_t *thread = json_array_get(answer_at(report, "threads"), (size_t)i);
		char tid[40];

		snprintf(tid, sizeof(tid), "held by thread %lld", answer_number(thread, "tid"));
		expect_within(report, "conclusion", tid);
		expect_holder(place.client, thread, (size_t)_i);
	}
	expect_answer_within(client_tool(place.client, "rr_locks", "{s:s}", "at", "end"),
	    "conclusion", "deadlock: thread ");
	json_decref(report);
}
END_TEST

/* ---- Other questions ------------------------------------------------------------------------- */

START_TEST(an_update_that_was_lost_under_the_lock_is_told)
{
	cleanup_scene struct scene scene = scene_open("lost_update", NULL);
	json_auto_t *scan =
	    client_tool(scene.client, "rr_race_scan", "{s:s}", "expression", "account.balance");

	expect_all(json_incref(scan), IS("verdict", "ordered"),
	    HAS("conclusion", "between another one's read and write"),
	    IS("overtaken.read.frame.function", "look"),
	    IS("overtaken.other_write.frame.function", "store"),
	    IS("overtaken.write.frame.function", "store"), IS("overtaken.write.new", "110"),
	    NUMBER("overtaken.write.tid", answer_number(scan, "overtaken.read.tid")));
}
END_TEST

START_TEST(a_part_of_the_recording_can_be_asked_for)
{
	cleanup_scene struct scene scene = scene_open("lost_update", NULL);
	json_auto_t *whole =
	    client_tool(scene.client, "rr_race_scan", "{s:s}", "expression", "account.balance");
	/* From behind the first access, which holds a lock that was taken before. */
	json_auto_t *part = client_tool(scene.client, "rr_race_scan", "{s:s, s:s, s:s}",
	    "expression", "account.balance", "from", answer_text(whole, "accesses.0.locks.0.since"),
	    "to", answer_text(whole, "accesses.2.moment"));

	expect_number(part, "total", 3);
	expect_within(part, "before", "before the search began");
	expect_text(part, "accesses.0.locks.0.lock", "mutex account");
}
END_TEST

START_TEST(a_short_deadline_gives_what_was_found_and_how_to_go_on)
{
	char *output;
	cleanup_place struct place place = open_run("races", "locked", &output);
	json_auto_t *scan = client_tool(
	    place.client, "rr_race_scan", "{s:s, s:f}", "expression", "counter", "deadline", 0.4);

	if (answer_at(scan, "cut_off")) {
		expect_within(scan, "cut_off", "longer deadline");
		expect_within(scan, "conclusion", "in the part that was searched");
	}
	expect_value(place.client, "counter", "0");
	free(output);
}
END_TEST

START_TEST(what_is_no_place_in_memory_or_no_stretch_is_refused_with_the_reason)
{
	cleanup_scene struct scene scene = scene_open("lost_update", NULL);
	static const struct {
		const char *expression, *from, *to, *said;
	} cases[] = {
	    {"account.balance++", "start", "end", "not allowed"},
	    {"look()", "start", "end", ""},
	    {"account.balance + 1", "start", "end", "not in memory"},
	    {"$rax", "start", "end", "not in memory"},
	    {"nosuch", "start", "end", "No symbol"},
	    {"seen", "start", "end", "No symbol"},
	    {"*(char (*)[40])&account", "start", "end", "watch"},
	    {"account.balance", "end", "start", "nothing to search"},
	    {"account.balance", "1:x", "end", "moment must be"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_auto_t *failure = client_tool_fails(scene.client, "rr_race_scan", NULL,
		    "{s:s, s:s, s:s}", "expression", cases[i].expression, "from", cases[i].from,
		    "to", cases[i].to);
		ck_assert_msg(strstr(answer_text(failure, "message"), cases[i].said) != NULL,
		    "%s: %s", cases[i].expression, answer_text(failure, "message"));
	}
	json_auto_t *none = client_tool(scene.client, "rr_race_scan", "{s:s, s:s, s:s}",
	    "expression", "account.balance", "from", "start", "to", "2");
	expect_text(none, "verdict", "no access");
}
END_TEST

START_TEST(the_session_stays_where_it_was_with_its_breakpoints)
{
	cleanup_scene struct scene scene = scene_open("lost_update", NULL);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "store");
	client_tool_done(scene.client, "rr_continue", NULL);
	json_t *when = client_tool(scene.client, "rr_when", NULL);
	json_t *points = client_tool(scene.client, "rr_breakpoint_list", NULL);

	client_tool_done(scene.client, "rr_race_scan", "{s:s}", "expression", "account.balance");

	expect_same(when, client_tool(scene.client, "rr_when", NULL));
	expect_same(points, client_tool(scene.client, "rr_breakpoint_list", NULL));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_order_is_what_follows_from_what_the_program_wrote_down, WAYS},
	    {it_is_the_same_in_optimized_code, WAYS / 2},
	    {it_is_the_same_in_a_static_program, WAYS / 3},
	    {a_race_is_named_with_its_function_and_line_and_moments_that_can_be_gone_to, 1},
	    {a_lock_of_the_programs_own_makes_the_verdict_unknown, 1},
	    {atomic_accesses_are_no_race, 1},
	    {each_process_after_a_fork_is_judged_for_itself, 1},
	    {the_locks_of_cpp_are_those_of_c, 2 * CLASSES},
	    {a_ring_of_threads_is_reported_with_what_each_holds_and_since_when, TIMES(rings)},
	    {an_update_that_was_lost_under_the_lock_is_told, 1},
	    {a_part_of_the_recording_can_be_asked_for, 1},
	    {a_short_deadline_gives_what_was_found_and_how_to_go_on, 1},
	    {what_is_no_place_in_memory_or_no_stretch_is_refused_with_the_reason, 1},
	    {the_session_stays_where_it_was_with_its_breakpoints, 1},
	    {NULL, 0},
	};
	const char *const programs[] = {"lost_update", NULL};

	return scene_main_loops("races", tests, programs);
}
