/*
 * Prompts: for each way people work with rr, the shortest sequence of tools, with the arguments
 * filled in. Const texts with {name}s.
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
	ARGUMENT("expression", true, "What is corrupted, as seen at the crash"), END};
static const struct mcp_param command_args[] = {
	ARGUMENT("command", true, "The program and its arguments"), END};
static const struct mcp_param output_args[] = {
	ARGUMENT("trace_dir", true, "Trace directory"),
	ARGUMENT("text", true, "The output to explain"), END};

const struct mcp_prompt prompts_shown[PROMPT_COUNT] = {
	{"debug_crash", "Find the cause of a crash", "From the fatal signal back to the cause", trace_args},
	{"find_corruption", "Find who corrupted memory", "From a corrupted value back to the write", corruption_args},
	{"find_race", "Find a data race", "What two threads did to the same memory", trace_args},
	{"find_deadlock", "Explain a deadlock", "Who waits for what, and who holds it", trace_args},
	{"flaky_test", "Catch a flaky test", "Record until it fails, then debug that run", command_args},
	{"explain_output", "Explain a line of output", "Why a program printed what it did", output_args},
};

static const char *const texts[PROMPT_COUNT] = {
	"Find the root cause of the crash recorded in {trace_dir}.\n"
	"1. rr_crash_report with trace_dir \"{trace_dir}\". Read signal, fault, frames and threads.\n"
	"2. Decide which value was wrong at the crash. rr_last_change on it; look at the writer's frame "
	"with rr_locals and rr_source_lines.\n"
	"3. If the written value was itself computed from a wrong one, repeat with that one, until the "
	"code is wrong and not the data.\n"
	"4. Report the cause: file and line, and each step with its moment {event, ticks}.",

	"Find who corrupted {expression} in the run recorded in {trace_dir}.\n"
	"1. rr_crash_report with trace_dir \"{trace_dir}\" and move true, or rr_replay_start and rr_goto "
	"the moment where the value is seen to be bad.\n"
	"2. rr_evaluate \"{expression}\" there; take its address as well.\n"
	"3. rr_last_change \"{expression}\": the frame it answers is the writer. If that write is right, "
	"rr_goto its moment and ask again.\n"
	"4. Say which statement wrote it, what it meant to write to, and why it hit this memory.",

	"Find the data race in the run recorded in {trace_dir}.\n"
	"1. rr_replay_start with trace_dir \"{trace_dir}\" and at \"end\"; or rr_crash_report when it crashed.\n"
	"2. Find the shared value that is wrong. rr_watchpoint_set on it with access_type \"access\".\n"
	"3. rr_continue with reverse true, several times: note thread, frame and moment of each access.\n"
	"4. rr_backtrace with thread \"all\" at two accesses that lie close: which locks does each thread "
	"hold? Name the two accesses that no lock orders.",

	"Explain the deadlock recorded in {trace_dir}.\n"
	"1. rr_replay_start with trace_dir \"{trace_dir}\" and at \"end\".\n"
	"2. rr_backtrace with thread \"all\": which threads wait in a lock, join or condition?\n"
	"3. For each lock rr_evaluate its owner (for a pthread mutex m: m.__data.__owner).\n"
	"4. rr_last_change on the owner field tells where it was taken. Name the cycle.",

	"Catch a failing run of {command} and find its cause.\n"
	"1. rr_record the command with chaos true; repeat until exit_code or signal says that it failed. "
	"rr_rm the traces of good runs.\n"
	"2. rr_crash_report with the failing trace; or rr_replay_start at \"end\", and back from the failed "
	"check.\n"
	"3. rr_last_change from the wrong value on. If threads differ in what they saw, look for the "
	"missing order between them.",

	"Explain why the run recorded in {trace_dir} printed: {text}\n"
	"1. rr_replay_start with trace_dir \"{trace_dir}\".\n"
	"2. rr_breakpoint_set on the function that prints it (or write), with a condition that holds only "
	"there if you can; rr_continue until the answer's output shows it.\n"
	"3. rr_backtrace, rr_locals; then rr_last_change on the values that went into the text.",
};
/* clang-format on */

/* Length of the {name} at `at` whose argument is given, or 0. */
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
