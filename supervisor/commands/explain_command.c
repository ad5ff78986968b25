/*
 * See explain_command.h. In Markdown, whatever comes from the recorded program stands in blocks of
 * code, so that it can neither format the page nor load anything into it.
 */
#include "supervisor/commands/explain_command.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/commands/own_server.h"

#define ANSWER_GRACE_S 30 /* for an answer, after its deadline */
#define NAME_MAX_BYTES 16 /* of a register */

struct explanation {
	struct own_server *server;
	bool markdown;
};

/* clang-format off */
static const char usage[] =
    "rr-warden [OPTION]... explain TRACE [--markdown]\n"
    "\n"
    "Prints why the recorded program ended: the crash report, where the value at\n"
    "fault comes from, and who wrote it last. --markdown is for the summary of a CI\n"
    "job. Exits with 2 if the trace cannot be explained.\n";
/* clang-format on */

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "rr-warden: %s%s%s\n", what, why[0] ? ": " : "", why);
	return EXPLAIN_TROUBLE;
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* More backquotes than any that stand together in the text, three at least. */
static int fence_of(const char *text)
{
	int longest = 2, run = 0;

	for (; *text != 0; text++) {
		run = *text == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest + 1;
}

static void print_fence(int count)
{
	while (count-- > 0)
		putchar('`');
	putchar('\n');
}

/* The bytes of an answer's text without its last line if that names the session, which ends with
 * this command. */
static int length_for_people(const char *text)
{
	const char *last = strrchr(text, '\n');

	return (int)(last != NULL && strncmp(last, "\nsession: ", 10) == 0 ? (size_t)(last - text)
									   : strlen(text));
}

static void print_part(const struct explanation *to, const char *title, const char *text)
{
	int fence = fence_of(text);

	printf(to->markdown ? "## %s\n\n" : "%s\n\n", title);
	if (to->markdown)
		print_fence(fence);
	printf("%.*s\n", length_for_people(text), text);
	if (to->markdown)
		print_fence(fence);
	printf("\n");
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static const char *text_of(const json_t *result)
{
	const json_t *first = json_array_get(json_object_get(result, "content"), 0);
	const char *text = json_string_value(json_object_get(first, "text"));

	return text == NULL ? "" : text;
}

static const char *member(const json_t *result, const char *object, const char *key)
{
	const json_t *at = json_object_get(result, "structuredContent");
	const char *text =
	    json_string_value(json_object_get(object ? json_object_get(at, object) : at, key));

	return text == NULL ? "" : text;
}

/* A part of the explanation about one expression. What there is no answer to is said in the
 * answer's own words. Returns the result, or NULL. */
static json_t *explain_value(
    const struct explanation *to, const char *title, const char *tool, const char *expression)
{
	const char *why = "";
	json_t *result =
	    own_server_result(to->server, tool, json_pack("{s:s}", "expression", expression), &why);

	print_part(to, title, result == NULL ? why : text_of(result));
	return result;
}

/* The register that an operand such as 0x8(%rax,%rcx,4) begins with, as gdb names it. False if it
 * has none, or the instruction's own. */
static bool base_register(const char *operand, char name[NAME_MAX_BYTES])
{
	const char *at = strstr(operand, "(%");
	size_t used = 1;

	name[0] = '$';
	for (at = at == NULL ? "" : at + 2;
	     isalnum((unsigned char)*at) && used < NAME_MAX_BYTES - 1; at++)
		name[used++] = *at;
	name[used] = 0;
	return used > 1 && strcmp(name, "$rip") != 0;
}

#define STACK "0x7ff" /* of a process's first thread: a copy there says little */

/* Where the value was stored on its way, as an expression: the last place before the fault that is
 * not on the stack, or else the last. */
static bool stored_place(const json_t *origin, char *place, size_t size)
{
	static const char stored[] = "stored at 0x";
	const json_t *hops = json_object_get(json_object_get(origin, "structuredContent"), "hops"),
		     *hop;
	bool found = false;
	size_t i;

	json_array_foreach(hops, i, hop)
	{
		const char *did = json_string_value(json_object_get(hop, "did"));
		if (did == NULL || strncmp(did, stored, sizeof(stored) - 1) != 0)
			continue;
		const char *address = did + strlen("stored at ");
		bool on_stack = strncmp(address, STACK, strlen(STACK)) == 0;
		if (found && on_stack)
			continue;
		snprintf(place, size, "*(long *) %.*s", (int)strcspn(address, ","), address);
		if (!on_stack)
			return true;
		found = true;
	}
	return found;
}

/* The value at fault: the register that the failed access goes through. */
static void explain_fault(const struct explanation *to, const json_t *crash)
{
	char name[NAME_MAX_BYTES], place[PATH_MAX];

	if (!base_register(member(crash, "fault", "operand"), name))
		return;
	json_t *origin =
	    explain_value(to, "Where the bad address comes from", "rr_origin_of", name);
	if (stored_place(origin, place, sizeof(place)))
		json_decref(explain_value(to, "Who wrote it last", "rr_last_change", place));
	json_decref(origin);
}

static int explain(const struct explanation *to, const char *trace)
{
	char path[PATH_MAX];
	const char *why = "";
	json_t *crash = own_server_result(to->server, "rr_crash_report",
	    json_pack("{s:s}", "trace_dir", realpath(trace, path) != NULL ? path : trace), &why);

	if (crash == NULL)
		return complain(trace, why);
	if (json_is_true(json_object_get(crash, "isError")) || text_of(crash)[0] == 0) {
		complain(trace, text_of(crash));
		json_decref(crash);
		return EXPLAIN_TROUBLE;
	}
	if (to->markdown)
		printf("# Why the program ended\n\n");
	print_part(to, "What ended it", text_of(crash));
	explain_fault(to, crash);
	json_decref(crash);
	return fflush(stdout) == 0 ? EXPLAIN_DONE : EXPLAIN_TROUBLE;
}

int explain_command_run(const struct settings *settings, int argc, char *const argv[], int rest)
{
	struct explanation to = {0};
	const char *trace = NULL;
	int status;

	for (int i = rest; i < argc; i++) {
		if (strcmp(argv[i], "--markdown") == 0)
			to.markdown = true;
		else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return fputs(usage, stdout) < 0 ? EXPLAIN_TROUBLE : EXPLAIN_DONE;
		else if (argv[i][0] == '-')
			return complain("explain has no option, only --markdown", argv[i]);
		else if (trace != NULL)
			return complain("explain takes one trace, and this is another", argv[i]);
		else
			trace = argv[i];
	}
	if (trace == NULL) {
		fputs(usage, stderr);
		return complain("the trace to explain is missing", "");
	}
	to.server = own_server_start(rest - 2, argv + 1);
	if (to.server == NULL)
		return complain("the server did not start", "");
	own_server_wait(
	    to.server, settings_number(settings, SETTING_TIMEOUT_REVERSE) + ANSWER_GRACE_S);
	status = explain(&to, trace);
	if (status != EXPLAIN_DONE)
		own_server_repeat(to.server);
	own_server_end(to.server);
	return status;
}
