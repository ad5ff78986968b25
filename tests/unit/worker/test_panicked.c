/*
 * What a Rust program's runtime prints of a panic, old and new, and among other output.
 */
#include <check.h>
#include <stdio.h>
#include "tests/runner.h"
#include "worker/investigate/report/panicked.h"

#define DEADLY                                                                                     \
	"thread 'main' (12) panicked at src/main.rs:3:48:\nindex out of bounds: the len is 1\n"
#define NO_UNWIND                                                                                  \
	"thread 'main' (12) panicked at /rustc/x/library/core/src/panicking.rs:225:5:\n"           \
	"panic in a function that cannot unwind\n"

static const struct {
	const char *output, *told; /* NULL: nothing */
} cases[] = {
    {"33\n\n" DEADLY "note: run with `RUST_BACKTRACE=1`\n",
	"thread 'main' (12) panicked at src/main.rs:3:48: index out of bounds: the len is 1"},
    {"thread 'main' panicked at 'no row', src/a.rs:2:5\nnote: x\n",
	"thread 'main' panicked at 'no row', src/a.rs:2:5"},
    {"thread 'a' (7) panicked at a.rs:1:1:\ncaught\n" DEADLY,
	"thread 'main' (12) panicked at src/main.rs:3:48: index out of bounds: the len is 1"},
    {DEADLY NO_UNWIND "thread caused non-unwinding panic. aborting.\n",
	"thread 'main' (12) panicked at src/main.rs:3:48: index out of bounds: the len is 1"},
    {"thread 'main' (12) panicked at a.rs:1:1:", "thread 'main' (12) panicked at a.rs:1:1:"},
    {"a thread 'x' panicked at y\n", NULL},
    {"thread 'x' is done\nit panicked at y\n", NULL},
    {"", NULL},
};

START_TEST(a_panic_is_read_from_the_output)
{
	char text[600];

	ck_assert_int_eq(
	    panicked_read(cases[_i].output, text, sizeof(text)), cases[_i].told != NULL);
	if (cases[_i].told)
		ck_assert_str_eq(text, cases[_i].told);
}
END_TEST

START_TEST(only_an_abort_takes_it)
{
	json_auto_t *output = json_string(DEADLY);
	json_auto_t *aborted =
	    json_pack("{s:s, s:s}", "conclusion", "it aborted", "signal", "SIGABRT");
	json_auto_t *other = json_pack("{s:s, s:i}", "conclusion", "it exited", "exit_code", 1);

	panicked_tell(aborted, output);
	panicked_tell(other, output);
	panicked_tell(other, NULL);
	ck_assert_str_eq(json_string_value(json_object_get(aborted, "conclusion")),
	    "it aborted: thread 'main' (12) panicked at src/main.rs:3:48: index out of bounds: the "
	    "len is 1");
	ck_assert_str_eq(json_string_value(json_object_get(other, "conclusion")), "it exited");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_panic_is_read_from_the_output, TIMES(cases)},
	    {only_an_abort_takes_it, 1},
	    {NULL, 0},
	};

	return run_loops("panicked", tests, NULL, NULL);
}
