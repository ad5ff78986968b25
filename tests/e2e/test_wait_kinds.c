/*
 * What each thread of a hanging program waits for: the object by its own address, who holds it, and
 * the ring that they form, or that it cannot be known.
 */
#include <stdio.h>
#include <string.h>
#include "tests/e2e/scene.h"

static json_t *report_of(struct place *place, const char *what)
{
	json_decref(client_record(place->client, place->trace, "wait_kinds", what));
	return client_tool(place->client, "rr_crash_report", "{s:s}", "trace_dir", place->trace);
}

static const json_t *thread_with(const json_t *report, const char *waits_for)
{
	const json_t *threads = answer_at(report, "threads"), *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		const char *what = json_string_value(json_object_get(thread, "waits_for"));

		if (what != NULL && strncmp(what, waits_for, strlen(waits_for)) == 0)
			return thread;
	}
	harness_fail("nobody waits for %s: %s", waits_for, answer_show(threads));
}

static const struct {
	const char *what;
	const char *told[2]; /* of the conclusion */
} rings[] = {
    {"relock", {"waits for mutex door, held by thread ", "waits for the end of thread "}},
    {"relock_posix",
	{"waits for mutex room + 56, held by thread ", "waits for the end of thread "}},
    {"writers", {"waits for rwlock page, held by thread ", "waits for rwlock leaf, held by "}},
    {"upgrade", {"waits for rwlock page, held by itself", ""}},
    {"upgrade_shared", {"waits for rwlock shelf, held by itself", ""}},
    {"long_names",
	{"waits for mutex store_of_values_by_their_keys<...>::lock, held by thread ",
	    "waits for mutex store_of_values_by_their_keys<...>::other, held by thread "}},
    {"read_again", {"waits for rwlock fair, behind the waiting writer, thread ",
		       "waits for rwlock fair, held by thread "}},
    {"join_writer", {"waits for rwlock page, held by thread ", "waits for the end of thread "}},
    {"init_again", {"waits for the initialization of config(int)::instance, held by itself", ""}},
    {"init_ring", {"waits for the initialization of right_side(bool)::right, held by thread ",
		      "waits for the initialization of left_side(bool)::left, held by thread "}},
};

START_TEST(threads_that_wait_for_each_other_are_told_as_a_ring)
{
	cleanup_place struct place place = place_open();
	json_auto_t *report = report_of(&place, rings[_i].what);

	expect_within(report, "conclusion", "deadlock: ");
	expect_within(report, "conclusion", rings[_i].told[0]);
	expect_within(report, "conclusion", rings[_i].told[1]);
	for (const char *at = answer_text(report, "conclusion");
	     (at = strstr(at, "the end of thread ")); at++)
		ck_assert_ptr_null(memmem(at, 30, "held by", strlen("held by")));
	/* gdb's remark that an ended process has no /proc is none about a value */
	expect_all(client_tool(place.client, "rr_value_history", "{s:s}", "expression", "rung"),
	    ABSENT("warnings"));
}
END_TEST

START_TEST(a_lock_of_the_programs_own_leaves_open_who_waits_for_whom)
{
	cleanup_place struct place place = place_open();
	json_auto_t *report = report_of(&place, "own");

	thread_with(report, "a futex of no known function, own: who holds it cannot be known");
	thread_with(report, "a futex of no known function, own + 4: who holds it cannot be known");
	expect_within(report, "conclusion", "whether they wait for each other cannot be known");
	ck_assert_ptr_null(strstr(answer_text(report, "conclusion"), "no cycle"));
}
END_TEST

START_TEST(threads_that_wait_for_pipes_leave_open_who_waits_for_whom)
{
	cleanup_place struct place place = place_open();
	json_auto_t *report = report_of(&place, "pipes");

	expect_within(report, "conclusion", "whether they wait for each other cannot be known");
	expect_within(report, "conclusion", "read");
}
END_TEST

/* Who holds it is told if there is time to follow all calls. */
START_TEST(threads_that_spin_are_told_with_what_they_spin_for)
{
	cleanup_place struct place place = place_open();
	json_auto_t *report = report_of(&place, "spins");

	thread_with(report, "spinlock hot");
	thread_with(report, "spinlock cold");
	ck_assert_ptr_null(strstr(answer_text(report, "conclusion"), "no cycle"));
}
END_TEST

START_TEST(each_kind_of_object_is_named_by_itself_and_with_its_holder)
{
	static const char *const unheld[] = {"condition bell", "condition any_bell",
	    "condition plain_bell", "condition room + 8", "barrier gate", "semaphore token",
	    "semaphore other_token"};
	static const char *const held[] = {"mutex held_door", "rwlock page"};
	cleanup_place struct place place = place_open();
	json_auto_t *report = report_of(&place, "kinds");
	const json_t *main_thread = thread_with(report, "semaphore other_token");

	for (size_t i = 0; i < sizeof(unheld) / sizeof(*unheld); i++) {
		const json_t *thread = thread_with(report, unheld[i]);

		expect_text(thread, "waits_for", unheld[i]);
		ck_assert_ptr_null(json_object_get(thread, "held_by"));
	}
	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		const json_t *thread = thread_with(report, held[i]);

		expect_text(thread, "waits_for", held[i]);
		expect_number(thread, "held_by", answer_number(main_thread, "tid"));
	}
	/* Who reads under it is not in memory. */
	expect_text(thread_with(report, "rwlock leaf"), "waits_for", "rwlock leaf");
	expect_within(report, "conclusion", "whether they wait for each other cannot be known");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {threads_that_wait_for_each_other_are_told_as_a_ring, TIMES(rings)},
	    {a_lock_of_the_programs_own_leaves_open_who_waits_for_whom, 1},
	    {threads_that_wait_for_pipes_leave_open_who_waits_for_whom, 1},
	    {threads_that_spin_are_told_with_what_they_spin_for, 1},
	    {each_kind_of_object_is_named_by_itself_and_with_its_holder, 1},
	    {NULL, 0},
	};

	return scene_main_loops("wait_kinds", tests, (const char *const[]){NULL});
}
