/*
 * Folders, files, time and the way out of the harness. Removes only what it made.
 */
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

void harness_fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("FAILED: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	abort();
}

double harness_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

char *harness_path(const char *folder, const char *name)
{
	char *path;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		harness_fail("out of memory");
	return path;
}

char *harness_scratch(uid_t owner)
{
	const char *base = getenv("TMPDIR");
	char *path = harness_path(base == NULL ? "/tmp" : base, "rr-warden-test.XXXXXX");
	if (mkdtemp(path) == NULL)
		harness_fail("no scratch folder %s: %m", path);
	if (owner != 0 && chown(path, owner, (gid_t)owner) < 0)
		harness_fail("chown %s: %m", path);
	chmod(path, 0755);
	return path;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

void harness_scratch_free(char *path)
{
	if (path != NULL && strstr(path, "/rr-warden-test.") != NULL)
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}

void harness_scratch_cleanup(char **path)
{
	harness_scratch_free(*path);
}

char *harness_program(const char *name)
{
	const char *folder = getenv("PROGRAMS");
	char *path = harness_path(folder == NULL ? "build/tests/programs" : folder, name);
	char *whole = realpath(path, NULL);
	if (whole == NULL)
		harness_fail("%s: %m (build the tests' programs first)", path);
	free(path);
	return whole;
}

long long harness_line(const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof(path), "tests/programs/%s%s", name, strchr(name, '.') ? "" : ".c");
	char *source = harness_file(path);
	char *found = source == NULL ? NULL : strstr(source, text);
	if (found == NULL)
		harness_fail("no \"%s\" in %s", text, path);
	long long line = 1;
	for (const char *at = source; at < found; at++)
		line += *at == '\n';
	free(source);
	return line;
}

char *harness_file(const char *path)
{
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return NULL;
	size_t length = 0, room = 0;
	char *text = NULL;
	do {
		room = room == 0 ? 4096 : room * 2;
		char *more = realloc(text, room);
		if (more == NULL)
			harness_fail("out of memory");
		text = more;
		length += fread(text + length, 1, room - 1 - length, file);
	} while (length == room - 1);
	text[length] = '\0';
	fclose(file);
	return text;
}

size_t harness_count(const char *text, const char *what)
{
	size_t count = 0;

	while ((text = strstr(text, what)) != NULL) {
		text += strlen(what);
		count++;
	}
	return count;
}

void harness_write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");
	if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
		harness_fail("%s: %m", path);
}

const char *harness_server(void)
{
	const char *built = getenv("RR_WARDEN");

	return built == NULL ? "build/bin/rr-warden" : built;
}

void harness_shell(const char *format, ...)
{
	char command[4096];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (length >= (int)sizeof(command) || system(command) != 0)
		harness_fail("%s", command);
}

char *harness_tree(const char *worker)
{
	char *folder = harness_scratch(0), *path = harness_program(worker);

	harness_shell("cd \"$(dirname '%s')/..\" && tar -cf - bin libexec | tar -xf - -C '%s'",
	    harness_server(), folder);
	harness_shell("cp '%s' '%s/libexec/rr-warden/rr-warden-worker'", path, folder);
	free(path);
	return folder;
}
