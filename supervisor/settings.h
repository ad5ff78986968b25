#ifndef SUPERVISOR_SETTINGS_H
#define SUPERVISOR_SETTINGS_H
/*
 * What this server may do, and its limits: one table of settings, and the rule by which the
 * administrator's file, a user's file, the environment and flags are put on top of each other.
 *
 * Where the administrator's file exists, it is a ceiling: every later source may only ask for
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
	X(TRACE_DIR, "traces", "directory", "trace-dir", "_RR_TRACE_DIR", TEXT, FREE, "", "directory for new traces (default: ~/.local/share/rr)") \
	X(ROOTS, "traces", "roots", "trace-root", NULL, LIST, SUBSET, "", "allow only traces and core files below this directory (repeatable; none: anywhere)") \
	X(TRACE_BYTES, "traces", "size", "trace-size", NULL, BYTES, LESS, "0", "largest size of one trace in bytes (K, M, G, T; 0: no limit)") \
	X(FREE_DISK, "traces", "free_disk", "free-disk", NULL, BYTES, MORE, "256M", "stop a recording when less than this is free on the disk") \
	X(RECORD, "recording", "allow", "record", NULL, BOOLEAN, LESS, "yes", "whether programs can be recorded") \
	X(COMMANDS, "recording", "commands", "record-command", NULL, LIST, SUBSET, "", "a pattern of programs that can be recorded (repeatable; none: any)") \
	X(DIRECTORIES, "recording", "directories", "record-directory", NULL, LIST, SUBSET, "", "record only in this directory (repeatable; none: anywhere)") \
	X(NETWORK, "recording", "network", "record-network", NULL, NETWORK, MORE, "user", "network of a recorded program: user, its user's; private, only a loopback of its own") \
	X(VARIABLES, "recording", "variables", "record-variable", NULL, LIST, SUBSET, "", "a pattern of environment variables that a call can set if record-command restricts programs (repeatable; none: no variable)") \
	X(OUTPUT, "recording", "output", "record-output", NULL, BYTES, LESS, "0", "bytes to keep of each output stream (0: as many as fit the answer)") \
	X(SESSIONS, "sessions", "count", "sessions", NULL, COUNT, LESS, "32", "replay sessions at once") \
	X(IDLE, "sessions", "idle", "idle", NULL, SECONDS, LESS, "3600", "end an idle session's processes after this; its next call restores it (0: never)") \
	X(MEMORY, "sessions", "memory", "memory", NULL, BYTES, LESS, "0", "limit on the address space of each process (0: none)") \
	X(CPU, "sessions", "cpu_time", "cpu-time", NULL, SECONDS, LESS, "0", "limit on the processor time of each process (0: none)") \
	X(PROCESSES, "sessions", "processes", "processes", NULL, COUNT, LESS, "4096", "processes of one session or recording") \
	X(SOURCES, "debugging", "sources", "source-dir", NULL, LIST, GRANTED, "", "a directory below which sources are looked for, besides those that a recording here named (repeatable)") \
	X(CALLS, "debugging", "calls", "allow-calls", NULL, BOOLEAN, LESS, "no", "whether expressions can call functions of the program") \
	X(GDB_COMMANDS, "debugging", "gdb_commands", "allow-gdb-commands", NULL, BOOLEAN, LESS, "no", "whether rr_gdb_command can pass raw gdb commands") \
	X(ANSWERS, "debugging", "answers", "answers", NULL, ANSWERS, FREE, "text", "the form of answers: text, as a debugger prints it, with the same as structured content; plain, that text alone; or json, the structured content as text too") \
	X(TOOLS, "debugging", "tools", "tools", NULL, TOOLS, PART, "all", "the tools that clients list: all, core, or names with commas between them; the others can be called all the same, and appear when an answer names them") \
	X(REDACT, "debugging", "redact", "redact", NULL, PATTERNS, ADDED, "", "mask secrets in answers and reports: the word secrets, for keys, tokens and passwords of known forms, or a Perl-compatible regular expression (repeatable; a user can add to the administrator's)") \
	X(TIMEOUT_STARTUP, "timeouts", "startup", "timeout-startup", "RR_MCP_TIMEOUT_STARTUP", SECONDS, FREE, "30", "starting rr") \
	X(TIMEOUT_CONNECT, "timeouts", "connect", "timeout-connect", "RR_MCP_TIMEOUT_CONNECT", SECONDS, FREE, "60", "connecting gdb to rr") \
	X(TIMEOUT_FORWARD, "timeouts", "forward", "timeout-forward", "RR_MCP_TIMEOUT_FORWARD", SECONDS, FREE, "120", "running forward") \
	X(TIMEOUT_REVERSE, "timeouts", "reverse", "timeout-reverse", "RR_MCP_TIMEOUT_REVERSE", SECONDS, FREE, "280", "running backward, searching (some clients give up a call after 300)") \
	X(TIMEOUT_BREAKPOINT, "timeouts", "breakpoint", "timeout-breakpoint", "RR_MCP_TIMEOUT_BREAKPOINT", SECONDS, FREE, "30", "breakpoints") \
	X(TIMEOUT_EVAL, "timeouts", "eval", "timeout-eval", "RR_MCP_TIMEOUT_EVAL", SECONDS, FREE, "30", "inspection") \
	X(TIMEOUT_RECORD, "timeouts", "record", "timeout-record", "RR_MCP_TIMEOUT_RECORD", SECONDS, LESS, "0", "one recording (0: no limit)") \
	X(TASK_AFTER, "timeouts", "task", "task-after", NULL, SECONDS, FREE, "25", "turning a call into a task, for clients that take tasks (0: never)") \
	X(LOG, "log", "file", "log", NULL, TEXT, FREE, "", "append the log to this file, with times, and not to stderr") \
	X(LOG_LEVEL, "log", "level", "log-level", NULL, LOG_LEVEL, MORE, "audit", "error; audit, which adds what was granted or refused; calls, which adds a line for each call; or gdb, which adds what gdb and rr say") \
	X(AUDIT, "sandbox", "audit", "audit", NULL, AUDIT, MORE, "stderr", "where audit lines go: stderr, or syslog, which adds the system log") \
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

enum settings_answers { ANSWERS_TEXT, ANSWERS_JSON, ANSWERS_PLAIN };

enum setting_type {
	SETTING_TEXT,
	SETTING_PMU_CHOICE,
	SETTING_NETWORK_CHOICE,	  /* user < private */
	SETTING_ANSWERS_CHOICE,	  /* enum settings_answers */
	SETTING_AUDIT_CHOICE,	  /* stderr < syslog */
	SETTING_LOG_LEVEL_CHOICE, /* enum log_level */
	SETTING_TOOLS_CHOICE,	  /* all, core, or names of tools */
	SETTING_LIST,
	SETTING_PATTERNS, /* a list of what redactor_check takes */
	SETTING_BYTES,	  /* with a suffix K, M, G, T */
	SETTING_SECONDS,  /* with a suffix s, m, h, d */
	SETTING_NUMBER,
	SETTING_BOOLEAN,
	SETTING_REQUEST /* of a sandbox layer: off < prefer < require */
};

/* What a user can choose, compared with the administrator's value. */
enum setting_rule {
	RULE_FREE,   /* any value */
	RULE_LESS,   /* at most as much; except for booleans, 0 means no limit, which is the most */
	RULE_MORE,   /* at least as much */
	RULE_SUBSET, /* a part of the list; anything if the list is empty */
	RULE_GRANTED, /* a part of the list; nothing if the list is empty */
	RULE_ADDED,   /* any value: the lists of all sources together */
	RULE_PART,    /* any value: what counts of it is what the administrator's has too */
	RULE_FIXED    /* only the same value */
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

/* Where the value comes from. */
enum setting_source settings_source(const struct settings *settings, enum setting setting);

/* A NULL-terminated list; never NULL. Borrowed. */
const char *const *settings_list(const struct settings *settings, enum setting setting);

/* The administrator's list, which a user's may be a part of; empty without an administrator's file.
 * Borrowed. */
const char *const *settings_ceiling(const struct settings *settings, enum setting setting);

/* The administrator's value of a text, which bounds a user's; NULL without an administrator's file.
 */
const char *settings_ceiling_text(const struct settings *settings, enum setting setting);

/* Whether an administrator's file was read. */
bool settings_has_ceiling(const struct settings *settings);

/* Whether the absolute path `path` is `root` or below it. Compares text only; false if the path
 * contains "." or "..". */
bool path_is_within(const char *path, const char *root);

#endif
