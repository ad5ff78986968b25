/*
 * Reads the dynamic sections of the files that the program has mapped, each once. Must never trust
 * what is there: the program may have written it.
 */
#include "worker/softpmu/calls/slots.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/codepages.h"

enum {
	MODULES = 512,
	FOUND = 8192,  /* slots that matter, of all modules */
	PARTS = 32,    /* program headers */
	ENTRIES = 256, /* of the dynamic section */
	CHUNK = 128,   /* relocations that are read at once */
	CHUNKS_MAX = 1 << 13,
	NAME_MAX_READ = 32,
	BEFORE_MAX = 64, /* mappings in front of a slot's, among which the file's first one is */
};

struct slots {
	slots_number *number_of;
	struct module {
		uint64_t start, end; /* of its memory; a range of one page may be no module */
	} module[MODULES];
	size_t modules;
	struct {
		uint64_t address;
		uint8_t number;
	} found[FOUND];
	size_t count;
};

/* A file in memory. */
struct image {
	pid_t tid;
	uint64_t bias, start, end, dynamic;
	uint64_t symbols, names, table[2], size[2]; /* the two tables of relocations */
};

struct slots *slots_new(slots_number *number_of)
{
	struct slots *slots = calloc(1, sizeof *slots);

	if (slots)
		slots->number_of = number_of;
	return slots;
}

void slots_free(struct slots *slots)
{
	free(slots);
}

/* ---- Files in memory ------------------------------------------------------------------------- */

/* What the program headers say. False: there is no dynamic section. */
static bool read_parts(struct image *image, uint64_t at, const Elf64_Ehdr *header)
{
	Elf64_Phdr part[PARTS];
	const size_t count = header->e_phnum < PARTS ? header->e_phnum : PARTS;
	uint64_t low = UINT64_MAX, high = 0;

	if (header->e_phentsize != sizeof *part ||
	    !memory_read(image->tid, at + header->e_phoff, part, count * sizeof *part))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (part[i].p_type == PT_DYNAMIC)
			image->dynamic = part[i].p_vaddr;
		if (part[i].p_type != PT_LOAD)
			continue;
		low = part[i].p_vaddr < low ? part[i].p_vaddr : low;
		high = part[i].p_vaddr + part[i].p_memsz > high ? part[i].p_vaddr + part[i].p_memsz
								: high;
	}
	if (low >= high)
		return false;
	image->bias = at - (low & ~(uint64_t)4095);
	image->start = at;
	image->end = image->bias + high;
	image->dynamic += image->dynamic ? image->bias : 0;
	return true;
}

/* The loader puts addresses in place of offsets. */
static uint64_t address_in(const struct image *image, uint64_t value)
{
	return value < image->bias ? value + image->bias : value;
}

static void read_dynamic(struct image *image)
{
	Elf64_Dyn entry[ENTRIES];
	const size_t count =
	    memory_read_some(image->tid, image->dynamic, entry, sizeof entry) / sizeof *entry;

	for (size_t i = 0; i < count && entry[i].d_tag != DT_NULL; i++) {
		const uint64_t value = entry[i].d_un.d_val;

		switch (entry[i].d_tag) {
		case DT_SYMTAB:
			image->symbols = address_in(image, value);
			break;
		case DT_STRTAB:
			image->names = address_in(image, value);
			break;
		case DT_JMPREL:
			image->table[0] = address_in(image, value);
			break;
		case DT_PLTRELSZ:
			image->size[0] = value;
			break;
		case DT_RELA:
			image->table[1] = address_in(image, value);
			break;
		case DT_RELASZ:
			image->size[1] = value;
			break;
		}
	}
}

/* Whether a file begins at `at` whose memory has the address. */
static bool read_image(struct image *image, pid_t tid, uint64_t at, uint64_t address)
{
	Elf64_Ehdr header;

	*image = (struct image){.tid = tid};
	return memory_read(tid, at, &header, sizeof header) &&
	       memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && read_parts(image, at, &header) &&
	       address >= image->start && address < image->end;
}

/* Of the mappings up to the address's own, the nearest one with which such a file begins. */
static bool find_image(struct image *image, pid_t tid, uint64_t address)
{
	struct mappings mappings = {0};
	const struct mapping *at;
	bool found = false;

	if (!mappings_read(&mappings, tid))
		return false;
	at = mappings_find(&mappings, address);
	for (unsigned i = 0; at && i < BEFORE_MAX && !found; i++, at--) {
		found = read_image(image, tid, at->start, address);
		if (at == mappings.list)
			break;
	}
	mappings_free(&mappings);
	return found;
}

/* ---- Relocations ----------------------------------------------------------------------------- */

static uint8_t number_of(const struct slots *slots, const struct image *image, uint64_t symbol)
{
	char name[NAME_MAX_READ + 1] = {0};
	Elf64_Sym it;

	if (symbol == 0 ||
	    !memory_read(image->tid, image->symbols + symbol * sizeof it, &it, sizeof it))
		return 0;
	memory_read_some(image->tid, image->names + it.st_name, name, NAME_MAX_READ);
	return slots->number_of(name);
}

static void take(struct slots *slots, const struct image *image, const Elf64_Rela *relocation)
{
	const uint64_t kind = ELF64_R_TYPE(relocation->r_info);
	uint8_t number;

	if ((kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) || slots->count == FOUND)
		return;
	number = number_of(slots, image, ELF64_R_SYM(relocation->r_info));
	if (number == 0)
		return;
	slots->found[slots->count].address = image->bias + relocation->r_offset;
	slots->found[slots->count++].number = number;
}

static void take_table(struct slots *slots, const struct image *image, unsigned which)
{
	Elf64_Rela relocation[CHUNK];
	uint64_t at = image->table[which], left = image->size[which];

	for (unsigned i = 0; i < CHUNKS_MAX && left >= sizeof *relocation; i++) {
		const size_t wanted = left < sizeof relocation ? left : sizeof relocation;
		const size_t got = memory_read_some(image->tid, at, relocation, wanted);

		for (size_t n = 0; n < got / sizeof *relocation; n++)
			take(slots, image, &relocation[n]);
		if (got < wanted)
			return;
		at += got;
		left -= got;
	}
}

/* ---- Modules --------------------------------------------------------------------------------- */

static bool is_known(const struct slots *slots, uint64_t address)
{
	for (size_t i = 0; i < slots->modules; i++) {
		if (address >= slots->module[i].start && address < slots->module[i].end)
			return true;
	}
	return false;
}

static void add(struct slots *slots, pid_t tid, uint64_t address)
{
	struct module *module = &slots->module[slots->modules++];
	struct image image;

	if (!find_image(&image, tid, address)) {
		module->start = address & ~(uint64_t)4095;
		module->end = module->start + 4096;
		return;
	}
	module->start = image.start;
	module->end = image.end;
	if (!image.dynamic)
		return;
	read_dynamic(&image);
	take_table(slots, &image, 0);
	take_table(slots, &image, 1);
}

uint8_t slots_at(struct slots *slots, pid_t tid, uint64_t address)
{
	if (!slots)
		return 0;
	if (!is_known(slots, address) && slots->modules < MODULES)
		add(slots, tid, address);
	for (size_t i = 0; i < slots->count; i++) {
		if (slots->found[i].address == address)
			return slots->found[i].number;
	}
	return 0;
}

void slots_forget(struct slots *slots, uint64_t start, uint64_t end)
{
	size_t kept = 0, modules = 0;
	uint64_t low = start, high = end;

	if (!slots)
		return;
	for (size_t i = 0; i < slots->modules; i++) {
		const struct module module = slots->module[i];

		if (start >= module.end || end <= module.start) {
			slots->module[modules++] = module;
			continue;
		}
		low = module.start < low ? module.start : low;
		high = module.end > high ? module.end : high;
	}
	slots->modules = modules;
	for (size_t i = 0; i < slots->count; i++) {
		if (slots->found[i].address < low || slots->found[i].address >= high)
			slots->found[kept++] = slots->found[i];
	}
	slots->count = kept;
}
