/*
 * Takes only rules that need neither another register nor an expression. It must never take one for
 * a frame of a signal, whose pc is no return address.
 */
#include "worker/read/code/unwind_rule.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "worker/read/code/mappings.h"

enum { DWARF_RBP = 6, DWARF_RSP = 7, DWARF_RETURN = 16 };

void unwind_files_close(struct unwind_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		dwarf_cfi_end(files->file[i].cfi);
		elf_end(files->file[i].elf);
		if (files->file[i].fd >= 0)
			close(files->file[i].fd);
	}
	files->count = 0;
}

/* The address in the file of what a mapping shows from this offset on. */
static bool address_in(Elf *elf, unsigned long long offset, unsigned long long *address)
{
	GElf_Phdr part;
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &part) || part.p_type != PT_LOAD ||
		    offset + 4096 <= part.p_offset || offset >= part.p_offset + part.p_filesz)
			continue;
		*address = part.p_vaddr + offset - part.p_offset;
		return true;
	}
	return false;
}

static void open_file(struct unwind_file *file, const struct mapping *mapping)
{
	unsigned long long address;
	struct stat status;

	file->fd = open(mapping->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0 || fstat(file->fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    elf_version(EV_CURRENT) == EV_NONE)
		return;
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf || !address_in(file->elf, mapping->offset, &address))
		return;
	file->bias = mapping->start - address;
	file->cfi = dwarf_getcfi_elf(file->elf);
}

static struct unwind_file *file_of(
    struct unwind_files *files, struct replay *replay, unsigned long long pc)
{
	cleanup_mappings struct mappings *mappings = NULL;
	const struct mapping *mapping;
	struct unwind_file *file;

	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].start <= pc && pc < files->file[i].end)
			return &files->file[i];
	mappings = files->count < UNWIND_FILES_MAX ? mappings_of_code(replay) : NULL;
	mapping = mappings_find(mappings, pc);
	if (!mapping || mapping->file[0] != '/')
		return NULL;
	file = &files->file[files->count++];
	*file = (struct unwind_file){.start = mapping->start, .end = mapping->end};
	open_file(file, mapping);
	return file;
}

/* Where the caller's register is kept, from behind the return address down. */
static bool find_kept(Dwarf_Frame *frame, int number, unsigned *kept)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	*kept = 0;
	if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
		return false;
	if (count == 0)
		return ops == NULL; /* it is the same, not unknown */
	if (count != 2 || ops[0].atom != DW_OP_call_frame_cfa || ops[1].atom != DW_OP_plus_uconst)
		return false;
	*kept = (unsigned)-(Dwarf_Sword)ops[1].number;
	return (Dwarf_Sword)ops[1].number < 0 && (Dwarf_Sword)ops[1].number > -(1 << 30);
}

static bool read_rule(Dwarf_Frame *frame, struct stack_rule *rule)
{
	Dwarf_Op *ops;
	size_t count;
	bool is_signal = true;
	unsigned back;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != DWARF_RETURN || is_signal ||
	    dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1 || ops[0].atom != DW_OP_bregx ||
	    (ops[0].number != DWARF_RBP && ops[0].number != DWARF_RSP) || ops[0].number2 < 8 ||
	    ops[0].number2 > 1 << 30)
		return false;
	rule->by_rbp = ops[0].number == DWARF_RBP;
	rule->above = (unsigned)ops[0].number2;
	return find_kept(frame, DWARF_RETURN, &back) && back == 8 &&
	       find_kept(frame, DWARF_RBP, &rule->kept);
}

bool unwind_rule_find(struct unwind_files *files, struct replay *replay, unsigned long long pc,
    bool is_return, struct stack_rule *rule)
{
	const struct unwind_file *file = file_of(files, replay, pc);
	Dwarf_Frame *frame;
	bool found;

	if (!file || !file->cfi ||
	    dwarf_cfi_addrframe(file->cfi, pc - is_return - file->bias, &frame) != 0)
		return false;
	found = read_rule(frame, rule);
	free(frame);
	return found;
}
