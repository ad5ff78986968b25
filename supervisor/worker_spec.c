/*
 * Copies what a call names. Decides nothing.
 */
#include "supervisor/worker_spec.h"

#include <stdlib.h>
#include <string.h>

struct worker_spec {
	enum worker_kind kind;
	uint32_t operation;
	char *names[LAUNCH_NAME_COUNT]; /* NULL: not named */
	bool trace_is_set;
};

static const char *const arguments[LAUNCH_SYMBOLS + 1] = {
    [LAUNCH_TRACE] = "trace_dir",
    [LAUNCH_BASE] = "trace_base_dir",
    [LAUNCH_FILE] = "file",
    [LAUNCH_DIRECTORY] = "working_directory",
    [LAUNCH_PROGRAM] = "command",
    [LAUNCH_GOOD] = "good",
    [LAUNCH_BAD] = "bad",
    [LAUNCH_CORE] = "core",
    [LAUNCH_EXECUTABLE] = "program",
    [LAUNCH_SYSROOT] = "sysroot",
    [LAUNCH_SYMBOLS] = "symbols",
};

/* A text, or one of a list. */
static char *copy_name(const json_t *value, size_t index)
{
	const char *text =
	    json_string_value(json_is_array(value) ? json_array_get(value, index) : value);

	return text == NULL ? NULL : strdup(text);
}

struct worker_spec *worker_spec_new(enum worker_kind kind, uint32_t operation, const json_t *args)
{
	struct worker_spec *spec = calloc(1, sizeof(*spec));

	if (spec == NULL)
		return NULL;
	spec->kind = kind;
	spec->operation = operation;
	for (int i = 0; i < LAUNCH_NAME_COUNT; i++) {
		int first = i < LAUNCH_SYMBOLS ? i : LAUNCH_SYMBOLS;
		spec->names[i] =
		    copy_name(json_object_get(args, arguments[first]), (size_t)(i - first));
	}
	return spec;
}

void worker_spec_free(struct worker_spec *spec)
{
	if (spec == NULL)
		return;
	for (int i = 0; i < LAUNCH_NAME_COUNT; i++)
		free(spec->names[i]);
	free(spec);
}

void worker_spec_set_trace(struct worker_spec *spec, const char *trace_dir)
{
	char *copy = spec->trace_is_set ? NULL : strdup(trace_dir);

	if (copy == NULL)
		return;
	free(spec->names[LAUNCH_TRACE]);
	spec->names[LAUNCH_TRACE] = copy;
	spec->trace_is_set = true;
}

bool worker_spec_has_trace(const struct worker_spec *spec, const char *trace_dir)
{
	return trace_dir != NULL && spec->trace_is_set &&
	       strcmp(spec->names[LAUNCH_TRACE], trace_dir) == 0;
}

void worker_spec_request(
    const struct worker_spec *spec, uint32_t tag, struct launch_request *request)
{
	launcher_name(request, tag, spec->kind, spec->operation, (const char *const *)spec->names);
}
