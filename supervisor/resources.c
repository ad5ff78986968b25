/*
 * Resources: const texts and the reading of URIs. Opens nothing.
 */
#include "supervisor/resources.h"

#include <string.h>

const struct mcp_resource resources_shown[RESOURCE_COUNT] = {
    {"rr://guide", "guide", "How to debug with rr",
	"Which tool to call first, and what searches cost", "text/markdown"},
    {"rr://traces", "traces", "Traces", "The traces on this machine", "application/json"},
};

const struct mcp_resource resources_templates[TEMPLATE_COUNT] = {
    {"rr://traces/{name}", "trace", "A trace", "The program and processes of one trace",
	"application/json"},
    {"rr://sessions/{id}", "session", "A session",
	"A session's position, breakpoints and checkpoints", "application/json"},
};

const char resources_instructions[] =
    "Time-travel debugging with rr. A recording is one exact run of a program. You can replay it "
    "forward and backward as often as you like: addresses, values and event numbers are the same "
    "every time.\n1. Record the failing program with rr_record, or find a recording with "
    "rr_list_recordings.\n2. For a crash, call rr_crash_report(trace_dir): it opens a session, "
    "goes to the fatal signal and reports what happened there. Otherwise call rr_replay_start.\n3. "
    "To get from a bad value to its cause, call rr_last_change(expression), and repeat it on the "
    "values that the writer read. rr_watchpoint_set and rr_continue(reverse=true) do the same step "
    "by step.\n4. Every answer names its moment; rr_goto(moment) returns to it. Cite moments in "
    "reports.\nThe `hint` of an error says what to try next. rr_status says what is wrong with the "
    "machine. More: resource rr://guide. Playbooks: resources skill://debug-crash/SKILL.md, and "
    "likewise find-corruption, find-race, find-deadlock, flaky-test, wrong-output.";

const char resources_guide[] =
    "# Debugging with rr\n\nA trace is one exact run of a program. A session replays it. It is "
    "stopped at a moment, written event:ticks, and can go to any other moment, forward or "
    "backward. Nothing you do changes the run.\n\n## What to do\n\n- **Crash**: call "
    "rr_crash_report(trace_dir). It opens a session and leaves it open. Then call rr_last_change "
    "on the pointer or value that was wrong, and repeat it on the values that this one was "
    "computed from.\n- **Wrong output**: call rr_breakpoint_set on the function that prints, "
    "rr_continue, rr_locals. Or call rr_goto(\"end\") and rr_continue(reverse=true).\n- "
    "**Corruption**: at the crash, call rr_watchpoint_set(expression) and "
    "rr_continue(reverse=true): it stops at the write. A watchpoint watches the address, so it "
    "also works out of scope (location=true).\n- **Flaky test or race**: rr_record_until(command) "
    "records it until it fails. Every replay of that recording then fails in the same way. Look at "
    "it with rr_thread_list and rr_backtrace(thread=\"all\").\n- **Deadlock**: record with a "
    "timeout. rr_crash_report(trace_dir) says what each thread waits for, and which thread holds "
    "it.\n\n## Good to know\n\n- Tools that run the program answer where and why it stopped: "
    "reason, frame, source, moment, what the program wrote. You need no second call for that.\n- "
    "Running backward takes longer than running forward. If there are many stops on the way, first "
    "go nearer with rr_goto.\n- If a command takes too long, call rr_interrupt. The session then "
    "stays where the command stopped.\n- If a session's processes die, the next call restores it "
    "at its last stop and answers restored.\n- Several sessions can be open: choose one with "
    "`session`.\n- 64-bit values and addresses are strings.\n";

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c == 0 ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);

	return at == NULL ? -1 : (int)(at - digits);
}

/* False if it does not fit, or contains a character that no name has. */
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
