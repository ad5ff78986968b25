/*
 * The pure parts of the code cache: the budget of branches, the index of pages, the places, and
 * what it hides from rr.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/runner.h"
#include "worker/softpmu/base/memfile.h"
#include "worker/softpmu/cache/arena.h"
#include "worker/softpmu/cache/budget.h"
#include "worker/softpmu/cache/cachecalls.h"
#include "worker/softpmu/legs/codecache.h"
#include "worker/softpmu/cache/pageindex.h"
#include "worker/softpmu/cache/places.h"

static uint64_t words[BUDGET_COUNTERS];
static uint64_t *const counter[BUDGET_COUNTERS] = {&words[0], &words[1], &words[2], &words[3]};

START_TEST(a_budget_never_lets_more_pass_than_there_are)
{
	static const uint64_t most[] = {BUDGET_LEAST, 5, 6, 63, 64, 65, 1000, 1023, 1024, 1025,
	    500000, 20000000, 1ull << 40, UINT64_MAX};

	for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
		struct budget budget = {.used = {i * 70000, 3}};
		uint64_t sum = 0;

		budget_begin(&budget);
		budget_load(&budget, counter, most[i]);
		/* A counter at c lets c - 1 branches pass, and each counter must let some pass. */
		for (int j = 0; j < BUDGET_COUNTERS; j++) {
			sum += words[j] - 1;
			ck_assert_uint_gt(words[j], 1);
		}
		ck_assert_uint_eq(sum, most[i]);
	}
}
END_TEST

/* The counters lie in memory that the program can write to. */
START_TEST(a_budget_that_the_program_forges_breaks_nothing)
{
	static const uint64_t forged[] = {0, 1, 101, UINT64_MAX, UINT64_MAX - 1, 1ull << 63};
	const uint64_t most = 100;

	for (size_t i = 0; i < sizeof(forged) / sizeof(*forged); i++) {
		struct budget budget = {0};

		budget_begin(&budget);
		for (int load = 0; load < 200; load++) {
			uint64_t before = budget.passed;

			budget_load(&budget, counter, most);
			for (size_t j = 0; j < BUDGET_COUNTERS; j++)
				words[j] = forged[(i + j * (size_t)load) %
						  (sizeof(forged) / sizeof(*forged))];
			ck_assert_uint_le(
			    budget_read(&budget, counter) - before, most + BUDGET_COUNTERS);
		}
	}
}
END_TEST

START_TEST(a_budget_counts_what_passed_over_all_its_loads)
{
	struct budget budget = {0};

	budget_begin(&budget);
	budget_load(&budget, counter, 100);
	words[0] -= 7;
	ck_assert_uint_eq(budget_read(&budget, counter), 7);
	ck_assert_uint_eq(budget_read(&budget, counter), 7);
	words[BUDGET_COUNTERS - 1] -= 5;
	budget_read(&budget, counter);
	budget_load(&budget, counter, 88);
	words[1] -= 3;
	ck_assert_uint_eq(budget_read(&budget, counter), 15);
}
END_TEST

/* Runs a program that uses the counters in turn, some more often: returns how often it leaves. */
static int exits_of(struct budget *budget, uint64_t branches)
{
	static const int turns[] = {0, 1, 0, 2, 1, 0, 0};
	uint64_t turn = 0;
	int exits = 0;

	budget_begin(budget);
	for (uint64_t most = branches; most >= BUDGET_LEAST; exits++) {
		budget_load(budget, counter, most);
		while (--*counter[turns[turn % 7]])
			turn++;
		most = branches - (budget_read(budget, counter) - 1);
		budget->passed--;
	}
	return exits;
}

START_TEST(a_budget_is_soon_shared_as_the_program_uses_it)
{
	struct budget budget = {0};

	exits_of(&budget, 2500000);
	ck_assert_int_le(exits_of(&budget, 2500000), 12);
	ck_assert_int_le(exits_of(&budget, 2500000), 12);
}
END_TEST

struct taken {
	uint32_t numbers[64];
	unsigned count;
};

static bool take(void *context, uint32_t number, uint64_t start, uint64_t end)
{
	struct taken *taken = context;

	(void)start;
	(void)end;
	taken->numbers[taken->count++] = number;
	return true;
}

START_TEST(the_index_finds_what_touches_a_page)
{
	struct pageindex *index = pageindex_new();
	struct taken taken = {0};

	ck_assert(pageindex_add(index, 0x1ff0, 0x2010, 1)); /* pages 1 and 2 */
	ck_assert(pageindex_add(index, 0x5000, 0x5010, 2));
	ck_assert(pageindex_add(index, 0x7ffffffff000, 0x7ffffffff001, 3));
	pageindex_remove(index, 0x2fff, 0x3000, take, &taken);
	ck_assert_uint_eq(taken.count, 1);
	ck_assert_uint_eq(taken.numbers[0], 1);
	taken.count = 0;
	pageindex_remove(index, 0, UINT64_MAX, take, &taken);
	ck_assert_uint_eq(taken.count, 3); /* number 1 was still on page 1 */
	taken.count = 0;
	pageindex_remove(index, 0, UINT64_MAX, take, &taken);
	ck_assert_uint_eq(taken.count, 0);
	pageindex_free(index);
}
END_TEST

START_TEST(the_index_keeps_all_when_it_grows)
{
	struct pageindex *index = pageindex_new();

	for (uint32_t i = 0; i < 5000; i++)
		ck_assert(pageindex_add(index, i * 0x3000ull, i * 0x3000ull + 1, i));
	for (uint32_t i = 0; i < 5000; i++) {
		struct taken taken = {0};

		pageindex_remove(index, i * 0x3000ull, i * 0x3000ull + 1, take, &taken);
		ck_assert_uint_eq(taken.count, 1);
		ck_assert_uint_eq(taken.numbers[0], i);
	}
	pageindex_free(index);
}
END_TEST

/* The first page and the last one, up to and beyond the last address. */
START_TEST(the_index_reaches_both_ends_of_the_address_space)
{
	static const uint64_t starts[] = {0, UINT64_MAX - 4, 0xfffffffffffff000};

	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		struct pageindex *index = pageindex_new();
		struct taken taken = {0};

		ck_assert(pageindex_add(index, starts[i], starts[i] + 15, 7));
		pageindex_remove(index, starts[i], starts[i] + 1, take, &taken);
		ck_assert_uint_eq(taken.count, 1);
		ck_assert_uint_eq(taken.numbers[0], 7);
		pageindex_free(index);
	}
}
END_TEST

START_TEST(a_later_place_holds_and_the_one_of_an_elided_jump_is_before_it)
{
	struct places places = {0};

	places_add(&places, &(struct place){.offset = 16, .original = 1});
	places_add(&places, &(struct place){.offset = 20, .original = 2});
	places_add(&places, &(struct place){.offset = 20, .original = 3});
	ck_assert_uint_eq(places_find(&places, 16)->original, 1);
	places_add(&places, &(struct place){.offset = 20, .original = 3, .flags = PLACE_EXIT});
	ck_assert_uint_eq(places_find(&places, 20)->original, 3);
	ck_assert_uint_eq(places_find(&places, 20)->flags, PLACE_EXIT);
	ck_assert_uint_eq(places_before(&places, places_find(&places, 20))->original, 2);
	ck_assert_ptr_null(
	    places_before(&places, places_before(&places, places_find(&places, 20))));
	ck_assert_ptr_null(places_before(&places, places_find(&places, 16)));
	ck_assert_ptr_null(places_find(&places, 18));
	ck_assert_ptr_null(places_find(&places, 21));
	places_free(&places);
}
END_TEST

START_TEST(a_place_gives_the_program_its_state_back)
{
	/* sub ecx, 1, ten bytes after the place, with destroyed flags */
	const uint8_t code[16] = {[5] = 0x83, 0xe9, 0x01};
	const struct place spoilt = {
	    .kind = PLACE_SPOILT, .flags = PLACE_PENDING, .distance = 5, .original = 0x1000};
	const struct place jump = {
	    .kind = PLACE_PAST_CHECK, .flags = PLACE_RCX_SAVED, .original = 0x5000};
	struct user_regs_struct regs = {.rcx = 1, .eflags = 0x8d5};

	ck_assert(places_recover(&spoilt, 7, 8, code, sizeof code, &regs));
	ck_assert_uint_eq(regs.rip, 0x1003);
	ck_assert_uint_eq(regs.rcx, 0);
	ck_assert_uint_eq(regs.eflags & 0x8d5, 0x44); /* zero, even parity */
	regs.rcx = (uint64_t)-0x1000;
	ck_assert(!places_recover(&jump, 7, 8, code, sizeof code, &regs));
	ck_assert_uint_eq(regs.rip, 0x4000);
	ck_assert_uint_eq(regs.rcx, 7);
}
END_TEST

START_TEST(a_return_into_the_cache_is_undone)
{
	const struct place back = {
	    .kind = PLACE_RETURNED, .flags = PLACE_RCX_SAVED, .original = 0x70000002};
	struct user_regs_struct regs = {.rip = 0x51000010, .rcx = 1, .rsp = 0x7ffe1008};

	ck_assert(!places_recover(&back, 7, 8, NULL, 0, &regs));
	ck_assert_uint_eq(regs.rip, 0x70000002);
	ck_assert_uint_eq(regs.rsp, 0x7ffe1000);
	ck_assert_uint_eq(regs.rcx, 7);
}
END_TEST

START_TEST(rr_sees_the_programs_files_and_not_ours)
{
	char text[512], expected[256];
	size_t length;

	snprintf(text, sizeof text,
	    "1-2 r-xp a\n3-4 r-xs /memfd:%s (deleted)\n"
	    "5-6 r-xs /memfd:rr-warden-code-cache (deleted)\n7-8 r--p b",
	    memfile_name());
	snprintf(expected, sizeof expected,
	    "1-2 r-xp a\n5-6 r-xs /memfd:rr-warden-code-cache (deleted)\n7-8 r--p b");
	length = codecache_hide(text, strlen(text));
	ck_assert_uint_eq(length, strlen(expected));
	ck_assert_mem_eq(text, expected, length);
}
END_TEST

/* rr maps memory inside a call of the program's, to change the code there: then orig_rax is mmap's,
 * and the other registers are the program's. */
START_TEST(what_a_program_maps_over_the_cache_ends_it_and_nothing_else_does)
{
	static const struct {
		struct user_regs_struct regs;
		bool ends;
	} rows[] = {
	    {{.orig_rax = SYS_mmap, .rax = 0x50000000, .rsi = 0x1000}, true},
	    {{.orig_rax = SYS_mmap, .rax = 0x4f000000, .rsi = 0x1000001}, true},
	    {{.orig_rax = SYS_mmap, .rax = 0x4f000000, .rsi = 0x1000000}, false},
	    {{.orig_rax = SYS_mmap, .rdi = 0x50001000, .rsi = 1, .r10 = MAP_FIXED}, true},
	    {{.orig_rax = SYS_munmap, .rdi = 0x50001000, .rsi = 1}, true},
	    /* rt_sigaction of Go's runtime, as rr 5.9 leaves it */
	    {{.orig_rax = SYS_mmap, .rdi = 0x17, .rsi = 0xc00000dbf0, .r10 = 0x20}, false},
	    {{.orig_rax = SYS_munmap, .rdi = 0, .rsi = 0x7ffd00001000}, false}, /* read(0, ... */
	    {{.orig_rax = SYS_mprotect, .rdi = 3, .rsi = 0x7ffd00001000}, false},
	    {{.orig_rax = SYS_mremap, .rdi = 3, .rsi = 0x7ffd00001000}, false},
	    {{.orig_rax = SYS_mremap, .rdi = 0x50001000, .rsi = 0x1000}, true},
	    {{.orig_rax = SYS_mremap, .rdi = 0x1000, .rsi = 1, .rax = 0x50001000, .rdx = 1}, true},
	    {{.orig_rax = SYS_mmap, .rax = (uint64_t)-12, .rsi = 0xc00000dbf0}, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct mappings mappings = {0};
		struct space space = {.arena = {.data = 0x50000000}};

		space.pages = codepages_new(&mappings);
		space.blocks = blocks_new(&space.arena);
		cachecalls_note(&space, &rows[i].regs);
		ck_assert_msg(space.broken == rows[i].ends, "row %zu", i);
		blocks_free(space.blocks);
		codepages_free(space.pages);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_budget_never_lets_more_pass_than_there_are,
	    a_budget_that_the_program_forges_breaks_nothing,
	    a_budget_counts_what_passed_over_all_its_loads,
	    a_budget_is_soon_shared_as_the_program_uses_it,
	    the_index_finds_what_touches_a_page,
	    the_index_keeps_all_when_it_grows,
	    what_a_program_maps_over_the_cache_ends_it_and_nothing_else_does,
	    the_index_reaches_both_ends_of_the_address_space,
	    a_later_place_holds_and_the_one_of_an_elided_jump_is_before_it,
	    a_place_gives_the_program_its_state_back,
	    a_return_into_the_cache_is_undone,
	    rr_sees_the_programs_files_and_not_ours,
	    NULL,
	};

	return run_tests("softpmu code cache", tests, NULL, NULL);
}
