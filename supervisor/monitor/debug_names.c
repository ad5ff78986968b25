/*
 * See debug_names.h. libdw reads the DWARF. It opens no files here: no split unit is followed.
 */
#include "supervisor/monitor/debug_names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/cleanup.h"

#define BUILD_ID_MAX  64 /* bytes */
#define UNITS_AT_ONCE 500
#define SLOTS	      (1u << 19) /* of the table of names; it is never more than half full */

/* The records, and where they begin, by the hash of their text. */
struct names {
	unsigned char *text;
	size_t length, size, count;
	uint32_t *slots; /* offset + 1; 0: free */
};

static uint32_t hash_of(char kind, const char *name)
{
	uint32_t hash = 2166136261u ^ (unsigned char)kind;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

static void add(struct names *names, enum debug_name kind, const char *name)
{
	size_t length = strlen(name);
	uint32_t at = hash_of((char)kind, name) % SLOTS;

	if (length == 0 || length >= PATH_MAX || length + 2 > names->size - names->length ||
	    names->count >= SLOTS / 2)
		return;
	for (; names->slots[at]; at = (at + 1) % SLOTS) {
		const unsigned char *record = names->text + names->slots[at] - 1;
		if (record[0] == (unsigned char)kind && strcmp((const char *)record + 1, name) == 0)
			return;
	}
	names->slots[at] = (uint32_t)names->length + 1;
	names->text[names->length] = (unsigned char)kind;
	memcpy(names->text + names->length + 1, name, length + 1);
	names->length += length + 2;
	names->count++;
}

/* Every session sees these. */
static bool is_of_system(const char *name)
{
	static const char *const places[] = {"/usr/include/", "/usr/lib/", "/usr/lib64/"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strncmp(name, places[i], strlen(places[i])) == 0)
			return strstr(name, "..") == NULL;
	return false;
}

/* Below the directory where the compiler ran, unless it is absolute. Of two relative parts, gdb
 * often tells only the second, so it must be known where that begins. */
static void add_below(
    struct names *names, enum debug_name kind, const char *directory, const char *name)
{
	char path[PATH_MAX];

	if (!name || is_of_system(name) || strchr(name, DEBUG_NAME_BELOW))
		return;
	if (name[0] == '/' || !directory || !*directory)
		add(names, kind, name);
	else if ((size_t)snprintf(path, sizeof(path), "%s%c%s", directory,
		     directory[0] == '/' || kind != DEBUG_NAME_SOURCE ? '/' : DEBUG_NAME_BELOW,
		     name) < sizeof(path))
		add(names, kind, path);
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static void add_unit(struct names *names, Dwarf_Die *unit)
{
	const char *directory = text_of(unit, DW_AT_comp_dir);
	const char *split = text_of(unit, DW_AT_dwo_name);
	Dwarf_Files *files;
	size_t count;

	add_below(names, DEBUG_NAME_SOURCE, directory, text_of(unit, DW_AT_name));
	add_below(
	    names, DEBUG_NAME_SPLIT, directory, split ? split : text_of(unit, DW_AT_GNU_dwo_name));
	if (dwarf_getsrcfiles(unit, &files, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++)
		add_below(names, DEBUG_NAME_SOURCE, directory, dwarf_filesrc(files, i, NULL, NULL));
}

/* Adds some units from `at` on. libdw keeps the lines of each unit that it has read, so a large
 * program needs a new start now and then. False at the end. */
static bool add_some(struct names *names, Elf *elf, Dwarf_Off *at)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	bool more = dwarf != NULL;
	Dwarf_Off next;
	size_t header;

	for (size_t i = 0; more && i < UNITS_AT_ONCE; i++) {
		Dwarf_Die unit;
		more = dwarf_nextcu(dwarf, *at, &next, &header, NULL, NULL, NULL) == 0;
		if (more && dwarf_offdie(dwarf, *at + header, &unit))
			add_unit(names, &unit);
		if (more)
			*at = next;
	}
	dwarf_end(dwarf);
	return more;
}

static void add_build_id(struct names *names, Elf *elf)
{
	const unsigned char *bits;
	ssize_t length = dwelf_elf_gnu_build_id(elf, (const void **)&bits);
	char text[2 * BUILD_ID_MAX + 1];

	if (length < 2 || length > BUILD_ID_MAX)
		return;
	for (ssize_t i = 0; i < length; i++)
		snprintf(text + 2 * i, 3, "%02x", bits[i]);
	add(names, DEBUG_NAME_BUILD_ID, text);
}

size_t debug_names_read(unsigned char *bytes, size_t length, unsigned char *text, size_t size)
{
	cleanup_free uint32_t *slots = calloc(SLOTS, sizeof(*slots));
	struct names names = {.text = text, .size = size, .slots = slots};
	const char *link;
	GElf_Word check;
	Dwarf_Off at = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, length);
	if (!slots || !elf)
		return 0;
	link = dwelf_elf_gnu_debuglink(elf, &check);
	if (link && !strchr(link, '/'))
		add(&names, DEBUG_NAME_LINK, link);
	add_build_id(&names, elf);
	while (add_some(&names, elf, &at))
		;
	elf_end(elf);
	return names.length;
}
