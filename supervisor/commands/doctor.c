/*
 * See doctor.h. Changes nothing, except for the small recording that it makes and removes.
 */
#include "supervisor/commands/doctor.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/folded.h"
#include "supervisor/commands/own_server.h"
#include "supervisor/monitor/ledger.h"
#include "supervisor/redact/secrets.h"
#include "supervisor/status.h"

#define PROGRAM	    "/bin/true"
#define TEXT_MAX    2048
#define MEGABYTE    (1 << 20)
#define TEXT_COLUMN 20 /* behind "problem  counters   " */

static const char *const states[] = {
    [DOCTOR_OK] = "ok", [DOCTOR_WARNING] = "warning", [DOCTOR_PROBLEM] = "problem"};
static const char *const colors[] = {
    [DOCTOR_OK] = "\033[32m", [DOCTOR_WARNING] = "\033[33m", [DOCTOR_PROBLEM] = "\033[31m"};
static const char *const verdicts[] = {[DOCTOR_OK] = "Recording and replaying work here.",
    [DOCTOR_WARNING] = "Recording and replaying work here, with the warnings above.",
    [DOCTOR_PROBLEM] = "Recording or replaying does not work here."};

#define NOT_TRIED "Nothing prevents recording and replaying, but they were not tried."

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text == NULL ? "" : text;
}

__attribute__((format(printf, 5, 6))) static void add(json_t *findings, enum doctor_exit state,
    const char *subject, const char *fix, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	json_array_append_new(findings, json_pack("{s:s, s:s, s:s, s:s}", "state", states[state],
					    "subject", subject, "text", text, "fix", fix));
}

/* ---- This machine ---------------------------------------------------------------------------- */

static void find_kernel(json_t *findings)
{
	struct utsname kernel;

	if (uname(&kernel) < 0)
		return;
	if (strcmp(kernel.machine, "x86_64") == 0)
		add(findings, DOCTOR_OK, "kernel", "", "%s %s, %s", kernel.sysname, kernel.release,
		    kernel.machine);
	else
		add(findings, DOCTOR_PROBLEM, "kernel", "use a machine with an x86-64 processor",
		    "%s: rr-warden needs x86_64", kernel.machine);
}

static const char *const sources[] = {[SOURCE_ADMIN] = SETTINGS_FILE,
    [SOURCE_FILE] = "the --config file",
    [SOURCE_ENV] = "the environment",
    [SOURCE_FLAG] = "a flag"};

/* Whether there is a ceiling, and each value that is not the default, with its source. */
static void find_settings(json_t *findings, const struct settings *settings)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "%s%s",
	    settings_has_ceiling(settings) ? SETTINGS_FILE " sets the ceiling"
					   : "no " SETTINGS_FILE,
	    settings_has_ceiling(settings) ? "" : ": users set their own limits");
	for (int i = 0; i < SETTING_COUNT; i++) {
		enum setting_source source = settings_source(settings, (enum setting)i);
		if (source == SOURCE_DEFAULT)
			continue;
		strlcat(text, "; --", sizeof(text));
		strlcat(text, setting_rows[i].flag, sizeof(text));
		strlcat(text, " by ", sizeof(text));
		strlcat(text, sources[source], sizeof(text));
	}
	add(findings, DOCTOR_OK, "settings", "", "%s", text);
}

/* What answers mask, if anything. */
static void find_redaction(json_t *findings, const struct settings *settings)
{
	const char *const *items = settings_list(settings, SETTING_REDACT);
	bool has_set = false;
	size_t own = 0;

	for (; *items != NULL; items++) {
		has_set |= strcmp(*items, SECRETS_NAME) == 0;
		own += strcmp(*items, SECRETS_NAME) != 0;
	}
	if (has_set)
		add(findings, DOCTOR_OK, "redact", "",
		    "secrets of known forms are masked in answers and reports");
	if (own > 0)
		add(findings, DOCTOR_OK, "redact", "",
		    "patterns that are masked in answers and reports: %zu", own);
}

/* What switches user namespaces off on this machine, as far as the kernel shows it. */
static const struct {
	const char *file;
	long long off;
	const char *fix;
} namespace_switches[] = {
    {"/proc/sys/kernel/unprivileged_userns_clone", 0,
	"allow user namespaces: sysctl kernel.unprivileged_userns_clone=1"},
    {"/proc/sys/user/max_user_namespaces", 0,
	"allow user namespaces: sysctl user.max_user_namespaces=10000"},
    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
	"load an AppArmor profile that lets rr-warden make user namespaces (the Debian package "
	"contains one), or sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
};

/* The number in a file of /proc; -1 without such a file. */
static long long read_number(const char *path)
{
	char text[32] = "", *end = text;
	long long number = -1;
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return -1;
	if (fgets(text, sizeof(text), file) != NULL)
		number = strtoll(text, &end, 10);
	fclose(file);
	return end == text ? -1 : number;
}

#define CHROOT_FIX                                                                                 \
	"this is a chroot, and Linux allows no user namespaces there: enter the directory with "   \
	"bubblewrap (bwrap --bind DIRECTORY / ...), systemd-nspawn or pivot_root instead"

/* Whether the root directory is no mount point, as in a chroot. A chroot to one is not noticed. */
static bool in_chroot(void)
{
	char line[PATH_MAX];
	bool found = false, any = false;
	FILE *file = fopen("/proc/self/mountinfo", "re");

	if (file == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), file) != NULL) {
		char *from = line;
		for (int field = 1; field < 5 && from != NULL; field++)
			from = strchr(from + 1, ' ');
		any |= from != NULL;
		found = from != NULL && strncmp(from, " / ", 3) == 0;
	}
	fclose(file);
	return any && !found;
}

/* The fix for the switch that is off; "" if none is, and the fix of status_findings stays. */
static const char *namespace_fix(void)
{
	for (size_t i = 0; i < sizeof(namespace_switches) / sizeof(namespace_switches[0]); i++)
		if (read_number(namespace_switches[i].file) == namespace_switches[i].off)
			return namespace_switches[i].fix;
	return in_chroot() ? CHROOT_FIX : "";
}

/* A file of this name that may not be executed: the name itself, or the first on PATH. */
static bool find_unexecutable(const char *name, char path[PATH_MAX])
{
	const char *from = strchr(name, '/') != NULL ? NULL : getenv("PATH");
	struct stat file;

	if (from == NULL)
		return strlcpy(path, name, PATH_MAX) < PATH_MAX && stat(path, &file) == 0 &&
		       S_ISREG(file.st_mode) && access(path, X_OK) < 0;
	for (; *from != 0; from += *from == ':') {
		size_t length = strcspn(from, ":");
		if (snprintf(path, PATH_MAX, "%.*s/%s", (int)length, from, name) < PATH_MAX &&
		    stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) < 0)
			return true;
		from += length;
	}
	return false;
}

/* A program that was not found may be there, and only lack a permission. */
static void sharpen_missing(json_t *finding, const char *name)
{
	char path[PATH_MAX];

	if (strcmp(text_of(finding, "text"), "not found") != 0 || !find_unexecutable(name, path))
		return;
	json_object_set_new(finding, "text",
	    json_sprintf("%s is there, but you may not execute it: %s", path, strerror(EACCES)));
	json_object_set_new(finding, "fix",
	    json_sprintf("chmod a+rx '%s', or give the path of another one with --%s=PATH", path,
		text_of(finding, "subject")));
}

/* status_findings runs in a server that cannot open files, but the doctor can look. */
static void sharpen_fixes(json_t *findings, const struct settings *settings)
{
	const char *fix = namespace_fix();
	json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		if (fix[0] != 0 && strstr(text_of(finding, "text"), "user_ns") != NULL)
			json_object_set_new(finding, "fix", json_string(fix));
		if (strcmp(text_of(finding, "subject"), "rr") == 0)
			sharpen_missing(finding, settings_text(settings, SETTING_RR));
		if (strcmp(text_of(finding, "subject"), "gdb") == 0)
			sharpen_missing(finding, settings_text(settings, SETTING_GDB));
	}
}

/* Why it is this rr or gdb, and no other one. */
static void tell_choice(
    json_t *findings, const struct settings *settings, enum setting setting, const char *unset)
{
	enum setting_source source = settings_source(settings, setting);
	bool is_set = source != SOURCE_DEFAULT;
	json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		if (strcmp(text_of(finding, "subject"), setting_rows[setting].flag) == 0 &&
		    strcmp(text_of(finding, "state"), states[DOCTOR_OK]) == 0)
			json_object_set_new(finding, "text",
			    json_sprintf("%s: %s%s", text_of(finding, "text"),
				is_set ? "chosen by " : "", is_set ? sources[source] : unset));
	}
}

/* Turns an absolute path into the nearest folder above it that exists. */
static void find_existing(char *path)
{
	char *slash;

	while (access(path, F_OK) < 0 && (slash = strrchr(path, '/')) != NULL && slash != path)
		*slash = 0;
	if (access(path, F_OK) < 0)
		path[1] = 0;
}

/* Why no directory can be made there; "" if one can. */
static const char *no_traces_in(const char *path)
{
	struct stat folder;

	if (stat(path, &folder) == 0 && !S_ISDIR(folder.st_mode))
		return strerror(ENOTDIR);
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) < 0 ? strerror(errno) : "";
}

/* Whether traces can be put where they go, and the free space there. */
static void find_traces(json_t *findings, const json_t *status, const struct settings *settings)
{
	const char *name = text_of(status, "trace_base_dir");
	char path[2 * PATH_MAX], here[PATH_MAX];
	struct statvfs disk;

	if (name[0] == 0 || getcwd(here, sizeof(here)) == NULL)
		return;
	int length = name[0] == '/' ? snprintf(path, sizeof(path), "%s", name)
				    : snprintf(path, sizeof(path), "%s/%s", here, name);
	if (length >= (int)sizeof(path))
		return;
	find_existing(path);
	const char *obstacle = settings_number(settings, SETTING_RECORD) ? no_traces_in(path) : "";
	if (obstacle[0] != 0) {
		add(findings, DOCTOR_PROBLEM, "traces",
		    "choose a directory that you can write in, with --trace-dir=",
		    "%s cannot be written: %s: %s", name, path, obstacle);
		return;
	}
	if (statvfs(path, &disk) < 0)
		return;
	unsigned long long free_bytes = (unsigned long long)disk.f_bavail * disk.f_frsize;
	bool enough = free_bytes > (unsigned long long)settings_number(settings, SETTING_FREE_DISK);
	add(findings, enough ? DOCTOR_OK : DOCTOR_PROBLEM, "traces",
	    enough ? "" : "remove traces (rr_rm), or choose another directory with --trace-dir=",
	    "%s, %llu MB free", name, free_bytes / MEGABYTE);
}

/* ---- One recording, for real ----------------------------------------------------------------- */

/* The server's own hint, except for a problem that only a new build can fix. */
static const char *fix_for(const json_t *failure)
{
	if (strstr(text_of(failure, "message"), "loading shared libraries") != NULL)
		return "this rr-warden was built for another system: build it here, or install its "
		       "package";
	return text_of(failure, "hint");
}

/* Calls a tool for a finding on this subject. If the call fails, adds the finding and returns NULL.
 */
static json_t *try_tool(json_t *findings, struct own_server *server, const char *subject,
    const char *tool, json_t *args)
{
	const char *why = "";
	bool failed;
	json_t *answer = own_server_call(server, tool, args, &failed, &why);

	if (answer != NULL && !failed)
		return answer;
	if (strcmp(text_of(answer, "code"), "not_allowed") == 0)
		add(findings, DOCTOR_WARNING, subject, "",
		    "not tried, because the settings do not allow it: %s",
		    text_of(answer, "message"));
	else
		add(findings, DOCTOR_PROBLEM, subject, fix_for(answer), "%s fails: %s", tool,
		    answer == NULL ? why : text_of(answer, "message"));
	json_decref(answer);
	return NULL;
}

/* Replays the trace from its start to its end. */
static void try_replay(json_t *findings, struct own_server *server, const char *trace)
{
	json_t *started = try_tool(
	    findings, server, "replay", "rr_replay_start", json_pack("{s:s}", "trace_dir", trace));
	if (started == NULL)
		return;
	const char *session = text_of(started, "session");
	json_t *stop = try_tool(
	    findings, server, "replay", "rr_continue", json_pack("{s:s}", "session", session));
	if (stop != NULL && strcmp(text_of(stop, "reason"), "end") == 0)
		add(findings, DOCTOR_OK, "replay", "", "replayed it to the end");
	else if (stop != NULL)
		add(findings, DOCTOR_PROBLEM, "replay",
		    "report this with the output of `rr-warden doctor --json`",
		    "the replay stopped at \"%s\" instead of the end", text_of(stop, "reason"));
	json_decref(stop);
	bool failed;
	const char *why;
	json_decref(own_server_call(
	    server, "rr_replay_stop", json_pack("{s:s}", "session", session), &failed, &why));
	json_decref(started);
}

/* Whether the recording's sources were noted: without that, sessions show none of them. */
static void find_sources(json_t *findings)
{
	char path[PATH_MAX] = "";
	cleanup_fd int ledger = ledger_directory(path, false);

	if (ledger >= 0) {
		add(findings, DOCTOR_OK, "sources", "",
		    "those of recordings are listed in %s (libdw %s)", path, dwfl_version(NULL));
		json_object_set_new(json_array_get(findings, json_array_size(findings) - 1),
		    "brief", json_sprintf("listed in %s", path));
	} else {
		add(findings, DOCTOR_WARNING, "sources",
		    "make it a directory of your own that nobody else can write, or set "
		    "XDG_STATE_HOME to another place",
		    "those of recordings are not listed, so sessions do not show them: %s: %s",
		    path[0] ? path : "no home directory", strerror(errno));
	}
}

static void try_recording(json_t *findings, struct own_server *server)
{
	bool failed;
	const char *why;
	json_t *recorded = try_tool(
	    findings, server, "recording", "rr_record", json_pack("{s:[s]}", "command", PROGRAM));

	if (recorded == NULL)
		return;
	const char *trace = text_of(recorded, "trace_dir");
	json_t *exit_code = json_object_get(recorded, "exit_code");
	if (json_is_integer(exit_code) && json_integer_value(exit_code) == 0)
		add(findings, DOCTOR_OK, "recording", "", "recorded %s in %.1f s", PROGRAM,
		    json_number_value(json_object_get(recorded, "seconds")));
	else
		add(findings, DOCTOR_PROBLEM, "recording",
		    "report this with the output of `rr-warden doctor --json`",
		    "%s ended differently from a run without rr", PROGRAM);
	try_replay(findings, server, trace);
	find_sources(findings);
	json_decref(own_server_call(
	    server, "rr_rm", json_pack("{s:s}", "trace_dir", trace), &failed, &why));
	json_decref(recorded);
}

/* ---- Findings as text ------------------------------------------------------------------------ */

static enum doctor_exit worst_of(const json_t *findings)
{
	enum doctor_exit worst = DOCTOR_OK;
	const json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		for (enum doctor_exit state = DOCTOR_OK; state <= DOCTOR_PROBLEM; state++)
			if (state > worst && strcmp(text_of(finding, "state"), states[state]) == 0)
				worst = state;
	}
	return worst;
}

/* Whether a recording was made and replayed. */
static bool is_proven(const json_t *findings)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		if (strcmp(text_of(finding, "subject"), "replay") == 0 &&
		    strcmp(text_of(finding, "state"), states[DOCTOR_OK]) == 0)
			return true;
	}
	return false;
}

static void print_state(enum doctor_exit state, bool color)
{
	printf("%s%-8s%s", color ? colors[state] : "", states[state], color ? "\033[0m" : "");
}

/* https://no-color.org: NO_COLOR counts if it is not empty. */
static bool wants_color(void)
{
	const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && (never == NULL || never[0] == 0) && terminal != NULL &&
	       strcmp(terminal, "dumb") != 0;
}

/* What a person reads first: a finding may have a shorter text for that. */
static const char *shown_text(const json_t *finding, bool verbose)
{
	const char *brief = text_of(finding, "brief");

	return verbose || brief[0] == 0 ? text_of(finding, "text") : brief;
}

static void print_findings(const json_t *findings, bool verbose)
{
	bool color = wants_color();
	int width = folded_width(stdout);
	const json_t *finding;
	size_t i;

	printf("rr-warden %s\n\n", RR_WARDEN_VERSION);
	json_array_foreach(findings, i, finding)
	{
		for (enum doctor_exit state = DOCTOR_OK; state <= DOCTOR_PROBLEM; state++)
			if (strcmp(text_of(finding, "state"), states[state]) == 0)
				print_state(state, color);
		printf(" %-10s ", text_of(finding, "subject"));
		folded_print(stdout, shown_text(finding, verbose), TEXT_COLUMN, width);
		if (text_of(finding, "fix")[0] != 0)
			printf("%*sfix: %s\n", TEXT_COLUMN, "", text_of(finding, "fix"));
	}
	enum doctor_exit worst = worst_of(findings);
	bool known = worst == DOCTOR_PROBLEM || is_proven(findings);
	printf("\n%s\n", known ? verdicts[worst] : NOT_TRIED);
}

static void print_json(const json_t *findings, json_t *status)
{
	json_t *all = json_pack("{s:s, s:s, s:O, s:O?}", "version", RR_WARDEN_VERSION, "result",
	    states[worst_of(findings)], "findings", findings, "status", status);

	json_dumpf(all, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(all);
}

/* ---- The whole ------------------------------------------------------------------------------- */

struct wish {
	bool json, verbose, record;
};

static bool read_arguments(int argc, char *const argv[], int rest, struct wish *wish)
{
	const struct {
		const char *name;
		bool *at, value;
	} known[] = {{"--json", &wish->json, true}, {"--verbose", &wish->verbose, true},
	    {"--record", &wish->record, true}, {"--no-record", &wish->record, false}};

	for (int i = rest; i < argc; i++) {
		size_t k = 0;
		while (k < sizeof(known) / sizeof(known[0]) && strcmp(argv[i], known[k].name) != 0)
			k++;
		if (k == sizeof(known) / sizeof(known[0])) {
			fprintf(stderr,
			    "rr-warden: doctor has no option %s, only --verbose, --json and "
			    "--no-record. Put settings before the command: rr-warden "
			    "--pmu=software doctor\n",
			    argv[i]);
			return false;
		}
		*known[k].at = known[k].value;
	}
	return true;
}

/* Adds what the server reports as findings. Returns the status, or NULL if there is none. */
static json_t *ask_server(json_t *findings, const struct settings *settings,
    const struct own_choices *choices, struct own_server *server, bool record)
{
	json_t *status = try_tool(findings, server, "server", "rr_status", json_object());

	if (status == NULL)
		return NULL;
	json_t *found = status_findings(status);
	sharpen_fixes(found, settings);
	tell_choice(found, settings, SETTING_RR, choices->rr);
	tell_choice(found, settings, SETTING_GDB, choices->gdb);
	json_array_extend(findings, found);
	json_decref(found);
	find_traces(findings, status, settings);
	if (!record)
		add(findings, DOCTOR_OK, "recording", "", "not tried (--no-record)");
	else if (worst_of(findings) != DOCTOR_PROBLEM)
		try_recording(findings, server);
	return status;
}

int doctor_run(const struct settings *settings, const struct own_choices *choices, int argc,
    char *const argv[], int rest)
{
	struct wish wish = {.record = true};

	if (!read_arguments(argc, argv, rest, &wish))
		return DOCTOR_USAGE;
	json_t *findings = json_array(), *status = NULL;
	find_kernel(findings);
	find_settings(findings, settings);
	find_redaction(findings, settings);
	struct own_server *server = own_server_start(rest - 2, argv + 1);
	if (server == NULL)
		add(findings, DOCTOR_PROBLEM, "server", "read what it prints on standard error",
		    "it does not start");
	else
		status = ask_server(findings, settings, choices, server, wish.record);
	if (server != NULL && worst_of(findings) == DOCTOR_PROBLEM)
		own_server_repeat(server);
	own_server_end(server);
	if (wish.json)
		print_json(findings, status);
	else
		print_findings(findings, wish.verbose);
	int result = (int)worst_of(findings);
	json_decref(findings);
	json_decref(status);
	return result;
}
