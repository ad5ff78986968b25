/*
 * The worker's part of rr_status: which rr, gdb and counter this machine has.
 */
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/serve/capture.h"
#include "worker/serve/handlers.h"
#include "worker/serve/lookup.h"
#include "worker/trace/query.h"
#include "worker/trace/trace.h"

/* The first line that `PROGRAM --version` prints, or "". */
static void read_version(
    struct worker *worker, const struct lookup *program, char *version, size_t size)
{
	struct capture capture = {.tool = TOOL_NONE};
	struct failure ignored = {0};

	*version = '\0';
	if (capture_run(worker, &program->spec, query_timeout_ms(worker), &capture, &ignored)) {
		/* rr prints it on stderr. */
		bool said = capture.output_length > 0;
		const char *text = said ? capture.output : capture.errors;
		size_t length = said ? capture.output_length : capture.errors_length;
		const char *end = memchr(text, '\n', length);
		scrub_bytes(version, size, text, end ? (size_t)(end - text) : length);
	}
	capture_free(&capture);
}

static json_t *program_status(struct worker *worker, const char *name)
{
	static const char *const arguments[] = {"--version", NULL};
	struct lookup program;
	char version[128];

	if (lookup_prepare(&program, &worker->config, name, arguments) < 0)
		return json_pack("{s:s,s:b}", "name", name, "found", 0);
	read_version(worker, &program, version, sizeof(version));
	return json_pack("{s:o,s:b,s:s}", "path", trace_path_to_json(program.program), "found", 1,
	    "version", version);
}

static json_t *pmu_status(const struct worker *worker)
{
	struct pmu_choice choice;
	char carried[PMU_CARRIED_MAX] = "";

	if (lookup_counter(&worker->config, &choice) < 0)
		return json_pack("{s:s,s:s}", "kind", "none", "error", choice.error);
	if (choice.carry_only || choice.kind == PMU_SOFTWARE)
		pmu_carried(choice.rr_version, carried, sizeof(carried));
	return json_pack("{s:s,s:s,s:s,s:s}", "kind", pmu_kind_name(choice.kind), "why", choice.why,
	    "warning", choice.warning, "carried", carried);
}

json_t *tool_status(struct worker *worker, const struct status_args *args, struct failure *failure)
{
	char base[TRACE_PATH_MAX] = "";

	(void)args;
	(void)failure;
	trace_base_dir(base, sizeof(base));
	return json_pack("{s:o,s:o,s:o,s:o,s:O,s:O}", "rr",
	    program_status(worker, worker->config.rr), "gdb",
	    program_status(worker, worker->config.gdb), "pmu", pmu_status(worker), "trace_base_dir",
	    trace_path_to_json(base), "sandbox", worker->config.sandbox_report, "limits",
	    worker->config.limits);
}
