/*
 * The Python scripts. gdb's Python reads and runs one when it is told to: the helpers take 100 ms,
 * which the start of a session must not cost. gdb's own reading of them would cost 25 ms more.
 */
#include "worker/gdb/library.h"

#include <stdio.h>
#include <string.h>
#include "worker/serve/tool.h"

/* Begins a script in the file that gdb has; LINE ends its name. */
#define MARK "# -- "
#define LINE " --"

#define BEGIN(name)  ".ascii \"\\n" MARK name LINE "\\n\"\n"
#define SCRIPT(name) ".incbin \"worker/gdb/script/" name ".py\"\n"

/* clang-format off */
/* The Python files, as they are. */
__asm__(".pushsection .rodata\n"
	"all_scripts:\n"
	BEGIN("statics") SCRIPT("statics")
	BEGIN("silent_hits") SCRIPT("silent_hits")
	BEGIN("inlined") SCRIPT("inlined")
	BEGIN("callers") SCRIPT("callers")
	BEGIN("goroutines") SCRIPT("goroutines")
	BEGIN("pools") SCRIPT("inlined") SCRIPT("pools")
	BEGIN("variables") SCRIPT("parts") SCRIPT("variables")
	BEGIN("stack_variables") SCRIPT("parts") SCRIPT("stack_variables")
	BEGIN("helpers") SCRIPT("conditions") SCRIPT("judged") SCRIPT("printers") SCRIPT("rust")
		SCRIPT("go") SCRIPT("libcxx") SCRIPT("kept") SCRIPT("system") SCRIPT("library")
	".byte 0\n"
	".popsection\n");
/* clang-format on */
extern const char all_scripts[] __attribute__((visibility("hidden")));

#define COMMAND_MAX 256

bool library_write(int file)
{
	return dprintf(file, "%s", all_scripts) > 0;
}

/* The command that runs a script, and then something else. */
static const char *running(char command[COMMAND_MAX], const char *script, const char *then)
{
	snprintf(command, COMMAND_MAX,
	    "python exec(open('/proc/self/fd/%d').read().partition('" MARK "%s" LINE
	    "')[2].partition('" MARK "')[0])%s",
	    TOOL_EXTRA_FD, script, then);
	return command;
}

enum gdb_outcome library_run(struct gdb *gdb, const char *script)
{
	char command[COMMAND_MAX];

	return gdb_console(gdb, NULL, running(command, script, ""));
}

bool library_is_plain(const char *name)
{
	return !strpbrk(name, "'\\\"\n");
}

void library_load(struct gdb *gdb)
{
	static const char *const commands[] = {
	    "-enable-pretty-printing\n", /* of variable objects, while a printer is enabled */
	    /* those of Rust and Go stay on: they show what others show without help */
	    "-interpreter-exec console \"" LIBRARY_PRINTERS_OFF "\"\n",
	    /* for expressions: why a helper could not answer; see exchange.c */
	    "-gdb-set python print-stack message\n",
	};
	char command[COMMAND_MAX], line[COMMAND_MAX + 32];

	snprintf(line, sizeof(line), "-interpreter-exec console \"%s\"\n",
	    running(command, "helpers", "; load_library_helpers()"));
	gdb_tell(gdb, line);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		gdb_tell(gdb, commands[i]);
}
