#ifndef WORKER_LINE_TABLE_H
#define WORKER_LINE_TABLE_H
/*
 * Where the lines of a source file begin in the program's code.
 */
#include "worker/session/replay.h"

#define LINE_TABLE_MAX 20000 /* rows of a file */

struct line_row {
	unsigned long long address; /* of an instruction at which a statement of the line begins */
	int line;
};

struct line_table {
	struct line_row *rows; /* owned, LINE_TABLE_MAX of them */
	size_t count;
	bool is_short;	   /* gdb's answer was cut: rows are missing */
	bool is_optimized; /* the compiler mixed the code of several lines */
};

/* `path` is the full name that the debug information has. False with *failure filled if the program
 * has no lines of that file. Call line_table_free in either case. */
bool line_table_read(
    struct replay *replay, const char *path, struct line_table *table, struct failure *failure);
void line_table_free(struct line_table *table);

#endif
