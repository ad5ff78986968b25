/*
 * What a crash report says about the instruction that faulted: which operand, what it did, and what
 * its address belongs to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

static json_t *report_of(struct place *place, const char *program, const char *form)
{
	json_decref(client_record(place->client, place->trace, program, form));
	return client_tool(place->client, "rr_crash_report", "{s:s}", "trace_dir", place->trace);
}

static const struct {
	const char *program, *form, *access, *address, *operand, *mapping, *instruction;
} forms[] = {
    {"fault_forms", "cmpxchg", "write", "0x1234560", "(%r", "not mapped", "cmpxchg"},
    {"fault_forms", "rep_movs_to", "write", "0x1234560", "(%rdi)", "not mapped", "movsb"},
    {"fault_forms", "rep_movs_from", "read", "0x1234560", "(%rsi)", "not mapped", "movsb"},
    {"fault_forms", "rep_stos_over_the_end", "write", "000", "(%rdi)", "not mapped", "stosb"},
    {"fault_forms", "vector_store", "write", "0x1234560", "(%r", "not mapped", "movdqu"},
    {"fault_forms", "misaligned", "write", "8", "(%r", "not a multiple of 16", "movaps"},
    {"fault_forms", "gather", "read", "", ",%ymm2,4)", "not mapped", "vpgatherdd"},
    {"fault_forms", "read_only", "write", "", "(%r", "constant", "mov"},
    {"fault_classes", "exchange", "write", "0x1234560", "(%r", "not mapped", "lock cmpxchg"},
    {"fault_classes", "add", "write", "0x1234560", "(%r", "not mapped", "lock xadd"},
    {"fault_classes", "fill", "write", "0x12345", "(%rdi", "not mapped", ""},
    {"fault_classes", "copy", "write", "0x1234560", "(%r", "not mapped", "mov"},
    {"fault_classes", "call", "read", "0x1234560", "(%r", "not mapped", "mov"},
    {"fault_classes", "member", "write", "0x1234568", "0x8(%r", "not mapped", "mov"},
};

START_TEST(the_operand_that_faulted_is_named)
{
	if (strcmp(forms[_i].form, "gather") == 0 && !__builtin_cpu_supports("avx2"))
		return;
	cleanup_place struct place place = place_open();
	expect_all(report_of(&place, forms[_i].program, forms[_i].form),
	    IS("fault.access", forms[_i].access), HAS("fault.address", forms[_i].address),
	    HAS("fault.operand", forms[_i].operand), HAS("fault.mapping", forms[_i].mapping),
	    HAS("fault.instruction", forms[_i].instruction));
}
END_TEST

START_TEST(a_fault_inside_the_library_of_cpp_names_the_programs_own_call)
{
	cleanup_place struct place place = place_open();
	expect_all(report_of(&place, "fault_classes", "exchange"),
	    HAS("conclusion", "compare_exchange_strong, called by (anonymous namespace)::exchange "
			      "(tests/programs/fault_classes.cc:"),
	    HAS("source", "bad<std::atomic<long>>()->compare_exchange_strong"));
}
END_TEST

START_TEST(a_jump_to_nowhere_is_an_execution)
{
	cleanup_place struct place place = place_open();
	expect_all(report_of(&place, "fault_forms", "jump"), IS("fault.access", "execute"),
	    IS("fault.address", "0x1234560"));
}
END_TEST

START_TEST(a_signal_that_was_sent_is_no_fault)
{
	cleanup_place struct place place = place_open();
	expect_all(report_of(&place, "fault_forms", "sent"), ABSENT("fault"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_operand_that_faulted_is_named, TIMES(forms)},
	    {a_fault_inside_the_library_of_cpp_names_the_programs_own_call, 1},
	    {a_jump_to_nowhere_is_an_execution, 1},
	    {a_signal_that_was_sent_is_no_fault, 1},
	    {NULL, 0},
	};

	return scene_main_loops("fault", tests, (const char *const[]){NULL});
}
