/*
 * See tool_paths.h. Reads the tool's dynamic section itself, because the loader would have to run
 * outside of the sandbox to be asked. Must never show a directory but the tool's own data.
 *
 * LIMIT: a library outside of the system's directories is found by its path, RPATH or RUNPATH, and
 * not by /etc/ld.so.conf.
 */
#include "supervisor/monitor/tool_paths.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/pmu/pmu_probe.h"
#include "supervisor/monitor/compose.h"

#define FILES_MAX    64	  /* libraries that are not the system's */
#define SEGMENTS_MAX 64	  /* program headers of one file */
#define DYNAMIC_MAX  1024 /* entries of one dynamic section */
#define STRINGS_MAX  (1 << 20)
#define SEARCH_MAX   (4 * PATH_MAX)
#define DATA_MAX     64 /* entries of a folder */

/* One file's dynamic section. */
struct dynamic {
	Elf64_Phdr segments[SEGMENTS_MAX];
	size_t segment_count;
	Elf64_Dyn entries[DYNAMIC_MAX];
	size_t entry_count;
	char *strings; /* ends with NUL */
	size_t length;
};

/* The tool and its libraries; they are looked through one after the other. */
struct files {
	char *paths[FILES_MAX];
	size_t count;
};

static bool read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

static const Elf64_Phdr *segment_of(const struct dynamic *dynamic, uint32_t type)
{
	for (size_t i = 0; i < dynamic->segment_count; i++)
		if (dynamic->segments[i].p_type == type)
			return &dynamic->segments[i];
	return NULL;
}

static uint64_t value_of(const struct dynamic *dynamic, int64_t tag)
{
	for (size_t i = 0; i < dynamic->entry_count; i++)
		if (dynamic->entries[i].d_tag == tag)
			return dynamic->entries[i].d_un.d_val;
	return 0;
}

static bool offset_of(const struct dynamic *dynamic, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < dynamic->segment_count; i++) {
		const Elf64_Phdr *segment = &dynamic->segments[i];
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz) {
			*offset = address - segment->p_vaddr + segment->p_offset;
			return true;
		}
	}
	return false;
}

static bool read_strings(int fd, struct dynamic *dynamic)
{
	uint64_t offset, length = value_of(dynamic, DT_STRSZ);

	if (length == 0 || length > STRINGS_MAX ||
	    !offset_of(dynamic, value_of(dynamic, DT_STRTAB), &offset))
		return false;
	dynamic->strings = malloc(length + 1);
	if (!dynamic->strings || !read_at(fd, dynamic->strings, length, offset))
		return false;
	dynamic->strings[length] = '\0';
	dynamic->length = length;
	return true;
}

static bool read_dynamic(int fd, struct dynamic *dynamic)
{
	const Elf64_Phdr *segment;
	Elf64_Ehdr header;

	if (!read_at(fd, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
	    header.e_phnum > SEGMENTS_MAX ||
	    !read_at(fd, dynamic->segments, header.e_phnum * sizeof(Elf64_Phdr), header.e_phoff))
		return false;
	dynamic->segment_count = header.e_phnum;
	segment = segment_of(dynamic, PT_DYNAMIC);
	if (!segment || segment->p_filesz > sizeof(dynamic->entries) ||
	    !read_at(fd, dynamic->entries, segment->p_filesz, segment->p_offset))
		return false;
	dynamic->entry_count = segment->p_filesz / sizeof(Elf64_Dyn);
	return read_strings(fd, dynamic);
}

static const char *string_of(const struct dynamic *dynamic, uint64_t offset)
{
	return offset < dynamic->length ? dynamic->strings + offset : "";
}

/* Shows a file of the tool, and remembers it. True if it is there. */
static bool add_file(struct composition *composition, struct files *files, const char *path)
{
	char real[PATH_MAX];
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) ||
	    visible_paths_follow(&composition->visible, path, false, real) < 0)
		return false;
	if (visible_path_is_of_system(real))
		return true;
	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->paths[i], real) == 0)
			return true;
	if (files->count == FILES_MAX ||
	    visible_paths_add(&composition->visible, VISIBLE_READ, real) < 0)
		return true;
	files->paths[files->count] = strdup(real);
	files->count += files->paths[files->count] != NULL;
	return true;
}

/* Adds the directories of an RPATH or RUNPATH, with $ORIGIN at their beginning replaced. */
static void expand(char search[SEARCH_MAX], const char *list, const char *origin)
{
	static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};

	for (size_t length; *list; list += length + (list[length] == ':')) {
		size_t used = strlen(search), skipped = 0;

		length = strcspn(list, ":");
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strncmp(list, words[i], strlen(words[i])) == 0)
				skipped = strlen(words[i]);
		if (skipped == 0 && list[0] != '/')
			continue;
		if (snprintf(search + used, SEARCH_MAX - used, "%s%.*s:", skipped ? origin : "",
			(int)(length - skipped), list + skipped) >= (int)(SEARCH_MAX - used))
			search[used] = '\0';
	}
}

/* Where the loader would look; the system's directories come after these, and are visible. */
static void add_library(
    struct composition *composition, struct files *files, const char *search, const char *name)
{
	char path[PATH_MAX];

	if (strchr(name, '/')) {
		if (*name == '/')
			(void)add_file(composition, files, name);
		return;
	}
	for (size_t length; *name && *search; search += length + (search[length] == ':')) {
		length = strcspn(search, ":");
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)length, search, name) <
			(int)sizeof(path) &&
		    add_file(composition, files, path))
			return;
	}
}

static void add_interpreter(
    struct composition *composition, struct files *files, int fd, const struct dynamic *dynamic)
{
	const Elf64_Phdr *segment = segment_of(dynamic, PT_INTERP);
	char path[PATH_MAX];

	if (!segment || segment->p_filesz == 0 || segment->p_filesz > sizeof(path) ||
	    !read_at(fd, path, segment->p_filesz, segment->p_offset))
		return;
	path[segment->p_filesz - 1] = '\0';
	if (path[0] == '/')
		(void)add_file(composition, files, path);
}

/* What one of the files needs. The RPATH of the tool itself counts for its libraries too. */
static void add_needed(
    struct composition *composition, struct files *files, size_t index, char inherited[SEARCH_MAX])
{
	cleanup_free struct dynamic *dynamic = calloc(1, sizeof(*dynamic));
	cleanup_fd int fd = open(files->paths[index], O_RDONLY | O_NOCTTY | O_CLOEXEC);
	char origin[PATH_MAX], search[SEARCH_MAX] = "";
	const char *runpath;

	if (!dynamic || fd < 0 || !read_dynamic(fd, dynamic))
		goto out;
	strlcpy(origin, files->paths[index], sizeof(origin));
	*strrchr(origin, '/') = '\0';
	runpath = string_of(dynamic, value_of(dynamic, DT_RUNPATH));
	if (*runpath) {
		expand(search, runpath, origin);
	} else {
		expand(search, string_of(dynamic, value_of(dynamic, DT_RPATH)), origin);
		if (index == 0)
			strlcpy(inherited, search, SEARCH_MAX);
		else
			strlcat(search, inherited, sizeof(search));
	}
	add_interpreter(composition, files, fd, dynamic);
	for (size_t i = 0; i < dynamic->entry_count && dynamic->entries[i].d_tag != DT_NULL; i++)
		if (dynamic->entries[i].d_tag == DT_NEEDED)
			add_library(composition, files, search,
			    string_of(dynamic, dynamic->entries[i].d_un.d_val));
out:
	if (dynamic)
		free(dynamic->strings);
}

static bool is_description(const char *name)
{
	const char *ending = strrchr(name, '.');

	return ending && strcmp(ending, ".xml") == 0;
}

/* "python3.11" */
static bool is_python(const char *name)
{
	static const char begin[] = "python3.";
	const char *minor = name + sizeof(begin) - 1;

	return strncmp(name, begin, sizeof(begin) - 1) == 0 && *minor &&
	       minor[strspn(minor, "0123456789")] == '\0';
}

/* The entries of a folder that others share. */
static void add_entries(
    struct composition *composition, const char *folder, bool (*is_wanted)(const char *name))
{
	DIR *entries = opendir(folder);
	struct dirent *entry;
	char path[2 * PATH_MAX];

	for (size_t i = 0; entries && i < DATA_MAX && (entry = readdir(entries));) {
		if (!is_wanted(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		visible_paths_offer(&composition->visible, VISIBLE_READ, path);
		i++;
	}
	if (entries)
		closedir(entries);
}

/* What is of its own in the prefix of a tool in PREFIX/bin. */
static void add_data(struct composition *composition, enum setting setting, const char *real)
{
	static const char *const of_rr[] = {
	    "lib/rr", "lib64/rr", "bin/rr_exec_stub", "bin/rr_exec_stub_32", NULL};
	static const char *const of_gdb[] = {"share/gdb", NULL};
	char prefix[PATH_MAX], path[PATH_MAX + 32];
	char *slash;

	strlcpy(prefix, real, sizeof(prefix));
	*strrchr(prefix, '/') = '\0';
	slash = strrchr(prefix, '/');
	if (!slash || slash == prefix || strcmp(slash, "/bin") != 0)
		return;
	*slash = '\0';
	for (const char *const *part = setting == SETTING_RR ? of_rr : of_gdb; *part; part++) {
		snprintf(path, sizeof(path), "%s/%s", prefix, *part);
		visible_paths_offer(&composition->visible, VISIBLE_READ, path);
	}
	/* The modules of a gdb that brings its own Python; the system's are visible. In ~/.local,
	 * the folder of rr's data is also where its recordings are: only the data is shown. */
	snprintf(path, sizeof(path), "%s/%s", prefix, setting == SETTING_RR ? "share/rr" : "lib");
	add_entries(composition, path, setting == SETTING_RR ? is_description : is_python);
}

void tool_paths_add(struct composition *composition, enum setting setting)
{
	char found[PATH_MAX], real[PATH_MAX], inherited[SEARCH_MAX] = "";
	struct files files = {.count = 0};

	if (pmu_find_program(settings_text(composition->settings, setting), found, sizeof(found)) <
		0 ||
	    visible_paths_follow(&composition->visible, found, false, real) < 0 ||
	    visible_path_is_of_system(real) || !add_file(composition, &files, real))
		return;
	for (size_t i = 0; i < files.count; i++)
		add_needed(composition, &files, i, inherited);
	add_data(composition, setting, real);
	while (files.count > 0)
		free(files.paths[--files.count]);
}
