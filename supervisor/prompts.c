/*
 * Prompts: for each use of rr, the shortest sequence of tools, with the arguments filled in. The
 * texts contain {name} where an argument goes.
 */
#include <string.h>

#include "supervisor/resources.h"

/* clang-format off */
#define ARGUMENT(name, required, help) {name, MCP_STRING, required, help, 0, 4096, NULL}
#define END {NULL, MCP_STRING, false, NULL, 0, 0, NULL}

static const struct mcp_param trace_args[] = {
	ARGUMENT("trace_dir", true, "Trace directory"), END};
static const struct mcp_param corruption_args[] = {
	ARGUMENT("trace_dir", true, "Trace directory"),
	ARGUMENT("expression", true, "The corrupted value, as an expression at the crash"), END};
static const struct mcp_param command_args[] = {
	ARGUMENT("command", true, "The program and its arguments"), END};
static const struct mcp_param output_args[] = {
	ARGUMENT("trace_dir", true, "Trace directory"),
	ARGUMENT("text", true, "The output to explain"), END};

static const struct mcp_param runs_args[] = {
	ARGUMENT("good", true, "Trace directory of the run that passed"),
	ARGUMENT("bad", true, "Trace directory of the run that failed"), END};

const struct mcp_prompt prompts_shown[PROMPT_COUNT] = {
	{"debug_crash", "Find the cause of a crash", "Go back from the fatal signal to the cause", trace_args},
	{"find_corruption", "Find who corrupted memory", "Go back from a corrupted value to the write", corruption_args},
	{"find_race", "Find a data race", "Find two threads that use the same memory without a common lock", trace_args},
	{"find_deadlock", "Explain a deadlock", "Find who waits for which lock, and who holds it", trace_args},
	{"flaky_test", "Catch a flaky test", "Record until the test fails, then debug that run", command_args},
	{"explain_output", "Explain a line of output", "Find out why a program printed a text", output_args},
	{"compare_good_bad", "Compare two runs", "Find where a failing run departs from a passing one", runs_args},
};

static const char *const texts[PROMPT_COUNT] = {
	"Find the root cause of the crash recorded in {trace_dir}.\n"
	"1. Call rr_crash_report with trace_dir \"{trace_dir}\". Read the signal, fault, frames and threads.\n"
	"2. Decide which value was wrong at the crash, and call rr_origin_of on it: it follows the value back "
	"through all copies to the code that made it. For a use after free or a damaged heap block, call "
	"rr_heap_history on the pointer instead.\n"
	"3. If that code used another wrong value, rr_goto its moment and repeat step 2 with that one, until "
	"you reach code that is wrong although the values it reads are right.\n"
	"4. Call rr_verify_claims with the values that you name. Report the cause with file and line, and each step with its moment (event:ticks@pc.sum).",

	"Find who corrupted {expression} in the run recorded in {trace_dir}.\n"
	"1. Call rr_crash_report with trace_dir \"{trace_dir}\" and move true. Or call rr_replay_start, and "
	"rr_goto a moment when the value is wrong.\n"
	"2. There, call rr_evaluate on \"{expression}\" and on its address.\n"
	"3. Call rr_last_change on \"{expression}\": the frame in the answer is the writer. If that write is "
	"legitimate, rr_goto its moment and ask again.\n"
	"4. If it lies in a heap block, rr_heap_history with its address names a use after free or an "
	"overrun. If many places write it, rr_value_history on it lists every write; rr_find_memory with its "
	"address as value finds who else holds a pointer to it.\n"
	"5. Report which statement wrote the value, where it meant to write, and why it hit this memory.",

	"Find the data race in the run recorded in {trace_dir}.\n"
	"1. Call rr_replay_start with trace_dir \"{trace_dir}\" and at \"end\", or rr_crash_report if it crashed.\n"
	"2. Find the shared value that is wrong. Call rr_race_scan on it: it names unsynchronized accesses of "
	"two threads, with the locks that each thread holds and where it took them.\n"
	"3. Read verdict. ordered is about this run only; overtaken there means that one thread wrote between "
	"another one's read and write. unknown names what may order the threads: look at it.\n"
	"4. rr_goto the moments of the pair, and look with rr_backtrace and rr_source_lines. Report the two "
	"accesses with thread, line and moment, and the lock that should protect them.",

	"Explain the deadlock recorded in {trace_dir}.\n"
	"1. Call rr_crash_report with trace_dir \"{trace_dir}\": it says what each thread waits for, and in "
	"holds which locks it has, since when and by which code.\n"
	"2. rr_goto each since, and look with rr_backtrace why the thread took the lock there.\n"
	"3. If holds is missing, the program takes too many locks to follow them all: call rr_backtrace with "
	"thread \"all\", and rr_last_change on the owner of each lock (m.__data.__owner of a pthread mutex m).\n"
	"4. Report the cycle: each thread, the lock it holds, and the lock it waits for.",

	"Catch a failing run of {command} and find its cause.\n"
	"1. Call rr_record_until with the command. It keeps the trace of the first failing run.\n"
	"2. Call rr_crash_report with that trace. Or call rr_replay_start with at \"end\", and go back to the "
	"failed check.\n"
	"3. Record a run that passes with rr_record. rr_compare_runs with the two traces as good and bad says "
	"where they part.\n"
	"4. Call rr_origin_of on the wrong value, and go on from there. If two threads are involved, call "
	"rr_race_scan on the value that they share.",

	"Explain why the run recorded in {trace_dir} printed: {text}\n"
	"1. Call rr_replay_start with trace_dir \"{trace_dir}\".\n"
	"2. Call rr_who_printed with that text and move true: it goes to the code that made the text. If it "
	"is not found as you have it, rr_output shows all that was printed.\n"
	"3. Call rr_locals or rr_expand, then rr_origin_of on the first value that is wrong: it follows it "
	"back through all copies. Repeat it on the values that this code read.\n"
	"4. Report the cause with file and line, and each step with its moment (event:ticks@pc.sum).",

	"Find where the failing run {bad} departs from the passing run {good} of the same program.\n"
	"1. Call rr_compare_runs with good \"{good}\", bad \"{bad}\", and the values that you suspect as probes. "
	"It names the last common line, the next line in each run, and the values there.\n"
	"2. If it finds no different way, its output and libraries fields say what differs all the same.\n"
	"3. Call rr_replay_start on {bad}, rr_goto the moment of the last common line, and rr_origin_of on the "
	"value that differs.\n"
	"4. If the branch is legitimate, compare the values before it: rr_frame_story tells what the call did.\n"
	"5. Report the first difference with file and line, and its moment in both runs.",
};
/* clang-format on */

/* The length of the {name} at `at`, if its argument is given; else 0. */
static size_t placeholder(const char *at, const json_t *arguments, const char **value)
{
	const char *end = *at == '{' ? strchr(at, '}') : NULL;
	char name[32];

	if (end == NULL || (size_t)(end - at) >= sizeof(name))
		return 0;
	memcpy(name, at + 1, (size_t)(end - at) - 1);
	name[end - at - 1] = 0;
	*value = json_string_value(json_object_get(arguments, name));
	return *value == NULL ? 0 : (size_t)(end - at) + 1;
}

void prompts_fill(size_t prompt, const json_t *arguments, char *text, size_t size)
{
	const char *from = texts[prompt], *value;
	size_t used = 0;

	while (*from != 0 && used + 1 < size) {
		size_t length = placeholder(from, arguments, &value);
		if (length == 0) {
			text[used++] = *from++;
			continue;
		}
		used += strlcpy(text + used, value, size - used);
		if (used >= size)
			used = size - 1;
		from += length;
	}
	text[used] = 0;
}

void prompts_get_text(void *owner, struct mcp_request *request, size_t prompt, json_t *arguments)
{
	char text[PROMPT_TEXT_MAX];

	(void)owner;
	prompts_fill(prompt, arguments, text, sizeof(text));
	mcp_request_contents(request, "text/plain", text);
}
