/*
 * The words of a crash report for each kind of crash: what the conclusion says, and which frame is
 * the first. A report that names the wrong cause is worse than none, so each row also has words
 * that must not be there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

struct crash {
	const char *program, *form;
	const char *said[4];  /* in the conclusion */
	const char *function; /* of the first frame; NULL: any */
	const char *operand;  /* of the fault; NULL: it has none */
};

/* At all of these, "read of" and "write of" would name an operand that has not failed. */
static const struct crash jumps[] = {
    {"jumps_off", "null", {"SIGSEGV in act (", "a call of a null pointer", "actor->act at 0x"},
	"act", "%r"},
    {"jumps_off_O2", "null", {"SIGSEGV in act (", "a call of a null pointer", "actor->act at 0x"},
	"act", "0x8(%r"},
    {"jumps_off", "wild", {"a call of 0x1234560, where nothing is mapped", "actor->act at 0x"},
	"act", "%r"},
    {"jumps_off", "high", {"a call of 0x4141414141414141, which is no valid", "actor->act at 0x"},
	"act", "%r"},
    {"jumps_off", "data", {"a call of 0x", "where no code is but data", "actor->act at 0x"}, "act",
	"%r"},
    {"jumps_off", "weak", {"in act_weak (", "a call of missing, a function that is not there"},
	"act_weak", NULL},
    {"jumps_off", "table", {"a call of a null pointer", "table[how] at 0x"}, "act_table", "%r"},
    {"jumps_off", "local", {"a call of a null pointer", "todo at 0x"}, "act_local", "%r"},
    {"jumps_off_O2", "local", {"a call of a null pointer", "the pointer is todo"}, "act_local",
	"%r"},
    {"jumps_off_O2", "last_null", {"in act_last (", "a jump to a null pointer", "actor->act at 0x"},
	"act_last", "0x8(%r"},
    {"jumps_off", "stack", {"a call of 0x7", "where no code is but data", "todo at 0x"},
	"act_stack", "%r"},
    {"jumps_off", "heap", {"a call of 0x", "where no code is but data", "todo at 0x"}, "act_heap",
	"%r"},
    {"jumps_off", "jump_null", {"a jump to a null pointer", "in %r"}, "jump_register", "%r"},
    {"jumps_off", "jump_high", {"a jump to 0x4141414141414141, which is no valid"}, "jump_register",
	"%r"},
    {"jumps_off", "jump_memory", {"a jump to 0x1234560", "next_step at 0x"}, "jump_memory",
	"(%rip)"},
    {"jumps_off", "return",
	{"in overwrite (", "a return to 0x1234560", "overwritten",
	    "overwrite (tests/programs/jumps_off.c:109) wrote it"},
	"overwrite", NULL},
    {"jumps_off", "return_high", {"a return to 0x4141414141414141", "overwritten", "wrote it"},
	"overwrite", NULL},
    {"jumps_off", "return_null", {"a return to 0x0, where no code is", "overwritten", "wrote it"},
	"overwrite_zero", NULL},
    {"jumps_off", "popping", {"a return to 0x1234560", "overwritten"}, "return_popping", NULL},
    {"throws_out", "null_table",
	{"in measure (", "a call of a null pointer", "function area of some"}, "measure", "%r"},
    {"throws_out", "garbage_table", {"a call of 0x1234560", "area of some", "which is no class's"},
	"measure", "%r"},
};

static const struct crash faults[] = {
    {"faults", "divide",
	{"SIGFPE in divide (", "a division by zero: the divisor, by at 0x", "is 0"}, "divide",
	"(%rbp)"},
    {"faults_O2", "divide", {"a division by zero: the divisor, by in %e", "is 0"}, "divide", "%e"},
    {"faults", "divide_memory", {"a division by zero: the divisor, (%r", " at 0x", "is 0"},
	"divide_memory", "(%r"},
    {"faults", "overflow", {"whose result does not fit: -2147483648 by -1"}, "overflow", "(%rbp)"},
    {"faults", "undefined", {"SIGILL in run (", "the instruction ud2"}, "run", NULL},
    {"faults", "breakpoint", {"SIGTRAP of the breakpoint instruction int3"}, "run", NULL},
    {"faults", "halt", {"the instruction hlt is for the kernel alone"}, "run", NULL},
    {"faults", "port", {"the instruction in $0x40, %al is for the kernel"}, "run", NULL},
    {"faults", "sent", {"called by run (", "the signal was sent"}, NULL, NULL},
    {"faults", "load_high", {"read of 0x4141414141414141, which is no valid"}, "load", "(%r"},
    {"faults", "constant", {"write of 0x", "which is read-only"}, "store", "(%r"},
    {"faults", "no_access", {"read of 0x", "where the program has no access"}, "load", "(%r"},
    {"faults", "no_access_store", {"write of 0x", "where the program has no access"}, "store",
	"(%r"},
    {"faults", "behind_file",
	{"SIGBUS in load (", "read of 0x", "behind the end of the mapped file"}, "load", "(%r"},
    {"faults", "misaligned", {"read of 0x", "8, which is not a multiple of 16"}, "misaligned",
	"(%r"},
    {"faults", "push_from", {"read of 0x1234560"}, "push_from", "(%r"},
    {"faults", "pop_to", {"write of 0x1234560"}, "pop_to", "(%r"},
    {"faults", "set_bit", {"write of 0x1234560"}, "set_bit", "(%r"},
    {"faults", "translate", {"read of 0x1234560"}, "translate", "(%rbx"},
    {"faults", "enter", {"write of 0x1234558"}, "enter_frame", "(%rsp"},
    {"faults", "call_from", {"read of 0x1234560"}, "call_from", "(%r"},
    {"faults", "masked", {"write of 0x1234560"}, "masked", "(%r"},
};

/* What the pointer is called in the source line that a wrong address came from; NULL: nothing may
 * be named, because several words have its value, or the pointer is right and the index is wrong.
 */
static const struct {
	const char *program, *form, *pointer, *said;
	bool lies; /* in memory that is known */
} pointers[] = {
    {"followed", "member", "head->next", "read of 0x10: head->next is null", true},
    {"followed_O2", "member", "head->next", "head->next is null", true},
    {"followed", "element", "head->more", "read of 0x8: head->more is null", true},
    {"followed", "followed", "*slot", "read of 0x1234560: *slot points there", true},
    {"followed", "method", "this", "read of 0x1234568: this is 0x1234560", true},
    {"followed", "area_of", "the virtual table pointer of some",
	"which is no valid address: the virtual table pointer of some is 0x5151515151515151", true},
    {"followed_O2", "area_of", "the virtual table pointer of some",
	"the virtual table pointer of some is 0x5151515151515151", true},
    {"followed", "two_alike", NULL, "read of 0x123456c", false},
    {"followed", "far_index", NULL, "read of 0x", false},
};

/* All end with SIGABRT in the C library; the report begins where the exception was thrown first. */
static const struct crash throws[] = {
    {"throws_out", "plain",
	{"SIGABRT in check (", "uncaught exception std::out_of_range: \"value 3 is too large\""},
	"check", NULL},
    {"throws_out_O2", "plain",
	{"SIGABRT in check (", "std::out_of_range: \"value 3 is too large\""}, "check", NULL},
    {"throws_out", "rethrown",
	{"SIGABRT in check (", "std::out_of_range: \"value 3", "thrown again in check_again ("},
	"check", NULL},
    {"throws_out", "number", {"SIGABRT in throw_number (", "exception int: 42"}, "throw_number",
	NULL},
    {"throws_out", "text", {"exception char const*: \"plain words\""}, "throw_text", NULL},
    {"throws_out", "string", {"exception std::string: \"a string of words\""}, "throw_string",
	NULL},
    {"throws_out", "problem", {"exception problem: {code = 17}"}, "throw_problem", NULL},
    {"throws_out", "noexcept", {"SIGABRT in check (", "it may not leave a function on its way"},
	"check", NULL},
    {"throws_out", "second", {"std::runtime_error: \"while cleaning\"", "it may not leave"},
	"cleaner::~cleaner", NULL},
    {"throws_out", "future",
	{"SIGABRT in check (", "std::out_of_range: \"value 3", "thrown again in ask_future ("},
	"check", NULL},
    {"throws_out", "dropped",
	{"called by drop (", "std::future_error: \"", "thrown again in ask_dropped ("},
	"std::promise<int>::~promise", NULL},
    {"throws_out", "nested",
	{"called by nest (", "std::runtime_error>: \"outer words\"",
	    "; within it std::out_of_range: \"value 3 is too large\", thrown in check ("},
	NULL, NULL},
    {"throws_out", "long", {"SIGABRT in throw_long (", "uncaught exception carrier<...>"},
	"throw_long", NULL},
    {"throws_out", "kept",
	{"SIGABRT in check (", "std::out_of_range: \"value 3", "thrown again in let_go ("}, "check",
	NULL},
    {"throws_out", "in_thread", {"SIGABRT in check (", "std::out_of_range: \"value 3"}, "check",
	NULL},
    {"throws_out", "static", {"SIGABRT in check (", "std::out_of_range: \"value 3"}, "check", NULL},
    {"throws_out", "joinable", {"called by leave_thread (", "neither joined nor detached"}, NULL,
	NULL},
    {"throws_out", "pure", {"called by shape::draw (", "a pure virtual function was called"}, NULL,
	NULL},
    {"throws_out", "nothing", {"called by rethrow_nothing (", "where no exception was caught"},
	NULL, NULL},
    {"throws_out", "terminate", {"called by main (", "std::terminate was called"}, NULL, NULL},
};

/* The C library's own words, and what happened to the block. */
static const struct crash aborts[] = {
    {"aborts", "size_vs_previous",
	{"called by release (", "overrun: fill (", "beyond the end of the block at 0x",
	    "which make ("},
	NULL, NULL},
    {"aborts", "bad_size", {"free(): invalid size", "overrun: fill (", "make ("}, NULL, NULL},
    {"aborts", "bad_pointer",
	{"free(): invalid pointer", "16 bytes inside the block at 0x", "that make ("}, NULL, NULL},
    {"aborts", "twice_large", {"double free: again (", "which release (", "make ("}, NULL, NULL},
    {"aborts", "bad_top", {"called by make (", "malloc(): corrupted top size"}, NULL, NULL},
    {"aborts", "smash", {"called by smash (", "stack smashing detected"}, NULL, NULL},
    {"aborts", "too_long", {"called by too_long (", "buffer overflow detected"}, NULL, NULL},
};

static void check_said(const struct crash *crash, const json_t *report)
{
	const char *conclusion = answer_text(report, "conclusion");

	for (size_t i = 0; i < 4 && crash->said[i]; i++)
		ck_assert_msg(strstr(conclusion, crash->said[i]), "%s %s: no \"%s\" in \"%s\"",
		    crash->program, crash->form, crash->said[i], conclusion);
}

static void check_frame(const struct crash *crash, const json_t *report)
{
	const char *function = crash->function ? answer_text(report, "frames.0.function") : NULL;

	ck_assert_msg(!function || strcmp(function, crash->function) == 0,
	    "%s %s: first frame is %s", crash->program, crash->form, function);
}

static void check_operand(const struct crash *crash, const json_t *report)
{
	const json_t *operand = answer_at(report, "fault.operand");
	const char *text = operand ? json_string_value(operand) : "";

	ck_assert_msg(crash->operand ? strstr(text, crash->operand) != NULL : !operand,
	    "%s %s: operand %s", crash->program, crash->form, text);
}

/* A frame's number is what the session calls it, unless the session has lost its frames. */
static void check_levels(const struct crash *crash, struct place *place, json_t *report)
{
	const json_t *frames = answer_at(report, "frames"), *hint = answer_at(report, "hint");

	if (strstr(answer_text(report, "conclusion"), "a return to") ||
	    (hint && strstr(json_string_value(hint), "frames are still whole")))
		return;
	for (size_t i = 0; i < json_array_size(frames); i++) {
		const json_t *frame = json_array_get(frames, i);
		json_t *level = json_object_get(frame, "level");

		if (!level || !json_object_get(frame, "function"))
			continue;
		json_auto_t *selected =
		    client_tool(place->client, "rr_select_frame", "{s:O}", "frame_level", level);
		ck_assert_msg(json_equal(json_object_get(frame, "function"),
				  answer_at(selected, "frame.function")),
		    "%s %s: the session has another frame %lld", crash->program, crash->form,
		    json_integer_value(level));
	}
}

static void check(const struct crash *crash)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, crash->program, crash->form);
	check_said(crash, report);
	check_frame(crash, report);
	check_operand(crash, report);
	check_levels(crash, &place, report);
}

START_TEST(who_leaves_the_code_is_named_with_where_it_goes_and_where_the_pointer_lies)
{
	check(&jumps[_i]);
}
END_TEST

START_TEST(an_instruction_that_fails_is_told_with_what_failed_and_nothing_else)
{
	if (strcmp(faults[_i].form, "masked") != 0 || __builtin_cpu_supports("avx2"))
		check(&faults[_i]);
}
END_TEST

START_TEST(a_wrong_pointer_is_named_only_if_the_source_line_has_its_value)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, pointers[_i].program, pointers[_i].form);
	expect_within(report, "conclusion", pointers[_i].said);
	const json_t *name = answer_at(report, "fault.pointer");
	ck_assert_msg(pointers[_i].pointer
			  ? name && strcmp(json_string_value(name), pointers[_i].pointer) == 0
			  : !name,
	    "%s: \"%s\"", pointers[_i].form, name ? json_string_value(name) : "");
	ck_assert_int_eq(answer_at(report, "fault.pointer_at") != NULL, pointers[_i].lies);
}
END_TEST

START_TEST(an_exception_is_told_with_its_type_and_message_from_where_it_was_thrown_first)
{
	check(&throws[_i]);
}
END_TEST

START_TEST(a_damaged_heap_is_told_with_the_block_and_who_damaged_it)
{
	check(&aborts[_i]);
}
END_TEST

/* At the signal its frames are gone, so the session goes to the throw. */
START_TEST(names_are_those_of_the_first_throw)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, "throws_out", "rethrown");
	expect_value(place.client, "value", "3");
	expect_within(report, "stands_at", "the throw");
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", answer_text(report, "moment"));
	expect_within(report, "exception.type", "std::out_of_range");
}
END_TEST

/* As "std::map<...>::at": whole lists of template arguments go, and never a part of one. */
START_TEST(a_long_name_of_a_frame_is_made_short_by_whole_parts)
{
	cleanup_place struct place place = place_open();
	const json_t *frame;
	bool folded = false;
	size_t i;

	json_auto_t *report = place_crash_report(&place, "throws_out", "map");
	json_array_foreach(answer_at(report, "frames"), i, frame)
	{
		const char *name = json_string_value(json_object_get(frame, "function"));
		const char *what = json_string_value(json_object_get(frame, "what"));

		ck_assert_msg(!name || !strstr(name, "left out"), "%s", name);
		folded = folded || (what && strstr(what, "_Map_base<...>::at") &&
				       strstr(what, "std::unordered_map<...>::at"));
	}
	ck_assert(folded);
	expect_within(report, "conclusion", "called by look_up (");
}
END_TEST

static const struct {
	const char *form, *said, *first, *folded;
	size_t frames; /* with the fold and main */
	long long period;
} recursions[] = {
    {"one", "descend calls itself, 4", "descend", "descend again and again", 3, 1},
    {"three", " call each other, 3", NULL, " again and again", 5, 3},
};

START_TEST(a_recursion_is_folded_counted_and_told_down_to_where_it_began)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, "overflows", recursions[_i].form);
	size_t last = recursions[_i].frames - 1;
	char path[64];

	expect_within(report, "conclusion", "the stack overflowed");
	expect_within(report, "conclusion", recursions[_i].said);
	if (recursions[_i].first)
		expect_text(report, "frames.0.function", recursions[_i].first);
	ck_assert_uint_eq(answer_count(report, "frames"), last + 1);
	snprintf(path, sizeof(path), "frames.%zu.what", last - 1);
	expect_within(report, path, recursions[_i].folded);
	snprintf(path, sizeof(path), "frames.%zu.folded", last - 1);
	ck_assert_int_gt(answer_number(report, path), 4000);
	snprintf(path, sizeof(path), "frames.%zu.function", last);
	expect_text(report, path, "main");

	/* The first call has 1 for its depth, and the innermost has not stored it yet. */
	json_auto_t *depth = client_tool(
	    place.client, "rr_evaluate", "{s:s,s:i}", "expression", "depth", "frame", 1);
	char said[40];

	snprintf(said, sizeof(said), ", %lld times",
	    strtoll(answer_text(depth, "value"), NULL, 0) / recursions[_i].period);
	expect_within(report, "conclusion", said);
}
END_TEST

/* Who holds which lock is followed only for a while, and the report says that it was not. */
START_TEST(a_hang_after_many_calls_is_told_without_what_takes_too_long)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, "busy_hang", NULL);
	expect_within(report, "left_out", "who holds which lock");
	expect_within(report, "conclusion", "no cycle of mutexes among them");
	ck_assert_uint_eq(answer_count(report, "threads"), 2);
}
END_TEST

/* So many calls are followed on a busy machine too, where the time of the pass before says nothing.
 */
START_TEST(who_holds_which_lock_is_told_however_long_its_calls_take)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, "busy_hang", "120");
	char line[40];

	snprintf(line, sizeof(line), "busy_hang.c:%lld",
	    harness_line("busy_hang.c", "/* main holds it */"));
	ck_assert_ptr_null(json_object_get(report, "left_out"));
	cleanup_free char *threads = answer_show(answer_at(report, "threads"));
	ck_assert_msg(strstr(threads, line) != NULL, "no %s in: %s", line, threads);
}
END_TEST

/* The report is told from the jump, and the session still stands at the signal. */
START_TEST(the_session_stands_at_the_signal_and_knows_the_way_to_the_jump)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, "jumps_off", "return");
	expect_value(place.client, "(long) $pc", "19088736");
	ck_assert_uint_eq(answer_count(report, "frames"), 1); /* no invented callers */
	client_tool_done(
	    place.client, "rr_goto", "{s:s}", "moment", answer_text(report, "instruction_moment"));
	expect_value(place.client, "value", "19088736");
}
END_TEST

/* The line is the library's, and the function still the program's. */
START_TEST(a_function_with_code_of_a_header_is_still_the_programs_own)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, "moved_in", NULL);
	expect_within(report, "conclusion", "SIGSEGV in handle (");
	expect_within(report, "frames.0.at", "basic_string.h:233");
	ck_assert_ptr_null(answer_at(report, "frames.0.function_file"));
	expect_value(place.client, "kept", "77");
}
END_TEST

/* In front of the write the address is still that of the caller. */
START_TEST(who_overwrote_a_return_address_is_told_with_the_moment)
{
	cleanup_place struct place place = place_open();
	char slot[64];

	json_auto_t *report = place_crash_report(&place, "jumps_off", "return");
	snprintf(slot, sizeof(slot), "*(long *) %s == 0x1234560",
	    answer_text(report, "fault.return_address_at"));
	client_tool_done(
	    place.client, "rr_goto", "{s:s}", "moment", answer_text(report, "overflow.moment"));
	expect_value(place.client, slot, "0");
	client_tool_done(place.client, "rr_step", "{s:s}", "unit", "instruction");
	expect_value(place.client, slot, "1");
}
END_TEST

START_TEST(code_without_a_name_is_told_by_the_function_that_was_called)
{
	cleanup_place struct place place = place_open();

	json_auto_t *report = place_crash_report(&place, "unnamed_part", NULL);
	expect_within(report, "conclusion", "SIGABRT in give_up, called by main (");
}
END_TEST

/* With optimization, one call has the line of the first. */
static const char *const joined[] = {"first", "second", "third", "fourth", "fifth", "sixth"};

START_TEST(a_call_that_stands_for_several_is_told_with_where_the_program_came_from)
{
	cleanup_place struct place place = place_open();
	char mark[32], line[48];

	json_auto_t *report = place_crash_report(&place, "joined_calls_O2", joined[_i]);
	snprintf(mark, sizeof(mark), "/* %s */", joined[_i]);
	snprintf(line, sizeof(line), "joined_calls.cc:%lld", harness_line("joined_calls.cc", mark));
	expect_within(report, "conclusion", line);
}
END_TEST

/* ---- Registers that were saved wrong --------------------------------------------------------- */

static const struct crash restores[] = {
    {"restores", "damaged",
	{"SIGSEGV in leave (", "longjmp jumped to 0x", "out of the jmp_buf place at 0x",
	    "called by damage ("},
	"leave", NULL},
    {"restores", "signal",
	{"in leave_signal (", "longjmp jumped to 0x", "jmp_buf signal_place at 0x",
	    "called by damage ("},
	"leave_signal", NULL},
    {"restores", "never", {"in leave (", "jmp_buf place at 0x", "it was never filled"}, "leave",
	NULL},
    {"restores", "pointer", {"read of 0x"}, NULL, NULL},
    {"restores", "returned",
	{"SIGABRT in leave_checked (", "longjmp with the jmp_buf place at 0x",
	    "into a function that has returned", "setjmp, called by returned ("},
	"leave_checked", NULL},
    {"restores", "context",
	{"in go (", "setcontext jumped to 0x4141414141414141", "ucontext_t context at 0x",
	    "called by damage ("},
	"go", NULL},
    {"restores", "swap",
	{"in change (", "swapcontext jumped to 0x0", "ucontext_t context at 0x",
	    "called by zero ("},
	"change", NULL},
};

START_TEST(who_goes_on_with_wrong_registers_is_told_with_where_they_were_saved_and_who_wrote_them)
{
	const struct crash *row = &restores[_i];
	cleanup_place struct place place = place_open();
	json_auto_t *report = place_crash_report(&place, row->program, row->form);

	for (size_t i = 0; i < sizeof(row->said) / sizeof(*row->said) && row->said[i]; i++)
		expect_within(report, "conclusion", row->said[i]);
	ck_assert_ptr_null(strstr(answer_text(report, "conclusion"), "return address"));
	if (!row->function)
		return;
	/* The session stands in that caller, and its own callers are known. */
	json_auto_t *stack = client_tool(place.client, "rr_backtrace", NULL);
	cleanup_free char *frames = answer_show(answer_at(stack, "frames"));
	ck_assert_ptr_nonnull(strstr(frames, row->function));
	ck_assert_ptr_nonnull(strstr(frames, "main"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {who_leaves_the_code_is_named_with_where_it_goes_and_where_the_pointer_lies,
		TIMES(jumps)},
	    {an_instruction_that_fails_is_told_with_what_failed_and_nothing_else, TIMES(faults)},
	    {a_wrong_pointer_is_named_only_if_the_source_line_has_its_value, TIMES(pointers)},
	    {an_exception_is_told_with_its_type_and_message_from_where_it_was_thrown_first,
		TIMES(throws)},
	    {a_damaged_heap_is_told_with_the_block_and_who_damaged_it, TIMES(aborts)},
	    {names_are_those_of_the_first_throw, 1},
	    {a_long_name_of_a_frame_is_made_short_by_whole_parts, 1},
	    {a_recursion_is_folded_counted_and_told_down_to_where_it_began, TIMES(recursions)},
	    {a_hang_after_many_calls_is_told_without_what_takes_too_long, 1},
	    {who_holds_which_lock_is_told_however_long_its_calls_take, 1},
	    {the_session_stands_at_the_signal_and_knows_the_way_to_the_jump, 1},
	    {a_function_with_code_of_a_header_is_still_the_programs_own, 1},
	    {who_overwrote_a_return_address_is_told_with_the_moment, 1},
	    {a_call_that_stands_for_several_is_told_with_where_the_program_came_from,
		TIMES(joined)},
	    {code_without_a_name_is_told_by_the_function_that_was_called, 1},
	    {who_goes_on_with_wrong_registers_is_told_with_where_they_were_saved_and_who_wrote_them,
		TIMES(restores)},
	    {NULL, 0},
	};

	return scene_main_loops("crashes", tests, (const char *const[]){NULL});
}
