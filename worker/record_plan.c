/*
 * Checking what is to be recorded. rr's own errors come late and leave half a trace: what can be
 * known before is said before. Must never start a process of the recorded program.
 */
#include "worker/record_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/places.h"
#include "worker/tool.h"

static bool fail(struct op_reply *reply, enum error_code code, const char *hint, const char *what,
    const char *path, int error)
{
	op_fail(reply, code, hint, "%s %.500s%s%s", what, path, error ? ": " : "",
	    error ? strerror(error) : "");
	return false;
}

static bool check_command(json_t *command, struct op_reply *reply)
{
	size_t index;
	json_t *word;
	const char *program = json_string_value(json_array_get(command, 0));

	if (json_array_size(command) > RECORD_ARGS_MAX) {
		op_fail(
		    reply, ERROR_LIMIT, NULL, "command has more than %d words", RECORD_ARGS_MAX);
		return false;
	}
	json_array_foreach(command, index,
	    word) if (!json_is_string(word) ||
		      strlen(json_string_value(word)) != json_string_length(word)) program = NULL;
	if (!program || !*program) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, "for example [\"./test\", \"-v\"]",
		    "command must be a list of words, the program first");
		return false;
	}
	return true;
}

/* The working directory, links resolved. */
static bool plan_directory(
    const struct worker *worker, json_t *args, struct record_plan *plan, struct op_reply *reply)
{
	const char *name = json_string_value(json_object_get(args, "working_directory"));
	char wanted[TRACE_PATH_MAX];
	cleanup_fd int fd = -1;

	if (!name || !*name)
		strlcpy(wanted, ".", sizeof(wanted));
	else if (strncmp(name, "~/", 2) != 0)
		strlcpy(wanted, name, sizeof(wanted));
	else if (trace_name_to_path(name, wanted, sizeof(wanted)) < 0)
		wanted[0] = '\0';
	fd = trace_open_directory(wanted, plan->directory, sizeof(plan->directory));
	if (fd < 0)
		return fail(
		    reply, ERROR_INVALID_ARGUMENT, NULL, "working_directory", wanted, errno);
	if (!trace_path_is_under(worker->config.directories, plan->directory))
		return fail(reply, ERROR_NOT_ALLOWED,
		    "the server's policy says where programs may be started",
		    "programs may not be started in", plan->directory, 0);
	return true;
}

/* One candidate as exec sees it from the program's directory. 0 or errno. */
static int check_executable(int directory, const char *path, char real[PATH_MAX])
{
	struct stat status;
	char link[64];
	ssize_t length;
	cleanup_fd int fd = openat(directory, path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode) || faccessat(directory, path, X_OK, AT_EACCESS) < 0 ||
	    !(status.st_mode & 0111))
		return EACCES;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, real, PATH_MAX - 1);
	if (length < 0)
		return errno;
	real[length] = '\0';
	return 0;
}

/* As rr and execvp look for it. 0 or errno; real gets where it is. */
static int find_executable(int directory, const char *name, const char *search, char real[PATH_MAX])
{
	int error = ENOENT;

	if (strchr(name, '/'))
		return check_executable(directory, name, real);
	while (search && *search) {
		size_t length = strcspn(search, ":");
		char path[PATH_MAX];
		int written = snprintf(
		    path, sizeof(path), "%.*s/%s", (int)length, length ? search : ".", name);
		int got = written < (int)sizeof(path) ? check_executable(directory, path, real)
						      : ENAMETOOLONG;
		if (got == 0)
			return 0;
		if (got != ENOENT && got != ENOTDIR)
			error = got;
		search += length + (search[length] == ':');
	}
	return error;
}

static bool command_is_allowed(const json_t *patterns, const char *path)
{
	size_t index;
	json_t *pattern;

	if (json_array_size(patterns) == 0)
		return true;
	json_array_foreach(patterns, index,
	    pattern) if (fnmatch(json_string_value(pattern), path, 0) == 0) return true;
	return false;
}

/* PATH as the program will have it. */
static const char *search_path(json_t *args)
{
	const char *path = json_string_value(json_object_get(json_object_get(args, "env"), "PATH"));

	return path ? path : getenv("PATH");
}

static bool check_program(
    const struct worker *worker, json_t *args, struct record_plan *plan, struct op_reply *reply)
{
	const char *name = json_string_value(json_array_get(json_object_get(args, "command"), 0));
	char real[PATH_MAX] = "";
	cleanup_fd int directory = open(plan->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = find_executable(directory, name, search_path(args), real);

	if (error == ENOENT || error == ENOTDIR)
		return fail(reply, ERROR_NOT_FOUND,
		    "a program without a slash is looked for in PATH, one with a slash from "
		    "working_directory on",
		    "there is no program", name, 0);
	if (error)
		return fail(reply, ERROR_INVALID_ARGUMENT,
		    "command[0] must be a file that this user may execute",
		    "cannot be executed:", name, error);
	if (!command_is_allowed(worker->config.commands, real))
		return fail(reply, ERROR_NOT_ALLOWED,
		    "the server's policy says which programs may be recorded",
		    "may not be recorded:", real, 0);
	*strrchr(real, '/') = '\0';
	strlcpy(plan->program_directory, *real ? real : "/", sizeof(plan->program_directory));
	return true;
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

/* Replaces NAME=… in the list, or appends it. The entry is the list's. */
static void put_variable(char **list, char *entry, size_t name_length)
{
	size_t i = 0;

	while (list[i] && (strncmp(list[i], entry, name_length + 1) != 0))
		i++;
	list[i] = entry;
}

static bool variable_is_sound(const char *name, json_t *value)
{
	return *name && !strchr(name, '=') && json_is_string(value) &&
	       strlen(json_string_value(value)) == json_string_length(value);
}

/* The user's environment, the client's variables over it, and what rr needs for its counters. */
static bool plan_environment(
    const struct worker *worker, json_t *args, struct record_plan *plan, struct op_reply *reply)
{
	json_t *env = json_object_get(args, "env");
	size_t count = json_object_size(env), made = 0;
	char **list = copy_environment(count);
	char **owned = calloc(count + 1, sizeof(*owned));
	const char *name;
	json_t *value;
	bool sound = list && owned && count <= RECORD_ENV_MAX;

	json_object_foreach(env, name, value)
	{
		if (!sound || !(sound = variable_is_sound(name, value)) ||
		    !(sound = asprintf(&owned[made], "%s=%s", name, json_string_value(value)) >= 0))
			break;
		put_variable(list, owned[made++], strlen(name));
	}
	if (!sound) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, "for example {\"LANG\": \"C\"}",
		    "env must be an object of variable names and texts");
	} else {
		/* A copy: what it was made of need not stay. */
		plan->environment = pmu_rr_environment(&plan->pmu, worker->config.softpmu, list);
		if (!plan->environment)
			op_fail(reply, ERROR_INTERNAL, NULL, "no environment for rr: %s (%s)",
			    strerror(errno), worker->config.softpmu);
	}
	for (size_t i = 0; i < made; i++)
		free(owned[i]);
	free(owned);
	free(list);
	return plan->environment != NULL;
}

/* Makes rr's own directory, as rr would: private, with what is missing above it. */
static int make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int made = mkdir(path, 0700);
		*slash = '/';
		if (made < 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
			return -1;
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

/* The directory that the trace will be in must exist, be allowed, and be writable. */
static bool check_parent(const struct worker *worker, const char *path, char real[TRACE_PATH_MAX],
    struct op_reply *reply)
{
	cleanup_fd int fd = trace_open_directory(path, real, TRACE_PATH_MAX);
	int error = errno;

	if (!trace_path_is_under(worker->config.roots, fd < 0 ? path : real))
		return fail(reply, ERROR_NOT_ALLOWED,
		    "the server's trace roots say where traces may be", "no trace may be put into",
		    path, 0);
	if (fd < 0)
		return fail(reply, error == EACCES ? ERROR_NOT_ALLOWED : ERROR_NOT_FOUND,
		    "make the directory first, or leave trace_dir out", "no trace can be put into",
		    path, error);
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return fail(reply, ERROR_NOT_ALLOWED,
		    "name a trace_dir in a directory that this user may write to",
		    "no trace can be put into", real, errno);
	return true;
}

static bool exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 || errno != ENOENT;
}

bool record_plan_next_trace(struct record_plan *plan)
{
	char *number = strrchr(plan->trace, '-') + 1;
	size_t room = sizeof(plan->trace) - (size_t)(number - plan->trace);

	if (plan->trace_named)
		return false;
	for (int i = 0; i < RECORD_DIRECTORY_TRIES; i++) {
		snprintf(number, room, "%d", i);
		if (!exists(plan->trace))
			return true;
	}
	return false;
}

/* Named as rr would name it: the program's name and the first free number. */
static bool plan_default_trace(const struct worker *worker, const char *program,
    struct record_plan *plan, struct op_reply *reply)
{
	char base[TRACE_PATH_MAX], real[TRACE_PATH_MAX];
	const char *slash = strrchr(program, '/');

	if (trace_base_dir(base, sizeof(base)) < 0)
		return fail(
		    reply, ERROR_INVALID_ARGUMENT, NULL, "too long:", "rr's trace directory", 0);
	if (make_directories(base) < 0)
		return fail(reply, ERROR_NOT_ALLOWED,
		    "set _RR_TRACE_DIR, or name a trace_dir elsewhere", "cannot be made:", base,
		    errno);
	if (!check_parent(worker, base, real, reply))
		return false;
	strlcpy(plan->parent, real, sizeof(plan->parent));
	if (snprintf(plan->trace, sizeof(plan->trace), "%s/%.200s-0", real,
		slash ? slash + 1 : program) >= (int)sizeof(plan->trace) - 16 ||
	    !record_plan_next_trace(plan))
		return fail(
		    reply, ERROR_LIMIT, "remove traces with rr_rm", "no free name in", real, 0);
	return true;
}

/* A name from the client is taken from the program's directory on, as `rr record -o` does. */
static bool plan_named_trace(
    const struct worker *worker, const char *name, struct record_plan *plan, struct op_reply *reply)
{
	char path[TRACE_PATH_MAX], real[TRACE_PATH_MAX];
	char *slash;
	int length;

	plan->trace_named = true;
	if (*name == '/' || strncmp(name, "~/", 2) == 0)
		length = trace_name_to_path(name, path, sizeof(path));
	else
		length = snprintf(path, sizeof(path), "%s/%s", plan->directory, name) >=
				 (int)sizeof(path)
			     ? -1
			     : 0;
	if (length < 0)
		return fail(reply, ERROR_INVALID_ARGUMENT, NULL, "too long:", "trace_dir", 0);
	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	slash = strrchr(path, '/');
	if (!slash[1] || strcmp(slash, "/.") == 0 || strcmp(slash, "/..") == 0)
		return fail(
		    reply, ERROR_INVALID_ARGUMENT, NULL, "names no new directory:", name, 0);
	*slash = '\0';
	if (!check_parent(worker, *path ? path : "/", real, reply))
		return false;
	strlcpy(plan->parent, real, sizeof(plan->parent));
	if (snprintf(plan->trace, sizeof(plan->trace), "%s/%s", real[1] ? real : "", slash + 1) >=
	    (int)sizeof(plan->trace))
		return fail(reply, ERROR_INVALID_ARGUMENT, NULL, "too long:", "trace_dir", 0);
	if (exists(plan->trace))
		return fail(reply, ERROR_INVALID_ARGUMENT,
		    "name a directory that does not exist yet, or leave trace_dir out",
		    "trace_dir exists already:", plan->trace, 0);
	return true;
}

static bool plan_trace(
    const struct worker *worker, json_t *args, struct record_plan *plan, struct op_reply *reply)
{
	const char *name = json_string_value(json_object_get(args, "trace_dir"));
	const char *program =
	    json_string_value(json_array_get(json_object_get(args, "command"), 0));

	if (name && *name)
		return plan_named_trace(worker, name, plan, reply);
	return plan_default_trace(worker, program, plan, reply);
}

static bool plan_numbers(
    const struct worker *worker, json_t *args, struct record_plan *plan, struct op_reply *reply)
{
	json_t *timeout = json_object_get(args, "timeout");
	json_t *limit = json_object_get(args, "output_limit");
	json_t *cores = json_object_get(args, "num_cores");

	plan->timeout = json_number_value(timeout);
	/* The configured limit is a protection: the client may ask for less only. */
	double most = json_number_value(json_object_get(worker->config.timeouts, "record"));
	if (most > 0 && (plan->timeout == 0 || plan->timeout > most))
		plan->timeout = most;
	plan->output_limit = limit ? (size_t)json_integer_value(limit) : RECORD_OUTPUT_DEFAULT;
	if (!(plan->timeout >= 0 && plan->timeout <= RECORD_TIMEOUT_MAX) ||
	    json_integer_value(limit) < 0 || plan->output_limit > WIRE_RESULT_MAX) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, NULL,
		    "timeout must be 0 (none) to %.0f seconds, output_limit 0 to %d bytes",
		    RECORD_TIMEOUT_MAX, WIRE_RESULT_MAX);
		return false;
	}
	/* rr's own bounds. */
	if (cores && (json_integer_value(cores) < 1 || json_integer_value(cores) > 128)) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "num_cores must be 1 to 128");
		return false;
	}
	if (cores)
		snprintf(plan->cores, sizeof(plan->cores), "%d", (int)json_integer_value(cores));
	return true;
}

/* RR OPTIONS record [-h] [-n] [--num-cores=N] -o TRACE -- COMMAND… */
static bool plan_argv(json_t *args, struct record_plan *plan, struct op_reply *reply)
{
	json_t *command = json_object_get(args, "command");
	const char *const *options = pmu_rr_options(&plan->pmu);
	size_t count = 0, index;
	json_t *word;

	plan->argv = calloc(RECORD_RR_OPTIONS_MAX + json_array_size(command) + 1, sizeof(char *));
	if (!plan->argv) {
		op_fail(reply, ERROR_INTERNAL, NULL, "out of memory");
		return false;
	}
	plan->argv[count++] = plan->pmu.rr_path;
	for (size_t i = 0; options[i] && count < RECORD_RR_OPTIONS_MAX / 2; i++)
		plan->argv[count++] = options[i];
	plan->argv[count++] = "record";
	if (json_is_true(json_object_get(args, "chaos")))
		plan->argv[count++] = "--chaos";
	/* Under the software PMU each buffered call is stopped at more often than a traced one. */
	if (plan->pmu.no_syscall_buffer || plan->pmu.kind == PMU_SOFTWARE)
		plan->argv[count++] = "-n";
	if (*plan->cores) {
		plan->argv[count++] = "--num-cores";
		plan->argv[count++] = plan->cores;
	}
	plan->argv[count++] = "-o";
	plan->argv[count++] = plan->trace;
	plan->argv[count++] = "--";
	json_array_foreach(command, index, word) plan->argv[count++] = json_string_value(word);
	return true;
}

/* In the child: what rr may use is found out with no more rights than rr will have. */
static _Noreturn void choose_confined(const struct worker *worker,
    const struct sandbox_settings *settings, int answer, struct pmu_choice *choice)
{
	struct sandbox_report report = {0};
	int mode = pmu_mode_from_name(worker->config.pmu);

	if (sandbox_enter(ROLE_RECORD, settings, &answer, 1, &report, choice->error,
		sizeof(choice->error)) == 0)
		pmu_choose(
		    mode < 0 ? PMU_MODE_AUTO : (enum pmu_mode)mode, worker->config.rr, choice);
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

static bool plan_pmu(const struct worker *worker, struct record_plan *plan, struct op_reply *reply)
{
	struct sandbox_settings settings;
	struct places places;
	int ends[2];
	bool chosen;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		op_fail(reply, ERROR_INTERNAL, NULL, "no pipe: %s", strerror(errno));
		return false;
	}
	tool_settings(&worker->config, &settings);
	places_begin(&places, &worker->config);
	places_apply(&places, &settings);
	child = fork();
	if (child == 0)
		choose_confined(worker, &settings, ends[1], &plan->pmu);
	close(ends[1]);
	chosen = child > 0 && read_choice(ends[0], &plan->pmu);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (!chosen)
		op_fail(reply, ERROR_INTERNAL, NULL, "rr could not be asked for its counters");
	else if (plan->pmu.error[0])
		op_fail(reply, ERROR_RR_FAILED, "rr_status tells what is missing", "%s",
		    plan->pmu.error);
	else
		return true;
	return false;
}

bool record_plan_make(
    const struct worker *worker, json_t *args, struct record_plan *plan, struct op_reply *reply)
{
	*plan = (struct record_plan){0};
	plan->input = json_string_value(json_object_get(args, "stdin"));
	return check_command(json_object_get(args, "command"), reply) &&
	       plan_numbers(worker, args, plan, reply) &&
	       plan_directory(worker, args, plan, reply) &&
	       check_program(worker, args, plan, reply) && plan_trace(worker, args, plan, reply) &&
	       plan_pmu(worker, plan, reply) && plan_environment(worker, args, plan, reply) &&
	       plan_argv(args, plan, reply);
}

void record_plan_free(struct record_plan *plan)
{
	if (plan->environment)
		pmu_environment_free(plan->environment);
	free(plan->argv);
	plan->environment = NULL;
	plan->argv = NULL;
}

void record_plan_link_latest(const struct record_plan *plan)
{
	char directory[TRACE_PATH_MAX];
	char *slash;
	cleanup_fd int fd = -1;

	strlcpy(directory, plan->trace, sizeof(directory));
	slash = strrchr(directory, '/');
	*slash = '\0';
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* As in rr: tried once; whoever makes the link in between has the newer trace. */
	if (fd >= 0 && (unlinkat(fd, TRACE_LATEST, 0) == 0 || errno == ENOENT) &&
	    symlinkat(slash + 1, fd, TRACE_LATEST) < 0)
		return;
}
