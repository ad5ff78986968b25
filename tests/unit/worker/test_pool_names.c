/*
 * How functions of an allocator are named, and what is refused before gdb sees it.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runner.h"
#include "worker/investigate/memcheck/pool_names.h"

static struct failure failure;
static struct pool_name name;

static void set_up(void)
{
	failure = (struct failure){0};
}

static void tear_down(void)
{
	json_decref(failure.details);
}

struct row {
	const char *text, *function;
	unsigned argument;
	unsigned long long constant;
	bool given;
};

START_TEST(a_name_says_which_argument_is_meant)
{
	static const struct row rows[] = {
	    {"pool_alloc", "pool_alloc", 1, 0, false},
	    {"pool_alloc:2", "pool_alloc", 2, 0, true},
	    {"node_new=48", "node_new", 0, 48, false},
	    {"Pool::take", "Pool::take", 1, 0, false},
	    {"Pool::take:3", "Pool::take", 3, 0, true},
	    {"Slab<Point, 8>::get(int, char *) const:2", "Slab<Point, 8>::get(int, char *) const",
		2, 0, true},
	    {"(anonymous namespace)::make=8", "(anonymous namespace)::make", 0, 8, false},
	    {"Point::operator new:1", "Point::operator new", 1, 0, true},
	    {"alloc.constprop.0", "alloc.constprop.0", 1, 0, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ck_assert_msg(
		    pool_names_read(rows[i].text, true, &name, &failure), "%s", rows[i].text);
		ck_assert_str_eq(name.function, rows[i].function);
		ck_assert_uint_eq(name.argument, rows[i].argument);
		ck_assert_uint_eq(name.constant, rows[i].constant);
		ck_assert(name.given == rows[i].given);
	}
}
END_TEST

START_TEST(what_is_no_name_is_refused)
{
	static const char *const texts[] = {"", ":2", "=48", "pool_alloc:", "pool_alloc:0",
	    "pool_alloc:33", "pool_alloc:-1", "pool_alloc=0", "pool_alloc=2147483648",
	    "pool_alloc=99999999999999999999999", "pool_alloc:two", "*0x1000", "12", "a'b", "a\"b",
	    "a\\b", "a\nb", "a;b", "$pc", "-function a", "a-b", "file/a.c"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ck_assert_msg(!pool_names_read(texts[i], true, &name, &failure), "%s", texts[i]);
		ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(failure.hint, "NAME=BYTES"));
	}
}
END_TEST

START_TEST(a_long_name_is_refused)
{
	char text[POOL_NAME_MAX + 1];

	memset(text, 'a', sizeof(text) - 1);
	text[POOL_NAME_MAX] = '\0';
	ck_assert(!pool_names_read(text, true, &name, &failure));
	text[POOL_NAME_MAX - 1] = '\0';
	ck_assert(pool_names_read(text, true, &name, &failure));
	ck_assert_uint_eq(strlen(name.function), POOL_NAME_MAX - 1);
}
END_TEST

START_TEST(what_is_freed_has_no_size)
{
	ck_assert(pool_names_read("pool_free:2", false, &name, &failure));
	ck_assert_uint_eq(name.argument, 2);
	ck_assert(!name.all);
	ck_assert(!pool_names_read("pool_free=48", false, &name, &failure));
	ck_assert_ptr_nonnull(strstr(failure.message, "needs no size"));
}
END_TEST

START_TEST(what_empties_a_pool_frees_all)
{
	ck_assert(pool_names_read("Arena::reset:all", false, &name, &failure));
	ck_assert_str_eq(name.function, "Arena::reset");
	ck_assert(name.all);
	ck_assert(!pool_names_read(":all", false, &name, &failure));
	ck_assert(!pool_names_read("arena_reset:all", true, &name, &failure));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_name_says_which_argument_is_meant,
	    what_is_no_name_is_refused, a_long_name_is_refused, what_is_freed_has_no_size,
	    what_empties_a_pool_frees_all, NULL};

	return run_tests("worker pool_names", tests, set_up, tear_down);
}
