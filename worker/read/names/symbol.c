/*
 * Reads the answers of gdb's `info symbol`.
 */
#include "worker/read/names/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"
#include "worker/serve/begins.h"
#include "worker/serve/words.h"

/* Where " + 21" begins before `end`; `end` if there is no offset. */
static const char *find_offset(const char *name, const char *end)
{
	const char *at = end;

	while (at > name && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at < end && at - name > 3 && strncmp(at - 3, " + ", 3) == 0 ? at - 3 : end;
}

/* gdb writes "main.report", a function of Go, as "main[report]". */
static void write_as_go(char *name)
{
	char *open = strchr(name, '['), *end = name + strlen(name);

	if (!open || open == name || !is_word(open[-1]) || end[-1] != ']' || end - open < 3)
		return;
	for (const char *at = name; at < end - 1; at++)
		if (at != open && !is_word(*at) && !strchr("./", *at))
			return;
	*open = '.';
	end[-1] = '\0';
}

bool symbol_of(struct replay *replay, const char *expression, struct symbol *symbol)
{
	const char *end, *offset,
	    *said = gdb_shown(replay_gdb(replay), "the symbol at an address was not looked up",
		"info symbol %s", expression);

	*symbol = (struct symbol){0};
	if (!said || !(end = strstr(said, " in section ")))
		return false;
	offset = find_offset(said, end);
	if (offset < end)
		symbol->offset = strtoull(offset + 3, NULL, 10);
	snprintf(symbol->name, sizeof(symbol->name), "%.*s", (int)(offset - said), said);
	write_as_go(symbol->name);
	snprintf(symbol->said, sizeof(symbol->said), "%.*s", (int)strcspn(said, "\n"), said);
	return true;
}

bool symbol_at(struct replay *replay, unsigned long long address, struct symbol *symbol)
{
	char expression[32];

	snprintf(expression, sizeof(expression), "0x%llx", address);
	return symbol_of(replay, expression, symbol);
}

const char *symbol_file(struct replay *replay, unsigned long long address, struct symbol *symbol)
{
	if (!address || !symbol_at(replay, address, symbol))
		return NULL;
	return behind_mark(behind_mark(symbol->said, " in section "), " of ");
}

unsigned long long symbol_address(struct replay *replay, const char *name)
{
	unsigned long long address = 0;
	struct symbol symbol;
	char expression[64];
	uint8_t byte;

	snprintf(expression, sizeof(expression), "(unsigned long) &%s", name);
	if (!accessed_number(replay, expression, &address) ||
	    !accessed_whole(replay, address, &byte, 1) ||
	    (symbol_at(replay, address, &symbol) && strstr(symbol.name, "@plt")))
		return 0;
	return address;
}
