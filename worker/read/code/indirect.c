/*
 * A stripped program still has the relocations by which the loader finds the resolvers, and the
 * symbols that its libraries need.
 */
#include "worker/read/code/indirect.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRIES_MAX 10000000 /* of a table */

static bool table_has_some(Elf_Data *data, const GElf_Shdr *header)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Rela relocation;
	GElf_Sym symbol;

	if (!data || count > ENTRIES_MAX)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (header->sh_type == SHT_RELA
			? gelf_getrela(data, (int)i, &relocation) &&
			      GELF_R_TYPE(relocation.r_info) == R_X86_64_IRELATIVE
			: gelf_getsym(data, (int)i, &symbol) &&
			      GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC &&
			      symbol.st_shndx != SHN_UNDEF)
			return true;
	}
	return false;
}

static bool has_some(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t tables = 0;

	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (!gelf_getshdr(section, &header))
			return true;
		if (header.sh_type != SHT_RELA && header.sh_type != SHT_DYNSYM)
			continue;
		tables++;
		if (table_has_some(elf_getdata(section, NULL), &header))
			return true;
	}
	return tables == 0; /* its sections were stripped off */
}

bool indirect_may_be_in(const char *file)
{
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	bool some = true;
	struct stat status;
	Elf *elf = NULL;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf) {
		some = has_some(elf);
		elf_end(elf);
	}
	if (fd >= 0)
		close(fd);
	return some;
}
