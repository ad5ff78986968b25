/*
 * A client of our own server, so that a person gets the same as an agent: the same settings,
 * sandbox and code. Must never record anything by itself.
 */
#include "supervisor/commands/record_until_command.h"

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/wire/scrub.h"
#include "supervisor/apparmor.h"

/* The server, and what we have read from it. */
struct server {
	pid_t pid;
	FILE *to, *from;
	long long last_id;
	char *line; /* getline's */
	size_t room;
};

struct request {
	json_t *arguments;   /* of rr_record_until */
	const char *archive; /* where the failing trace goes as one file, or NULL */
};

/* clang-format off */
static const char usage[] =
    "rr-warden [OPTION]... record-until [-n ATTEMPTS] [--fail-when=WHAT]\n"
    "          [--timeout=SECONDS] [--[no-]chaos] [--test=NAME]\n"
    "          [--heap=guard|guard_before] [--heap-limit=BLOCKS]\n"
    "          [--trace-dir=DIRECTORY] [--export=FILE.tar]\n"
    "          [--] COMMAND...\n"
    "\n"
    "Records COMMAND again and again until it fails, keeps that trace and removes\n"
    "the others. Prints the path of the trace, and with --export the path of the\n"
    "archive. WHAT is failure (the default: a status other than 0, a signal or the\n"
    "timeout), exit:STATUS, signal:SIGNAL, timeout or output:TEXT. With --test, the\n"
    "filter of COMMAND's test framework picks this one test. Exits with 0 if\n"
    "COMMAND never failed, with 1 if it failed and its trace was kept, and with 2 if\n"
    "nothing could be recorded.\n";
/* clang-format on */

static const struct option options[] = {
    {"attempts", required_argument, NULL, 'n'},
    {"fail-when", required_argument, NULL, 'w'},
    {"timeout", required_argument, NULL, 't'},
    {"chaos", no_argument, NULL, 'c'},
    {"no-chaos", no_argument, NULL, 'o'},
    {"heap", required_argument, NULL, 'p'},
    {"heap-limit", required_argument, NULL, 'l'},
    {"test", required_argument, NULL, 's'},
    {"trace-dir", required_argument, NULL, 'd'},
    {"export", required_argument, NULL, 'e'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "rr-warden: %s%s%s\n", what, why[0] ? ": " : "", why);
	return RECORD_UNTIL_TROUBLE;
}

static void set_text(json_t *arguments, const char *name, const char *text)
{
	json_object_set_new(arguments, name, json_string(text));
}

/* One option into the tool's arguments, which the server checks. False when it is not known. */
static bool read_option(struct request *request, int option)
{
	switch (option) {
	case 'n':
		set_text(request->arguments, "attempts", optarg);
		return true;
	case 'w':
		set_text(request->arguments, "fail_when", optarg);
		return true;
	case 't':
		set_text(request->arguments, "timeout", optarg);
		return true;
	case 'c':
	case 'o':
		json_object_set_new(request->arguments, "chaos", json_boolean(option == 'c'));
		return true;
	case 'p':
		set_text(request->arguments, "heap", optarg);
		return true;
	case 'l':
		set_text(request->arguments, "heap_limit", optarg);
		return true;
	case 's':
		set_text(request->arguments, "test", optarg);
		return true;
	case 'd':
		set_text(request->arguments, "trace_dir", optarg);
		return true;
	case 'e':
		request->archive = optarg;
		return true;
	default:
		return false;
	}
}

/* Returns -1, or the exit status if the failing trace could not be put there: better now than after
 * many attempts. rr_export checks all of it again. */
static int check_archive(const char *path)
{
	char copy[PATH_MAX];
	size_t length = strlcpy(copy, path, sizeof(copy));

	if (length >= sizeof(copy))
		return complain("--export", strerror(ENAMETOOLONG));
	if (length < 4 || strcmp(path + length - 4, ".tar") != 0)
		return complain("the name of an archive must end in .tar", path);
	if (access(path, F_OK) == 0)
		return complain("the archive exists already; give a new name", path);
	const char *folder = dirname(copy);
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0) {
		int error = errno;
		fprintf(stderr, "rr-warden: no archive can be put into %s: %s\n", folder,
		    strerror(error));
		return RECORD_UNTIL_TROUBLE;
	}
	return -1;
}

/* What the server would refuse in other words, or only after many attempts. Likewise. */
static int check_request(const struct request *request)
{
	const char *attempts = json_string_value(json_object_get(request->arguments, "attempts"));

	if (attempts != NULL && (!*attempts || attempts[strspn(attempts, "0123456789")] != 0))
		return complain("-n takes a number of attempts, not", attempts);
	return request->archive == NULL ? -1 : check_archive(request->archive);
}

/* Returns -1, or the exit status when there is nothing to record. */
static int read_request(struct request *request, int argc, char *const argv[])
{
	json_t *command = json_array();
	int option;

	json_object_set_new(request->arguments, "command", command);
	for (int i = 1; i < argc; i++)
		if (!scrub_is_text(argv[i]))
			return complain("the options and the command must be UTF-8", "");
	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+n:h", options, NULL)) != -1) {
		if (option == 'h')
			return fputs(usage, stdout) < 0 ? RECORD_UNTIL_TROUBLE : 0;
		if (!read_option(request, option)) {
			fputs(usage, stderr);
			return complain("no such option", argv[optind - 1]);
		}
	}
	for (; optind < argc; optind++)
		json_array_append_new(command, json_string(argv[optind]));
	if (json_array_size(command) > 0)
		return check_request(request);
	fputs(usage, stderr);
	return complain("the command to record is missing", "");
}

/* ---- The server ---------------------------------------------------------------------------- */

static bool start_server(struct server *server, const char *program, char *const argv[], int count)
{
	static char answers[] = "--answers=text"; /* whatever people want for their agents */
	int to[2], from[2];
	char **arguments = calloc((size_t)count + 2, sizeof(*arguments));

	if (arguments == NULL || pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		return false;
	memcpy(arguments, argv, (size_t)count * sizeof(*arguments));
	arguments[count] = answers;
	signal(SIGPIPE, SIG_IGN);
	server->pid = fork();
	if (server->pid == 0) {
		signal(SIGPIPE, SIG_DFL);
		apparmor_begin_anew();
		if (dup2(to[0], STDIN_FILENO) >= 0 && dup2(from[1], STDOUT_FILENO) >= 0)
			execv(program, arguments);
		_exit(complain(program, strerror(errno)));
	}
	free(arguments);
	close(to[0]);
	close(from[1]);
	server->to = fdopen(to[1], "w");
	server->from = fdopen(from[0], "r");
	return server->pid > 0 && server->to != NULL && server->from != NULL;
}

/* It ends when its input ends. */
static void end_server(struct server *server)
{
	if (server->to != NULL)
		fclose(server->to);
	if (server->pid > 0)
		while (waitpid(server->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	if (server->from != NULL)
		fclose(server->from);
	free(server->line);
}

static void send_message(struct server *server, json_t *message)
{
	json_object_set_new(message, "jsonrpc", json_string("2.0"));
	json_dumpf(message, server->to, JSON_COMPACT);
	fputc('\n', server->to);
	fflush(server->to);
	json_decref(message);
}

/* On a terminal, each line replaces the previous one. */
static void show_progress(const json_t *message)
{
	const char *text =
	    json_string_value(json_object_get(json_object_get(message, "params"), "message"));

	if (text != NULL)
		fprintf(stderr, isatty(STDERR_FILENO) ? "\r\033[K%s" : "%s\n", text);
}

/* The result of a request, or NULL with a complaint; progress is shown meanwhile. */
static json_t *ask(struct server *server, const char *method, json_t *params)
{
	long long id = ++server->last_id;
	json_t *message, *result = NULL;

	send_message(server,
	    json_pack("{s:I, s:s, s:o}", "id", (json_int_t)id, "method", method, "params", params));
	while (getline(&server->line, &server->room, server->from) > 0) {
		message = json_loads(server->line, 0, NULL);
		bool mine = json_integer_value(json_object_get(message, "id")) == id;
		if (mine)
			result = json_incref(json_object_get(message, "result"));
		else
			show_progress(message);
		json_decref(message);
		if (mine)
			break;
	}
	if (result == NULL)
		complain("the server did not answer", "");
	return result;
}

/* The structured content of a tool's answer, or NULL after printing the reason. */
static json_t *call_tool(struct server *server, const char *name, json_t *arguments)
{
	json_t *result = ask(server, "tools/call",
	    json_pack("{s:s, s:o, s:{s:s}}", "name", name, "arguments", arguments, "_meta",
		"progressToken", name));
	json_t *content = json_incref(json_object_get(result, "structuredContent"));
	const char *hint = json_string_value(json_object_get(content, "hint"));

	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (json_is_true(json_object_get(result, "isError"))) {
		complain(json_string_value(json_object_get(content, "message")), "");
		if (hint != NULL && hint[0])
			fprintf(stderr, "%s\n", hint);
		json_decref(content);
		content = NULL;
	}
	json_decref(result);
	return content;
}

static bool initialize(struct server *server)
{
	json_t *result = ask(server, "initialize",
	    json_pack("{s:s, s:{}, s:{s:s, s:s}}", "protocolVersion", "2025-11-25", "capabilities",
		"clientInfo", "name", "rr-warden record-until", "version", RR_WARDEN_VERSION));

	send_message(server, json_pack("{s:s}", "method", "notifications/initialized"));
	json_decref(result);
	return result != NULL;
}

/* ---- The result ---------------------------------------------------------------------------- */

/* "3 attempts: exit 0 (2), SIGSEGV (1)", and what the last one printed. */
static void tell_attempts(const json_t *answer)
{
	const char *ending, *output = json_string_value(json_object_get(answer, "stderr"));
	const char *test = json_string_value(json_object_get(answer, "test"));
	json_t *count;
	bool first = true;

	json_int_t attempts = json_integer_value(json_object_get(answer, "attempts"));
	fprintf(stderr, "%lld attempt%s:", (long long)attempts, attempts == 1 ? "" : "s");
	json_object_foreach(json_object_get(answer, "endings"), ending, count)
	{
		fprintf(stderr, "%s %s (%lld)", first ? "" : ",", ending,
		    (long long)json_integer_value(count));
		first = false;
	}
	fputc('\n', stderr);
	if (test != NULL)
		fprintf(stderr, "Test picked by %s\n", test);
	fputs(output == NULL ? "" : output, stderr);
}

static int export_trace(struct server *server, const char *trace, const char *file)
{
	json_t *answer = call_tool(
	    server, "rr_export", json_pack("{s:s, s:s}", "trace_dir", trace, "file", file));
	const char *path = json_string_value(json_object_get(answer, "file"));
	char absolute[PATH_MAX];

	/* The server shortens paths below the working directory, which is the same for both. */
	if (path != NULL)
		printf("%s\n", realpath(path, absolute) != NULL ? absolute : path);
	json_decref(answer);
	return path == NULL ? RECORD_UNTIL_TROUBLE : RECORD_UNTIL_FAILED;
}

/* The step that comes next, for a person at a terminal and in a job's log. */
static void tell_next(int status, const char *trace)
{
	if (status == RECORD_UNTIL_FAILED && trace != NULL)
		fprintf(stderr,
		    "Next: rr-warden explain %s, or ask your agent about it "
		    "(rr_crash_report)\n",
		    trace);
	else if (status == RECORD_UNTIL_NEVER_FAILED)
		fprintf(stderr, "Next: try more often (-n), or say with --fail-when what a failure "
				"is.\n");
}

static int record(struct server *server, const struct request *request)
{
	json_t *answer = call_tool(server, "rr_record_until", json_incref(request->arguments));
	const char *trace = json_string_value(json_object_get(answer, "trace_dir"));
	int status = RECORD_UNTIL_TROUBLE;

	if (answer != NULL) {
		tell_attempts(answer);
		status = json_is_true(json_object_get(answer, "failed"))
			     ? RECORD_UNTIL_FAILED
			     : RECORD_UNTIL_NEVER_FAILED;
	}
	if (status == RECORD_UNTIL_FAILED && trace != NULL) {
		printf("%s\n", trace);
		if (request->archive != NULL)
			status = export_trace(server, trace, request->archive);
	}
	fflush(stdout);
	tell_next(status, trace);
	json_decref(answer);
	return status;
}

int record_until_command_run(const char *program, int argc, char *const argv[], int rest)
{
	struct request request = {.arguments = json_object()};
	struct server server = {0};
	int status = read_request(&request, argc - rest + 1, argv + rest - 1);

	if (status < 0 && (!start_server(&server, program, argv, rest - 1) || !initialize(&server)))
		status = complain("the server did not start", strerror(errno));
	if (status < 0)
		status = record(&server, &request);
	end_server(&server);
	json_decref(request.arguments);
	return status;
}
