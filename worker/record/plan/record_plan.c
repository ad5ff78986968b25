/*
 * Checks what will be recorded. rr's own errors come late and leave an incomplete trace, so
 * everything that can be known before is checked before. Must never start a process of the recorded
 * program.
 */
#include "worker/record/plan/record_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/record/plan/program.h"
#include "worker/serve/lookup.h"
#include "worker/serve/places.h"
#include "worker/serve/tool.h"

static bool check_command(json_t *command, struct failure *failure)
{
	const char *program = json_string_value(json_array_get(command, 0));

	if (json_array_size(command) > RECORD_ARGS_MAX) {
		failure_set(
		    failure, ERROR_LIMIT, NULL, "command has more than %d words", RECORD_ARGS_MAX);
		return false;
	}
	if (!program || !*program) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "for example [\"./test\", \"-v\"]",
		    "command must be a list of words that begins with the program");
		return false;
	}
	return true;
}

/* The working directory, links resolved. */
static bool plan_directory(const struct worker *worker, const struct record_request *request,
    struct record_plan *plan, struct failure *failure)
{
	const char *name = request->working_directory;
	char wanted[TRACE_PATH_MAX];
	cleanup_fd int fd = -1;

	if (!name)
		strlcpy(wanted, ".", sizeof(wanted));
	else if (strncmp(name, "~/", 2) != 0)
		strlcpy(wanted, name, sizeof(wanted));
	else if (trace_name_to_path(name, wanted, sizeof(wanted)) < 0)
		wanted[0] = '\0';
	fd = trace_open_directory(wanted, plan->directory, sizeof(plan->directory));
	if (fd < 0)
		return trace_fail_path(
		    failure, ERROR_INVALID_ARGUMENT, NULL, "working_directory", wanted, errno);
	if (!trace_path_is_under(worker->config.directories, plan->directory))
		return trace_fail_path(failure, ERROR_NOT_ALLOWED,
		    "the server's settings limit where programs can be started",
		    "programs may not be started in", plan->directory, 0);
	return true;
}

/* The PATH that the program will have. */
static const char *search_path(const json_t *env)
{
	const char *path = json_string_value(json_object_get(env, "PATH"));

	return path ? path : getenv("PATH");
}

static bool plan_program(const struct worker *worker, const struct record_request *request,
    struct record_plan *plan, struct failure *failure)
{
	return program_find(worker, plan->directory,
	    json_string_value(json_array_get(request->command, 0)), search_path(request->env),
	    plan->program, plan->file, failure);
}

static char **copy_environment(size_t room)
{
	size_t count = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = calloc(count + room + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < count; i++)
		copy[i] = environ[i];
	return copy;
}

/* Where the list has NAME=…, or its end. */
static char **find_variable(char **list, const char *name)
{
	size_t length = strlen(name);

	while (*list && (strncmp(*list, name, length) != 0 || (*list)[length] != '='))
		list++;
	return list;
}

static bool variable_is_sound(const char *name, json_t *value)
{
	return *name && !strchr(name, '=') && json_is_string(value) &&
	       strlen(json_string_value(value)) == json_string_length(value);
}

/* If the settings limit programs, variables must be limited too, because they can make a program
 * run other code: LD_PRELOAD, for instance. */
static bool variables_are_allowed(
    const struct worker *worker, const struct record_request *request, struct failure *failure)
{
	const char *name;
	json_t *value;

	if (json_array_size(worker->config.commands) == 0)
		return true;
	json_object_foreach(request->env, name, value)
	{
		size_t i = 0, count = json_array_size(worker->config.variables);

		while (i < count &&
		       fnmatch(json_string_value(json_array_get(worker->config.variables, i)), name,
			   0) != 0)
			i++;
		if (i < count)
			continue;
		failure_set(failure, ERROR_NOT_ALLOWED,
		    "the server's settings limit which programs can be recorded, and therefore "
		    "also the variables: --record-variable=PATTERN allows one",
		    "the variable %.100s may not be set", name);
		return false;
	}
	return true;
}

/* The user's environment, the client's variables, which override it, and what rr needs for its
 * counters. */
static bool plan_environment(const struct worker *worker, const struct record_request *request,
    struct record_plan *plan, struct failure *failure)
{
	size_t count = json_object_size(request->env), made = 0;
	char **list = copy_environment(count + 1), **temporary;
	char **owned = calloc(count + 1, sizeof(*owned));
	const char *name;
	json_t *value;
	bool sound = list && owned && count <= RECORD_ENV_MAX;
	char none[] = "RR_TMPDIR=";

	json_object_foreach(request->env, name, value)
	{
		if (!sound || !(sound = variable_is_sound(name, value)) ||
		    !(sound = asprintf(&owned[made], "%s=%s", name, json_string_value(value)) >= 0))
			break;
		*find_variable(list, name) = owned[made++];
	}
	if (!sound) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "for example {\"LANG\": \"C\"}",
		    "env must be an object of variable names and values");
	} else {
		temporary = find_variable(list, "RR_TMPDIR");
		plan->has_own_temporary = !*temporary;
		if (!*temporary)
			*temporary = none;
		/* A copy, so that the original can be freed. */
		plan->environment = pmu_rr_environment(&plan->pmu, worker->config.softpmu, list);
		if (!plan->environment)
			failure_set(failure, ERROR_INTERNAL, NULL,
			    "the environment for rr could not be made: %s (%s)", strerror(errno),
			    worker->config.softpmu);
	}
	for (size_t i = 0; i < made; i++)
		free(owned[i]);
	free(owned);
	free(list);
	return plan->environment != NULL;
}

bool record_plan_place_temporary(struct record_plan *plan)
{
	char **entry = find_variable(plan->environment, "RR_TMPDIR"), *placed;

	if (!plan->has_own_temporary)
		return true;
	if (asprintf(&placed, "RR_TMPDIR=%s", plan->destination.trace) < 0)
		return false;
	free(*entry);
	*entry = placed;
	return true;
}

static bool plan_trace(const struct worker *worker, const struct record_request *request,
    struct record_plan *plan, struct failure *failure)
{
	const char *program = json_string_value(json_array_get(request->command, 0));

	if (request->trace_dir)
		return destination_take(
		    worker, request->trace_dir, plan->directory, &plan->destination, failure);
	return destination_choose(worker, program, &plan->destination, failure);
}

static bool plan_numbers(const struct worker *worker, const struct record_request *request,
    struct record_plan *plan, struct failure *failure)
{
	double most = json_number_value(json_object_get(worker->config.timeouts, "record"));

	plan->timeout = request->timeout;
	/* The configured limit is a protection, so the client can only ask for less. */
	if (most > 0 && (plan->timeout == 0 || plan->timeout > most))
		plan->timeout = most;
	plan->output_limit = (size_t)request->output_limit;
	if (!(plan->timeout >= 0 && plan->timeout <= RECORD_TIMEOUT_MAX)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "timeout must be from 0 (none) to %.0f seconds", RECORD_TIMEOUT_MAX);
		return false;
	}
	if (request->num_cores)
		snprintf(plan->cores, sizeof(plan->cores), "%lld", request->num_cores);
	return true;
}

/* RR OPTIONS record [-h] [-n] [--num-cores=N] -o TRACE -- COMMAND… */
static bool plan_argv(
    const struct record_request *request, struct record_plan *plan, struct failure *failure)
{
	const json_t *command = request->command;
	const char *const *options = pmu_rr_options(&plan->pmu);
	size_t count = 0, index;
	json_t *word;

	plan->argv = calloc(RECORD_RR_OPTIONS_MAX + json_array_size(command) + 1, sizeof(char *));
	if (!plan->argv)
		return failure_no_memory(failure);
	plan->argv[count++] = plan->pmu.rr_path;
	for (size_t i = 0; options[i] && count < RECORD_RR_OPTIONS_MAX / 2; i++)
		plan->argv[count++] = options[i];
	plan->argv[count++] = "record";
	if (request->chaos)
		plan->argv[count++] = "--chaos";
	/* With the software counter, a buffered call stops the program more often than a traced
	 * one. */
	if (plan->pmu.no_syscall_buffer || plan->pmu.kind == PMU_SOFTWARE)
		plan->argv[count++] = "-n";
	if (*plan->cores) {
		plan->argv[count++] = "--num-cores";
		plan->argv[count++] = plan->cores;
	}
	guard_heap_argv(&plan->heap, plan->argv, &count);
	plan->argv[count++] = "-o";
	plan->argv[count++] = plan->destination.trace;
	plan->argv[count++] = "--";
	json_array_foreach(command, index, word) plan->argv[count++] =
	    index == 0 ? plan->program : json_string_value(word);
	return true;
}

/* In the child: finds out which counters rr can use, with the same rights that rr will have. */
static _Noreturn void choose_confined(const struct worker *worker,
    const struct sandbox_policy *policy, int answer, struct pmu_choice *choice)
{
	struct sandbox_report report = {0};

	if (sandbox_enter(ROLE_RECORD, policy, &answer, 1, &report, choice->error,
		sizeof(choice->error)) == 0)
		lookup_counter(&worker->config, choice);
	_exit(write(answer, choice, sizeof(*choice)) != sizeof(*choice));
}

static bool read_choice(int fd, struct pmu_choice *choice)
{
	size_t length = 0;

	while (length < sizeof(*choice)) {
		ssize_t got = read(fd, (char *)choice + length, sizeof(*choice) - length);
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		if (got > 0)
			length += (size_t)got;
	}
	return true;
}

static bool plan_pmu(const struct worker *worker, struct record_plan *plan, struct failure *failure)
{
	struct sandbox_policy policy;
	struct places places;
	int ends[2];
	bool chosen;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		failure_set(failure, ERROR_INTERNAL, NULL, "no pipe: %s", strerror(errno));
		return false;
	}
	tool_policy(&worker->config, &policy);
	places_begin(&places, &worker->config);
	places_apply(&places, &policy);
	child = fork();
	int error = errno;
	if (child == 0)
		choose_confined(worker, &policy, ends[1], &plan->pmu);
	close(ends[1]);
	chosen = child > 0 && read_choice(ends[0], &plan->pmu);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (child < 0)
		failure_set(failure, ERROR_LIMIT,
		    "rr needs processes of its own: check --processes and `ulimit -u`, or end some "
		    "processes",
		    "rr cannot be started: %s", strerror(error));
	else if (!chosen)
		failure_set(failure, ERROR_RR_FAILED,
		    "try again; rr_status shows what may be wrong",
		    "the process that asks rr for its counters died");
	else if (plan->pmu.error[0])
		failure_set(failure, ERROR_RR_FAILED, "rr_status shows what is missing", "%s",
		    plan->pmu.error);
	else
		return true;
	return false;
}

/* From then on, *request has what picks its test. */
static bool plan_test(
    struct record_request *request, struct record_plan *plan, struct failure *failure)
{
	if (!test_choice_make(
		&plan->test, request->test, request->command, request->env, plan->file, failure))
		return false;
	request->command = plan->test.command;
	request->env = plan->test.env;
	return true;
}

bool record_plan_make(const struct worker *worker, const struct record_request *asked,
    struct record_plan *plan, struct failure *failure)
{
	struct record_request chosen = *asked, *request = &chosen;

	*plan = (struct record_plan){0};
	plan->input = request->input;
	plan->background = request->background;
	return check_command(request->command, failure) &&
	       plan_numbers(worker, request, plan, failure) &&
	       plan_directory(worker, request, plan, failure) &&
	       plan_program(worker, request, plan, failure) && plan_test(request, plan, failure) &&
	       guard_heap_plan(&plan->heap, request->heap, request->heap_limit, request->env,
		   plan->file, plan->program, failure) &&
	       plan_trace(worker, request, plan, failure) && plan_pmu(worker, plan, failure) &&
	       variables_are_allowed(worker, request, failure) &&
	       plan_environment(worker, request, plan, failure) &&
	       plan_argv(request, plan, failure);
}

void record_plan_free(struct record_plan *plan)
{
	destination_release(&plan->destination);
	if (plan->environment)
		pmu_environment_free(plan->environment);
	free(plan->argv);
	guard_heap_free(&plan->heap);
	test_choice_free(&plan->test);
	plan->environment = NULL;
	plan->argv = NULL;
}
