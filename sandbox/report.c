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
    [LAYER_NO_NEW_PRIVS] = "no_new_privs",
    [LAYER_RLIMITS] = "rlimits",
    [LAYER_CAPABILITIES] = "capabilities",
    [LAYER_USER_NS] = "user_ns",
    [LAYER_PID_NS] = "pid_ns",
    [LAYER_NET_NS] = "net_ns",
    [LAYER_MOUNT_NS] = "mount_ns",
    [LAYER_IPC_NS] = "ipc_ns",
    [LAYER_UTS_NS] = "uts_ns",
    [LAYER_LANDLOCK] = "landlock",
    [LAYER_SECCOMP] = "seccomp",
};

static const char *const want_names[] = {
    [WANT_OFF] = "off", [WANT_PREFER] = "prefer", [WANT_REQUIRE] = "require"};

/* NET_NS is required since rr's debug port asks nobody for a password. */
static const enum sandbox_want default_wants[LAYER_COUNT] = {
    [LAYER_NO_NEW_PRIVS] = WANT_REQUIRE,
    [LAYER_RLIMITS] = WANT_REQUIRE,
    [LAYER_CAPABILITIES] = WANT_REQUIRE,
    [LAYER_USER_NS] = WANT_PREFER,
    [LAYER_PID_NS] = WANT_PREFER,
    [LAYER_NET_NS] = WANT_REQUIRE,
    [LAYER_MOUNT_NS] = WANT_PREFER,
    [LAYER_IPC_NS] = WANT_PREFER,
    [LAYER_UTS_NS] = WANT_PREFER,
    [LAYER_LANDLOCK] = WANT_PREFER,
    [LAYER_SECCOMP] = WANT_REQUIRE,
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

const char *sandbox_report_level(const struct sandbox_report *report)
{
	bool any = false;

	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		if (report->got[layer] == GOT_DEGRADED)
			return "degraded";
		any |= report->got[layer] == GOT_FULL;
	}
	return any ? "full" : "off";
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
