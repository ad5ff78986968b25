/*
 * Resources: const texts and the reading of URIs. Opens nothing.
 */
#include "supervisor/resources.h"

#include <string.h>

#include "sandbox/wire/scrub.h"

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
    "Time-travel debugging with rr: finds the cause of a crash, memory corruption, data race, "
    "deadlock, hang, flaky test or wrong output. A recording is one exact run of a program, "
    "replayed forward and backward: all values are the same every time.\n"
    "Begin with rr_record (rr_record_until if it fails only sometimes), or "
    "rr_list_recordings. For a crash, hang or bad exit, call "
    "rr_crash_report(trace_dir): it opens a session. Otherwise: rr_replay_start.\n"
    "Ask for the answer instead of stepping to it:\n"
    "- Where does this bad value come from? rr_origin_of. "
    "Who wrote it last? rr_last_change. Every write or read: rr_value_history. "
    "Who allocated, freed and misused this heap block? rr_heap_history. "
    "Heap misuse, leaks, uninitialised memory: rr_check_memory. "
    "What it holds: rr_heap_blocks. "
    "Open files: rr_open_files. "
    "Do threads race for it? rr_race_scan; at all? rr_check_races. Locks: rr_locks\n"
    "- What printed this text? rr_who_printed. What was printed when? rr_output\n"
    "- Where was an exception thrown, caught or swallowed? rr_catch, then "
    "rr_continue\n"
    "- What is in this structure or container? rr_expand. Its layout: rr_type\n"
    "- Where or what is this name? rr_symbols. What else holds this pointer? "
    "rr_find_memory\n"
    "- Since when is this true? rr_when_became. All calls: rr_trace_calls, the last: "
    "rr_last_time. Which lines ran? rr_lines_executed. "
    "What did this call do? rr_frame_story\n"
    "- Where do a failing and a passing run part? rr_compare_runs\n"
    "- Otherwise: rr_breakpoint_set with a condition, and rr_continue\n"
    "These questions leave the session where it is, unless you pass `move`. "
    "Every answer names its moment; rr_goto(moment) returns to it, and `at` of "
    "rr_evaluate and rr_backtrace looks there without moving. Cite moments in "
    "reports: rr_verify_claims checks what you conclude, and rr_report writes it down. "
    "The `hint` of an error says what to try next. rr_status: what is "
    "wrong with the machine. More: resource rr://guide. Playbooks: resources "
    "skill://debug-crash/SKILL.md, likewise find-corruption, find-race, find-"
    "deadlock, flaky-test, wrong-output.\n";

const char resources_guide[] =
    "# Debugging with rr\n"
    "\n"
    "A trace is one exact run of a program. A session replays it. It is stopped at a "
    "moment, written event:ticks@pc.sum, and can go to any other moment, forward or "
    "backward: copy moments from answers whole. Nothing you do changes the run.\n"
    "\n"
    "## What to do\n"
    "\n"
    "- **Crash**: call rr_crash_report(trace_dir). It opens a session and leaves it "
    "open. Then call rr_origin_of on the pointer or value that was wrong: it goes back "
    "through all copies to arithmetic, a constant, an allocation or input. Repeat it on "
    "the values that this one was computed from, at the moment that it names. If something "
    "overwrote it, rr_last_change shows the write.\n"
    "- **Wrong output**: rr_who_printed(text) names the code that made the text and "
    "the moment; rr_output lists all that was printed. Then call rr_origin_of on "
    "the first value that is wrong.\n"
    "- **Corruption**: at the crash, call rr_last_change on the corrupted value. If "
    "several places write it, rr_value_history lists every write with its moment. "
    "If it lies in a heap block, rr_heap_history(pointer) names a use after free, an overrun, "
    "a double free or a wrong delete, with who allocated and freed the block. "
    "rr_find_memory(value) finds what else holds a stale pointer.\n"
    "- **A leak**: rr_heap_blocks and rr_open_files with `from` name the code that made what is "
    "there at a moment and was not there before.\n"
    "- **An error that nobody sees**: rr_catch stops where C++ throws (kind throw) or"
    " catches (kind catch), with the type and the caller.\n"
    "- **Flaky test or race**: rr_record_until(command) records it until it fails. "
    "Every replay of that recording then fails in the same way. "
    "rr_race_scan(expression) lists the accesses to the shared value by thread, with the locks "
    "held, and names the unsynchronized ones; rr_check_races finds them in all memory.\n"
    "- **An invariant that breaks somewhere**: rr_when_became(predicate) finds the first "
    "moment at which it is true, and who made it so.\n"
    "- **Too many calls to step through**: rr_trace_calls(location) lists them with "
    "arguments, caller and (returns=true) results, and ends at limit unless count=true; "
    "group_by counts them.\n"
    "- **A reference count that leaks**: rr_trace_calls(location, group_by=\"object\", "
    "sum=\"delta\") tells which object keeps references; with group_by=\"caller\", what each "
    "place adds. skip=[\"obj_ref\"] passes over wrappers.\n"
    "- **Which lines ran**: "
    "rr_lines_executed(location) shows which lines of a function or file ran, and how often. "
    "rr_frame_story tells one call: path taken, calls with results, changes.\n"
    "- **Deadlock**: record with a timeout. rr_crash_report(trace_dir) says what each"
    " thread waits for, and which thread holds it; rr_locks says it for any moment.\n"
    "- **A good and a bad run**: rr_compare_runs(good, bad, probes) finds where they part, "
    "with a moment in each and the values there. Open a session on the bad run, rr_goto that "
    "moment, and ask rr_origin_of about the value that differs.\n"
    "\n"
    "## Values\n"
    "\n"
    "- rr_evaluate for a number or a small structure, rr_expand for a large one: "
    "depth, start and count choose the part, and C++ containers show their elements.\n"
    "- rr_type shows offsets and sizes; rr_symbols finds names by a regular "
    "expression.\n"
    "\n"
    "## Good to know\n"
    "\n"
    "- Tools that run the program answer where and why it stopped: reason, frame, "
    "source, moment, what the program wrote. You need no second call for that.\n"
    "- Running backward takes longer than running forward. If there are many stops on"
    " the way, first go nearer with rr_goto.\n"
    "- At the end, rr_verify_claims checks your conclusions on the recording, and rr_report "
    "also writes them as a page for people, beside the trace.\n"
    "- rr_breakpoint_update switches a breakpoint off and on, and changes its "
    "condition.\n"
    "- If a command takes too long, call rr_interrupt. The session then stays where "
    "the command stopped.\n"
    "- If a session's processes die, the next call restores it at its last stop and "
    "answers restored.\n"
    "- Several sessions can be open: choose one with `session`.\n"
    "- 64-bit values and addresses are strings.\n";

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c == 0 ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);

	return at == NULL ? -1 : (int)(at - digits);
}

/* False if it does not fit, or contains a character that no name has, or what is no character. */
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
	return used > 0 && scrub_is_text(to);
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
