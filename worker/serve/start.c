/*
 * WIRE_OP_START, the first operation, which configures this worker.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/log.h"
#include "worker/serve/confine.h"
#include "worker/serve/start.h"

static enum worker_kind kind_from_name(const char *name)
{
	if (strcmp(name, "replay") == 0)
		return WORKER_REPLAY;
	if (strcmp(name, "record") == 0)
		return WORKER_RECORD;
	if (strcmp(name, "query") == 0)
		return WORKER_QUERY;
	if (strcmp(name, "compare") == 0)
		return WORKER_COMPARE;
	return WORKER_ANY;
}

static char *copy_string(json_t *args, const char *key)
{
	const char *text = json_string_value(json_object_get(args, key));

	return strdup(text ? text : "");
}

static json_t *keep(json_t *args, const char *key, bool array)
{
	json_t *value = json_object_get(args, key);

	if (value && (array ? json_is_array(value) : json_is_object(value)))
		return json_incref(value);
	return array ? json_array() : json_object();
}

json_t *op_start(struct worker *worker, json_t *message, struct failure *failure)
{
	struct worker_config *config = &worker->config;
	const char *kind = json_string_value(json_object_get(message, "kind"));

	if (config->kind != WORKER_ANY) {
		failure_set(failure, ERROR_INTERNAL, NULL, "the worker has already been started");
		return NULL;
	}
	*config = (struct worker_config){
	    .kind = kind_from_name(kind ? kind : ""),
	    .rr = copy_string(message, "rr"),
	    .gdb = copy_string(message, "gdb"),
	    .softpmu = copy_string(message, "softpmu"),
	    .pmu = copy_string(message, "pmu"),
	    .pmu_why = copy_string(message, "pmu_why"),
	    .timeouts = keep(message, "timeouts", false),
	    .limits = keep(message, "limits", false),
	    .roots = keep(message, "roots", true),
	    .directories = keep(message, "directories", true),
	    .commands = keep(message, "commands", true),
	    .variables = keep(message, "variables", true),
	    .changes = json_is_true(json_object_get(message, "changes")),
	    .probes = json_is_true(json_object_get(message, "probes")),
	    .read_only = keep(message, "read_only", true),
	    .read_write = keep(message, "read_write", true),
	    .parents = keep(message, "parents", true),
	    .listed = keep(message, "listed", true),
	    .sandbox = keep(message, "sandbox", false),
	    .sandbox_report = keep(message, "sandbox_report", false),
	    .unfinished = json_is_true(json_object_get(message, "unfinished")),
	    .symbols_unsure = json_is_true(json_object_get(message, "symbols_unsure")),
	    .in_view = json_is_true(json_object_get(message, "in_view")),
	    .compat_abi = json_is_true(json_object_get(message, "compat_abi")),
	    .own_network = json_is_true(json_object_get(message, "own_network")),
	    .allow_calls = json_is_true(json_object_get(message, "allow_calls")),
	    .allow_gdb_command = json_is_true(json_object_get(message, "allow_gdb_command")),
	};
	log_set_level((enum log_level)json_integer_value(json_object_get(message, "log_level")),
	    json_is_true(json_object_get(message, "log_times")));
	if (config->kind == WORKER_ANY) {
		failure_set(
		    failure, ERROR_INTERNAL, NULL, "kind must be replay, record, query or compare");
		return NULL;
	}
	if (config->kind == WORKER_QUERY && !worker_confine(worker,
						config->changes	 ? ROLE_CHANGE
						: config->probes ? ROLE_STATUS
								 : ROLE_QUERY,
						NULL, (int[]){-1}, failure))
		return NULL;
	return json_pack(
	    "{s:i,s:o}", "pid", (int)getpid(), "sandbox", worker_sandbox_summary(config));
}
