/*
 * See core_file.h. Every number in the file may be wrong: each is compared with the file's size
 * before it is used, and what does not fit is left out. Must never read or allocate more than the
 * limits say.
 */
#include "sandbox/core/core_file.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>

#define NOTES_EACH_MAX 1000000 /* of one file */

/* ---- What kind of file it is -----------------------------------------------------------------
 */

static const struct {
	enum core_packing packing;
	const char *magic;
	size_t length;
	const char *program; /* prints the contents with -dc */
} packings[] = {
    {CORE_PLAIN, ELFMAG, SELFMAG, NULL},
    {CORE_ZSTD, "\x28\xb5\x2f\xfd", 4, "zstd"},
    {CORE_XZ,
	"\xfd"
	"7zXZ\0",
	6, "xz"},
    {CORE_LZ4, "\x04\x22\x4d\x18", 4, "lz4"},
};

enum core_packing core_packing(const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++)
		if (length >= packings[i].length &&
		    memcmp(bytes, packings[i].magic, packings[i].length) == 0)
			return packings[i].packing;
	return CORE_NONE;
}

const char *core_unpacker(enum core_packing packing)
{
	return packing == CORE_NONE ? NULL : packings[packing].program;
}

static const char *machine_name(unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = {{EM_386, "32-bit x86"}, {EM_AARCH64, "AArch64"}, {EM_ARM, "ARM"},
	    {EM_RISCV, "RISC-V"}, {EM_PPC64, "POWER"}, {EM_S390, "S/390"}, {EM_MIPS, "MIPS"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "another one";
}

static bool fail(char *why, const char *what)
{
	snprintf(why, CORE_WHY_MAX, "%s", what);
	return false;
}

bool core_file_is(const unsigned char *bytes, size_t length, char *why)
{
	bool swapped = length > EI_DATA && bytes[EI_DATA] == ELFDATA2MSB;
	unsigned type, machine;

	if (length == 0)
		return fail(why, "it is empty");
	if (core_packing(bytes, length) != CORE_PLAIN || length < CORE_BEGINNING)
		return fail(why, "it is not a core file");
	type = bytes[EI_NIDENT + swapped] | (unsigned)bytes[EI_NIDENT + !swapped] << 8;
	machine = bytes[EI_NIDENT + 2 + swapped] | (unsigned)bytes[EI_NIDENT + 2 + !swapped] << 8;
	if (type != ET_CORE)
		return fail(why, type == ET_EXEC || type == ET_DYN
				     ? "it is a program or a library, not a core file"
				     : "it is an ELF file, but not a core file");
	if (!swapped && machine == EM_X86_64 && bytes[EI_CLASS] == ELFCLASS64)
		return true;
	if (machine == EM_X86_64)
		return fail(why, "it is a core file of an x32 program, which cannot be read");
	snprintf(why, CORE_WHY_MAX,
	    "it is a core file of another processor (%s): only those of 64-bit x86 can be read",
	    machine_name(machine));
	return false;
}

/* ---- Reading ---------------------------------------------------------------------------------
 */

static bool read_at(const struct core_bytes *bytes, uint64_t offset, void *to, uint64_t size)
{
	return offset <= bytes->size && size <= bytes->size - offset &&
	       bytes->read(bytes->owner, offset, to, (size_t)size);
}

static void take_mapped(struct core_file *core, char *desc, uint64_t size, uint64_t place)
{
	const uint64_t *words = (const uint64_t *)desc;
	uint64_t count, page, at;

	if (size < 16 || core->mapped)
		return;
	count = words[0];
	page = words[1];
	if (count > CORE_SEGMENTS_MAX || count > (size - 16) / 24 || page > 1u << 30)
		return;
	core->mapped = calloc(count ? count : 1, sizeof(*core->mapped));
	at = 16 + count * 24;
	for (uint64_t i = 0; core->mapped && i < count && at < size; i++) {
		const uint64_t *row = words + 2 + i * 3;
		size_t length = strnlen(desc + at, size - at);

		if (length == size - at)
			return; /* its end is missing */
		if (row[0] < row[1])
			core->mapped[core->mapped_count++] = (struct core_mapped){
			    {row[0], row[1]}, row[2] * page, desc + at, place + at};
		at += length + 1;
	}
}

static void take_vector(struct core_file *core, const char *desc, uint64_t size)
{
	for (uint64_t at = 0; size - at >= 16; at += 16) {
		uint64_t pair[2];

		memcpy(pair, desc + at, sizeof(pair));
		if (pair[0] == AT_ENTRY)
			core->entry = pair[1];
		else if (pair[0] == AT_PHNUM)
			core->headers = pair[1] < PN_XNUM ? (unsigned)pair[1] : 0;
		else if (pair[0] == AT_RANDOM)
			core->stack = pair[1];
	}
}

static void take_process(struct core_file *core, const char *desc, uint64_t size)
{
	struct elf_prpsinfo info;
	size_t length;

	if (size < sizeof(info))
		return;
	memcpy(&info, desc, sizeof(info));
	length = strnlen(info.pr_psargs, sizeof(info.pr_psargs));
	core->pid = info.pr_pid;
	memcpy(core->command, info.pr_psargs, length);
	while (length > 0 && core->command[length - 1] == ' ')
		length--;
	core->command[length] = '\0';
}

static void take_note(
    struct core_file *core, uint32_t type, char *desc, uint64_t size, uint64_t place)
{
	switch (type) {
	case NT_PRSTATUS:
		core->threads += size >= sizeof(struct elf_prstatus);
		break;
	case NT_PRPSINFO:
		take_process(core, desc, size);
		break;
	case NT_AUXV:
		take_vector(core, desc, size);
		break;
	case NT_FILE:
		take_mapped(core, desc, size, place);
		break;
	default:
		break;
	}
}

/* The notes of one segment, which stay in memory because the names are there. Each begins at a
 * multiple of 4; we keep the descriptors of NT_FILE at a multiple of 8. */
static void take_notes(struct core_file *core, char *notes, uint64_t size, uint64_t place)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < NOTES_EACH_MAX && size - at >= sizeof(Elf64_Nhdr); i++) {
		Elf64_Nhdr note;
		uint64_t name, desc;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		desc = name + (((uint64_t)note.n_namesz + 3) & ~3ull);
		if (desc > size || note.n_descsz > size - desc)
			return;
		if (note.n_namesz == 5 && memcmp(notes + name, "CORE", 5) == 0) {
			/* the header before is not needed any more */
			char *aligned = notes + (desc & ~7ull);
			memmove(aligned, notes + desc, note.n_descsz);
			take_note(core, note.n_type, aligned, note.n_descsz, place + desc);
		}
		at = desc + (((uint64_t)note.n_descsz + 3) & ~3ull);
		if (at > size)
			return;
	}
}

static bool add_notes(
    struct core_file *core, const struct core_bytes *bytes, const Elf64_Phdr *header, char *why)
{
	uint64_t size = header->p_filesz;

	if (core->notes || size == 0)
		return true; /* only the first ones are the kernel's and gdb's */
	if (size > CORE_NOTES_MAX)
		return fail(why, "its notes are larger than those of any process");
	core->notes = malloc(size);
	if (!core->notes || !read_at(bytes, header->p_offset, core->notes, size))
		return fail(why, "it is truncated: its notes, with the registers, are not whole");
	take_notes(core, core->notes, size, header->p_offset);
	return true;
}

static void add_segment(
    struct core_file *core, const struct core_bytes *bytes, const Elf64_Phdr *header)
{
	struct core_segment *segment = &core->segments[core->segment_count];
	uint64_t kept = header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz;
	uint64_t there = header->p_offset < bytes->size ? bytes->size - header->p_offset : 0;

	if (header->p_memsz == 0 || header->p_memsz > UINT64_MAX - header->p_vaddr)
		return;
	if (kept > there)
		core->missing += kept - there;
	*segment = (struct core_segment){.at = {header->p_vaddr, header->p_vaddr + header->p_memsz},
	    .offset = header->p_offset,
	    .kept = kept < there ? kept : there,
	    .reads = header->p_flags & PF_R,
	    .writes = header->p_flags & PF_W,
	    .executes = header->p_flags & PF_X};
	core->segment_count++;
}

/* With many mappings, the number of headers stands in the first section's header. */
static uint64_t count_headers(const struct core_bytes *bytes, const Elf64_Ehdr *elf)
{
	Elf64_Shdr section;

	if (elf->e_phnum != PN_XNUM)
		return elf->e_phnum;
	return read_at(bytes, elf->e_shoff, &section, sizeof(section)) ? section.sh_info : 0;
}

int core_range_compare(const void *left, const void *right)
{
	const struct core_range *one = left, *other = right;

	return one->start < other->start ? -1 : one->start > other->start;
}

static bool add_all(struct core_file *core, const struct core_bytes *bytes,
    const Elf64_Phdr *headers, uint64_t count, char *why)
{
	for (uint64_t i = 0; i < count; i++) {
		if (headers[i].p_type == PT_NOTE && !add_notes(core, bytes, &headers[i], why))
			return false;
		if (headers[i].p_type == PT_LOAD)
			add_segment(core, bytes, &headers[i]);
	}
	qsort(core->segments, core->segment_count, sizeof(*core->segments), core_range_compare);
	if (core->mapped)
		qsort(core->mapped, core->mapped_count, sizeof(*core->mapped), core_range_compare);
	if (core->threads == 0)
		return fail(
		    why, "it has no thread: it is damaged, or was not made by a kernel or gdb");
	return true;
}

bool core_file_read(struct core_file *core, const struct core_bytes *bytes, char *why)
{
	unsigned char begin[CORE_BEGINNING];
	size_t length = bytes->size < sizeof(begin) ? (size_t)bytes->size : sizeof(begin);
	Elf64_Phdr *headers;
	Elf64_Ehdr elf;
	uint64_t count;
	bool ok;

	*core = (struct core_file){0};
	if (!read_at(bytes, 0, begin, length))
		return fail(why, "it cannot be read");
	if (!core_file_is(begin, length, why))
		return false;
	if (!read_at(bytes, 0, &elf, sizeof(elf)))
		return fail(why, "it is truncated: not even its header is whole");
	count = count_headers(bytes, &elf);
	if (elf.e_phentsize != sizeof(*headers) || count == 0 || count > CORE_SEGMENTS_MAX)
		return fail(why, "its header is damaged");
	core->header_count = count;
	headers = calloc(count, sizeof(*headers));
	core->segments = calloc(count, sizeof(*core->segments));
	ok = headers && core->segments &&
	     read_at(bytes, elf.e_phoff, headers, count * sizeof(*headers));
	ok = ok ? add_all(core, bytes, headers, count, why)
		: fail(why, "it is truncated: its list of memory is not whole");
	free(headers);
	return ok;
}

void core_file_free(struct core_file *core)
{
	free(core->segments);
	free(core->mapped);
	free(core->notes);
	*core = (struct core_file){0};
}

/* ---- Looking ---------------------------------------------------------------------------------
 */

static int judge_range(const void *key, const void *element)
{
	const struct core_range *range = element;
	uint64_t address = *(const uint64_t *)key;

	return address < range->start ? -1 : address >= range->end;
}

/* The one of such a list, each of which begins with its range, that has the address. */
static const void *find(const void *list, size_t count, size_t size, uint64_t address)
{
	return count ? bsearch(&address, list, count, size, judge_range) : NULL;
}

const struct core_segment *core_file_segment(const struct core_file *core, uint64_t address)
{
	return find(core->segments, core->segment_count, sizeof(*core->segments), address);
}

const struct core_mapped *core_file_mapped(const struct core_file *core, uint64_t address)
{
	return find(core->mapped, core->mapped_count, sizeof(*core->mapped), address);
}

const struct core_mapped *core_file_program(const struct core_file *core)
{
	const struct core_mapped *mapped = core->entry ? core_file_mapped(core, core->entry) : NULL;

	return mapped || core->mapped_count == 0 ? mapped : core->mapped;
}

uint64_t core_file_base(const struct core_file *core, const char *name)
{
	for (size_t i = 0; i < core->mapped_count; i++)
		if (core->mapped[i].offset == 0 && strcmp(core->mapped[i].name, name) == 0)
			return core->mapped[i].at.start;
	return 0;
}

bool core_file_memory(const struct core_file *core, const struct core_bytes *bytes,
    uint64_t address, void *to, size_t size)
{
	const struct core_segment *segment = core_file_segment(core, address);
	uint64_t at = segment ? address - segment->at.start : 0;

	return segment && at <= segment->kept && size <= segment->kept - at &&
	       read_at(bytes, segment->offset + at, to, size);
}

/* The build id among the notes at an offset. */
static void find_build_id(
    struct core_identity *identity, const struct core_bytes *bytes, const Elf64_Phdr *header)
{
	uint64_t at = header->p_offset, end = at + header->p_filesz;

	for (int i = 0; i < 16 && at < end && end - at >= sizeof(Elf64_Nhdr) + 4; i++) {
		Elf64_Nhdr note;
		char name[4];

		if (!read_at(bytes, at, &note, sizeof(note)) ||
		    !read_at(bytes, at + sizeof(note), name, sizeof(name)))
			return;
		at += sizeof(note) + (((uint64_t)note.n_namesz + 3) & ~3ull);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0 && note.n_descsz <= CORE_BUILD_ID_MAX &&
		    read_at(bytes, at, identity->build_id, note.n_descsz)) {
			identity->length = note.n_descsz;
			return;
		}
		at += ((uint64_t)note.n_descsz + 3) & ~3ull;
	}
}

void core_identity_read(struct core_identity *identity, const struct core_bytes *bytes)
{
	Elf64_Ehdr elf;
	bool placed = false;

	*identity = (struct core_identity){0};
	if (!read_at(bytes, 0, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_ident[EI_DATA] != ELFDATA2LSB ||
	    elf.e_phentsize != sizeof(Elf64_Phdr))
		return;
	identity->is_elf = true;
	identity->headers = elf.e_phnum;
	for (unsigned i = 0; i < elf.e_phnum && i < 64; i++) {
		Elf64_Phdr header;

		if (!read_at(bytes, elf.e_phoff + i * sizeof(header), &header, sizeof(header)))
			return;
		if (header.p_type == PT_LOAD && !placed) {
			identity->entry = elf.e_entry - header.p_vaddr + header.p_offset;
			placed = true;
		}
		if (header.p_type == PT_NOTE && identity->length == 0)
			find_build_id(identity, bytes, &header);
	}
}
