/*
 * Names of layers, and what is said about them. Must never call a layer full that is not.
 */
#include <jansson.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/sandbox.h"

static const char *const layer_names[LAYER_COUNT] = {
#define X(NAME, name, DEFAULT, flag) [LAYER_##NAME] = #name,
    LAYERS(X)
#undef X
};

static const char *const want_names[] = {
    [WANT_OFF] = "off", [WANT_PREFER] = "prefer", [WANT_REQUIRE] = "require"};

static const enum sandbox_want default_wants[LAYER_COUNT] = {
#define X(NAME, name, DEFAULT, flag) [LAYER_##NAME] = WANT_##DEFAULT,
    LAYERS(X)
#undef X
};

const char *sandbox_layer_name(enum sandbox_layer layer)
{
	return layer_names[layer];
}

int sandbox_layer_from_name(const char *name)
{
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		if (strcmp(layer_names[layer], name) == 0)
			return layer;
	return -1;
}

void sandbox_settings_default(struct sandbox_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	memcpy(settings->want, default_wants, sizeof(default_wants));
}

json_t *sandbox_wants_json(const struct sandbox_settings *settings)
{
	json_t *json = json_object();

	for (int layer = 0; json && layer < LAYER_COUNT; layer++)
		json_object_set_new(
		    json, layer_names[layer], json_string(want_names[settings->want[layer]]));
	return json;
}

static const char *got_text(const struct sandbox_report *report, int layer)
{
	switch (report->got[layer]) {
	case GOT_OFF:
		return "off";
	case GOT_FULL:
		return "full";
	case GOT_DEGRADED:
	case GOT_UNUSED:
		return report->why[layer];
	}
	return "off";
}

json_t *sandbox_report_json(const struct sandbox_report *report)
{
	json_t *json = json_object();

	for (int layer = 0; json && layer < LAYER_COUNT; layer++)
		json_object_set_new(json, layer_names[layer], json_string(got_text(report, layer)));
	return json;
}

void sandbox_wants_from_json(struct sandbox_settings *settings, const json_t *json)
{
	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		const char *want = json_string_value(json_object_get(json, layer_names[layer]));

		for (int i = WANT_OFF; want && i <= WANT_REQUIRE; i++)
			if (strcmp(want, want_names[i]) == 0)
				settings->want[layer] = (enum sandbox_want)i;
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
