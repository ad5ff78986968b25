/*
 * What a worker is told at its start: the policy as JSON (see WIRE_OP_START in sandbox/proto.h).
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/links.h"

#define QUERY_MEMORY_MAX (2LL << 30)

static const struct {
	const char *name;
	enum setting setting;
} timeouts[] = {{"startup", SETTING_TIMEOUT_STARTUP}, {"connect", SETTING_TIMEOUT_CONNECT},
    {"forward", SETTING_TIMEOUT_FORWARD}, {"reverse", SETTING_TIMEOUT_REVERSE},
    {"breakpoint", SETTING_TIMEOUT_BREAKPOINT}, {"eval", SETTING_TIMEOUT_EVAL},
    {"record", SETTING_TIMEOUT_RECORD}},
  limits[] = {{"memory", SETTING_MEMORY}, {"output", SETTING_OUTPUT},
      {"processes", SETTING_PROCESSES}, {"trace_bytes", SETTING_TRACE_BYTES},
      {"free_disk", SETTING_FREE_DISK}, {"cpu_seconds", SETTING_CPU}},
  lists[] = {{"roots", SETTING_ROOTS}, {"directories", SETTING_DIRECTORIES},
      {"commands", SETTING_COMMANDS}};

static const char *const kind_names[] = {[WORKER_ANY] = "",
    [WORKER_REPLAY] = "replay",
    [WORKER_RECORD] = "record",
    [WORKER_QUERY] = "query"};

static json_t *list_json(const char *const *items)
{
	json_t *array = json_array();

	for (; *items != NULL; items++)
		json_array_append_new(array, json_string(*items));
	return array;
}

/* rr ps and its like need little, but believe every length that a crafted trace claims. */
static long long query_memory(const struct policy *policy)
{
	long long granted = policy_number(policy, SETTING_MEMORY);

	return granted == 0 || granted > QUERY_MEMORY_MAX ? QUERY_MEMORY_MAX : granted;
}

json_t *start_message_json(const struct policy *policy, const char *softpmu, enum worker_kind kind,
    json_t *report, json_t *visible)
{
	json_t *spans = json_object(), *bounds = json_object(), *message;
	struct sandbox_settings settings;

	launcher_layers(&settings, policy);
	message = json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:b, s:o}", "kind",
	    kind_names[kind], "sandbox_report", report, "rr", policy_text(policy, SETTING_RR),
	    "gdb", policy_text(policy, SETTING_GDB), "pmu", policy_text(policy, SETTING_PMU),
	    "softpmu", softpmu, "timeouts", spans, "limits", bounds, "allow_calls",
	    (int)policy_number(policy, SETTING_CALLS), "allow_gdb_command",
	    (int)policy_number(policy, SETTING_GDB_COMMANDS), "sandbox",
	    sandbox_wants_json(&settings));

	if (message == NULL)
		return NULL;
	for (size_t i = 0; i < sizeof(timeouts) / sizeof(timeouts[0]); i++)
		json_object_set_new(spans, timeouts[i].name,
		    json_integer(policy_number(policy, timeouts[i].setting)));
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		json_object_set_new(
		    bounds, limits[i].name, json_integer(policy_number(policy, limits[i].setting)));
	if (kind == WORKER_QUERY)
		json_object_set_new(bounds, "memory", json_integer(query_memory(policy)));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		json_object_set_new(
		    message, lists[i].name, list_json(policy_list(policy, lists[i].setting)));
	if (visible != NULL)
		json_object_update(message, visible);
	return message;
}

json_t *start_message_visible(const struct visible *visible)
{
	const char *read_only[VISIBLE_PATHS_MAX], *read_write[VISIBLE_PATHS_MAX];
	const char *home = getenv("HOME");
	json_t *reads;

	visible_lists(visible, read_only, read_write);
	reads = list_json(read_only);
	if (visible->show_home && home != NULL)
		json_array_append_new(reads, json_string(home));
	return json_pack("{s:o, s:o}", "read_only", reads, "read_write", list_json(read_write));
}
