/*
 * Programs that the C library ends because a check of its own has failed: the report names who did
 * the damage, and to what. The checks fail long after, in code that is well.
 */
#include <stdio.h>
#include <string.h>
#include "tests/e2e/scene.h"

struct abort_case {
	const char *program, *form;
	const char *said[3]; /* in the conclusion */
	const char *mark;    /* of the line that it names; NULL: any */
};

#define OVERRUN "beyond the end of the block at 0x"
#define LATE	"use after free: "

static const struct abort_case heaps[] = {
    {"heap_aborts", "top_size", {"malloc(): corrupted top size", OVERRUN}, "/* fills */"},
    {"heap_aborts", "top_size_calloc", {"corrupted top size", OVERRUN}, "/* fills */"},
    {"heap_aborts", "top_size_realloc", {"corrupted top size", OVERRUN}, "/* fills */"},
    {"heap_aborts", "top_small", {"malloc assertion failure", OVERRUN}, "/* writes */"},
    {"heap_aborts", "tcache_unaligned", {"malloc(): unaligned tcache chunk detected", LATE},
	"/* breaks */"},
    {"heap_aborts", "unsorted_size", {"malloc(): invalid size (unsorted)", OVERRUN}, "/* fills */"},
    {"heap_aborts", "unsorted_next_size",
	{"malloc(): invalid next size (unsorted)", "writes over the header of the block at 0x"},
	"/* writes */"},
    {"heap_aborts", "unsorted_prev_size", {"malloc(): mismatching next->prev_size", LATE},
	"/* fills */"},
    {"heap_aborts", "unsorted_list", {"malloc(): unsorted double linked list corrupted", LATE},
	"/* writes */"},
    {"heap_aborts", "unsorted_inuse",
	{"malloc(): invalid next->prev_inuse", "writes over the header of the block at 0x"},
	"/* writes */"},
    {"heap_aborts", "smallbin_list", {"malloc(): smallbin double linked list corrupted", LATE},
	"/* writes */"},
    {"heap_aborts", "largebin_list", {"list corrupted (nextsize)", LATE}, "/* writes */"},
    {"heap_aborts", "largebin_bk", {"list corrupted (bk)", LATE}, "/* writes */"},
    {"heap_aborts", "fast_size", {"malloc(): memory corruption (fast)", OVERRUN}, "/* fills */"},
    {"heap_aborts", "fast_unaligned", {"unaligned fastbin chunk detected", LATE}, "/* breaks */"},
    {"heap_aborts", "consolidate_size", {"malloc_consolidate(): invalid chunk size", OVERRUN},
	"/* fills */"},
    {"heap_aborts", "consolidate_unaligned",
	{"malloc_consolidate(): unaligned fastbin chunk", LATE}, "/* breaks */"},
    {"heap_aborts", "size_vs_previous", {"corrupted size vs. prev_size", LATE}, "/* fills */"},
    {"heap_aborts", "while_consolidating", {"while consolidating", OVERRUN}, "/* writes */"},
    {"heap_aborts", "double_linked", {"corrupted double-linked list", LATE}, "/* writes */"},
    {"heap_aborts", "not_small", {"corrupted double-linked list (not small)", LATE},
	"/* writes */"},
    {"heap_aborts", "free_size", {"free(): invalid size", "overrun: fill ("}, "/* fills */"},
    {"heap_aborts", "free_pointer", {"free(): invalid pointer", "overrun: write_word ("},
	"/* writes */"},
    {"heap_aborts", "next_size_fast", {"free(): invalid next size (fast)", OVERRUN}, "/* fills */"},
    {"heap_aborts", "next_size_normal", {"free(): invalid next size (normal)", OVERRUN},
	"/* writes */"},
    {"heap_aborts", "free_unsorted", {"free(): corrupted unsorted chunks", LATE}, "/* writes */"},
    {"heap_aborts", "tcache_two", {"free(): unaligned chunk detected in tcache 2", LATE},
	"/* breaks */"},
    {"heap_aborts", "twice", {"double free: release ("}, NULL},
    {"heap_aborts", "twice_fast", {"double free or corruption (fasttop)", "double free: release ("},
	NULL},
    {"heap_aborts", "twice_large", {"double free: release ("}, NULL},
    {"heap_aborts", "twice_top", {"double free: release ("}, NULL},
    {"heap_aborts", "size_out", {"double free or corruption (out)", "overrun: write_word ("},
	"/* writes */"},
    {"heap_aborts", "unmapped", {"munmap_chunk(): invalid pointer", "overrun: write_word ("},
	"/* writes */"},
    {"heap_aborts", "realloc_pointer", {"realloc(): invalid pointer", "overrun: write_word ("},
	"/* writes */"},
    {"heap_aborts", "realloc_old_size", {"realloc(): invalid old size", "overrun: write_word ("},
	"/* writes */"},
    {"heap_aborts", "realloc_next_size", {"realloc(): invalid next size", OVERRUN}, "/* fills */"},
    {"heap_aborts", "mremapped", {"mremap_chunk(): invalid pointer", "overrun: write_word ("},
	"/* writes */"},
    {"heap_aborts", "inside", {"free(): invalid pointer", "8 bytes inside the block at 0x"}, NULL},
};

static const struct abort_case stacks[] = {
    {"checked", "itself", {"smash_itself (", "the local variables of smash_itself"},
	"/* smashes */"},
    {"checked", "copy", {", called by smashed_by_copy (", "variables of smashed_by_copy"},
	"/* copies */"},
    {"checked", "kernel", {"read, called by smashed_by_kernel ("}, "/* reads */"},
    {"checked", "below", {": put (", "the local variables of smashed_below"}, "/* puts */"},
    {"checked_O2", "other", {": put (", "the local variables of smashed_by_other"}, "/* puts */"},
    {"checked", "strcpy", {"strcpy_to calls strcpy to write 46 bytes where there is room for 16"},
	NULL},
    {"checked_O2", "memcpy",
	{"memcpy_to calls memcpy to write 44 bytes where there is room for 16"}, NULL},
    {"checked", "sprintf", {"sprintf_to calls sprintf to write more where there is room for 16"},
	NULL},
    {"checked", "snprintf", {"calls snprintf to write 44 bytes where there is room for 16"}, NULL},
    {"checked", "strcat", {"calls strcat to write more where there is room for 16"}, NULL},
    {"checked", "read", {"calls read to write 44 bytes where there is room for 16"}, NULL},
};

static void check(const struct abort_case *one)
{
	cleanup_place struct place place = place_open();
	char file[40], line[60];

	json_auto_t *report = place_crash_report(&place, one->program, one->form);
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
}

START_TEST(what_malloc_found_wrong_is_told_with_its_last_writer_and_the_block)
{
	check(&heaps[_i]);
}
END_TEST

START_TEST(a_canary_is_told_with_who_overwrote_it_and_a_checked_call_with_its_sizes)
{
	check(&stacks[_i]);
}
END_TEST

/* The C library's own calls of abort() are no line of the program. */
START_TEST(what_malloc_finds_in_another_call_is_not_said_of_that_call)
{
	cleanup_place struct place place = place_open();
	json_auto_t *report = place_crash_report(&place, "corrupted_fastbin", NULL);

	expect_all(json_incref(report), HAS("conclusion", "corrupted size vs. prev_size"),
	    HAS("hint", "a block that was freed before"));
	ck_assert_ptr_null(strstr(answer_text(report, "conclusion"), "may stand for several"));
	ck_assert_ptr_null(strstr(answer_text(report, "hint"), "this line frees"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {what_malloc_found_wrong_is_told_with_its_last_writer_and_the_block, TIMES(heaps)},
	    {a_canary_is_told_with_who_overwrote_it_and_a_checked_call_with_its_sizes,
		TIMES(stacks)},
	    {what_malloc_finds_in_another_call_is_not_said_of_that_call, 1},
	    {NULL, 0},
	};

	return scene_main_loops("aborts", tests, (const char *const[]){NULL});
}
