/*
 * Source lines around a stop, or as a client asks. The debug information that names the file is
 * untrusted, so only regular files are opened, and only briefly.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "sandbox/cleanup.h"
#include "worker/serve/handlers.h"
#include "worker/gdb/mi/mi.h"
#include "sandbox/wire/broker.h"
#include "sandbox/wire/scrub.h"
#include "worker/gdb/must.h"
#include "worker/read/code/source.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/begins.h"
#include "worker/session/shown_sources.h"

#define PLACES_MAX     2000 /* files whose place we remember */
#define LINES_AROUND   2
#define LINE_MAX_SHOWN 400 /* bytes of one line */
#define RESULT_BUDGET  (32 * 1024)
#define WHOLE_MAX      (16L * 1024 * 1024) /* bytes of a function, of which little is shown */

/* The descriptor is replay_sources(replay)->files'. What was not found is not asked for again.
 * why[FILES_WHY_MAX] and *found may be NULL. */
static int open_kept(struct replay *replay, const char *path, struct files_found *found, char *why)
{
	const json_t *known = path ? json_object_get(replay_sources(replay)->missing, path) : NULL;
	char reason[FILES_WHY_MAX] = "";
	int fd = -1;

	if (!path || !*path)
		return -1;
	if (known)
		snprintf(reason, sizeof(reason), "%s", json_string_value(known));
	else
		fd = files_open_source(&replay_sources(replay)->files, path, found, reason);
	if (fd < 0 && why)
		snprintf(why, FILES_WHY_MAX, "%s", reason);
	if (fd >= 0 || known)
		return fd;
	if (json_object_size(replay_sources(replay)->missing) >= PLACES_MAX)
		json_object_clear(replay_sources(replay)->missing);
	json_object_set_new(replay_sources(replay)->missing, path, json_string(reason));
	return -1;
}

/* At the file's beginning; the caller closes it. */
static FILE *open_source(struct replay *replay, const char *path, char *why)
{
	int kept = open_kept(replay, path, NULL, why);
	cleanup_fd int fd = kept < 0 ? -1 : fcntl(kept, F_DUPFD_CLOEXEC, 0);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (file)
		steal_fd(&fd);
	return file;
}

static void print_line(FILE *to, int line, int last, const char *text, size_t length, int current)
{
	char shown[LINE_MAX_SHOWN + 1];
	int width = snprintf(NULL, 0, "%d", last);

	while (length && strchr(" \t\r\n", text[length - 1]))
		length--;
	scrub_bytes(shown, sizeof(shown), text, length);
	fprintf(to, "%s %*d%s%s\n", line == current ? "=>" : "  ", width, line, length ? "  " : "",
	    shown);
}

/* Lines first..last of a file as one string, each with its number, and "=>" before the current line
 * (0: none), and about `most` bytes. NULL if there are none, with the reason in why[FILES_WHY_MAX]
 * (may be NULL). */
static json_t *read_lines(
    struct replay *replay, const char *path, int first, int last, int current, long most, char *why)
{
	FILE *file = open_source(replay, path, why), *shown = NULL;
	char *text = NULL, *line_text = NULL;
	size_t size = 0, line_size = 0;
	json_t *source = NULL;
	ssize_t length;

	if (file)
		shown = open_memstream(&text, &size);
	for (int line = 1; shown && line <= last && ftell(shown) < most; line++) {
		if ((length = getline(&line_text, &line_size, file)) < 0)
			break;
		if (line >= first)
			print_line(shown, line, last, line_text, (size_t)length, current);
	}
	if (shown && fclose(shown) == 0 && size)
		source = json_stringn(text, size - 1);
	free(text);
	free(line_text);
	if (file)
		fclose(file);
	return source;
}

json_t *source_around(struct replay *replay, const char *path, int line)
{
	return line ? read_lines(replay, path, line - LINES_AROUND, line + LINES_AROUND, line,
			  RESULT_BUDGET, NULL)
		    : NULL;
}

json_t *source_between(struct replay *replay, const char *path, int first, int last)
{
	return read_lines(replay, path, first, last, 0, WHOLE_MAX, NULL);
}

bool source_line(struct replay *replay, const char *path, int line, char *text, size_t size)
{
	FILE *file = open_source(replay, path, NULL);
	char *read = NULL;
	size_t room = 0;
	bool found = false;

	for (int at = 1; file && !found && at <= line && getline(&read, &room, file) >= 0; at++)
		found = at == line;
	if (found)
		snprintf(text, size, "%s", read);
	free(read);
	if (file)
		fclose(file);
	return found;
}

/* Whether a line has one of these words before a comment begins. */
static bool has_word(char *line, const char *const *words, size_t count)
{
	static const char *const comments[] = {"//", "/*"};
	const char *begin = line + strspn(line, " \t");

	for (size_t i = 0; i < sizeof(comments) / sizeof(*comments); i++) {
		char *comment = strstr(line, comments[i]);
		if (comment)
			*comment = '\0';
	}
	for (size_t i = 0; i < count; i++)
		if (begin[0] != '*' && strstr(line, words[i]))
			return true;
	return false;
}

int source_line_with(struct replay *replay, const char *path, int first, int last,
    const char *const *words, size_t count)
{
	FILE *file = open_source(replay, path, NULL);
	char *text = NULL;
	size_t size = 0;
	int found = 0;

	for (int line = 1; file && !found && line <= last && getline(&text, &size, file) >= 0;
	     line++)
		if (line >= first && has_word(text, words, count))
			found = line;
	free(text);
	if (file)
		fclose(file);
	return found;
}

bool source_is_there(struct replay *replay, const char *path)
{
	return open_kept(replay, path, NULL, NULL) >= 0;
}

/* Says once for each missing file what to do about it. Not for the system's libraries: these have
 * relative names, and come without sources. Of a relative name of the program's own, only that it
 * is not unique can be known. */
static const char *missing(
    struct replay *replay, const char *path, const char *why, char *text, size_t size)
{
	bool is_own = path[0] == '/' || strncmp(why, BROKER_SEVERAL, strlen(BROKER_SEVERAL)) == 0;

	if (!is_own || json_object_get(replay_sources(replay)->told, path))
		return "";
	if (json_object_size(replay_sources(replay)->told) >= PLACES_MAX)
		json_object_clear(replay_sources(replay)->told);
	json_object_set_new(replay_sources(replay)->told, path, json_true());
	snprintf(text, size, "%.300s cannot be shown: %s", path, why);
	return text;
}

static void add_doubt(char *text, size_t size, const char *format, const char *place)
{
	if (text[0])
		strlcat(text, "; ", size);
	snprintf(text + strlen(text), size - strlen(text), format, place);
}

/* Whether the file was changed after its code was built. */
static bool is_newer(struct replay *replay, const struct stat *source, unsigned long long address,
    char *text, size_t size)
{
	struct symbol symbol;
	const char *file = symbol_file(replay, address, &symbol);
	struct stat built, program;

	if (!file)
		file = replay_executable(replay);

	if (stat(replay_executable(replay), &program) != 0)
		return false;
	if (stat(file, &built) != 0)
		built = program;
	if (source->st_mtime <= built.st_mtime)
		return false;
	if (built.st_dev == program.st_dev && built.st_ino == program.st_ino)
		snprintf(text, size, "the recorded program");
	else
		snprintf(text, size, "%.200s", basename(file));
	return true;
}

const char *source_doubt(
    struct replay *replay, const char *path, unsigned long long address, char *text, size_t size)
{
	struct files_found found = {0};
	char built[256];
	struct stat source;
	char why[FILES_WHY_MAX] = "";
	int fd = path ? open_kept(replay, path, &found, why) : -1;

	text[0] = '\0';
	if (path && fd < 0)
		return missing(replay, path, why, text, size);
	if (fd < 0 || !replay_executable(replay) || fstat(fd, &source) != 0)
		return "";
	if (found.doubt & BROKER_ELSEWHERE)
		add_doubt(text, size, "shown from %.300s", found.place);
	if (found.doubt & BROKER_CHANGED)
		add_doubt(text, size,
		    "this file has changed since the recording, so lines may not match%s", "");
	else if (is_newer(replay, &source, address, built, sizeof(built)))
		add_doubt(text, size, "this file is newer than %s, so lines may not match", built);
	if (found.doubt & BROKER_REBUILT)
		add_doubt(text, size,
		    "the program or one of its libraries was built again since the recording%s",
		    "");
	return text;
}

/* Asks gdb for the full name of a source file. A file that the debug information does not name is
 * not a source. */
bool source_resolve(
    struct replay *replay, const char *file, char path[PATH_MAX], struct failure *failure)
{
	char quoted[GDB_QUOTED_MAX];
	json_t *results = NULL, *found = NULL, *entry;
	const char *full;
	size_t i, length = strlen(file);

	if (!gdb_quote(quoted, "file", file, failure))
		return false;
	if (!gdb_check(replay_gdb(replay),
		gdb_command(replay_gdb(replay), &results, "-file-list-exec-source-files"),
		ERROR_GDB_FAILED, NULL, failure))
		return false;
	json_array_foreach(json_object_get(results, "files"), i, entry)
	{
		full = mi_text(entry, "fullname");
		size_t have = full ? strlen(full) : 0;
		if (full && have >= length && have < PATH_MAX &&
		    strcmp(full + have - length, file) == 0 &&
		    (have == length || full[have - length - 1] == '/')) {
			found = entry;
			break;
		}
	}
	if (found)
		snprintf(path, PATH_MAX, "%s", mi_text(found, "fullname"));
	else
		failure_set(failure, ERROR_NOT_FOUND,
		    "use a file name from a frame of rr_backtrace",
		    "no source file %.200s in the program's debug information", file);
	json_decref(results);
	return found != NULL;
}

/* The file and line of the selected frame. */
static bool current_place(struct replay *replay, char *path, int *line, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *frame;
	bool ok = gdb_check(gdb,
	    gdb_command(gdb, &results, "-stack-info-frame --thread %d --frame %d",
		replay_selected(replay)->number, replay_selected(replay)->frame),
	    ERROR_GDB_FAILED, NULL, failure);

	frame = json_object_get(results, "frame");
	if (ok && !mi_text(frame, "fullname")) {
		failure_set(failure, ERROR_NOT_FOUND,
		    "select a frame that has source, or give a file",
		    "the selected frame has no source");
		ok = false;
	} else if (ok) {
		snprintf(path, PATH_MAX, "%s", mi_text(frame, "fullname"));
		*line = mi_number(frame, "line", 1);
	}
	json_decref(results);
	return ok;
}

/* gdb's `Line 8 of "a.c" starts at address 0x1139 <main>`; 0: it has no code. */
static unsigned long long code_address(struct replay *replay, const char *path, int line)
{
	if (strchr(path, '\''))
		return 0;
	return hex_behind(
	    gdb_shown(replay_gdb(replay), NULL, "info line '%s':%d", path, line), " address ");
}

json_t *tool_source_lines(
    struct replay *replay, const struct source_lines_args *args, struct failure *failure)
{
	long long line = args->line, count = args->count;
	char path[PATH_MAX] = "", here[PATH_MAX] = "";
	char why[FILES_WHY_MAX] = "", doubt[SOURCE_DOUBT_MAX];
	struct failure nowhere = {0};
	int current = 0, first;
	json_t *source, *result;

	if ((!args->file && !current_place(replay, path, &current, failure)) ||
	    (args->file && !source_resolve(replay, args->file, path, failure)))
		return NULL;
	/* Marks the current line, but only in the current file. */
	if (args->file &&
	    (!current_place(replay, here, &current, &nowhere) || strcmp(here, path) != 0))
		current = 0;
	if (line == 0)
		line = current ? current : count / 2 + 1;
	first = line > count / 2 ? (int)(line - count / 2) : 1;
	source =
	    read_lines(replay, path, first, first + (int)count - 1, current, RESULT_BUDGET, why);
	if (!source) {
		failure_set(failure, ERROR_NOT_FOUND,
		    "sources are those that the recorded programs named when they were recorded "
		    "here, and what is below --source-dir=DIRECTORY",
		    "there are no such lines in %.300s%s%s", path, why[0] ? ": " : "", why);
		return NULL;
	}
	result = json_pack("{s:s,s:o}", "file", path, "source", source);
	if (source_doubt(
		replay, path, code_address(replay, path, (int)line), doubt, sizeof(doubt))[0])
		json_object_set_new(result, "warning", json_string(doubt));
	return result;
}
