/*
 * See debug_identity.h. Must never read a file outside of the confined child.
 */
#include "supervisor/monitor/debug_identity.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/monitor/inspector.h"

#define DEADLINE_MS 2000

static void take(struct build_id *id, const void *bytes, size_t length)
{
	if (length < 2 || length > BUILD_ID_MAX)
		return;
	id->length = (uint8_t)length;
	memcpy(id->bytes, bytes, length);
}

/* A name, NUL, and the build id of the file of that name. */
static void take_shared(struct debug_identity *identity, Elf_Scn *section)
{
	const Elf_Data *data = elf_rawdata(section, NULL);
	const char *text = data ? data->d_buf : NULL;
	size_t name = text ? strnlen(text, data->d_size) : 0;

	if (!text || name >= data->d_size || name >= sizeof(identity->shared_name))
		return;
	memcpy(identity->shared_name, text, name + 1);
	take(&identity->shared, text + name + 1, data->d_size - name - 1);
}

/* False: it lies behind the file's end. */
static bool take_section(
    struct debug_identity *identity, Elf *elf, Elf_Scn *section, size_t names, size_t length)
{
	const char *name;
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header))
		return false;
	if (header.sh_type == SHT_NOBITS)
		return true;
	if (header.sh_offset > length || header.sh_size > length - header.sh_offset)
		return false;
	name = elf_strptr(elf, names, header.sh_name);
	if (!name)
		return false;
	if (strcmp(name, ".gnu_debugaltlink") == 0)
		take_shared(identity, section);
	if (header.sh_size > 0 &&
	    (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
		identity->file = DEBUG_FILE_FULL;
	return true;
}

static void take_all(struct debug_identity *identity, Elf *elf, size_t length)
{
	Elf_Scn *section = NULL;
	const void *bytes;
	size_t names = 0;
	GElf_Ehdr header;
	ssize_t own;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) || header.e_type == ET_CORE)
		return;
	own = dwelf_elf_gnu_build_id(elf, &bytes);
	if (own > 0)
		take(&identity->own, bytes, (size_t)own);
	identity->file = DEBUG_FILE_DAMAGED;
	if (header.e_shoff > length ||
	    (size_t)header.e_shnum * header.e_shentsize > length - header.e_shoff ||
	    (header.e_shoff && elf_getshdrstrndx(elf, &names) < 0))
		return;
	identity->file = DEBUG_FILE_EMPTY;
	while ((section = elf_nextscn(elf, section)))
		if (!take_section(identity, elf, section, names, length)) {
			identity->file = DEBUG_FILE_DAMAGED;
			return;
		}
}

/* An inspector_read. */
static size_t read_identity(unsigned char *bytes, size_t length, unsigned char *answer, size_t size)
{
	struct debug_identity identity = {.file = DEBUG_FILE_FOREIGN};
	bool is_elf = length >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, length);
	if (elf)
		take_all(&identity, elf, length);
	else if (is_elf)
		identity.file = DEBUG_FILE_DAMAGED;
	elf_end(elf);
	memcpy(answer, &identity, size);
	return size;
}

void debug_identity_read(
    struct debug_identity *identity, int file, const struct sandbox_policy *policy)
{
	if (inspector_run(file, read_identity, policy, DEADLINE_MS, identity, sizeof(*identity)) ==
		sizeof(*identity) &&
	    identity->file <= DEBUG_FILE_FULL && identity->own.length <= BUILD_ID_MAX &&
	    identity->shared.length <= BUILD_ID_MAX &&
	    memchr(identity->shared_name, '\0', sizeof(identity->shared_name)))
		return;
	*identity = (struct debug_identity){.file = DEBUG_FILE_UNREAD};
}

bool build_id_equal(const struct build_id *one, const struct build_id *other)
{
	return one->length > 0 && one->length == other->length &&
	       memcmp(one->bytes, other->bytes, one->length) == 0;
}

void build_id_name(const struct build_id *id, char name[BUILD_ID_NAME_MAX])
{
	size_t used = (size_t)snprintf(name, BUILD_ID_NAME_MAX, ".build-id/%02x/", id->bytes[0]);

	for (size_t i = 1; i < id->length && i < BUILD_ID_MAX; i++)
		used +=
		    (size_t)snprintf(name + used, BUILD_ID_NAME_MAX - used, "%02x", id->bytes[i]);
	snprintf(name + used, BUILD_ID_NAME_MAX - used, ".debug");
}
