/*
 * See test_framework.h. A program tells by the libraries it needs and by the names of its symbols.
 *
 * LIMIT: a stripped program that has its framework inside does not tell, and neither does a script
 * that starts the test program.
 */
#include "worker/record/plan/test_framework.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define SYMBOLS_MAX    1000000
#define FIRST_LINE_MAX 128 /* of a script: the kernel takes no more */

static const char *const names[] = {
    [FRAMEWORK_NONE] = "",
    [FRAMEWORK_GOOGLETEST] = "GoogleTest",
    [FRAMEWORK_CATCH2] = "Catch2",
    [FRAMEWORK_DOCTEST] = "doctest",
    [FRAMEWORK_CHECK] = "Check",
    [FRAMEWORK_RUST] = "Rust's test harness",
    [FRAMEWORK_GO] = "Go's testing",
    [FRAMEWORK_CTEST] = "ctest",
    [FRAMEWORK_PYTEST] = "pytest",
};

/* What a test program calls or has inside, and the libraries of that name. Rust puts a hash behind
 * its names, and in front of them in its newer form. */
static const struct {
	const char *text;
	bool anywhere; /* in the name, not only where it begins */
	enum framework framework;
} marks[] = {
    {"_ZN7testing8UnitTest", false, FRAMEWORK_GOOGLETEST},
    {"libgtest.so", false, FRAMEWORK_GOOGLETEST},
    {"_ZN5Catch7Session", false, FRAMEWORK_CATCH2},
    {"libCatch2.so", false, FRAMEWORK_CATCH2},
    {"_ZN7doctest7Context", false, FRAMEWORK_DOCTEST},
    {"srunner_run", false, FRAMEWORK_CHECK},
    {"libcheck.so", false, FRAMEWORK_CHECK},
    {"4test16test_main_static", true, FRAMEWORK_RUST},
    {"testing.(*M).Run", false, FRAMEWORK_GO},
};

static enum framework by_name(const char *name)
{
	for (size_t i = 0; name && i < sizeof(marks) / sizeof(*marks); i++) {
		const char *found = marks[i].anywhere ? strstr(name, marks[i].text)
				    : strncmp(name, marks[i].text, strlen(marks[i].text)) == 0
					? name
					: NULL;
		if (found)
			return marks[i].framework;
	}
	return FRAMEWORK_NONE;
}

static enum framework by_symbols(Elf *elf, const GElf_Shdr *header, Elf_Data *data)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	enum framework found = FRAMEWORK_NONE;
	GElf_Sym symbol;

	for (size_t i = 0; i < count && i < SYMBOLS_MAX && !found; i++)
		if (gelf_getsym(data, (int)i, &symbol))
			found = by_name(elf_strptr(elf, header->sh_link, symbol.st_name));
	return found;
}

static enum framework by_libraries(Elf *elf, const GElf_Shdr *header, Elf_Data *data)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	enum framework found = FRAMEWORK_NONE;
	GElf_Dyn entry;

	for (size_t i = 0; i < count && i < SYMBOLS_MAX && !found; i++)
		if (gelf_getdyn(data, (int)i, &entry) && entry.d_tag == DT_NEEDED)
			found = by_name(elf_strptr(elf, header->sh_link, entry.d_un.d_val));
	return found;
}

static enum framework by_sections(Elf *elf)
{
	enum framework found = FRAMEWORK_NONE;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (!found && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
			found = by_symbols(elf, &header, elf_getdata(section, NULL));
		else if (header.sh_type == SHT_DYNAMIC)
			found = by_libraries(elf, &header, elf_getdata(section, NULL));
	}
	return found;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "pytest", and "pytest-3" as Debian has it. */
static bool is_called(const char *real, const char *name)
{
	const char *base = base_name(real);
	size_t length = strlen(name);

	return strncmp(base, name, length) == 0 &&
	       base[length + strspn(base + length, "-.0123456789")] == '\0';
}

/* `python3 -m pytest`, also with options of Python before. */
static bool runs_module(const json_t *command, const char *module)
{
	for (size_t i = 1; i + 1 < json_array_size(command); i++) {
		const char *option = json_string_value(json_array_get(command, i));
		const char *value = json_string_value(json_array_get(command, i + 1));
		if (option && value && strcmp(option, "-m") == 0)
			return strcmp(value, module) == 0;
	}
	return false;
}

/* A script of Python's. */
static bool is_python_script(int fd)
{
	char line[FIRST_LINE_MAX + 1];
	ssize_t length = pread(fd, line, FIRST_LINE_MAX, 0);

	line[length > 0 ? length : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return strncmp(line, "#!", 2) == 0 && strstr(line, "python");
}

enum framework test_framework_of(const char *real, const json_t *command)
{
	cleanup_fd int fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum framework found = FRAMEWORK_NONE;
	Elf *elf;

	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
		return FRAMEWORK_NONE;
	if (is_python_script(fd))
		return is_called(real, "pytest") || is_called(real, "py.test") ? FRAMEWORK_PYTEST
									       : FRAMEWORK_NONE;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		if (is_called(real, "ctest"))
			found = FRAMEWORK_CTEST;
		else if (is_called(real, "python") && runs_module(command, "pytest"))
			found = FRAMEWORK_PYTEST;
		else
			found = by_sections(elf);
	}
	elf_end(elf);
	return found;
}

const char *test_framework_name(enum framework framework)
{
	return names[framework];
}
