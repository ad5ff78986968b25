/*
 * See completion.h. Must not ask a worker, because completion is synchronous.
 */
#include "supervisor/completion.h"

#include <string.h>

#include "supervisor/dispatch.h"
#include "supervisor/outgoing.h"

json_t *completion_find(void *owner, const char *reference, const char *argument, const char *value)
{
	struct dispatch *dispatch = owner;
	bool sessions = strcmp(argument, "id") == 0 || strcmp(argument, "session") == 0;
	json_t *candidates = json_array(), *values = json_array(), *candidate;
	struct session *session = NULL;
	size_t i;

	(void)reference;
	while (sessions && (session = session_next_open(dispatch->table, session)) != NULL)
		json_array_append_new(candidates, json_string(session_name(session)));
	if (strcmp(argument, "name") == 0 || strcmp(argument, "trace_dir") == 0)
		json_array_extend(candidates, dispatch->trace_names);
	json_array_foreach(candidates, i, candidate)
	{
		const char *text = json_string_value(candidate);
		if (strcmp(argument, "name") == 0 && strrchr(text, '/') != NULL)
			text = strrchr(text, '/') + 1;
		if (strncmp(text, value, strlen(value)) == 0 &&
		    json_array_size(values) < DISPATCH_COMPLETIONS_MAX)
			json_array_append_new(values, json_string(text));
	}
	json_decref(candidates);
	outgoing_clean(dispatch, values);
	return values;
}
