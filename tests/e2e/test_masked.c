/*
 * A watched byte is not an accessed byte: where a mask leaves bytes out, no tool says that the
 * instruction accessed them.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

/* ---- What this processor does ---------------------------------------------------------------- */

static _Alignas(32) int lanes[8], mask[8] = {-1, -1};

__attribute__((target("avx"), noinline)) static void load_first_lanes(void)
{
	__asm__ volatile("vmovdqu %0, %%ymm1\n\t"
			 "vmaskmovps %1, %%ymm1, %%ymm2"
			 :
			 : "m"(mask), "m"(lanes)
			 : "xmm1", "xmm2", "memory");
}

static void poke(pid_t child, int number, unsigned long value)
{
	ck_assert_int_eq(
	    ptrace(PTRACE_POKEUSER, child,
		offsetof(struct user, u_debugreg) + (size_t)number * sizeof(value), value),
	    0);
}

/* Whether a debug register at this lane, for loads and stores, stops a masked load of two. */
static bool stops_at_lane(int lane)
{
	enum { CONTROL = 7, FOUR_BYTES = 0xf0001 };
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		load_first_lanes();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	poke(child, 0, (unsigned long)&lanes[lane]);
	poke(child, CONTROL, FOUR_BYTES);
	ck_assert_int_eq(ptrace(PTRACE_CONT, child, 0, 0), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (!WIFSTOPPED(status))
		return false;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return true;
}

/* Whether it stops where a mask leaves the bytes out: processors differ. Where debug registers do
 * nothing, the software counter stops there. */
static bool stops_at_masked(void)
{
	return __builtin_cpu_supports("avx") && (stops_at_lane(2) || !stops_at_lane(1));
}

/* ---- What the tools say ---------------------------------------------------------------------- */

static struct scene open_at_end(void)
{
	struct scene scene = scene_open("masked", NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	return scene;
}

START_TEST(a_history_has_no_access_that_a_mask_leaves_out)
{
	cleanup_scene struct scene scene = open_at_end();
	json_auto_t *kept = client_tool(scene.client, "rr_value_history", "{s:s, s:s}",
	    "expression", "wide.kept[0]", "access", "access");

	/* Two writes and a read. Of the last load, whose mask is gone, nothing is said. */
	expect_all(json_incref(kept), NUMBER("total", 3));
	if (stops_at_masked())
		expect_within(kept, "masked", "1 that may be accesses");
	else
		ck_assert_ptr_null(answer_at(kept, "masked"));
	/* What a mask selects is there: two stores and two loads. */
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:s}", "expression",
		       "wide.near[1]", "access", "access"),
	    NUMBER("total", 4));
}
END_TEST

START_TEST(a_masked_load_of_the_block_below_is_no_use_after_free)
{
	cleanup_scene struct scene scene = open_at_end();

	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "stale"),
	    HAS("conclusion", "no use after that was seen"));
}
END_TEST

START_TEST(a_masked_load_of_another_thread_beside_it_is_no_race)
{
	cleanup_scene struct scene scene = open_at_end();
	json_auto_t *race =
	    client_tool(scene.client, "rr_race_scan", "{s:s}", "expression", "wide.kept[0]");

	ck_assert_msg(strstr(answer_text(race, "conclusion"), "only thread") != NULL, "%s",
	    answer_text(race, "conclusion"));
}
END_TEST

START_TEST(an_origin_is_behind_a_masked_store_that_leaves_it_out)
{
	cleanup_scene struct scene scene = open_at_end();
	char place[64];

	snprintf(place, sizeof(place), "masked.c:%lld", harness_line("masked", "/* set again */"));
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "wide.kept[0]"),
	    HAS("conclusion", place));
}
END_TEST

/* What the program says that it accessed. */
struct counts {
	int first, second, either, masked;
};

static struct counts counted(struct client *client)
{
	static const char *const names[] = {"first", "second", "either", "masked"};
	int values[4];

	for (int i = 0; i < 4; i++) {
		json_auto_t *answer =
		    client_tool(client, "rr_evaluate", "{s:s}", "expression", names[i]);
		values[i] = (int)answer_number(answer, "value");
	}
	ck_assert_int_gt(values[0], 0);
	return (struct counts){values[0], values[1], values[2], values[3]};
}

static const char *line_of(const char *mark, char place[64])
{
	snprintf(place, 64, "mask_walk.c:%lld", harness_line("mask_walk", mark));
	return place;
}

/* At the end of what the program counts. */
static struct scene open_counted(struct counts *counts)
{
	char place[64];
	struct scene scene = scene_open_at("mask_walk", line_of("/* counted */", place));

	*counts = counted(scene.client);
	return scene;
}

/* To where it begins. */
static void go_begin(struct client *client)
{
	char place[64];

	json_decref(client_tool(client, "rr_goto", "{s:s}", "moment", "start"));
	json_decref(
	    client_tool(client, "rr_continue", "{s:s}", "until", line_of("/* begin */", place)));
}

/* A run back stops there too. */
static void set_begin(struct client *client)
{
	char place[64];

	json_decref(client_tool(
	    client, "rr_breakpoint_set", "{s:s}", "location", line_of("/* begin */", place)));
}

static void set_watch(
    struct client *client, const char *expression, const char *access, const char *condition)
{
	json_t *arguments =
	    json_pack("{s:s, s:s}", "expression", expression, "access_type", access);

	if (condition)
		json_object_set_new(arguments, "condition", json_string(condition));
	json_decref(client_tool(client, "rr_watchpoint_set", "o", arguments));
}

struct stops {
	int watchpoints, breakpoints;
};

/* The stops up to the end of the program, or back to where it begins to count. */
static struct stops run_through(struct client *client, bool reverse)
{
	long long begin = harness_line("mask_walk", "/* begin */");
	struct stops stops = {0, 0};

	for (int i = 0; i < 500; i++) {
		json_auto_t *stop =
		    client_tool(client, "rr_continue", "{s:b}", "reverse", (int)reverse);
		bool watch = strcmp(answer_text(stop, "reason"), "watchpoint") == 0;
		bool other = strcmp(answer_text(stop, "reason"), "breakpoint") == 0;

		if ((!watch && !other) || answer_line(stop, "frame") == begin)
			return stops;
		ck_assert(!answer_at(stop, "not_certain") ||
			  strstr(answer_text(stop, "not_certain"), "of another watchpoint"));
		stops.watchpoints += watch;
		stops.breakpoints += other;
	}
	ck_abort_msg("more stops than accesses");
	return stops;
}

static const struct {
	const char *access, *condition;
} kinds[] = {{"access", NULL}, {"read", NULL}, {"access", "words[10] == 7"}};

START_TEST(a_watchpoint_stops_where_the_program_accesses_it_in_both_directions)
{
	struct counts counts;
	cleanup_scene struct scene scene = open_counted(&counts);

	set_begin(scene.client);
	set_watch(scene.client, "words[10]", kinds[_i].access, kinds[_i].condition);
	ck_assert_int_eq(run_through(scene.client, true).watchpoints, counts.first);
	ck_assert_int_eq(run_through(scene.client, false).watchpoints, counts.first);
}
END_TEST

START_TEST(of_two_watchpoints_each_access_to_one_is_a_stop)
{
	struct counts counts;
	cleanup_scene struct scene scene = open_counted(&counts);

	set_begin(scene.client);
	set_watch(scene.client, "words[10]", "access", NULL);
	set_watch(scene.client, "words[13]", "access", NULL);
	ck_assert_int_eq(run_through(scene.client, true).watchpoints, counts.either);
	ck_assert_int_eq(run_through(scene.client, false).watchpoints, counts.either);
}
END_TEST

START_TEST(a_breakpoint_behind_a_store_that_leaves_a_watched_word_out_is_a_stop)
{
	struct counts counts;
	cleanup_scene struct scene scene = open_counted(&counts);
	struct stops stops;

	if (!counts.masked)
		return;
	go_begin(scene.client);
	json_decref(client_tool(scene.client, "rr_breakpoint_set", "{s:s}", "location",
	    "*(char *) &behind_masked_store"));
	set_watch(scene.client, "words[10]", "access", NULL);
	stops = run_through(scene.client, false);
	ck_assert_int_ge(stops.breakpoints + stops.watchpoints, counts.masked);
	ck_assert_int_le(stops.watchpoints, counts.first);
	ck_assert_int_ge(stops.breakpoints, counts.masked - counts.first);
}
END_TEST

START_TEST(what_was_passed_over_is_told_and_is_no_hit)
{
	struct counts counts;
	cleanup_scene struct scene scene = open_counted(&counts);

	if (!counts.masked || !stops_at_masked())
		return;
	go_begin(scene.client);
	set_watch(scene.client, "words[10]", "access", NULL);
	expect_all(client_tool(scene.client, "rr_continue", "{s:i}", "count", 100),
	    HAS("passed_over", "without an access"));
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL),
	    NUMBER("breakpoints.0.hits", counts.first));
}
END_TEST

/* Of the last load of `masked`, the mask is gone. */
START_TEST(a_hit_that_cannot_be_decided_is_a_stop_that_says_so)
{
	cleanup_scene struct scene scene = scene_open_at("masked", "load_over");

	if (!stops_at_masked())
		return;
	set_watch(scene.client, "wide.kept[0]", "access", NULL);
	expect_all(client_tool(scene.client, "rr_continue", NULL), IS("reason", "watchpoint"),
	    HAS("not_certain", "cannot be known"));
	/* Before it, the mask is there. */
	expect_all(client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1),
	    LINE("frame", harness_line("masked", "/* set again */")),
	    HAS("passed_over", "without an access"));
}
END_TEST

/* A step cannot go on from there to where it would have ended. */
START_TEST(a_step_that_a_hit_without_an_access_stops_says_so)
{
	cleanup_scene struct scene scene = scene_open_at("masked", "load_two");

	if (!stops_at_masked())
		return;
	set_watch(scene.client, "wide.kept[0]", "access", NULL);
	expect_all(client_tool(scene.client, "rr_next", "{s:i}", "count", 2),
	    IS("reason", "watchpoint"), HAS("not_certain", "does not access"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{a_history_has_no_access_that_a_mask_leaves_out, 1},
	    {a_masked_load_of_the_block_below_is_no_use_after_free, 1},
	    {a_masked_load_of_another_thread_beside_it_is_no_race, 1},
	    {an_origin_is_behind_a_masked_store_that_leaves_it_out, 1},
	    {a_watchpoint_stops_where_the_program_accesses_it_in_both_directions, TIMES(kinds)},
	    {of_two_watchpoints_each_access_to_one_is_a_stop, 1},
	    {a_breakpoint_behind_a_store_that_leaves_a_watched_word_out_is_a_stop, 1},
	    {what_was_passed_over_is_told_and_is_no_hit, 1},
	    {a_hit_that_cannot_be_decided_is_a_stop_that_says_so, 1},
	    {a_step_that_a_hit_without_an_access_stops_says_so, 1}, {NULL, 0}};

	return scene_main_loops(
	    "masked", tests, (const char *const[]){"masked", "mask_walk", NULL});
}
