#ifndef SUPERVISOR_SETTINGS_H
#define SUPERVISOR_SETTINGS_H
/*
 * What this server may do, and its limits: one table of settings, and the rule by which the
 * administrator's file, a user's file, the environment and flags are put on top of each other.
 *
 * Where the administrator's file exists, it is a ceiling: whoever comes later may only ask for
 * less. Where it does not, everybody may set everything.
 */
#include <stdbool.h>
#include <stddef.h>

#include "sandbox/layers.h"

#define SETTINGS_FILE	   "/etc/rr-warden.conf"
#define SETTINGS_LIST_MAX  64
#define SETTINGS_TEXT_MAX  4096
#define SETTINGS_WHY_MAX   512
#define SETTINGS_LINE_MAX  200 /* inih cuts longer lines: we refuse them */
#define SETTINGS_FILE_NAME "rr-warden.conf"

/*
 * X(NAME, section, key, flag, environment or NULL, type, rule, default, help). The environment
 * names of the timeouts are those of karellen-rr-mcp.
 */
/* clang-format off */
#define SETTINGS(X) \
	X(RR, "tools", "rr", "rr", NULL, TEXT, FIXED, "rr", "the rr to use: a path, or a name on PATH") \
	X(GDB, "tools", "gdb", "gdb", NULL, TEXT, FIXED, "gdb", "the gdb to use: a path, or a name on PATH") \
	X(PMU, "tools", "pmu", "pmu", NULL, PMU, FREE, "auto", "auto, hardware or software") \
	X(TRACE_DIR, "traces", "directory", "trace-dir", "_RR_TRACE_DIR", TEXT, FREE, "", "where new traces go; default ~/.local/share/rr") \
	X(ROOTS, "traces", "roots", "trace-root", NULL, LIST, SUBSET, "", "a directory that traces may be under (repeatable; none: any)") \
	X(TRACE_BYTES, "traces", "size", "trace-size", NULL, BYTES, LESS, "0", "bytes one trace may take (K, M, G, T; 0: no limit)") \
	X(FREE_DISK, "traces", "free_disk", "free-disk", NULL, BYTES, MORE, "256M", "a recording ends before less than this is free") \
	X(RECORD, "recording", "allow", "record", NULL, BOOLEAN, LESS, "yes", "whether programs may be recorded") \
	X(COMMANDS, "recording", "commands", "record-command", NULL, LIST, SUBSET, "", "a pattern of programs that may be recorded (repeatable; none: any)") \
	X(DIRECTORIES, "recording", "directories", "record-directory", NULL, LIST, SUBSET, "", "a directory to record in (repeatable; none: any)") \
	X(NETWORK, "recording", "network", "record-network", NULL, NETWORK, MORE, "user", "user: a recorded program has its user's network; private: none but a loopback of its own") \
	X(VARIABLES, "recording", "variables", "record-variable", NULL, LIST, SUBSET, "", "a pattern of environment variables that a call may set where programs are limited (repeatable; none: none)") \
	X(OUTPUT, "recording", "output", "record-output", NULL, BYTES, LESS, "0", "bytes kept of each output stream (0: as the answer allows)") \
	X(SESSIONS, "sessions", "count", "sessions", NULL, COUNT, LESS, "32", "replay sessions at once") \
	X(IDLE, "sessions", "idle", "idle", NULL, SECONDS, LESS, "3600", "an idle session's processes end after this; the next call brings it back (0: never)") \
	X(MEMORY, "sessions", "memory", "memory", NULL, BYTES, LESS, "0", "address space of each process (0: no limit)") \
	X(CPU, "sessions", "cpu_time", "cpu-time", NULL, SECONDS, LESS, "0", "processor time of each process (0: no limit)") \
	X(PROCESSES, "sessions", "processes", "processes", NULL, COUNT, LESS, "4096", "processes of one session or recording") \
	X(SOURCES, "debugging", "sources", "source-dir", NULL, LIST, GRANTED, "", "a directory that replays may read sources and symbols from (repeatable)") \
	X(CALLS, "debugging", "calls", "allow-calls", NULL, BOOLEAN, LESS, "no", "whether expressions may call functions of the program") \
	X(GDB_COMMANDS, "debugging", "gdb_commands", "allow-gdb-commands", NULL, BOOLEAN, LESS, "no", "whether rr_gdb_command may pass raw gdb commands") \
	X(ANSWERS, "debugging", "answers", "answers", NULL, ANSWERS, FREE, "text", "the text of an answer: text, as a debugger prints it, or json, the same as its structure") \
	X(TIMEOUT_STARTUP, "timeouts", "startup", "timeout-startup", "RR_MCP_TIMEOUT_STARTUP", SECONDS, FREE, "30", "start of rr") \
	X(TIMEOUT_CONNECT, "timeouts", "connect", "timeout-connect", "RR_MCP_TIMEOUT_CONNECT", SECONDS, FREE, "60", "connecting gdb") \
	X(TIMEOUT_FORWARD, "timeouts", "forward", "timeout-forward", "RR_MCP_TIMEOUT_FORWARD", SECONDS, FREE, "120", "running forward") \
	X(TIMEOUT_REVERSE, "timeouts", "reverse", "timeout-reverse", "RR_MCP_TIMEOUT_REVERSE", SECONDS, FREE, "300", "running backward, searching") \
	X(TIMEOUT_BREAKPOINT, "timeouts", "breakpoint", "timeout-breakpoint", "RR_MCP_TIMEOUT_BREAKPOINT", SECONDS, FREE, "30", "breakpoints") \
	X(TIMEOUT_EVAL, "timeouts", "eval", "timeout-eval", "RR_MCP_TIMEOUT_EVAL", SECONDS, FREE, "30", "inspection") \
	X(TIMEOUT_RECORD, "timeouts", "record", "timeout-record", "RR_MCP_TIMEOUT_RECORD", SECONDS, FREE, "0", "one recording (0: no limit)") \
	X(AUDIT, "sandbox", "audit", "audit", NULL, AUDIT, MORE, "stderr", "where the lines of the audit go: stderr, or syslog as well") \
	LAYERS_THROUGH(LAYER_AS_SETTING, X)
#define LAYER_AS_SETTING(X, NAME, name, DEFAULT, text, flag) \
	X(LAYER_##NAME, "sandbox", #name, "sandbox-" #name, NULL, REQUEST, MORE, text, "require, prefer or off")
/* clang-format on */

enum setting {
#define X(name, section, key, flag, env, type, rule, value, help) SETTING_##name,
	SETTINGS(X)
#undef X
	    SETTING_COUNT
};

enum setting_type {
	SETTING_TEXT,
	SETTING_PMU_CHOICE,
	SETTING_NETWORK_CHOICE, /* user < private */
	SETTING_ANSWERS_CHOICE, /* text < json */
	SETTING_AUDIT_CHOICE,	/* stderr < syslog */
	SETTING_LIST,
	SETTING_BYTES,	 /* with a suffix K, M, G, T */
	SETTING_SECONDS, /* with a suffix s, m, h, d */
	SETTING_NUMBER,
	SETTING_BOOLEAN,
	SETTING_REQUEST /* of a sandbox layer: off < prefer < require */
};

/* How a later word relates to the administrator's. */
enum setting_rule {
	RULE_FREE,    /* the last word counts */
	RULE_LESS,    /* at most as much; 0 is no limit, and so the most, but for booleans */
	RULE_MORE,    /* at least as much */
	RULE_SUBSET,  /* within the list, where that is not empty */
	RULE_GRANTED, /* within the list; nothing where that is empty */
	RULE_FIXED    /* the same */
};

struct setting_row {
	const char *section, *key, *flag, *env;
	enum setting_type type;
	enum setting_rule rule;
	const char *value, *help;
};

extern const struct setting_row setting_rows[SETTING_COUNT];

enum setting_source { SOURCE_DEFAULT, SOURCE_ADMIN, SOURCE_FILE, SOURCE_ENV, SOURCE_FLAG };

struct settings;

/* The defaults. NULL when out of memory. */
struct settings *settings_new(void);
void settings_free(struct settings *settings);

/*
 * Reads a file; `source` is SOURCE_ADMIN or SOURCE_FILE. An administrator's file that does not
 * exist is no error. Returns 0, or -1 with `why` (SETTINGS_WHY_MAX bytes): file, line, what is
 * wrong and what would be right.
 */
int settings_load(
    struct settings *settings, const char *path, enum setting_source source, char *why);

/* Sets one setting from text; lists grow by one item. Returns 0, or -1 with `why`. */
int settings_set(struct settings *settings, enum setting setting, const char *text,
    enum setting_source source, char *why);

long long settings_number(const struct settings *settings, enum setting setting);
const char *settings_text(const struct settings *settings, enum setting setting);

/* Who said the value last. */
enum setting_source settings_source(const struct settings *settings, enum setting setting);

/* A NULL-terminated list; never NULL. Borrowed. */
const char *const *settings_list(const struct settings *settings, enum setting setting);

/* Whether an administrator's file was read. */
bool settings_has_ceiling(const struct settings *settings);

/* Whether the absolute path `path` is `root` or below it, by its text: "." and ".." refuse. */
bool path_is_within(const char *path, const char *root);

#endif
