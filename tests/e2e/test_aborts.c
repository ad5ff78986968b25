/*
 * Programs that the C library ends because a check of its own has failed: the report names who did
 * the damage, and to what. The checks fail long after, in code that is well. `make check` has some
 * of malloc's messages, HEAP_ABORTS=all has all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

struct abort_case {
	const char *program, *form;
	const char *said[3]; /* in the conclusion */
	const char *mark;    /* of the line that it names; NULL: any */
	bool always;
};

#define OVERRUN "beyond the end of the block at 0x"
#define LATE	"use after free: "

static const struct abort_case heaps[] = {
    {"heap_aborts", "top_size", {"malloc(): corrupted top size", OVERRUN}, "/* fills */", true},
    {"heap_aborts", "top_size_calloc", {"corrupted top size", OVERRUN}, "/* fills */", false},
    {"heap_aborts", "top_size_realloc", {"corrupted top size", OVERRUN}, "/* fills */", false},
    {"heap_aborts", "top_small", {"malloc assertion failure", OVERRUN}, "/* writes */", false},
    {"heap_aborts", "tcache_unaligned", {"malloc(): unaligned tcache chunk detected", LATE},
	"/* breaks */", true},
    {"heap_aborts", "unsorted_size", {"malloc(): invalid size (unsorted)", OVERRUN}, "/* fills */",
	false},
    {"heap_aborts", "unsorted_next_size",
	{"malloc(): invalid next size (unsorted)", "writes over the header of the block at 0x"},
	"/* writes */", true},
    {"heap_aborts", "unsorted_prev_size", {"malloc(): mismatching next->prev_size", LATE},
	"/* fills */", false},
    {"heap_aborts", "unsorted_list", {"malloc(): unsorted double linked list corrupted", LATE},
	"/* writes */", false},
    {"heap_aborts", "unsorted_inuse",
	{"malloc(): invalid next->prev_inuse", "writes over the header of the block at 0x"},
	"/* writes */", false},
    {"heap_aborts", "smallbin_list", {"malloc(): smallbin double linked list corrupted", LATE},
	"/* writes */", false},
    {"heap_aborts", "largebin_list", {"list corrupted (nextsize)", LATE}, "/* writes */", false},
    {"heap_aborts", "largebin_bk", {"list corrupted (bk)", LATE}, "/* writes */", false},
    {"heap_aborts", "fast_size", {"malloc(): memory corruption (fast)", OVERRUN}, "/* fills */",
	false},
    {"heap_aborts", "fast_unaligned", {"unaligned fastbin chunk detected", LATE}, "/* breaks */",
	false},
    {"heap_aborts", "consolidate_size", {"malloc_consolidate(): invalid chunk size", OVERRUN},
	"/* fills */", false},
    {"heap_aborts", "consolidate_unaligned",
	{"malloc_consolidate(): unaligned fastbin chunk", LATE}, "/* breaks */", true},
    {"heap_aborts", "size_vs_previous", {"corrupted size vs. prev_size", LATE}, "/* fills */",
	false},
    {"heap_aborts", "while_consolidating", {"while consolidating", OVERRUN}, "/* writes */", false},
    {"heap_aborts", "double_linked", {"corrupted double-linked list", LATE}, "/* writes */", true},
    {"heap_aborts", "not_small", {"corrupted double-linked list (not small)", LATE}, "/* writes */",
	false},
    {"heap_aborts", "free_size", {"free(): invalid size", "overrun: fill ("}, "/* fills */", false},
    {"heap_aborts", "free_pointer", {"free(): invalid pointer", "overrun: write_word ("},
	"/* writes */", false},
    {"heap_aborts", "next_size_fast", {"free(): invalid next size (fast)", OVERRUN}, "/* fills */",
	false},
    {"heap_aborts", "next_size_normal", {"free(): invalid next size (normal)", OVERRUN},
	"/* writes */", false},
    {"heap_aborts", "free_unsorted", {"free(): corrupted unsorted chunks", LATE}, "/* writes */",
	false},
    {"heap_aborts", "tcache_two", {"free(): unaligned chunk detected in tcache 2", LATE},
	"/* breaks */", false},
    {"heap_aborts", "twice", {"double free: release ("}, NULL, false},
    {"heap_aborts", "twice_fast", {"double free or corruption (fasttop)", "double free: release ("},
	NULL, false},
    {"heap_aborts", "twice_large", {"double free: release ("}, NULL, false},
    {"heap_aborts", "twice_top", {"double free: release ("}, NULL, false},
    {"heap_aborts", "size_out", {"double free or corruption (out)", "overrun: write_word ("},
	"/* writes */", false},
    {"heap_aborts", "unmapped", {"munmap_chunk(): invalid pointer", "overrun: write_word ("},
	"/* writes */", false},
    {"heap_aborts", "realloc_pointer", {"realloc(): invalid pointer", "overrun: write_word ("},
	"/* writes */", false},
    {"heap_aborts", "realloc_old_size", {"realloc(): invalid old size", "overrun: write_word ("},
	"/* writes */", false},
    {"heap_aborts", "realloc_next_size", {"realloc(): invalid next size", OVERRUN}, "/* fills */",
	false},
    {"heap_aborts", "mremapped", {"mremap_chunk(): invalid pointer", "overrun: write_word ("},
	"/* writes */", false},
    {"heap_aborts", "inside", {"free(): invalid pointer", "8 bytes inside the block at 0x"}, NULL,
	false},
};

static const struct abort_case stacks[] = {
    {"checked", "itself", {"smash_itself (", "the local variables of smash_itself"},
	"/* smashes */", false},
    {"checked", "copy", {", called by smashed_by_copy (", "variables of smashed_by_copy"},
	"/* copies */", false},
    {"checked", "kernel", {"read, called by smashed_by_kernel ("}, "/* reads */", true},
    {"checked", "below", {": put (", "the local variables of smashed_below"}, "/* puts */", true},
    {"checked_O2", "other", {": put (", "the local variables of smashed_by_other"}, "/* puts */",
	true},
    {"checked", "strcpy", {"strcpy_to calls strcpy to write 46 bytes where there is room for 16"},
	NULL, false},
    {"checked_O2", "memcpy",
	{"memcpy_to calls memcpy to write 44 bytes where there is room for 16"}, NULL, true},
    {"checked", "sprintf", {"sprintf_to calls sprintf to write more where there is room for 16"},
	NULL, true},
    {"checked", "snprintf", {"calls snprintf to write 44 bytes where there is room for 16"}, NULL,
	false},
    {"checked", "strcat", {"calls strcat to write more where there is room for 16"}, NULL, false},
    {"checked", "read", {"calls read to write 44 bytes where there is room for 16"}, NULL, false},
};

static void check_one(struct client *client, const struct abort_case *one, const char *trace)
{
	char file[40], line[60];

	json_decref(client_record(client, trace, one->program, one->form));
	json_auto_t *report = client_tool(client, "rr_crash_report", "{s:s}", "trace_dir", trace);
	const char *conclusion = answer_text(report, "conclusion"), *optimized;

	for (size_t i = 0; i < 3 && one->said[i]; i++)
		ck_assert_msg(strstr(conclusion, one->said[i]), "%s %s: no \"%s\" in \"%s\"",
		    one->program, one->form, one->said[i], conclusion);
	optimized = strstr(one->program, "_O2");
	snprintf(file, sizeof(file), "%.*s.c",
	    (int)(optimized ? (size_t)(optimized - one->program) : strlen(one->program)),
	    one->program);
	snprintf(
	    line, sizeof(line), "%s:%lld)", file, one->mark ? harness_line(file, one->mark) : 0LL);
	ck_assert_msg(!one->mark || strstr(conclusion, line), "%s %s: no \"%s\" in \"%s\"",
	    one->program, one->form, line, conclusion);
	client_tool_done(client, "rr_replay_stop", "{s:o}", "session",
	    json_incref(json_object_get(report, "session")));
}

static void check_all(const struct abort_case *cases, size_t count)
{
	const char *which = getenv("HEAP_ABORTS");
	cleanup_place struct place place = place_open();

	for (size_t i = 0; i < count; i++) {
		char trace[600];

		if (!cases[i].always && !(which && strcmp(which, "all") == 0) &&
		    !(which && strcmp(which, cases[i].form) == 0))
			continue;
		snprintf(trace, sizeof(trace), "%s-%zu", place.trace, i);
		check_one(place.client, &cases[i], trace);
	}
}

START_TEST(what_malloc_found_wrong_is_told_with_its_last_writer_and_the_block)
{
	check_all(heaps, sizeof(heaps) / sizeof(*heaps));
}
END_TEST

START_TEST(a_canary_is_told_with_who_overwrote_it_and_a_checked_call_with_its_sizes)
{
	check_all(stacks, sizeof(stacks) / sizeof(*stacks));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    what_malloc_found_wrong_is_told_with_its_last_writer_and_the_block,
	    a_canary_is_told_with_who_overwrote_it_and_a_checked_call_with_its_sizes,
	    NULL,
	};

	return scene_main("aborts", tests, (const char *const[]){NULL});
}
