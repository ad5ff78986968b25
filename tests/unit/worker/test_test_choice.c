/*
 * Which framework a test program uses, by its symbols, and what picks one test there.
 */
#include <check.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "worker/record/plan/test_choice.h"
#include "tests/runner.h"

static char folder[] = "/tmp/test_choice.XXXXXX";

static void enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static void put_section(Elf *elf, Elf64_Word type, Elf64_Word link, void *bytes, size_t size)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	GElf_Shdr header;

	data->d_buf = bytes;
	data->d_size = size;
	data->d_type = type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	data->d_align = 8;
	data->d_version = EV_CURRENT;
	ck_assert_ptr_nonnull(gelf_getshdr(section, &header));
	header.sh_type = type;
	header.sh_link = link;
	header.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0;
	ck_assert_int_ne(gelf_update_shdr(section, &header), 0);
}

/* A program with one symbol. */
static void put_program(const char *path, const char *symbol)
{
	char names[128] = "";
	Elf64_Sym symbols[2] = {{0}, {.st_name = 1, .st_shndx = SHN_ABS}};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
	GElf_Ehdr header;
	Elf *elf;

	ck_assert_int_ne(elf_version(EV_CURRENT), EV_NONE);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ck_assert_ptr_nonnull(elf);
	ck_assert_ptr_nonnull(gelf_newehdr(elf, ELFCLASS64));
	ck_assert_ptr_nonnull(gelf_getehdr(elf, &header));
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_machine = EM_X86_64;
	header.e_type = ET_EXEC;
	header.e_version = EV_CURRENT;
	header.e_shstrndx = 1;
	ck_assert_int_ne(gelf_update_ehdr(elf, &header), 0);
	snprintf(names + 1, sizeof(names) - 1, "%s", symbol);
	put_section(elf, SHT_STRTAB, 0, names, strlen(symbol) + 2);
	put_section(elf, SHT_SYMTAB, 1, symbols, sizeof(symbols));
	ck_assert_int_ge(elf_update(elf, ELF_C_WRITE), 0);
	elf_end(elf);
	close(fd);
}

static void put_script(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

#define GTEST "_ZN7testing8UnitTest11GetInstanceEv"
#define CATCH "_ZN5Catch7Session3runEv"
#define RUST  "_RNvCsbPb_4test16test_main_static"

static const struct {
	const char *file, *symbol; /* symbol NULL: a script of Python's */
	const char *test, *added;
} picked[] = {
    {"g", GTEST, "Math.adds", "GoogleTest: --gtest_filter=Math.adds"},
    {"c", CATCH, "adds, [twice]", "Catch2: adds\\, \\[twice]"},
    {"d", "_ZN7doctest7ContextC1EiPKPKc", "a, b", "doctest: --test-case=a\\, b"},
    {"r", RUST, "math::adds", "Rust's test harness: math::adds --exact"},
    {"o", "_ZN4test16test_main_static17h0E", "adds", "Rust's test harness: adds --exact"},
    {"m.test", "testing.(*M).Run", "TestAdds/a.b", "Go's testing: -test.run=^TestAdds$/^a\\.b$"},
    {"k", "srunner_run_all", "core", "Check: CK_RUN_CASE=core (each test of the case)"},
    {"ctest", "main", "a.b", "ctest: -R ^a\\.b$"},
    {"pytest-3", NULL, "test_a.py::test_b", "pytest: test_a.py::test_b"},
    {"py.test", NULL, "test_b", "pytest: -k test_b (each test with this in its name)"},
};

START_TEST(each_framework_is_told_in_its_own_way)
{
	char path[64];
	struct failure failure = {0};
	struct test_choice choice;
	json_auto_t *command = json_pack("[s, s]", picked[_i].file, "first");

	snprintf(path, sizeof(path), "%s/%s", folder, picked[_i].file);
	if (picked[_i].symbol)
		put_program(path, picked[_i].symbol);
	else
		put_script(path, "#!/usr/bin/python3\n");
	ck_assert_msg(test_choice_make(&choice, picked[_i].test, command, NULL, path, &failure),
	    "%s", failure.message);
	ck_assert_str_eq(json_string_value(choice.told), picked[_i].added);
	/* The caller's words stay in front, and the caller's list as it was. */
	ck_assert_str_eq(json_string_value(json_array_get(choice.command, 1)), "first");
	ck_assert_uint_eq(json_array_size(command), 2);
	if (choice.env)
		ck_assert_str_eq(
		    json_string_value(json_object_get(choice.env, "CK_RUN_CASE")), "core");
	else
		ck_assert_uint_gt(json_array_size(choice.command), 2);
	test_choice_free(&choice);
}
END_TEST

START_TEST(python_with_pytest_as_its_module_is_pytest)
{
	char path[64];
	struct failure failure = {0};
	struct test_choice choice;
	json_auto_t *command = json_pack("[s, s, s, s]", "python3", "-B", "-m", "pytest");
	json_auto_t *other = json_pack("[s, s]", "python3", "pytest");

	snprintf(path, sizeof(path), "%s/python3.11", folder);
	put_program(path, "Py_Main");
	ck_assert(test_choice_make(&choice, "test_b", command, NULL, path, &failure));
	test_choice_free(&choice);
	ck_assert(!test_choice_make(&choice, "test_b", other, NULL, path, &failure));
	test_choice_free(&choice);
}
END_TEST

static const struct {
	const char *file, *symbol, *test;
	enum error_code code;
	const char *said, *hint;
} refused[] = {
    {"plain", "main", "a", ERROR_UNSUPPORTED, "it cannot be told which test framework", "filter"},
    {"cargo", "main", "a", ERROR_UNSUPPORTED, "cargo", "cargo test --no-run"},
    {"go", "main", "a", ERROR_UNSUPPORTED, "/go", "go test -c"},
    {"script.sh", NULL, "a", ERROR_UNSUPPORTED, "script.sh", "a script"},
    {"g", GTEST, "Math.*", ERROR_INVALID_ARGUMENT, "because of its \"*\"", "one test"},
    {"g", GTEST, "A.a:B.b", ERROR_INVALID_ARGUMENT, "because of its \":\"", "one test"},
    {"r", RUST, "--list", ERROR_INVALID_ARGUMENT, "because of its \"-\"", "one test"},
    {"c", CATCH, "", ERROR_INVALID_ARGUMENT, "empty", "leave test out"},
};

START_TEST(what_is_no_test_is_refused_with_a_remedy)
{
	char path[64];
	struct failure failure = {0};
	struct test_choice choice;
	json_auto_t *command = json_pack("[s]", refused[_i].file);

	snprintf(path, sizeof(path), "%s/%s", folder, refused[_i].file);
	if (refused[_i].symbol)
		put_program(path, refused[_i].symbol);
	else
		put_script(path, "#!/bin/sh\nexec pytest\n");
	ck_assert(!test_choice_make(&choice, refused[_i].test, command, NULL, path, &failure));
	ck_assert_int_eq(failure.code, refused[_i].code);
	ck_assert_msg(strstr(failure.message, refused[_i].said), "%s", failure.message);
	ck_assert_msg(strstr(failure.hint, refused[_i].hint), "%s", failure.hint);
	test_choice_free(&choice);
}
END_TEST

START_TEST(without_a_name_nothing_changes)
{
	struct failure failure = {0};
	struct test_choice choice;
	json_auto_t *command = json_pack("[s]", "none");

	ck_assert(test_choice_make(&choice, NULL, command, NULL, "/none", &failure));
	ck_assert_ptr_eq(choice.command, command);
	ck_assert_ptr_null(choice.told);
	test_choice_free(&choice);
}
END_TEST

int main(void)
{
	const struct looped looped[] = {
	    {each_framework_is_told_in_its_own_way, TIMES(picked)},
	    {what_is_no_test_is_refused_with_a_remedy, TIMES(refused)},
	    {NULL, 0},
	};
	TCase *cases = new_case("test_choice", enter, leave);

	add_loops(cases, looped);
	tcase_add_test(cases, python_with_pytest_as_its_module_is_pytest);
	tcase_add_test(cases, without_a_name_nothing_changes);
	return run_case("test_choice", cases);
}
