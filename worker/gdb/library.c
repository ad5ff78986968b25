/*
 * The script of gdb's helpers for the C++ library. Python reads and runs it when it is told to:
 * that takes 100 ms, which the start of a session must not cost. gdb's own reading of it would cost
 * 25 ms more.
 */
#include "worker/gdb/library.h"

#include <stdio.h>
#include "worker/serve/tool.h"

/* The Python files, as they are. */
__asm__(".pushsection .rodata\n"
	"library_script: .incbin \"worker/gdb/script/conditions.py\"\n"
	".incbin \"worker/gdb/script/printers.py\"\n"
	".incbin \"worker/gdb/script/library.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char library_script[] __attribute__((visibility("hidden")));

/* Between what gdb has sourced and the script. */
#define MARK "# the helpers"

bool library_write(int file)
{
	return dprintf(file, MARK "\n%s", library_script) > 0;
}

void library_load(struct gdb *gdb)
{
	static const char load[] =
	    "-interpreter-exec console \"python exec(open('/proc/self/fd/%d').read()"
	    ".rpartition('" MARK "')[2]); load_library_helpers()\"\n";
	static const char *const commands[] = {
	    "-enable-pretty-printing\n", /* of variable objects, while a printer is enabled */
	    /* those of Rust and Go stay on: they show what others show without help */
	    "-interpreter-exec console \"" LIBRARY_PRINTERS_OFF "\"\n",
	    /* for expressions: why a helper could not answer; see exchange.c */
	    "-gdb-set python print-stack message\n",
	};
	char command[sizeof(load) + 16];

	snprintf(command, sizeof(command), load, TOOL_EXTRA_FD);
	gdb_tell(gdb, command);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		gdb_tell(gdb, commands[i]);
}
