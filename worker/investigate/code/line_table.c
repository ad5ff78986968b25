/*
 * Asks gdb for the line table of one file, and reads what it prints.
 */
#include "worker/investigate/code/line_table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/must.h"

/* Whether "symtab: src/a.c ((struct symtab *) 0x...)" is about the file. */
static bool is_of_file(const char *row, const char *path)
{
	const char *name = row + strlen("symtab: "), *end = strstr(name, " ((struct");
	size_t length, whole = strlen(path);

	while (strncmp(name, "./", 2) == 0)
		name += 2;
	length = end && end > name ? (size_t)(end - name) : 0;
	return length && length <= whole && strncmp(path + whole - length, name, length) == 0 &&
	       (length == whole || path[whole - length - 1] == '/');
}

/* "3  12  0x0000555555555139 Y": newer versions of gdb show two addresses, the right one first. */
static void read_row(struct line_table *table, const char *row)
{
	struct line_row place = {0};
	const char *at = strstr(row, "0x"), *next;
	char *end;

	strtol(row, &end, 10);
	place.line = (int)strtol(end, NULL, 10);
	if (end == row || place.line <= 0 || !at)
		return;
	place.address = strtoull(at, NULL, 16);
	while ((next = strstr(at + 2, "0x")) && next < row + strcspn(row, "\n"))
		at = next;
	at += strcspn(at, " \n");
	at += strspn(at, " ");
	table->is_optimized |= *at != 'Y';
	if (*at == 'Y' && table->count < LINE_TABLE_MAX)
		table->rows[table->count++] = place;
}

static bool read_rows(
    struct replay *replay, const char *path, struct line_table *table, struct failure *failure)
{
	char command[PATH_MAX + 64], pattern[256];
	const char *text;
	bool ours = false;
	size_t i;

	/* gdb knows the tables of a file when something has asked for one of its lines, which
	 * need not exist. */
	snprintf(command, sizeof(command), "info line -source '%s' -line 1", path);
	gdb_try_console(replay_gdb(replay), command);
	snprintf(pattern, sizeof(pattern), "%.200s", basename(path));
	for (i = 0; pattern[i]; i++)
		if (strchr("\\^$*+?()[]{}|", pattern[i]))
			pattern[i] = '.';
	snprintf(command, sizeof(command), "maintenance info line-table %s$", pattern);
	if (!gdb_check(replay_gdb(replay), gdb_console(replay_gdb(replay), &text, command),
		ERROR_GDB_FAILED, NULL, failure))
		return false;
	table->is_short = strlen(text) >= EXCHANGE_CONSOLE_MAX;
	for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL) {
		if (strncmp(text, "symtab: ", 8) == 0)
			ours = is_of_file(text, path);
		else if (ours)
			read_row(table, text);
	}
	if (table->count)
		return true;
	if (strstr(path, "\\x"))
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rename the file and build the program again",
		    "gdb cannot be asked about %.300s: its name has characters that are shown "
		    "escaped here",
		    path);
	else
		failure_set(failure, ERROR_NOT_FOUND, "build the program with -g",
		    "%.300s has no line table in this program", path);
	return false;
}

bool line_table_read(
    struct replay *replay, const char *path, struct line_table *table, struct failure *failure)
{
	*table = (struct line_table){.rows = calloc(LINE_TABLE_MAX, sizeof(*table->rows))};
	if (table->rows)
		return read_rows(replay, path, table, failure);
	return failure_no_memory(failure);
}

void line_table_free(struct line_table *table)
{
	free(table->rows);
	*table = (struct line_table){0};
}
