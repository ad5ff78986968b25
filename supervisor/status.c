/*
 * See status.h. Gathers nothing but the kernel's name: the supervisor could not.
 */
#include "supervisor/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "supervisor/links.h"

#define ADVICE_MAX 512

static const struct {
	const char *tool, *remedy;
} missing_tools[] = {
    {"rr",
	"rr is not found: install it (Debian, Ubuntu: apt install rr; Fedora: dnf install rr), or "
	"name it with --rr=PATH"},
    {"gdb", "gdb is not found: install it (apt install gdb; dnf install gdb), or name it with "
	    "--gdb=PATH"},
};

/* What makes a layer that this machine does not give. */
static const struct {
	const char *layer, *remedy;
} layer_remedies[] = {
    {"user_ns",
	"allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 and "
	"user.max_user_namespaces; with AppArmor kernel.apparmor_restrict_unprivileged_userns=0 "
	"or a profile; in a container, run it so that unshare works"},
    {"pid_ns", "comes with user namespaces, or as root"},
    {"net_ns", "comes with user namespaces, or as root; without it every user of the machine could "
	       "reach rr's debug port"},
    {"mount_ns", "comes with user namespaces, or as root"},
    {"ipc_ns", "comes with user namespaces, or as root"},
    {"uts_ns", "comes with user namespaces, or as root"},
    {"landlock", "wants Linux 5.13 or later with landlock in the lsm= list"},
    {"seccomp", "wants a kernel with CONFIG_SECCOMP_FILTER"},
    {"capabilities", "rr_status's sandbox tells why"},
    {"rlimits", "raise the hard limits (ulimit -H), or ask for less"},
    {"no_new_privs", "wants Linux 3.5 or later"},
};

static const char *member_text(const json_t *facts, const char *object, const char *key)
{
	const char *text = json_string_value(json_object_get(json_object_get(facts, object), key));
	return text == NULL ? "" : text;
}

static bool is_found(const json_t *facts, const char *tool)
{
	return json_is_true(json_object_get(json_object_get(facts, tool), "found"));
}

static void advise_layer(json_t *advice, const char *layer, const char *got)
{
	char text[ADVICE_MAX];
	const char *remedy = "";

	if (strcmp(got, "full") == 0 || strcmp(got, "off") == 0)
		return;
	for (size_t i = 0; i < sizeof(layer_remedies) / sizeof(layer_remedies[0]); i++)
		if (strcmp(layer_remedies[i].layer, layer) == 0)
			remedy = layer_remedies[i].remedy;
	snprintf(text, sizeof(text), "the sandbox goes without %s (%s): %s", layer, got, remedy);
	json_array_append_new(advice, json_string(text));
}

json_t *status_advice(const json_t *facts)
{
	json_t *advice = json_array(), *layers, *got;
	static const char *const words[] = {"error", "warning"};
	const char *layer;

	for (size_t i = 0; i < sizeof(missing_tools) / sizeof(missing_tools[0]); i++)
		if (!is_found(facts, missing_tools[i].tool))
			json_array_append_new(advice, json_string(missing_tools[i].remedy));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_found(facts, "rr") && member_text(facts, "pmu", words[i])[0] != 0)
			json_array_append_new(
			    advice, json_string(member_text(facts, "pmu", words[i])));
	layers = json_object_get(json_object_get(facts, "sandbox"), "layers");
	json_object_foreach(layers, layer, got)
	{
		if (json_is_string(got))
			advise_layer(advice, layer, json_string_value(got));
	}
	return advice;
}

bool status_is_usable(const json_t *facts)
{
	return is_found(facts, "rr") && is_found(facts, "gdb") &&
	       strcmp(member_text(facts, "pmu", "kind"), "none") != 0;
}

void status_complete(
    json_t *result, const struct policy *policy, const struct session *session, json_t *sessions)
{
	json_t *told = start_message_json(policy, "", WORKER_REPLAY, json_object(), NULL);
	static const char *const shown[] = {"limits", "timeouts", "roots", "directories",
	    "commands", "allow_calls", "allow_gdb_command", NULL};
	struct utsname kernel;

	for (size_t i = 0; shown[i] != NULL; i++)
		json_object_set(result, shown[i], json_object_get(told, shown[i]));
	json_decref(told);
	json_object_set_new(result, "version", json_string(RR_WARDEN_VERSION));
	if (uname(&kernel) == 0)
		json_object_set_new(result, "kernel", json_string(kernel.release));
	json_object_set_new(
	    result, "max_sessions", json_integer(policy_number(policy, SETTING_SESSIONS)));
	json_object_set_new(
	    result, "recording", json_boolean(policy_number(policy, SETTING_RECORD) != 0));
	if (session->sandbox != NULL)
		json_object_set(result, "sandbox", session->sandbox);
	json_object_set_new(result, "advice", status_advice(result));
	json_object_set_new(result, "sessions", sessions);
}
