/*
 * rr_check_memory finds each wrong use of the heap once, with its place, its block and the calls
 * that made and freed it, and nothing in what is right.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/findings.h"
#include "tests/e2e/scene.h"

#define PLAIN	  "heap_checked"
#define OPTIMIZED "heap_checked_O2"
#define RIGHT	  "heap_checked -1" /* no mistake */
#define TWICE	  "heap_checked 100"
#define INSIDE	  "heap_checked 101"
#define RESIZED	  "heap_checked 102"
#define FOLLOWED  "heap_checked 103"
#define CLASSES	  "heap_checked_cc"
#define STATIC	  "heap_static"
#define OWN	  "own_malloc"
#define VECTORS	  "vector_masks heap"
#define LONG	  "tallied 300000000 counter"
#define THREADS	  "races"

static json_t *check_all(struct scene *scene)
{
	return client_tool(scene->client, "rr_check_memory", "{s:i}", "limit", 100);
}

static const struct finding_row plain[] = {
    {"write of 1 byte", "write_behind", "make (", NULL},
    {"byte 20 of a block of 20 bytes", "read_behind", "make (", NULL},
    {"write of 1 byte", "write_far", "", ""},
    {"8 bytes before a block of 40 bytes", "write_before", "called by write_before", NULL},
    {"8 bytes before a block of 40 bytes", "write_before", "called by write_before", NULL},
    {"byte 21 of a block of 21 bytes", "write_across", "called by write_across", NULL},
    {"byte 200 of a freed block of 400 bytes", "use_freed", "called by use_freed", "use_freed ("},
    {"byte 240 of a freed block of 400 bytes", "write_freed", "write_freed (", "write_freed ("},
    {"byte 2000 of a freed block of 3000 bytes", "use_resized", "make (", "use_resized ("},
    {"byte 50 of a block of 50 bytes", "write_behind_shrunk", "write_behind_shrunk (", NULL},
    {"byte 10 of a block of 10 bytes", "copy_behind", "called by copy_behind", NULL},
    {"byte 6 of a block of 6 bytes", "copy_string_behind", "called by copy_string", NULL},
    {"byte 5001 of a block of 5001 bytes", "fill_behind", "called by fill_behind", NULL},
    {"byte 64 of a block of 64 bytes", "write_behind_aligned", "write_behind_aligned", NULL},
    {"byte 30 of a block of 30 bytes", "write_behind_aligned", "write_behind_aligned", NULL},
    {"byte 300001 of a block of 300001 bytes", "write_behind_large", "write_behind_l", NULL},
    {"byte 0 of a block of 0 bytes", "read_empty", "called by read_empty", NULL},
    {"byte 32 of a block of 32 bytes", "in_thread", "called by in_thread", NULL},
    {"byte 48 of a block of 48 bytes", "use_many_times", "called by use_many_times", NULL},
};

START_TEST(each_wrong_use_is_found_once)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_finding_rows(check_all(&scene), plain, sizeof(plain) / sizeof(*plain));
}
END_TEST

/* strcpy's stores are several; a load and a store of one line are two findings. */
START_TEST(instructions_of_one_line_are_one_finding)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);
	json_auto_t *all = check_all(&scene);
	size_t i, copies = 0, both = 0;
	const json_t *finding;

	json_array_foreach(json_object_get(all, "findings"), i, finding)
	{
		const char *function = answer_text(finding, "frame.function");
		bool many = strcmp(function, "copy_string_behind") == 0;

		copies += many;
		both += strcmp(function, "write_before") == 0;
		ck_assert_msg(many == (json_object_get(finding, "also") != NULL), "%s", function);
		if (many)
			expect_text(finding, "also", "1 more instruction of this line");
	}
	ck_assert_uint_eq(copies, 1);
	ck_assert_uint_eq(both, 2);
}
END_TEST

/* Of the stores that nobody reads, the compiler has left none. */
START_TEST(optimized_code_is_checked_as_well)
{
	static const struct finding_row rows[] = {
	    {"byte 20 of a block of 20 bytes", "read_behind", "make (", NULL},
	    {"byte 21 of a block of 21 bytes", "write_across", "make (", NULL},
	    {"byte 200 of a freed block of 400 bytes", "use_freed", "make (", "use_freed ("},
	    {"byte 240 of a freed block", "write_freed", "write_freed (", "write_freed ("},
	    {"byte 2000 of a freed block of 3000 bytes", "use_resized", "make (", "use_resized ("},
	    {"byte 6 of a block of 6 bytes", "copy_string_behind", "make (", NULL},
	    {"byte 64 of a block of 64 bytes", "write_behind_aligned", "write_behind", NULL},
	    {"byte 30 of a block of 30 bytes", "write_behind_aligned", "write_behind", NULL},
	    {"byte 0 of a block of 0 bytes", "read_empty", "make (", NULL},
	};
	cleanup_scene struct scene scene = scene_open(OPTIMIZED, NULL);

	expect_finding_rows(check_all(&scene), rows, sizeof(rows) / sizeof(*rows));
}
END_TEST

static void expect_nothing(const char *program)
{
	cleanup_scene struct scene scene = scene_open(program, NULL);

	expect_all(check_all(&scene), HAS("conclusion", "nothing touched heap memory outside"),
	    ABSENT("findings"), ABSENT("cut_off"), HAS("checked", "calls of glibc's malloc"));
	expect_alive(scene.client, scene.session);
}

START_TEST(what_is_right_is_no_finding)
{
	static const char *const programs[] = {RIGHT, THREADS};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		expect_nothing(programs[i]);
}
END_TEST

START_TEST(what_is_freed_wrongly_is_named)
{
	static const struct {
		const char *program;
		struct finding_row row;
	} rows[] = {
	    {TWICE, {"freed already (double free)", "free_twice", "make (", "free_twice ("}},
	    {INSIDE,
		{"which is no block: byte 16 of a block of 64", "free_inside", "make (", NULL}},
	    {RESIZED, {"realloc of 0x", "resize_freed", "make (", "resize_freed ("}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cleanup_scene struct scene scene = scene_open(rows[i].program, NULL);

		expect_finding_rows(check_all(&scene), &rows[i].row, 1);
	}
}
END_TEST

/* Where the signal alone does not tell who did it. */
START_TEST(a_crash_report_proposes_the_check)
{
	cleanup_scene struct scene scene = scene_open(FOLLOWED, NULL);

	expect_all(client_tool(scene.client, "rr_crash_report", NULL), IS("signal", "SIGSEGV"),
	    HAS("hint", "says who wrote that pointer; rr_check_memory (about "));
	expect_all(check_all(&scene), HAS("findings.0.what", "byte 2024 of a block of 2024 bytes"),
	    IS("findings.0.frame.function", "follow_overwritten"),
	    HAS("findings.0.allocated", "make (tests/programs/heap_checked.c:"));
}
END_TEST

START_TEST(a_crash_report_that_names_the_block_proposes_no_check)
{
	cleanup_scene struct scene scene = scene_open(TWICE, NULL);
	json_auto_t *report = client_tool(scene.client, "rr_crash_report", NULL);

	ck_assert_ptr_nonnull(answer_at(report, "block"));
	ck_assert_ptr_null(strstr(answer_text(report, "hint"), "rr_check_memory"));
}
END_TEST

START_TEST(what_new_has_made_is_checked)
{
	static const char *const builds[] = {CLASSES, CLASSES "_O2"};
	static const struct finding_row rows[] = {
	    {"byte 0 of a freed block of 16 bytes", "use_deleted", "use_deleted", "use_deleted"},
	    {"byte 0 of a freed block of 48 bytes", "use_old_element", "", "use_old_element"},
	    {"byte 80 of a block of 80 bytes", "write_behind_array", "write_behind_array", NULL},
	};

	for (size_t i = 0; i < 2; i++) {
		cleanup_scene struct scene scene = scene_open(builds[i], NULL);

		expect_finding_rows(check_all(&scene), rows, sizeof(rows) / sizeof(*rows));
	}
}
END_TEST

/* The check runs with other code in the cache than the replay: both end alike. */
START_TEST(a_check_changes_nothing)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_same_end(&scene, check_all);
}
END_TEST

START_TEST(a_trace_is_checked_again_in_the_session_that_is_open)
{
	static const char *const tools[] = {"rr_check_memory", "rr_check_races"};
	const char *trace = scene_trace(TWICE);

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		cleanup_client struct client *client = client_start(NULL);

		for (unsigned times = 0; times < 2; times++)
			expect_all(client_tool(client, tools[i], "{s:s}", "trace_dir", trace),
			    IS("session", "s1"));
	}
}
END_TEST

START_TEST(a_part_of_the_recording_is_checked_with_the_blocks_from_before)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);
	json_auto_t *all = client_tool(scene.client, "rr_check_memory", "{s:i}", "limit", 3);

	ck_assert_int_eq(json_array_size(json_object_get(all, "findings")), 3);
	expect_within(all, "more", "give that as from");
	const char *third = answer_text(all, "findings.2.moment");
	const char *first = answer_text(all, "findings.0.moment");
	expect_all(
	    client_tool(scene.client, "rr_check_memory", "{s:s, s:i}", "from", third, "limit", 2),
	    IS("findings.0.frame.function", "write_far"),
	    IS("findings.1.frame.function", "write_before"), COUNT("findings", 2),
	    ABSENT("unfinished"));
	expect_all(
	    client_tool(scene.client, "rr_check_memory", "{s:s, s:s}", "from", first, "to", third),
	    IS("findings.1.frame.function", "read_behind"));
	client_tool_refused(scene.client, "rr_check_memory", "invalid_argument", "{s:s, s:s}",
	    "from", third, "to", first);
	client_tool_refused(
	    scene.client, "rr_check_memory", "invalid_argument", "{s:i}", "limit", 0);
}
END_TEST

START_TEST(a_static_program_is_checked)
{
	cleanup_scene struct scene scene = scene_open(STATIC, NULL);

	expect_all(check_all(&scene), HAS("conclusion", "finding"),
	    HAS("findings.0.what", "a freed block"));
}
END_TEST

static bool has_avx_512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl");
}

/* What this processor has, the program uses. */
START_TEST(a_mask_tells_what_an_instruction_touches)
{
	static const struct finding_row by_avx[] = {
	    {"write of 12 bytes", "store_lanes", "make (", NULL},
	    {"read of 16 bytes", "load_lanes", "make (", NULL},
	};
	static const struct finding_row by_avx_512[] = {
	    {"write of 12 bytes", "store_lanes", "make (", NULL},
	    {"read of 16 bytes", "load_lanes", "make (", NULL},
	    {"write of 9 bytes", "store_bytes", "make (", NULL},
	    {"read of 1 byte", "load_bytes", "make (", NULL},
	    {"write of 12 bytes", "store_packed", "make (", NULL},
	    {"write of 64 bytes", "wrong_return", NULL, NULL},
	    {"write of 8 bytes", "masked_return", NULL, NULL},
	};
	cleanup_scene struct scene scene = scene_open(VECTORS, NULL);

	if (has_avx_512())
		expect_finding_rows(check_all(&scene), by_avx_512, TIMES(by_avx_512));
	else
		expect_finding_rows(check_all(&scene), by_avx,
		    __builtin_cpu_supports("avx") ? (size_t)TIMES(by_avx) : 0);
}
END_TEST

static void expect_nothing_ahead(const char *processor)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("reads_ahead");

	expect_all(client_tool(place.client, "rr_record", "{s:[s, s], s:s, s:{s:s}}", "command",
		       program, "0", "trace_dir", place.trace, "env", "GLIBC_TUNABLES", processor),
	    NUMBER("exit_code", 0));
	expect_all(client_tool(place.client, "rr_check_memory", "{s:s, s:b}", "trace_dir",
		       place.trace, "uninitialised", 0),
	    HAS("conclusion", "nothing touched heap memory"), ABSENT("findings"),
	    ABSENT("cut_off"));
}

/* On this processor, and as if it had less. */
START_TEST(what_the_c_library_reads_behind_a_strings_end_is_no_finding)
{
	expect_nothing_ahead("glibc.cpu.hwcaps=");
	expect_nothing_ahead("glibc.cpu.hwcaps=-AVX512VL,-AVX512BW");
	expect_nothing_ahead("glibc.cpu.hwcaps=-AVX512VL,-AVX2");
}
END_TEST

START_TEST(an_allocator_of_the_programs_own_is_checked)
{
	cleanup_scene struct scene scene = scene_open(OWN, NULL);

	expect_all(check_all(&scene), HAS("conclusion", "nothing touched heap memory"),
	    HAS("checked", "one of its own"));
}
END_TEST

/* Fast and busy machines need very different times: so it is cut off after longer and longer ones,
 * until one of them meets the check at work. The whole is more than twice what comes before. */
START_TEST(a_check_that_is_cut_off_says_so)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	bool begun = false;

	for (double deadline = 0.25; !begun; deadline *= 2) {
		json_auto_t *answer =
		    client_tool(scene.client, "rr_check_memory", "{s:f}", "deadline", deadline);

		begun = strstr(answer_text(answer, "cut_off"), "searched up to") != NULL;
		expect_within(answer, "cut_off", "the time is over");
		expect_within(answer, "conclusion",
		    begun ? "in the part that was searched" : "before the check could begin");
	}
	expect_alive(scene.client, scene.session);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {each_wrong_use_is_found_once,
	    instructions_of_one_line_are_one_finding, optimized_code_is_checked_as_well,
	    what_is_right_is_no_finding, what_is_freed_wrongly_is_named,
	    a_crash_report_proposes_the_check,
	    a_crash_report_that_names_the_block_proposes_no_check, what_new_has_made_is_checked,
	    a_check_changes_nothing, a_trace_is_checked_again_in_the_session_that_is_open,
	    a_part_of_the_recording_is_checked_with_the_blocks_from_before,
	    a_static_program_is_checked, an_allocator_of_the_programs_own_is_checked,
	    a_mask_tells_what_an_instruction_touches,
	    what_the_c_library_reads_behind_a_strings_end_is_no_finding,
	    a_check_that_is_cut_off_says_so, NULL};

	return scene_main("check_memory", tests,
	    (const char *const[]){PLAIN, OPTIMIZED, RIGHT, TWICE, INSIDE, RESIZED, FOLLOWED,
		CLASSES, (CLASSES "_O2"), STATIC, OWN, LONG, THREADS, VECTORS, NULL});
}
