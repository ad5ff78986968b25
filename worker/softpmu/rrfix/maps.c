/*
 * Joins [vvar] and [vvar_vclock]. Pure text; it must never change a line it does not know.
 */
#include "worker/softpmu/rrfix/maps.h"

#include <string.h>

bool maps_is_maps_path(const char *path)
{
	static const char prefix[] = "/proc/", suffix[] = "/maps";
	size_t length = path ? strlen(path) : 0;

	return length > sizeof prefix + sizeof suffix - 2 &&
	       memcmp(path, prefix, sizeof prefix - 1) == 0 &&
	       memcmp(path + length - (sizeof suffix - 1), suffix, sizeof suffix - 1) == 0;
}

static bool line_ends_with(const char *line, size_t length, const char *name)
{
	size_t n = strlen(name);

	return length > n && memcmp(line + length - n, name, n) == 0 && line[length - n - 1] == ' ';
}

/* The length of the address range that begins a line ("start-end"), or 0. */
static size_t range_length(const char *line, size_t length)
{
	size_t n = 0;

	while (n < length && line[n] != '\0' && strchr("0123456789abcdef-", line[n]))
		n++;
	return n < length && line[n] == ' ' ? n : 0;
}

/* Makes the range of the [vvar] line end where the [vvar_vclock] line ends, if they touch. */
static bool join(char *vvar, size_t vvar_length, const char *clock, size_t clock_length)
{
	size_t have = range_length(vvar, vvar_length), more = range_length(clock, clock_length);
	const char *have_end = memchr(vvar, '-', have), *more_end = memchr(clock, '-', more);
	size_t digits;

	if (!have_end || !more_end)
		return false;
	digits = have - (size_t)(have_end + 1 - vvar);
	if (digits != (size_t)(more_end - clock) || memcmp(have_end + 1, clock, digits) != 0 ||
	    more - (size_t)(more_end + 1 - clock) != digits)
		return false;
	memcpy(vvar + (have_end + 1 - vvar), more_end + 1, digits);
	return true;
}

size_t maps_join_vvar(char *text, size_t length)
{
	char *vvar = NULL, *out = text;
	size_t vvar_length = 0;

	for (char *line = text, *end = text + length; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t n = newline ? (size_t)(newline - line) : (size_t)(end - line);
		size_t whole = n + (newline ? 1 : 0);

		if (vvar && line_ends_with(line, n, "[vvar_vclock]") &&
		    join(vvar, vvar_length, line, n)) {
			vvar = NULL;
		} else {
			vvar = NULL;
			memmove(out, line, whole);
			if (line_ends_with(out, n, "[vvar]")) {
				vvar = out;
				vvar_length = n;
			}
			out += whole;
		}
		line += whole;
	}
	return (size_t)(out - text);
}
