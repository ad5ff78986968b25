/*
 * Describes a run of a program that answers one question. Does not start it: see capture.h.
 */
#include "worker/serve/lookup.h"

#include <errno.h>
#include <string.h>

int lookup_counter(const struct worker_config *config, struct pmu_choice *choice)
{
	int mode = pmu_mode_from_name(config->pmu);

	int result = pmu_choose(mode < 0 ? PMU_MODE_AUTO : (enum pmu_mode)mode,
	    config->rr[0] ? config->rr : "rr",
	    json_number_value(json_object_get(config->timeouts, "startup")), choice);

	if (result == 0 && config->pmu_why && config->pmu_why[0])
		strlcpy(choice->why, config->pmu_why, sizeof(choice->why));
	return result;
}

int lookup_prepare(struct lookup *lookup, const struct worker_config *config, const char *program,
    const char *const *arguments)
{
	size_t count = 0;

	if (pmu_find_program(program, lookup->program, sizeof(lookup->program)) < 0)
		return -1;
	lookup->argv[count++] = lookup->program;
	while (*arguments && count <= LOOKUP_ARGUMENTS_MAX)
		lookup->argv[count++] = *arguments++;
	lookup->argv[count] = NULL;
	lookup->spec = (struct tool_spec){.path = lookup->program,
	    .argv = (char *const *)lookup->argv,
	    .environment = tool_environment,
	    .role = ROLE_QUERY,
	    .policy = &lookup->policy,
	    .output = -1,
	    .extra = -1};
	tool_policy(config, &lookup->policy);
	places_begin(&lookup->places, config);
	places_apply(&lookup->places, &lookup->policy);
	return 0;
}

void lookup_show(struct lookup *lookup, const char *directory, bool writes)
{
	if (writes)
		places_write(&lookup->places, directory);
	else
		places_read(&lookup->places, directory);
}

void lookup_hide(struct lookup *lookup, const char *directory)
{
	places_hide(&lookup->places, directory);
	places_apply(&lookup->places, &lookup->policy);
}

void lookup_fail_without_rr(const struct worker_config *config, struct failure *failure)
{
	failure_set(failure, ERROR_RR_FAILED, "install rr, or give its path with --rr",
	    "%s cannot be found: %s", config->rr, strerror(errno));
}
