/*
 * Sets gdb up for a session: switches off everything that obeys the recorded program (auto-load,
 * debuginfod) or changes it, and limits output and reads. Nothing here comes from a client.
 */
#include "worker/gdb/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/must.h"

#define VALUE_MAX 32

/* In this order. Settings that an old gdb may refuse without harm are marked and sent without
 * waiting. The others go into the script that gdb sources, which stops at the first that gdb
 * refuses. */
static const struct {
	const char *command;
	bool may_fail;
} settings[] = {
    {"mi-async on", false}, {"confirm off", false}, {"auto-load off", false},
    {"auto-load safe-path /nonexistent", false}, {"debuginfod enabled off", true},
    {"index-cache enabled off", true}, {"may-call-functions off", true},
    {"may-write-memory off", false}, {"sysroot /", false},
    {"directories $cdir", false}, /* not where the server happens to run */
    {"remotetimeout 10000",
	false}, /* vRun replays, which can take long, and gdb must not give up */
    {"startup-with-shell off", false}, {"can-use-hw-watchpoints 1", false},
    {"print elements 200", false}, {"print repeats 10", false}, {"print max-depth 8", true},
    /* Not structures: gdb 13 fails an assertion where one lies in pieces. values_complete reads
     * them. */
    {"print frame-arguments scalars", true},
    /* gdb finds what an argument was at the call by the name of the called function, in the first
     * library that has one: in which order libraries are known depends on where a session has been.
     */
    {"print entry-values no", true},
    {"max-value-size 32768", false}, /* reading a megabyte through rr takes seconds */
    /* What all debug registers together can watch: rr does more in single steps. How many an
     * object takes is watchpoint.c's to count: with a limit, gdb takes one kind only. */
    {"remote hardware-watchpoint-length-limit 32", false}, {"backtrace limit unlimited", false},
    /* gdb would open the file through rr, which refuses every name that is not ASCII (since 10). */
    {"exec-file-mismatch off", true}, {"dcache line-size 4096", true}, {"width 0", false},
    {"height 0", false}, {"style enabled off", true}, {"history save off", false},
    {"print asm-demangle off", false}, {"language auto", false},
    {"scheduler-locking replay", true},	 /* gdb's default, which it takes only beside a target */
    {"print static-members off", false}, /* a value is cut: its own members first */
    {"print object off", false}, /* on where values are shown: numbers are read without types */
};

/* Words that everybody uses, and that gdb's parser of C and C++ does not know: a program has its
 * macros only if it was compiled with -g3. */
static const char *const words[] = {
    "NULL ((void *) 0)", "nullptr ((void *) 0)", "true 1", "false 0"};

bool settings_write(int file)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (!settings[i].may_fail && dprintf(file, "set %s\n", settings[i].command) < 0)
			return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (dprintf(file, "macro define %s\n", words[i]) < 0)
			return false;
	return true;
}

/* An assertion that fails in gdb is then an error of the command, and gdb lives on. */
static const char *const maintenance[] = {
    "maint set internal-error quit no",
    "maint set internal-error corefile no",
    "maint set internal-warning quit no",
    "maint set internal-warning corefile no",
    "maint set demangler-warning quit no",
};

void settings_tell(struct gdb *gdb)
{
	char command[96];

	for (size_t i = 0; i < sizeof(maintenance) / sizeof(*maintenance); i++) {
		snprintf(
		    command, sizeof(command), "-interpreter-exec console \"%s\"\n", maintenance[i]);
		gdb_tell(gdb, command);
	}

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (settings[i].may_fail) {
			snprintf(command, sizeof(command), "-gdb-set %s\n", settings[i].command);
			gdb_tell(gdb, command);
		}
}

static const char *session_setting(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (strncmp(settings[i].command, name, length) == 0 &&
		    settings[i].command[length] == ' ')
			return settings[i].command;
	abort(); /* a mistake in our own code */
}

struct gdb_setting gdb_setting_begin(struct gdb *gdb, const char *name, const char *format, ...)
{
	const char *back = session_setting(name);
	char value[VALUE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	if (strcmp(back + strlen(name) + 1, value) == 0)
		return (struct gdb_setting){0};
	gdb_must(gdb, NULL, "-gdb-set %s %s", name, value);
	return (struct gdb_setting){gdb, back};
}

void gdb_setting_end(struct gdb_setting *setting)
{
	if (setting->back && !gdb_worker(setting->gdb)->broken)
		gdb_must(setting->gdb, NULL, "-gdb-set %s", setting->back);
	setting->back = NULL;
}
