/*
 * See status.h. Gathers nothing by itself: the supervisor could not.
 */
#include "supervisor/status.h"

#include "supervisor/links.h"

void status_complete(
    json_t *result, const struct policy *policy, const struct session *session, json_t *sessions)
{
	json_t *told = start_message_json(policy, "", WORKER_QUERY, json_object(), NULL);
	static const char *const shown[] = {"limits", "timeouts", "roots", "directories",
	    "commands", "allow_calls", "allow_gdb_command", NULL};

	for (size_t i = 0; shown[i] != NULL; i++)
		json_object_set(result, shown[i], json_object_get(told, shown[i]));
	json_decref(told);
	json_object_set_new(result, "version", json_string(RR_WARDEN_VERSION));
	json_object_set_new(
	    result, "max_sessions", json_integer(policy_number(policy, SETTING_SESSIONS)));
	json_object_set_new(
	    result, "recording", json_boolean(policy_number(policy, SETTING_RECORD) != 0));
	if (session->sandbox != NULL)
		json_object_set(result, "sandbox", session->sandbox);
	json_object_set_new(result, "sessions", sessions);
}
