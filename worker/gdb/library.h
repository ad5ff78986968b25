#ifndef WORKER_LIBRARY_H
#define WORKER_LIBRARY_H
/*
 * What gdb's Python runs for us: the files of script/. Among them are helpers for values of the C++
 * library: the library's printers and member functions, which come with this machine's compiler,
 * and ours (script/library.py). Never those that a trace brings: they would be its code.
 */
#include "worker/gdb/gdb.h"

/* Adds the scripts to the file that gdb has as TOOL_EXTRA_FD, once gdb has sourced what was
 * in it. */
bool library_write(int file);

/* Runs one of them, by its name. */
enum gdb_outcome library_run(struct gdb *gdb, const char *script)
    __attribute__((warn_unused_result));

/* Whether a name, which may be the recorded program's, can stand in quotes in a line of Python. */
bool library_is_plain(const char *name);

/* Of the printers of the C++ library and of others that the system has, which are on only while
 * they are needed. */
#define LIBRARY_PRINTERS_ON  "enable pretty-printer"
#define LIBRARY_PRINTERS_OFF "disable pretty-printer global libstdc|rr-system"

/* Loads the helpers, the printers disabled. Waits for nothing: what gdb is asked next comes behind
 * it. */
void library_load(struct gdb *gdb);

#endif
