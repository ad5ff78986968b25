/*
 * What a crash report says about the instruction that faulted: which operand, what it did, and what
 * its address belongs to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

static json_t *report_of(struct place *place, const char *form)
{
	json_decref(client_record(place->client, place->trace, "fault_forms", form));
	return client_tool(place->client, "rr_crash_report", "{s:s}", "trace_dir", place->trace);
}

static const struct {
	const char *form, *access, *address, *operand, *mapping, *instruction;
} forms[] = {
    {"cmpxchg", "write", "0x1234560", "(%r", "not mapped", "cmpxchg"},
    {"rep_movs_to", "write", "0x1234560", "(%rdi)", "not mapped", "movsb"},
    {"rep_movs_from", "read", "0x1234560", "(%rsi)", "not mapped", "movsb"},
    {"rep_stos_over_the_end", "write", "000", "(%rdi)", "not mapped", "stosb"},
    {"vector_store", "write", "0x1234560", "(%r", "not mapped", "movdqu"},
    {"misaligned", "write", "8", "(%r", "not a multiple of 16", "movaps"},
    {"gather", "read", "", ",%ymm2,4)", "not mapped", "vpgatherdd"},
    {"read_only", "write", "", "(%r", "constant", "mov"},
};

START_TEST(the_operand_that_faulted_is_named)
{
	if (strcmp(forms[_i].form, "gather") == 0 && !__builtin_cpu_supports("avx2"))
		return;
	struct place place = place_open();
	json_t *report = report_of(&place, forms[_i].form);
	const char *address = answer_text(report, "fault.address");

	expect_text(report, "fault.access", forms[_i].access);
	ck_assert_ptr_nonnull(strstr(address, forms[_i].address));
	expect_within(report, "fault.operand", forms[_i].operand);
	ck_assert_msg(strstr(answer_text(report, "fault.mapping"), forms[_i].mapping), "%s",
	    answer_text(report, "fault.mapping"));
	expect_within(report, "fault.instruction", forms[_i].instruction);
	json_decref(report);
	place_close(&place);
}
END_TEST

START_TEST(a_jump_to_nowhere_is_an_execution)
{
	struct place place = place_open();
	json_t *report = report_of(&place, "jump");

	expect_text(report, "fault.access", "execute");
	expect_text(report, "fault.address", "0x1234560");
	json_decref(report);
	place_close(&place);
}
END_TEST

START_TEST(a_signal_that_was_sent_is_no_fault)
{
	struct place place = place_open();
	json_t *report = report_of(&place, "sent");

	ck_assert_ptr_null(answer_at(report, "fault"));
	json_decref(report);
	place_close(&place);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_operand_that_faulted_is_named, TIMES(forms)},
	    {a_jump_to_nowhere_is_an_execution, 1},
	    {a_signal_that_was_sent_is_no_fault, 1},
	    {NULL, 0},
	};

	return scene_main_loops("fault", tests, (const char *const[]){NULL});
}
