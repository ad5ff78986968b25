/*
 * Names of layers, and reports about them. Must never report a layer as complete that is not.
 */
#include "sandbox/report.h"

#include <jansson.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const layer_names[LAYER_COUNT] = {
#define X(NAME, name, DEFAULT, flag) [LAYER_##NAME] = #name,
    LAYERS(X)
#undef X
};

static const char *const request_names[] = {
    [REQUEST_OFF] = "off", [REQUEST_PREFER] = "prefer", [REQUEST_REQUIRE] = "require"};

static const enum layer_request default_requests[LAYER_COUNT] = {
#define X(NAME, name, DEFAULT, flag) [LAYER_##NAME] = REQUEST_##DEFAULT,
    LAYERS(X)
#undef X
};

const char *sandbox_layer_name(enum sandbox_layer layer)
{
	return layer_names[layer];
}

void report_layer(struct sandbox_report *report, enum sandbox_layer layer, enum layer_status status,
    const char *why)
{
	report->status[layer] = status;
	snprintf(report->why[layer], sizeof(report->why[layer]), "%s", why);
}

void sandbox_policy_default(struct sandbox_policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	memcpy(policy->requested, default_requests, sizeof(default_requests));
}

json_t *sandbox_requested_json(const struct sandbox_policy *policy)
{
	json_t *json = json_object();

	for (int layer = 0; json && layer < LAYER_COUNT; layer++)
		json_object_set_new(
		    json, layer_names[layer], json_string(request_names[policy->requested[layer]]));
	return json;
}

static const char *status_text(const struct sandbox_report *report, int layer)
{
	switch (report->status[layer]) {
	case STATUS_OFF:
		return "off";
	case STATUS_FULL:
		return "full";
	case STATUS_DEGRADED:
	case STATUS_UNUSED:
		return report->why[layer];
	}
	return "off";
}

json_t *sandbox_report_json(const struct sandbox_report *report)
{
	json_t *json = json_object();

	for (int layer = 0; json && layer < LAYER_COUNT; layer++)
		json_object_set_new(
		    json, layer_names[layer], json_string(status_text(report, layer)));
	return json;
}

void sandbox_requested_from_json(struct sandbox_policy *policy, const json_t *json)
{
	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		const char *want = json_string_value(json_object_get(json, layer_names[layer]));

		for (int i = REQUEST_OFF; want && i <= REQUEST_REQUIRE; i++)
			if (strcmp(want, request_names[i]) == 0)
				policy->requested[layer] = (enum layer_request)i;
	}
}

const char *sandbox_syscall_name(int number, char *text, size_t size)
{
	char *name = seccomp_syscall_resolve_num_arch(seccomp_arch_native(), number);

	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "system call %d", number);
	free(name);
	return text;
}
