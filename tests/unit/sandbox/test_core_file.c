/*
 * What a core file says of itself, whatever its bytes are.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include "sandbox/core/core_file.h"
#include "tests/runner.h"

#define SEGMENTS 4
#define NAMES	 "/bin/program\0/lib/library.so"
#define DAMAGES	 20000

/* In a block of exactly its size, so that a read beyond it is seen by the sanitizers. */
static unsigned char *bytes;
static size_t size;
static struct core_file core;
static char why[CORE_WHY_MAX];

static bool read_bytes(void *owner, uint64_t offset, void *to, size_t length)
{
	(void)owner;
	ck_assert_uint_le(offset, size);
	ck_assert_uint_le(length, size - offset);
	memcpy(to, bytes + offset, length);
	return true;
}

static bool read_it(void)
{
	const struct core_bytes all = {read_bytes, NULL, size};

	core_file_free(&core);
	return core_file_read(&core, &all, why);
}

static size_t put(size_t at, const void *from, size_t length)
{
	memcpy(bytes + at, from, length);
	return at + length;
}

static size_t put_note(size_t at, uint32_t type, const void *desc, size_t length)
{
	const Elf64_Nhdr note = {5, (Elf64_Word)length, type};

	at = put(at, &note, sizeof(note));
	at = put(at, "CORE\0\0\0", 8);
	put(at, desc, length);
	return at + ((length + 3) & ~(size_t)3);
}

static size_t put_notes(size_t at)
{
	static const uint64_t vector[] = {
	    AT_PHNUM, 13, AT_ENTRY, 0x1040, AT_RANDOM, 0x7000100, 0, 0};
	struct {
		uint64_t count, page, rows[2][3];
		char names[sizeof(NAMES)];
	} files = {2, 4096, {{0x1000, 0x3000, 0}, {0x5000, 0x6000, 2}}, NAMES};
	struct elf_prpsinfo info = {.pr_pid = 77, .pr_psargs = "./program one two  "};
	struct elf_prstatus status = {0};

	at = put_note(at, NT_PRSTATUS, &status, sizeof(status));
	at = put_note(at, NT_PRPSINFO, &info, sizeof(info));
	at = put_note(at, NT_AUXV, vector, sizeof(vector));
	return put_note(at, NT_FILE, &files, sizeof(files));
}

/* A core file as the kernel writes one: headers, notes, memory. */
static void make(void)
{
	Elf64_Ehdr elf = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
	    .e_type = ET_CORE,
	    .e_machine = EM_X86_64,
	    .e_phoff = sizeof(elf),
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = SEGMENTS};
	Elf64_Phdr headers[SEGMENTS] = {
	    {.p_type = PT_NOTE},
	    {.p_type = PT_LOAD,
		.p_vaddr = 0x7000000,
		.p_memsz = 0x1000,
		.p_filesz = 0x1000,
		.p_flags = PF_R | PF_W},
	    {.p_type = PT_LOAD,
		.p_vaddr = 0x1000,
		.p_memsz = 0x2000,
		.p_filesz = 0x1000,
		.p_flags = PF_R | PF_X},
	    {.p_type = PT_LOAD, .p_vaddr = 0x5000, .p_memsz = 0x1000, .p_flags = PF_R},
	};
	size_t notes = sizeof(elf) + sizeof(headers);

	free(bytes);
	size = 0x4000;
	bytes = calloc(1, size);
	headers[0].p_offset = notes;
	headers[0].p_filesz = put_notes(notes) - notes;
	headers[1].p_offset = 0x2000;
	headers[2].p_offset = 0x3000;
	headers[3].p_offset = 0x4000;
	put(0, &elf, sizeof(elf));
	put(sizeof(elf), headers, sizeof(headers));
	put(0x3000, "code", 4);
}

static void clean(void)
{
	core_file_free(&core);
	free(bytes);
	bytes = NULL;
}

START_TEST(a_core_file_tells_its_process)
{
	ck_assert_msg(read_it(), "%s", why);
	ck_assert_int_eq(core.pid, 77);
	ck_assert_uint_eq(core.threads, 1);
	ck_assert_str_eq(core.command, "./program one two");
	ck_assert_uint_eq(core.entry, 0x1040);
	ck_assert_uint_eq(core.headers, 13);
	ck_assert_uint_eq(core.missing, 0);
}
END_TEST

START_TEST(memory_is_sorted_and_has_rights_and_names)
{
	ck_assert_msg(read_it(), "%s", why);
	ck_assert_uint_eq(core.segment_count, 3);
	ck_assert_uint_eq(core.segments[0].at.start, 0x1000);
	ck_assert(core.segments[0].executes && !core.segments[0].writes);
	ck_assert_uint_eq(core.segments[2].at.start, 0x7000000);
	ck_assert_str_eq(core_file_mapped(&core, 0x1fff)->name, "/bin/program");
	ck_assert_str_eq(core_file_mapped(&core, 0x5000)->name, "/lib/library.so");
	ck_assert_uint_eq(core_file_mapped(&core, 0x5000)->offset, 2 * 4096);
	ck_assert_ptr_null(core_file_mapped(&core, 0x3000));
	ck_assert_str_eq(core_file_program(&core)->name, "/bin/program");
	ck_assert_uint_eq(core_file_base(&core, "/bin/program"), 0x1000);
	ck_assert_uint_eq(core_file_base(&core, "/lib/library.so"), 0);
}
END_TEST

START_TEST(only_memory_that_is_in_the_file_is_read)
{
	const struct core_bytes all = {read_bytes, NULL, size};
	char text[4];

	ck_assert_msg(read_it(), "%s", why);
	ck_assert(core_file_memory(&core, &all, 0x1000, text, 4));
	ck_assert_mem_eq(text, "code", 4);
	ck_assert(!core_file_memory(&core, &all, 0x2000, text, 1));
	ck_assert(!core_file_memory(&core, &all, 0x1ffe, text, 4));
	ck_assert(!core_file_memory(&core, &all, 0x5000, text, 1));
	ck_assert(!core_file_memory(&core, &all, UINT64_MAX - 1, text, 4));
}
END_TEST

START_TEST(a_name_is_where_it_stands_in_the_file)
{
	ck_assert_msg(read_it(), "%s", why);
	for (size_t i = 0; i < core.mapped_count; i++)
		ck_assert_str_eq((char *)bytes + core.mapped[i].name_at, core.mapped[i].name);
}
END_TEST

static const struct {
	size_t at;
	unsigned char byte;
	const char *said;
} wrong[] = {
    {EI_MAG1, 'X', "it is not a core file"},
    {EI_NIDENT, ET_EXEC, "it is a program or a library, not a core file"},
    {EI_NIDENT, ET_REL, "it is an ELF file, but not a core file"},
    {EI_NIDENT + 2, EM_AARCH64, "another processor (AArch64)"},
    {EI_NIDENT + 2, EM_386, "another processor (32-bit x86)"},
    {EI_CLASS, ELFCLASS32, "x32"},
    {offsetof(Elf64_Ehdr, e_phentsize), 1, "its header is damaged"},
    {offsetof(Elf64_Ehdr, e_phnum), 0, "its header is damaged"},
    {offsetof(Elf64_Ehdr, e_phoff) + 6, 0xff, "its list of memory is not whole"},
};

START_TEST(what_cannot_be_read_is_said)
{
	bytes[wrong[_i].at] = wrong[_i].byte;
	ck_assert(!read_it());
	ck_assert_msg(strstr(why, wrong[_i].said) != NULL, "%s", why);
}
END_TEST

START_TEST(a_core_file_that_ends_early_says_what_is_missing)
{
	size = 0x3800;
	ck_assert_msg(read_it(), "%s", why);
	ck_assert_uint_eq(core.missing, 0x800);
	size = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr) + 100;
	ck_assert(!read_it());
	ck_assert_ptr_nonnull(strstr(why, "its notes, with the registers, are not whole"));
	size = 0;
	ck_assert(!read_it());
	ck_assert_str_eq(why, "it is empty");
}
END_TEST

START_TEST(without_a_thread_it_is_no_core_file)
{
	const Elf64_Word type = NT_FPREGSET;

	put(sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr) + offsetof(Elf64_Nhdr, n_type),
	    &type, sizeof(type));
	ck_assert(!read_it());
	ck_assert_ptr_nonnull(strstr(why, "it has no thread"));
}
END_TEST

/* Each number of the file may be anything; a read beyond the block ends the test. */
START_TEST(no_damage_reads_beyond_the_file)
{
	const size_t headers = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr) + 1200;
	uint64_t state = 88172645463325252u;

	for (int i = 0; i < DAMAGES; i++) {
		make();
		for (int k = 0; k < 3; k++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			if (state & 1)
				memset(bytes + state % (headers - 8), (state & 2) ? 0xff : 0x7f, 8);
			else
				bytes[state % headers] = (unsigned char)(state >> 32);
		}
		size = (state & 12) ? size : state % size;
		(void)read_it();
		(void)core_file_program(&core);
		(void)core_file_base(&core, "/bin/program");
	}
}
END_TEST

START_TEST(compressed_files_are_known_by_their_beginning)
{
	static const struct {
		const char *begin, *program;
	} rows[] = {{"\x28\xb5\x2f\xfd....", "zstd"},
	    {"\xfd"
	     "7zXZ\0..",
		"xz"},
	    {"\x04\x22\x4d\x18....", "lz4"}, {"\x1f\x8b......", NULL}, {ELFMAG "....", NULL}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *program =
		    core_unpacker(core_packing((const unsigned char *)rows[i].begin, 8));
		ck_assert_pstr_eq(program, rows[i].program);
	}
	ck_assert_int_eq(core_packing((const unsigned char *)"\x28\xb5", 2), CORE_NONE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_core_file_tells_its_process,
	    memory_is_sorted_and_has_rights_and_names, only_memory_that_is_in_the_file_is_read,
	    a_name_is_where_it_stands_in_the_file, a_core_file_that_ends_early_says_what_is_missing,
	    without_a_thread_it_is_no_core_file, no_damage_reads_beyond_the_file,
	    compressed_files_are_known_by_their_beginning};
	Suite *suite = suite_create("core_file");
	TCase *cases = tcase_create("core_file");

	tcase_add_checked_fixture(cases, make, clean);
	tcase_set_timeout(cases, 60);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_test(cases, tests[i]);
	tcase_add_loop_test(cases, what_cannot_be_read_is_said, 0, sizeof(wrong) / sizeof(*wrong));
	suite_add_tcase(suite, cases);
	return run_suite(suite);
}
