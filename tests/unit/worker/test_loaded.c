/*
 * Where the same libraries are loaded: what gdb notifies, and what a run forward shows.
 */
#include <check.h>
#include <string.h>
#include "session.h"
#include "worker/gdb/exchange.h"
#include "worker/session/loaded.h"
#include "tests/runner.h"

static void tell(const char *line)
{
	const char *why;

	ck_assert_int_eq(
	    exchange_take(gdb_exchange(peer.gdb), line, strlen(line), &why), NEWS_NONE);
}

static void load(const char *name)
{
	char line[200];

	snprintf(line, sizeof(line),
	    "=library-loaded,id=\"%s\",symbols-loaded=\"0\",thread-group=\"i1\","
	    "ranges=[{from=\"0x%zx000\",to=\"0x%zx800\"}]",
	    name, strlen(name), strlen(name));
	tell(line);
}

static void unload(const char *name)
{
	char line[200];

	snprintf(line, sizeof(line), "=library-unloaded,id=\"%s\",thread-group=\"i1\"", name);
	tell(line);
}

static void stand(long long event, long long ticks)
{
	replay_arrived(replay, &(struct moment){.event = event, .ticks = ticks, .tid = 7});
	loaded_note(replay);
}

static bool is_same(long long event, long long ticks)
{
	return loaded_same(replay, &(struct moment){.event = event, .ticks = ticks, .tid = 7});
}

START_TEST(the_same_libraries_have_the_same_sum)
{
	const struct solibs *solibs;
	struct solib_range ranges[2];
	unsigned long long one, two;
	size_t count;

	session_begin(SCRIPT({0}));
	solibs = &gdb_exchange(peer.gdb)->solibs;
	load("/a");
	one = solibs->sum;
	load("/ab");
	two = solibs->sum;
	ck_assert(one != two);
	ck_assert(solibs_ranges(solibs, ranges, 2, &count) && count == 2);
	ck_assert(!solibs_ranges(solibs, ranges, 1, &count));
	unload("/a");
	ck_assert(solibs->sum != one && solibs->sum != two);
	ck_assert(solibs_ranges(solibs, ranges, 1, &count) && count == 1);
	ck_assert_uint_eq(ranges[0].from, 0x3000);
	ck_assert_uint_eq(ranges[0].to, 0x3800);
	load("/a");
	ck_assert(solibs->sum == two);
	load("/a"); /* once more is no other one */
	ck_assert(solibs->sum == two);
	ck_assert_uint_eq(solibs->changes, 5);
	unload("/nothing");
	ck_assert(solibs->sum == two);
}
END_TEST

START_TEST(a_run_without_a_change_shows_that_all_along_it_the_same_are_loaded)
{
	session_begin(SCRIPT({0}));
	load("/a");
	stand(10, 5);
	ck_assert(!is_same(10, 5)); /* gdb has not read them yet */
	loaded_anew(replay);
	stand(10, 5);
	ck_assert(is_same(10, 5));
	ck_assert(!is_same(12, 0));
	stand(20, 50);
	ck_assert(is_same(10, 5) && is_same(12, 0) && is_same(19, 1000) && is_same(20, 50));
	ck_assert(!is_same(10, 4) && !is_same(20, 51) && !is_same(9, 1) && !is_same(21, 0));
	/* Of another thread's ticks nothing is known. */
	ck_assert(!loaded_same(replay, &(struct moment){.event = 20, .ticks = 49, .tid = 8}));
	ck_assert(loaded_same(replay, &(struct moment){.event = 15, .ticks = 49, .tid = 8}));
	ck_assert(!loaded_same(replay, NULL));
}
END_TEST

START_TEST(what_lies_on_both_sides_of_a_change_is_not_the_same)
{
	session_begin(SCRIPT({0}));
	load("/a");
	loaded_anew(replay);
	stand(10, 5);
	load("/ab");
	stand(20, 50);
	ck_assert(is_same(20, 50));
	ck_assert(!is_same(10, 5) && !is_same(15, 0));
	stand(30, 1);
	ck_assert(is_same(25, 0));
	unload("/ab");
	stand(40, 1);
	ck_assert(is_same(10, 5) && is_same(40, 1) && !is_same(35, 0) && !is_same(25, 0));
}
END_TEST

/* Where it was taken, rather than run, nothing is known of what lies between. */
START_TEST(a_jump_is_no_run)
{
	session_begin(SCRIPT({0}));
	load("/a");
	loaded_anew(replay);
	stand(10, 5);
	ck_assert(!loaded_seek(replay, "c1")); /* there is no rr */
	ck_assert(!is_same(10, 5));
	replay_arrived(replay, &(struct moment){.event = 30, .ticks = 1, .tid = 7});
	loaded_trust(replay);
	ck_assert(is_same(10, 5) && is_same(30, 1) && !is_same(20, 0));
}
END_TEST

START_TEST(many_changes_are_bounded)
{
	session_begin(SCRIPT({0}));
	load("/a");
	loaded_anew(replay);
	for (int i = 1; i <= 3 * LOADED_STRETCHES_MAX; i++) {
		load("/a");
		stand(10 * i, 1);
		load(i % 2 ? "/ab" : "/abc");
		unload(i % 2 ? "/abc" : "/ab");
	}
	ck_assert_uint_le(replay->loaded.count, LOADED_STRETCHES_MAX);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    the_same_libraries_have_the_same_sum,
	    a_run_without_a_change_shows_that_all_along_it_the_same_are_loaded,
	    what_lies_on_both_sides_of_a_change_is_not_the_same,
	    a_jump_is_no_run,
	    many_changes_are_bounded,
	    NULL,
	};

	return run_tests("loaded", tests, NULL, session_end);
}
