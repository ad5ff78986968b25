/*
 * Reads the answers of gdb's `info symbol`.
 */
#include "worker/read/names/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"
#include "worker/serve/begins.h"
#include "worker/serve/words.h"
#include "worker/session/core.h"
#include "worker/session/images.h"

#define KNOWN_MAX 1009 /* addresses: a prime, because code is aligned */

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

/* What gdb said of addresses in files: it says so until a library comes or goes. */
struct known {
	unsigned long long address;
	char *said; /* NULL: nothing yet */
};

static void forget(void *what)
{
	struct known *known = what;

	for (size_t i = 0; i < KNOWN_MAX; i++)
		free(known[i].said);
	free(known);
}

/* Where an address is known, or may be kept; NULL: out of memory. */
static struct known *known_at(struct replay *replay, unsigned long long address)
{
	struct read_before *before = replay_read_before(replay, READER_SYMBOLS);
	const long long image = replay_core(replay) ? 0 : images_number(replay);
	const long long as_of =
	    (long long)gdb_exchange(replay_gdb(replay))->solibs.changes << 32 | image;

	if (before->what && before->as_of != as_of) {
		before->forget(before->what);
		before->what = NULL;
	}
	if (!before->what)
		*before =
		    (struct read_before){calloc(KNOWN_MAX, sizeof(struct known)), forget, as_of};
	return before->what ? (struct known *)before->what + address % KNOWN_MAX : NULL;
}

/* Not what a program has made itself, and can make anew without a word to us. */
static bool is_of_file(const char *said)
{
	const char *file = behind_mark(behind_mark(said, " in section "), " of ");

	return strstr(said, " in section ") && (!file || file[0] == '/');
}

static void keep(struct known *known, unsigned long long address, const char *said)
{
	free(known->said);
	*known = (struct known){address, strdup(said)};
}

static bool parse(const char *said, struct symbol *symbol)
{
	const char *end, *offset;

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

static const char *ask(struct replay *replay, const char *expression)
{
	return gdb_shown(replay_gdb(replay), "the symbol at an address was not looked up",
	    "info symbol %s", expression);
}

bool symbol_of(struct replay *replay, const char *expression, struct symbol *symbol)
{
	return parse(ask(replay, expression), symbol);
}

bool symbol_at(struct replay *replay, unsigned long long address, struct symbol *symbol)
{
	struct known *known = known_at(replay, address);
	char expression[32];
	const char *said;

	if (known && known->said && known->address == address)
		return parse(known->said, symbol);
	snprintf(expression, sizeof(expression), "0x%llx", address);
	said = ask(replay, expression);
	if (known && said && is_of_file(said))
		keep(known, address, said);
	return parse(said, symbol);
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
