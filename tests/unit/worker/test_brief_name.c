/*
 * Names of functions within a sentence: long ones lose whole lists, never a part of a name.
 */
#include <check.h>
#include <string.h>
#include "worker/read/names/brief_name.h"
#include "tests/runner.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define MAP    "std::map<" STRING ", std::vector<" STRING ", std::allocator<" STRING " > > >"

static const struct {
	const char *name, *shown;
} names[] = {
    {"main", "main"},
    {STRING "::at", STRING "::at"},
    {MAP "::at", "std::map<...>::at"},
    {"store<" MAP ", std::ma", "store<..."}, /* cut before */
    {MAP "::at(" STRING " const&) const", "std::map<...>::at(...) const"},
    {"std::operator<< <" MAP ">(" STRING ")", "std::operator<< <...>(...)"},
    {MAP "::operator()(" STRING ")", "std::map<...>::operator()(...)"},
    {MAP "::operator->()", "std::map<...>::operator->()"},
    {"(anonymous namespace)::take<" MAP ">()", "(anonymous namespace)::take<...>()"},
    {"outer(" MAP ")::{lambda(int)#1}::operator()(int) const",
	"outer(...)::{lambda(...)#1}::operator()(...) const"},
    {"broken<" MAP, NULL},
    {"_D6ledger7depositFPSQs6LedgerAyalZv", "ledger.deposit"},
    {"_D4core8demangleQjFNaNbNfNkMAxaNkMAaZQd", "core.demangle.demangle"},
    {"_D3std5stdio__T8writeflnTaTAyaTlZQsFNfIAaQolZv", "std.stdio.writefln!(...)"},
    {"_D6ledger5outerFZ5innerMFZv", "_D6ledger5outerFZ5innerMFZv"},
    {"_D6ledger9short", "_D6ledger9short"},
    {"_D6ledgerQz", "_D6ledgerQz"},
    {"_Dmain", "_Dmain"},
};

START_TEST(a_name_loses_whole_lists)
{
	char text[BRIEF_NAME_MAX];

	ck_assert_ptr_eq(brief_name(names[_i].name, text), text);
	if (names[_i].shown)
		ck_assert_str_eq(text, names[_i].shown);
	ck_assert_uint_lt(strlen(text), sizeof(text));
}
END_TEST

/* A name without any list, of every length around the bound. */
START_TEST(what_is_too_long_even_so_says_that_it_is_cut)
{
	char name[BRIEF_NAME_MAX + 20], text[BRIEF_NAME_MAX];

	for (size_t length = BRIEF_NAME_MAX - 20; length < BRIEF_NAME_MAX + 19; length++) {
		memset(name, 'x', length);
		name[length] = '\0';
		brief_name(name, text);
		ck_assert_uint_lt(strlen(text), sizeof(text));
		if (length < BRIEF_NAME_MAX)
			ck_assert_str_eq(text, name);
		else
			ck_assert_str_eq(text + strlen(text) - 3, "...");
	}
}
END_TEST

int main(void)
{
	const struct looped looped[] = {
	    {a_name_loses_whole_lists, TIMES(names)},
	    {NULL, 0},
	};
	TCase *cases = new_case("brief_name", NULL, NULL);

	add_loops(cases, looped);
	tcase_add_test(cases, what_is_too_long_even_so_says_that_it_is_cut);
	return run_case("brief_name", cases);
}
