/*
 * Picks gdb's warnings out of its log. Leaves out those about how gdb follows libraries and rr,
 * which say nothing about the program or a value.
 */
#include "worker/gdb/mi/warnings.h"

#include <stdbool.h>
#include <string.h>
#include "sandbox/wire/scrub.h"

#define WARNINGS_MAX 6
#define WARNING_MAX  300 /* bytes of one */
#define MARK	     "warning: "

static bool contains(const char *text, size_t length, const char *part)
{
	return memmem(text, length, part, strlen(part)) != NULL;
}

/* gdb 16 warns of each line whose source it has not found, "44 ./nptl/pthread_kill.c: No
 * such file or directory", with a tab: we look for sources ourselves. */
static bool is_line_without_source(const char *text, size_t length)
{
	size_t digits = strspn(text, "0123456789");

	return digits && text[digits] == '\t' &&
	       contains(text, length, ": No such file or directory");
}

static bool says_nothing(const char *text, size_t length)
{
	static const char *const noise[] = {"but not in symtab", "system-supplied DSO",
	    "libthread_db", "dynamic linker", "vdso", "vsyscall", "shared library list entry",
	    "Temporarily disabling breakpoints", "more recent than executable",
	    "Remote failure reply", "separate debug info", "File transfers from remote",
	    "unable to open /proc file",
	    ".reg-xstate",     /* of a core: wide registers in an order that gdb 13 does not know */
	    "Can't open file", /* that a core file names: core_gaps.c tells */
	    "Expression is not an assignment"}; /* of `set`, where = compares: Ada */

	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++)
		if (contains(text, length, noise[i]))
			return true;
	return is_line_without_source(text, length);
}

static bool has(const json_t *list, const json_t *text)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)list, i, one) if (json_equal(one, text)) return true;
	return false;
}

static void add(json_t **list, const char *warning, size_t length)
{
	json_t *text;

	if (*list && json_array_size(*list) >= WARNINGS_MAX)
		return;
	text = scrub_json(warning, length, WARNING_MAX, NULL);
	if (!*list)
		*list = json_array();
	if (!has(*list, text))
		json_array_append(*list, text);
	json_decref(text);
}

void warnings_add(json_t **list, const char *log)
{
	for (const char *at = log; (at = strstr(at, MARK));) {
		size_t length;

		at += sizeof(MARK) - 1;
		at += strspn(at, " ");
		length = strcspn(at, "\n");
		if (length && !says_nothing(at, length))
			add(list, at, length);
		at += length;
	}
}

void warnings_add_own(json_t **list, const char *text)
{
	add(list, text, strlen(text));
}

void warnings_forget(json_t *list, const char *part)
{
	for (size_t i = json_array_size(list); i-- > 0;)
		if (strstr(json_string_value(json_array_get(list, i)), part))
			json_array_remove(list, i);
}
