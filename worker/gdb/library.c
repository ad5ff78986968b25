/*
 * The script of gdb's helpers for the C++ library. gdb reads the text with its other settings, and
 * runs it when it is told to: that takes 100 ms, which the start of a session must not cost.
 */
#include "worker/gdb/library.h"

#include <stdio.h>

/* The Python file, as it is. */
__asm__(".pushsection .rodata\n"
	"library_script: .incbin \"worker/gdb/script/library.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char library_script[] __attribute__((visibility("hidden")));

bool library_write(int file)
{
	return dprintf(file, "python\nlibrary_script = r'''\n%s'''\nend\n", library_script) > 0;
}

void library_load(struct gdb *gdb)
{
	static const char *const commands[] = {
	    "-interpreter-exec console \"python exec(library_script); load_library_helpers()\"\n",
	    "-enable-pretty-printing\n", /* of variable objects, while a printer is enabled */
	    "-interpreter-exec console \"disable pretty-printer\"\n",
	    /* for expressions: why a helper could not answer; see exchange.c */
	    "-gdb-set python print-stack message\n",
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		gdb_tell(gdb, commands[i]);
}
