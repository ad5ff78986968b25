/*
 * Locks the worker down. Must never let it go on if a required layer is missing.
 */
#include "worker/serve/confine.h"

#include <string.h>
#include "sandbox/wire/broker.h"
#include "worker/serve/places.h"

#define WHY_MAX	  192
#define EXTRA_MAX 8 /* descriptors beside the channel and the tools' */

/* The launcher reports the namespaces; the worker reports the other layers. */
static void merge_report(struct worker_config *config, const struct sandbox_report *report)
{
	json_t *own = sandbox_report_json(report), *text;
	const char *layer;

	json_object_foreach(own, layer, text)
	{
		if (strcmp(json_string_value(text), "off") != 0)
			json_object_set(config->sandbox_report, layer, text);
	}
	json_decref(own);
}

bool worker_confine(struct worker *worker, enum sandbox_role role, struct tool *const tools[],
    const int *extra, struct failure *failure)
{
	struct sandbox_report report = {0};
	struct sandbox_policy policy;
	struct places places;
	int keep[32];
	size_t count = 0;
	char why[WHY_MAX];

	keep[count++] = worker->channel;
	keep[count++] = WORKER_BROKER_FD;
	for (; *extra >= 0 && count < 2 + EXTRA_MAX; extra++)
		keep[count++] = *extra;
	for (size_t i = 0; tools && tools[i] && count + 3 <= sizeof(keep) / sizeof(*keep); i++) {
		keep[count++] = tools[i]->input;
		keep[count++] = tools[i]->output;
		keep[count++] = tools[i]->errors;
	}
	tool_policy(&worker->config, &policy);
	places_begin(&places, &worker->config);
	places_apply(&places, &policy);
	policy.parent = 0; /* the launcher has done that */
	policy.memory_max = 0;
	policy.processes_max = 0;
	policy.cpu_seconds = 0;
	if (sandbox_enter(role, &policy, keep, count, &report, why, sizeof(why)) == 0) {
		merge_report(&worker->config, &report);
		worker->config.confined = true;
		return true;
	}
	failure_set(failure, ERROR_SANDBOX_VIOLATION,
	    "rr-warden doctor says what this machine lacks; with the setting prefer, the layer is "
	    "optional",
	    "the worker cannot be confined: %s", why);
	worker->broken = true;
	return false;
}

/* "full" if every layer of the report is full, "off" if every layer is off, else "degraded". */
json_t *worker_sandbox_summary(const struct worker_config *config)
{
	json_t *report = config->sandbox_report;
	size_t full = 0, off = 0, count = json_object_size(report);
	const char *layer, *level = "degraded";
	json_t *got;

	json_object_foreach(report, layer, got)
	{
		const char *text = json_string_value(got);
		full += text && (strcmp(text, "full") == 0 ||
				    strncmp(text, LAYER_UNUSED, strlen(LAYER_UNUSED)) == 0);
		off += text && strcmp(text, "off") == 0;
	}
	if (off == count)
		level = "off";
	else if (full == count)
		level = "full";
	return json_pack("{s:s,s:O}", "level", level, "layers", report);
}

json_t *worker_tool_report(const struct worker_config *config, const struct sandbox_policy *policy)
{
	struct worker_config copy = {.sandbox_report = json_copy(config->sandbox_report)};
	struct sandbox_report report = {0};
	json_t *summary;

	sandbox_expect(policy, &report);
	merge_report(&copy, &report);
	summary = worker_sandbox_summary(&copy);
	json_decref(copy.sandbox_report);
	return summary;
}
