/*
 * Resources: const texts and the reading of URIs. Opens nothing.
 */
#include "supervisor/resources.h"

#include <string.h>

const struct mcp_resource resources_shown[RESOURCE_COUNT] = {
    {"rr://guide", "guide", "How to debug with rr", "Which tool first, and what each search costs",
	"text/markdown"},
    {"rr://traces", "traces", "Traces", "The traces on this machine", "application/json"},
};

const struct mcp_resource resources_templates[TEMPLATE_COUNT] = {
    {"rr://traces/{name}", "trace", "A trace", "What one trace is of", "application/json"},
    {"rr://sessions/{id}", "session", "A session",
	"Where a session stands, its breakpoints and checkpoints", "application/json"},
};

const char resources_instructions[] =
    "Time-travel debugging with rr. A recording holds one run exactly; replay it forward and "
    "backward as often as you like: addresses, values and event numbers are the same every time.\n"
    "1. rr_record the failing program, or rr_list_recordings.\n"
    "2. rr_crash_report(trace_dir) for a crash: opens a session, goes to the fatal signal and says "
    "what is to be seen there. Otherwise rr_replay_start.\n"
    "3. From a bad value to its cause: rr_last_change(expression), again and again, is the short "
    "way; rr_watchpoint_set and rr_continue(reverse=true) the long one.\n"
    "4. Every answer names its moment; rr_goto(moment) goes back there. Cite moments in reports.\n"
    "An error says in `hint` what to try next. rr_status tells what is wrong with the machine. "
    "More: resource rr://guide. Playbooks: resources skill://debug-crash/SKILL.md, and likewise "
    "find-corruption, find-race, find-deadlock, flaky-test, wrong-output.";

const char resources_guide[] =
    "# Debugging with rr\n\n"
    "A trace is one run of a program, recorded exactly. A session replays it: stopped at a moment, "
    "written event:ticks, it can go to any other, forward or backward. Nothing you do changes the "
    "run.\n\n"
    "## Ways that work\n\n"
    "- **Crash**: rr_crash_report(trace_dir). It opens a session and leaves it open. Then "
    "rr_last_change on the pointer or value that was wrong; repeat on what it was computed from.\n"
    "- **Wrong output**: rr_breakpoint_set on the function that prints, rr_continue, rr_locals; or "
    "rr_goto(\"end\") and rr_continue(reverse=true).\n"
    "- **Corruption**: at the crash, rr_watchpoint_set(expression) and "
    "rr_continue(reverse=true): the stop is the write. Watchpoints watch the address, so they "
    "outlive the scope (location=true).\n"
    "- **Flaky test or race**: rr_record_until(command) repeats it until it fails; then the "
    "failure is "
    "caught for good. rr_thread_list, rr_backtrace(thread=\"all\").\n"
    "- **Deadlock**: record with a timeout, rr_crash_report(trace_dir): what each thread waits "
    "for, "
    "and who holds it.\n\n"
    "## Good to know\n\n"
    "- Execution tools answer the whole stop: reason, frame, source, moment, what the program "
    "wrote. No second call is needed to know where you are.\n"
    "- Reverse runs cost more than forward ones. When many stops lie between, rr_goto nearer "
    "first.\n"
    "- A command that takes too long: rr_interrupt from a second call; the session stands at a "
    "valid stop.\n"
    "- When a session's processes die, the next call brings it back where it stood and says "
    "restored.\n"
    "- Several sessions may be open: name them with `session`.\n"
    "- Values of 64 bits and addresses are strings.\n";

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c == 0 ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);

	return at == NULL ? -1 : (int)(at - digits);
}

/* False when it does not fit or holds what no name does. */
static bool decode(const char *from, char *to, size_t size)
{
	size_t used = 0;

	for (; *from != 0; from++) {
		char c = *from;
		if (c == '%') {
			int high = hex_digit(from[1]);
			int low = high < 0 ? -1 : hex_digit(from[2]);
			if (low < 0 || high * 16 + low < 32)
				return false;
			c = (char)(high * 16 + low);
			from += 2;
		}
		if (used + 1 >= size)
			return false;
		to[used++] = c;
	}
	to[used] = 0;
	return used > 0;
}

enum resource_kind resources_parse(const char *uri, char *name, size_t size)
{
	static const char traces[] = "rr://traces/", sessions[] = "rr://sessions/";

	name[0] = 0;
	if (strcmp(uri, "rr://guide") == 0)
		return RESOURCE_GUIDE;
	if (strcmp(uri, "rr://traces") == 0)
		return RESOURCE_TRACES;
	if (strncmp(uri, traces, sizeof(traces) - 1) == 0 &&
	    decode(uri + sizeof(traces) - 1, name, size))
		return RESOURCE_TRACE;
	if (strncmp(uri, sessions, sizeof(sessions) - 1) == 0 &&
	    decode(uri + sizeof(sessions) - 1, name, size))
		return RESOURCE_SESSION;
	return RESOURCE_UNKNOWN;
}
