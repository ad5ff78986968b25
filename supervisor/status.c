/*
 * See status.h. Reads only the kernel's name, because the supervisor cannot read more.
 */
#include "supervisor/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "supervisor/monitor/start_message.h"

#define TEXT_MAX    512
#define CARRIED_MAX 2560

#define STATE_OK      "ok"
#define STATE_WARNING "warning"
#define STATE_PROBLEM "problem"

/* How to make the kernel grant each layer of the sandbox. The first row is for all namespaces. */
static const struct {
	const char *layer, *fix;
} layer_fixes[] = {
    {"user_ns",
	"allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 "
	"user.max_user_namespaces=10000 kernel.apparmor_restrict_unprivileged_userns=0 (not every "
	"kernel has all of them); in a container, see README, \"In a container\""},
    {"landlock", "boot Linux 5.13 or later, with landlock in the lsm= list"},
    {"seccomp", "boot a kernel with CONFIG_SECCOMP_FILTER"},
    {"capabilities", "start rr-warden with fewer privileges"},
    {"rlimits", "raise the hard limits (ulimit -H), or set lower limits"},
    {"no_new_privs", "boot Linux 3.5 or later"},
};
#define LAYER_FIXES (sizeof(layer_fixes) / sizeof(layer_fixes[0]))

static const char *member_text(const json_t *facts, const char *object, const char *key)
{
	const char *text = json_string_value(json_object_get(json_object_get(facts, object), key));
	return text == NULL ? "" : text;
}

static bool is_found(const json_t *facts, const char *tool)
{
	return json_is_true(json_object_get(json_object_get(facts, tool), "found"));
}

static void add_finding(
    json_t *findings, const char *state, const char *subject, const char *text, const char *fix)
{
	json_array_append_new(findings, json_pack("{s:s, s:s, s:s, s:s}", "state", state, "subject",
					    subject, "text", text, "fix", fix));
}

static void find_tool(json_t *findings, const json_t *facts, const char *tool)
{
	char text[TEXT_MAX];

	if (is_found(facts, tool)) {
		snprintf(text, sizeof(text), "%s (%s)", member_text(facts, tool, "version"),
		    member_text(facts, tool, "path"));
		add_finding(findings, STATE_OK, tool, text, "");
		return;
	}
	snprintf(text, sizeof(text),
	    "install it (Debian, Ubuntu: apt install %s; Fedora: dnf install %s; without root: pip "
	    "install 'rr-warden[%s]', or npm install rr-warden-%s-linux-x64), or give its path "
	    "with --%s=PATH",
	    tool, tool, tool, tool, tool);
	add_finding(findings, STATE_PROBLEM, tool, "not found", text);
}

/* What Linux has that this rr does not know; recording works in spite of it. */
static void find_carried(json_t *findings, const char *carried)
{
	char text[CARRIED_MAX];

	if (carried[0] == 0)
		return;
	snprintf(text, sizeof(text),
	    "rr-warden handles features of newer systems that this rr lacks; for recorded "
	    "programs, "
	    "new system calls fail as on an older Linux: %s",
	    carried);
	add_finding(findings, STATE_OK, "newer", text, "");
	json_object_set_new(json_array_get(findings, json_array_size(findings) - 1), "brief",
	    json_string("what this rr lacks of newer systems is handled (--verbose)"));
}

/* pmu's error and warning are sentences that end with the fix. */
static void find_counters(json_t *findings, const json_t *facts)
{
	char text[TEXT_MAX];

	if (!is_found(facts, "rr"))
		return;
	snprintf(text, sizeof(text), "%s: %s", member_text(facts, "pmu", "kind"),
	    member_text(facts, "pmu", "why"));
	if (member_text(facts, "pmu", "error")[0] != 0)
		add_finding(
		    findings, STATE_PROBLEM, "counters", member_text(facts, "pmu", "error"), "");
	else
		add_finding(findings, STATE_OK, "counters", text, "");
	if (member_text(facts, "pmu", "warning")[0] != 0)
		add_finding(
		    findings, STATE_WARNING, "counters", member_text(facts, "pmu", "warning"), "");
	find_carried(findings, member_text(facts, "pmu", "carried"));
}

static bool is_namespace(const char *layer)
{
	const char *end = strstr(layer, "_ns");
	return end != NULL && end[3] == 0;
}

static bool is_missing(const char *got)
{
	return got != NULL && strcmp(got, "full") != 0 && strcmp(got, "off") != 0;
}

static const char *fix_for(const char *layer)
{
	for (size_t i = 0; i < LAYER_FIXES; i++)
		if (strcmp(layer_fixes[i].layer, is_namespace(layer) ? "user_ns" : layer) == 0)
			return layer_fixes[i].fix;
	return "";
}

/* Namespaces fail together, for one reason and with one fix, so there is one finding for all of
 * them. */
static void find_layers(json_t *findings, const json_t *layers)
{
	char text[TEXT_MAX], spaces[TEXT_MAX] = "";
	const char *layer, *reason = "";
	json_t *value;

	json_object_foreach((json_t *)layers, layer, value)
	{
		const char *got = json_string_value(value);
		if (!is_missing(got))
			continue;
		if (is_namespace(layer)) {
			strlcat(spaces, spaces[0] != 0 ? ", " : "", sizeof(spaces));
			strlcat(spaces, layer, sizeof(spaces));
			reason = reason[0] != 0 ? reason : got;
			continue;
		}
		snprintf(text, sizeof(text), "without %s: %s", layer, got);
		add_finding(findings, STATE_WARNING, "sandbox", text, fix_for(layer));
	}
	if (spaces[0] != 0) {
		snprintf(text, sizeof(text), "without %s: %s", spaces, reason);
		add_finding(findings, STATE_WARNING, "sandbox", text, fix_for("user_ns"));
	}
}

json_t *status_findings(const json_t *facts)
{
	json_t *findings = json_array();
	const json_t *sandbox = json_object_get(facts, "sandbox");

	find_tool(findings, facts, "rr");
	find_tool(findings, facts, "gdb");
	find_counters(findings, facts);
	if (strcmp(member_text(facts, "sandbox", "level"), "full") == 0)
		add_finding(findings, STATE_OK, "sandbox", "full: every layer works", "");
	find_layers(findings, json_object_get(sandbox, "layers"));
	return findings;
}

json_t *status_advice(const json_t *facts)
{
	json_t *advice = json_array(), *findings = status_findings(facts), *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		const char *fix = json_string_value(json_object_get(finding, "fix"));
		const char *state = json_string_value(json_object_get(finding, "state"));

		if (strcmp(state, STATE_OK) != 0)
			json_array_append_new(
			    advice, json_sprintf("%s: %s%s%s",
					json_string_value(json_object_get(finding, "subject")),
					json_string_value(json_object_get(finding, "text")),
					fix[0] != 0 ? ". Fix: " : "", fix));
	}
	json_decref(findings);
	return advice;
}

void status_complete(json_t *result, const struct settings *settings, const struct session *session,
    json_t *sessions)
{
	json_t *told = start_message_policy(settings);
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
	    result, "max_sessions", json_integer(settings_number(settings, SETTING_SESSIONS)));
	json_object_set_new(
	    result, "recording", json_boolean(settings_number(settings, SETTING_RECORD) != 0));
	const char *const *redact = settings_list(settings, SETTING_REDACT);
	json_t *patterns = redact[0] == NULL ? NULL : json_array();
	for (; *redact != NULL; redact++)
		json_array_append_new(patterns, json_string(*redact));
	if (patterns != NULL)
		json_object_set_new(result, "redact", patterns);
	if (session_sandbox(session) != NULL)
		json_object_set(result, "sandbox", (json_t *)session_sandbox(session));
	json_object_set_new(result, "advice", status_advice(result));
	json_object_set_new(result, "sessions", sessions);
}
