/*
 * See guarded_program.h. Must never run anything of the program.
 *
 * LIMIT: only the first program is looked at, and of its libraries only the names. What a script or
 * a shell starts is counted while it runs: see struct guardheap_count.
 */
#include "worker/record/plan/guarded_program.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define SYMBOLS_MAX 1000000

#define WITHOUT "record it without heap"

/* What the file says of itself. */
struct linked {
	bool loaded;	       /* by the loader, which preloads */
	bool allocates;	       /* it defines malloc */
	const char *sanitizer; /* its name, or NULL */
};

/* Functions that each program with a sanitizer calls, and the libraries that have them. */
static const struct {
	const char *begins, *name;
} sanitizers[] = {{"__asan_init", "AddressSanitizer"}, {"libasan.so", "AddressSanitizer"},
    {"__tsan_init", "ThreadSanitizer"}, {"libtsan.so", "ThreadSanitizer"},
    {"__msan_init", "MemorySanitizer"}, {"__hwasan_init", "HWAddressSanitizer"},
    {"libhwasan.so", "HWAddressSanitizer"}, {"__lsan_init", "LeakSanitizer"},
    {"liblsan.so", "LeakSanitizer"}, {"libclang_rt.", "a sanitizer"}};

static void look_at_name(struct linked *linked, const char *name, bool defined)
{
	if (!name)
		return;
	linked->allocates |= defined && strcmp(name, "malloc") == 0;
	for (size_t i = 0; i < sizeof(sanitizers) / sizeof(*sanitizers); i++)
		if (strncmp(name, sanitizers[i].begins, strlen(sanitizers[i].begins)) == 0)
			linked->sanitizer = sanitizers[i].name;
}

static void look_at_symbols(
    struct linked *linked, Elf *elf, const GElf_Shdr *header, Elf_Data *data)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < count && i < SYMBOLS_MAX; i++)
		if (gelf_getsym(data, (int)i, &symbol))
			look_at_name(linked, elf_strptr(elf, header->sh_link, symbol.st_name),
			    symbol.st_shndx != SHN_UNDEF &&
				GELF_ST_TYPE(symbol.st_info) == STT_FUNC);
}

static void look_at_libraries(
    struct linked *linked, Elf *elf, const GElf_Shdr *header, Elf_Data *data)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Dyn entry;

	for (size_t i = 0; i < count && i < SYMBOLS_MAX; i++)
		if (gelf_getdyn(data, (int)i, &entry) && entry.d_tag == DT_NEEDED)
			look_at_name(
			    linked, elf_strptr(elf, header->sh_link, entry.d_un.d_val), false);
}

static void look_at_sections(struct linked *linked, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
			look_at_symbols(linked, elf, &header, elf_getdata(section, NULL));
		else if (header.sh_type == SHT_DYNAMIC)
			look_at_libraries(linked, elf, &header, elf_getdata(section, NULL));
	}
}

static void look_at_segments(struct linked *linked, Elf *elf)
{
	size_t count = 0;
	GElf_Phdr segment;

	if (elf_getphdrnum(elf, &count) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		linked->loaded |=
		    gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP;
}

static bool judge(const struct linked *linked, const char *program, struct failure *failure)
{
	if (linked->sanitizer)
		failure_set(failure, ERROR_UNSUPPORTED,
		    "a sanitizer guards the heap itself: " WITHOUT,
		    "%.300s is built with %s, which has an allocator of its own: the guard heap "
		    "cannot be used beside it",
		    program, linked->sanitizer);
	else if (!linked->loaded)
		failure_set(failure, ERROR_UNSUPPORTED, "link it dynamically, or " WITHOUT,
		    "%.300s is linked statically: the guard heap cannot be loaded into it",
		    program);
	else if (linked->allocates)
		failure_set(failure, ERROR_UNSUPPORTED,
		    "build it with the C library's malloc, or " WITHOUT,
		    "%.300s has an allocator of its own inside (it defines malloc): the guard heap "
		    "would never be called",
		    program);
	else
		return true;
	return false;
}

bool guarded_program_check(const char *file, const char *program, struct failure *failure)
{
	cleanup_fd int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct linked linked = {0};
	GElf_Ehdr header;
	bool possible = true;
	Elf *elf;

	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
		return true;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header)) {
		look_at_segments(&linked, elf);
		look_at_sections(&linked, elf);
		possible = header.e_machine == EM_X86_64;
		if (!possible)
			failure_set(failure, ERROR_UNSUPPORTED, "build it for x86-64, or " WITHOUT,
			    "%.300s is no x86-64 program: the guard heap cannot be loaded into it",
			    program);
		else
			possible = judge(&linked, program, failure);
	}
	elf_end(elf);
	return possible;
}
