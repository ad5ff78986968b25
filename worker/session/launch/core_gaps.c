/*
 * See core_gaps.h. In a copy in memory, such memory is cut off, and files that are other ones are
 * called otherwise. The copy is made only if it is needed: a core file can be large. Memory that
 * was never written is not in a core file either; it is zero, and stays.
 */
#include "worker/session/launch/core_gaps.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/serve/sentence.h"
#include "worker/serve/tool.h"
#include "worker/session/replay_inside.h"

#define CHUNK	    (1 << 20)
#define PAGE	    4096
#define NAMES_SHOWN 5
#define NAME_SHOWN  200
#define HIDDEN_NAME '\001' /* in the place of a name's first "/" */

struct gaps {
	struct replay *replay;
	const struct core *core;
	const struct core_file *file;
	enum core_match *matches; /* of the mapped files */
	bool others;		  /* there are files that are other ones */
	bool any;		  /* there is memory that nothing here has */
};

/* ---- What is missing -------------------------------------------------------------------------
 */

static bool is_missing(enum core_match match)
{
	return match == CORE_MATCH_NO || match == CORE_MATCH_NO_FILE;
}

static enum core_match match_of(const struct gaps *gaps, const char *name, const char *sysroot)
{
	char path[PATH_MAX], why[CORE_WHY_MAX];
	enum core_match match;

	if (!core_program_place(name, sysroot, path))
		return CORE_MATCH_NO_FILE;
	match = core_program_match(gaps->core, name, path, why);
	/* Data, of which nothing says that it is another one. */
	return match == CORE_MATCH_NO_FILE && access(path, R_OK) == 0 ? CORE_MATCH_UNKNOWN : match;
}

static void tell_name(json_t *names, const char *name, enum core_match match)
{
	json_auto_t *shown = scrub_json(name, strlen(name), NAME_SHOWN, NULL);

	if (json_array_size(names) < NAMES_SHOWN)
		json_array_append_new(
		    names, json_sprintf("%s (%s)", json_string_value(shown),
			       match == CORE_MATCH_NO ? "another one by now" : "not here"));
}

static void warn_of(struct replay *replay, json_t *names, size_t count)
{
	json_auto_t *all = sentence_join(names, ", ");

	if (count)
		json_array_append_new(replay->warnings,
		    json_sprintf("code and data of these mapped files cannot be read: %s%s",
			json_string_value(all), count > json_array_size(names) ? ", ..." : ""));
}

static void judge_files(struct gaps *gaps, const char *sysroot)
{
	const struct core_file *file = gaps->file;
	json_auto_t *names = json_array();
	size_t missing = 0;

	for (size_t i = 0; i < file->mapped_count; i++) {
		const char *name = file->mapped[i].name;

		if (i > 0 && strcmp(name, file->mapped[i - 1].name) == 0) {
			gaps->matches[i] = gaps->matches[i - 1];
			continue;
		}
		gaps->matches[i] = match_of(gaps, name, sysroot);
		gaps->others |= gaps->matches[i] == CORE_MATCH_NO;
		if (is_missing(gaps->matches[i])) {
			tell_name(names, name, gaps->matches[i]);
			missing++;
		}
	}
	warn_of(gaps->replay, names, missing);
}

/* Whether a file that is missing has a part of these addresses. */
static bool is_gap(const struct gaps *gaps, uint64_t from, uint64_t to)
{
	while (from < to) {
		const struct core_mapped *mapped = core_file_mapped(gaps->file, from);

		if (!mapped)
			return false;
		if (is_missing(gaps->matches[mapped - gaps->file->mapped]))
			return true;
		from = mapped->at.end;
	}
	return false;
}

static bool must_be_cut(const struct gaps *gaps, const struct core_segment *segment)
{
	return is_gap(gaps, segment->at.start + segment->kept, segment->at.end);
}

/* ---- The copy --------------------------------------------------------------------------------
 */

/* The confined worker has these calls, and not pwrite. */
static bool write_at(int fd, const void *bytes, size_t size, off_t at)
{
	return lseek(fd, at, SEEK_SET) == at && write(fd, bytes, size) == (ssize_t)size;
}

static bool is_zero(const unsigned char *page, size_t size)
{
	return page[0] == 0 && memcmp(page, page + 1, size - 1) == 0;
}

static bool put(int to, const unsigned char *bytes, size_t size, off_t at, long long *room)
{
	for (size_t done = 0; done < size; done += PAGE) {
		size_t part = size - done < PAGE ? size - done : PAGE;

		if (is_zero(bytes + done, part))
			continue;
		*room -= PAGE;
		if (*room < 0 || !write_at(to, bytes + done, part, at + (off_t)done))
			return false;
	}
	return true;
}

static bool copy(const struct core *core)
{
	cleanup_free unsigned char *chunk = malloc(CHUNK);
	int from = core_contents_fd(core), to = core_copy_fd(core);
	long long room = core_room(core);
	off_t at = 0, size = (off_t)core_bytes(core)->size;

	if (!chunk || !write_at(to, "", 1, size - 1))
		return false;
	while (at < size) {
		off_t data = lseek(from, at, SEEK_DATA); /* the kernel leaves zeros out */
		ssize_t got;

		at = data < 0 ? size : data - data % PAGE;
		got = at < size ? pread(from, chunk, CHUNK, at) : 0;
		if (got < 0 || (got > 0 && !put(to, chunk, (size_t)got, at, &room)))
			return false;
		if (got == 0)
			break;
		at += got;
	}
	return true;
}

static bool cut_segments(const struct gaps *gaps, int fd)
{
	Elf64_Ehdr elf;
	Elf64_Phdr header;

	if (pread(fd, &elf, sizeof(elf), 0) != (ssize_t)sizeof(elf))
		return false;
	for (uint64_t i = 0; i < gaps->file->header_count; i++) {
		off_t at = (off_t)(elf.e_phoff + i * sizeof(header));
		const struct core_segment *segment;

		if (pread(fd, &header, sizeof(header), at) != (ssize_t)sizeof(header))
			return false;
		segment =
		    header.p_type == PT_LOAD ? core_file_segment(gaps->file, header.p_vaddr) : NULL;
		if (!segment || segment->at.start != header.p_vaddr ||
		    (segment->reads && !must_be_cut(gaps, segment)))
			continue;
		header.p_memsz = segment->kept;
		header.p_filesz = segment->kept;
		if (segment->kept == 0)
			header.p_type = PT_NULL;
		if (!write_at(fd, &header, sizeof(header), at))
			return false;
	}
	return true;
}

/* gdb would read the file that has that name now. */
static bool hide_others(const struct gaps *gaps, int fd)
{
	const char hidden = HIDDEN_NAME;

	for (size_t i = 0; i < gaps->file->mapped_count; i++)
		if (is_missing(gaps->matches[i]) &&
		    !write_at(fd, &hidden, 1, (off_t)gaps->file->mapped[i].name_at))
			return false;
	return true;
}

int core_gaps_close(struct replay *replay, const char *sysroot)
{
	const struct core *core = replay->core;
	struct gaps gaps = {.replay = replay, .core = core, .file = core_contents(core)};
	bool packed = core_is_compressed(core);
	int fd = packed ? core_contents_fd(core) : core_copy_fd(core);

	gaps.matches = calloc(gaps.file->mapped_count + 1, sizeof(*gaps.matches));
	if (!gaps.matches)
		return TOOL_ALSO_FD;
	judge_files(&gaps, sysroot);
	for (size_t i = 0; i < gaps.file->segment_count && !gaps.any; i++)
		gaps.any = must_be_cut(&gaps, &gaps.file->segments[i]);
	if (!gaps.any && !gaps.others) {
		free(gaps.matches);
		return TOOL_ALSO_FD;
	}
	if ((packed || copy(core)) && cut_segments(&gaps, fd) && hide_others(&gaps, fd)) {
		free(gaps.matches);
		return packed ? TOOL_ALSO_FD : TOOL_ALSO_FD + 1;
	}
	json_array_append_new(replay->warnings,
	    json_string(
		"the core file is too large for a copy in memory: what these files had reads "
		"as zeros, or as what they have now"));
	free(gaps.matches);
	return TOOL_ALSO_FD;
}
