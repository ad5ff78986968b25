/*
 * See start_message.h. Knows the settings and the composition, but nothing that a client sent.
 */
#include "supervisor/monitor/start_message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
      {"commands", SETTING_COMMANDS}, {"variables", SETTING_VARIABLES}};

static const char *const kind_names[] = {[WORKER_ANY] = "",
    [WORKER_REPLAY] = "replay",
    [WORKER_RECORD] = "record",
    [WORKER_QUERY] = "query",
    [WORKER_COMPARE] = "compare"};

static json_t *list_json(const char *const *items)
{
	json_t *array = json_array();

	for (; items && *items; items++)
		json_array_append_new(array, json_string(*items));
	return array;
}

/* rr ps and similar commands need little memory, but they trust every length in a crafted trace. */
static long long query_memory(const struct settings *settings)
{
	long long granted = settings_number(settings, SETTING_MEMORY);

	return granted == 0 || granted > QUERY_MEMORY_MAX ? QUERY_MEMORY_MAX : granted;
}

static void add_numbers(json_t *spans, json_t *bounds, const struct settings *settings)
{
	for (size_t i = 0; i < sizeof(timeouts) / sizeof(timeouts[0]); i++)
		json_object_set_new(spans, timeouts[i].name,
		    json_integer(settings_number(settings, timeouts[i].setting)));
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		json_object_set_new(bounds, limits[i].name,
		    json_integer(settings_number(settings, limits[i].setting)));
}

json_t *start_message_policy(const struct settings *settings)
{
	json_t *spans = json_object(), *bounds = json_object();
	json_t *message = json_pack("{s:o, s:o, s:b, s:b}", "timeouts", spans, "limits", bounds,
	    "allow_calls", (int)settings_number(settings, SETTING_CALLS), "allow_gdb_command",
	    (int)settings_number(settings, SETTING_GDB_COMMANDS));

	if (!message)
		return NULL;
	add_numbers(spans, bounds, settings);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		json_object_set_new(
		    message, lists[i].name, list_json(settings_list(settings, lists[i].setting)));
	return message;
}

json_t *start_message(const struct settings *settings, const struct paths *paths,
    const struct composition *composition, const struct sandbox_policy *policy,
    const struct sandbox_report *report)
{
	json_t *message = start_message_policy(settings);
	const char *pmu_why = composition->pmu_why ? composition->pmu_why : "";
	bool whole = composition->kind == WORKER_RECORD && geteuid() != 0;
	json_t *more = json_pack(
	    "{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:i, s:b}",
	    "kind", kind_names[composition->kind], "rr", settings_text(settings, SETTING_RR), "gdb",
	    settings_text(settings, SETTING_GDB), "pmu",
	    *pmu_why ? "software" : settings_text(settings, SETTING_PMU), "pmu_why", pmu_why,
	    "softpmu", paths->softpmu, "sandbox", sandbox_requested_json(policy), "sandbox_report",
	    sandbox_report_json(report), "read_only", list_json(policy->read_only), "read_write",
	    list_json(policy->read_write), "parents", list_json(policy->parents), "listed",
	    list_json(policy->listed), "in_view", composition->in_view || whole, "compat_abi",
	    composition->compat_abi, "own_network", policy->own_network, "log_level",
	    (int)settings_number(settings, SETTING_LOG_LEVEL), "log_times",
	    *settings_text(settings, SETTING_LOG) != '\0');

	if (compose_changes(composition))
		json_object_set_new(more, "changes", json_true());
	if (composition->unfinished)
		json_object_set_new(more, "unfinished", json_true());
	if (composition->symbols_unsure)
		json_object_set_new(more, "symbols_unsure", json_true());
	if (composition->operation == WIRE_OP_STATUS)
		json_object_set_new(more, "probes", json_true());
	if (composition->kind == WORKER_QUERY)
		json_object_set_new(json_object_get(message, "limits"), "memory",
		    json_integer(query_memory(settings)));
	json_object_update(message, more);
	json_decref(more);
	return message;
}
