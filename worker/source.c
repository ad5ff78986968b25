/*
 * Source lines around a stop, or asked for. Debug information names the file, and it is not to be
 * trusted: only regular files are opened, never for long.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "sandbox/cleanup.h"
#include "worker/arguments.h"
#include "worker/mi.h"
#include "worker/scrub.h"
#include "worker/source.h"

#define FILE_MAX      (16L * 1024 * 1024) /* larger ones are no source */
#define LINE_DEFAULT  11
#define RESULT_BUDGET (32 * 1024)

static FILE *open_source(const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat info;
	FILE *file;

	if (fd < 0 || fstat(fd, &info) != 0)
		return NULL;
	if (!S_ISREG(info.st_mode) || info.st_size > FILE_MAX) {
		errno = EFBIG;
		return NULL;
	}
	file = fdopen(fd, "r");
	if (file)
		steal_fd(&fd);
	return file;
}

static json_t *line_json(int line, const char *text, size_t length, int current)
{
	char shown[SOURCE_LINE_MAX + 1];

	while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		length--;
	scrub_bytes(shown, sizeof(shown), text, length);
	return json_pack("{s:i,s:s,s:b}", "line", line, "text", shown, "current", line == current);
}

json_t *source_read(const char *path, int first, int last, int current)
{
	json_t *lines = json_array();
	FILE *file = path ? open_source(path) : NULL;
	char *text = NULL;
	size_t size = 0;
	ssize_t length;

	if (!file)
		return lines;
	for (int line = 1; line <= last && (length = getline(&text, &size, file)) >= 0; line++)
		if (line >= first)
			json_array_append_new(
			    lines, line_json(line, text, (size_t)length, current));
	free(text);
	fclose(file);
	return lines;
}

const char *source_doubt(const struct replay *replay, const char *path)
{
	struct stat source, program;

	if (!path || !replay->executable || stat(path, &source) != 0 ||
	    stat(replay->executable, &program) != 0)
		return "";
	if (source.st_mtime > program.st_mtime)
		return "this file is newer than the recorded program: lines may not match";
	return "";
}

/* Asks gdb for the full name of a source file that is named as a person would. */
static bool resolve(struct replay *replay, const char *file, char *path, struct op_reply *reply)
{
	char quoted[GDB_QUOTED_MAX];
	json_t *results = NULL, *found = NULL, *entry;
	const char *full;
	size_t i, length = strlen(file);

	if (!gdb_quote(quoted, "file", file, reply))
		return false;
	if (file[0] == '/' && length < PATH_MAX) {
		snprintf(path, PATH_MAX, "%s", file);
		return true;
	}
	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, &results, "-file-list-exec-source-files"),
		ERROR_GDB_FAILED, NULL, reply))
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
		op_fail(reply, ERROR_NOT_FOUND, "use a name that a frame of rr_backtrace shows",
		    "no source file %.200s in the program's debug information", file);
	json_decref(results);
	return found != NULL;
}

/* The file and line of the selected frame. */
static bool current_place(struct replay *replay, char *path, int *line, struct op_reply *reply)
{
	json_t *results = NULL, *frame;
	bool fine = gdb_check(replay->gdb,
	    gdb_command(replay->gdb, &results, "-stack-info-frame --thread %d --frame %d",
		replay->thread, replay->frame),
	    ERROR_GDB_FAILED, NULL, reply);

	frame = json_object_get(results, "frame");
	if (fine && !mi_text(frame, "fullname")) {
		op_fail(reply, ERROR_NOT_FOUND, "select a frame that has source, or name a file",
		    "the selected frame has no source");
		fine = false;
	} else if (fine) {
		snprintf(path, PATH_MAX, "%s", mi_text(frame, "fullname"));
		*line = mi_number(frame, "line", 1);
	}
	json_decref(results);
	return fine;
}

void source_lines(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	const char *file = argument_text(args, "file", NULL);
	long long line = 0, count = LINE_DEFAULT;
	char path[PATH_MAX] = "";
	int current = 0, first;
	json_t *lines;

	if (!replay || !argument_integer(args, "line", 0, 1, 10000000, &line, reply) ||
	    !argument_integer(args, "count", LINE_DEFAULT, 1, SOURCE_LINES_MAX, &count, reply))
		return;
	if (!file && !current_place(replay, path, &current, reply))
		return;
	if (file && !resolve(replay, file, path, reply))
		return;
	if (line == 0)
		line = current ? current : count / 2 + 1;
	first = line > count / 2 ? (int)(line - count / 2) : 1;
	lines = source_read(path, first, first + (int)count - 1, current ? current : (int)line);
	if (json_array_size(lines) == 0) {
		json_decref(lines);
		op_fail(reply, ERROR_NOT_FOUND,
		    "the file has to be where the debug information says, readable for this server",
		    "no such lines in %.300s%s%s", path, errno ? ": " : "",
		    errno ? strerror(errno) : "");
		return;
	}
	reply->result = json_pack("{s:s,s:o}", "file", path, "lines", lines);
	if (source_doubt(replay, path)[0])
		json_object_set_new(
		    reply->result, "warning", json_string(source_doubt(replay, path)));
}
