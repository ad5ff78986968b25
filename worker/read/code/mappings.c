/*
 * Reads gdb's table of mappings. File names belong to the recorded program: they end with the line,
 * and we show them but never open them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/must.h"
#include "worker/read/code/mappings.h"
#include "worker/session/core.h"

#define MAPPINGS_MAX 65536 /* the kernel allows 65530, if nobody has set more */

struct mappings {
	char *text; /* the text that holds the files' names */
	struct mapping *list;
	size_t count;
	unsigned users;
};

void mappings_free(struct mappings *mappings)
{
	if (!mappings || --mappings->users)
		return;
	free(mappings->list);
	free(mappings->text);
	free(mappings);
}

/* START END SIZE OFFSET [RIGHTS] FILE; rights since gdb 12. */
static bool parse_line(char *line, struct mapping *mapping)
{
	unsigned long long numbers[4];
	char *at = line, *end;

	for (size_t i = 0; i < 4; i++) {
		at += strspn(at, " \t");
		if (strncmp(at, "0x", 2) != 0)
			return false;
		numbers[i] = strtoull(at, &end, 16);
		at = end;
	}
	*mapping = (struct mapping){.start = numbers[0], .end = numbers[1], .offset = numbers[3]};
	at += strspn(at, " \t");
	if (strspn(at, "rwxps-") == 4) {
		memcpy(mapping->rights, at, 4);
		at += 4;
	}
	at += strspn(at, " \t");
	mapping->file = at;
	for (end = at + strlen(at); end > at && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	return mapping->start < mapping->end;
}

struct mappings *mappings_parse(const char *text)
{
	struct mappings *mappings = calloc(1, sizeof(*mappings));
	char *rest, *line;

	if (!mappings)
		return NULL;
	mappings->users = 1;
	mappings->text = strdup(text);
	if (!mappings->text)
		goto failed;
	mappings->list = calloc(MAPPINGS_MAX, sizeof(*mappings->list));
	if (!mappings->list)
		goto failed;
	for (line = strtok_r(mappings->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (mappings->count < MAPPINGS_MAX &&
		    parse_line(line, &mappings->list[mappings->count]))
			mappings->count++;
	if (mappings->count)
		return mappings;
failed:
	mappings_free(mappings);
	return NULL;
}

/* gdb would tell only of those that have a file. */
static struct mappings *mappings_of_core(const struct core *core)
{
	char *text = core_mappings(core);
	struct mappings *mappings = text ? mappings_parse(text) : NULL;

	free(text);
	return mappings;
}

static void forget(void *mappings)
{
	mappings_free(mappings);
}

static struct mappings *used(struct mappings *mappings)
{
	if (mappings)
		mappings->users++;
	return mappings;
}

/* Takes over `what`. */
static void keep(struct read_before *before, struct mappings *what, long long as_of)
{
	if (before->what)
		before->forget(before->what);
	*before = (struct read_before){what, forget, as_of};
}

struct mappings *mappings_read(struct replay *replay)
{
	struct read_before *before = replay_read_before(replay, READER_MAPPINGS);
	const unsigned stops = gdb_exchange(replay_gdb(replay))->stops;
	const char *text;

	if (replay_core(replay))
		return mappings_of_core(replay_core(replay));
	if (!before->what || before->as_of != stops) {
		text = gdb_shown(replay_gdb(replay),
		    "it is not known what is mapped, so nothing here rests on that",
		    "info proc mappings");
		keep(before, text ? mappings_parse(text) : NULL, stops);
	}
	return used(before->what);
}

struct mappings *mappings_of_code(struct replay *replay)
{
	struct read_before *before = replay_read_before(replay, READER_MAPPINGS_OF_CODE);
	const long long as_of = replay_now(replay)->event << 22 | replay_pid(replay);

	if (replay_core(replay) || !replay_has_arrived(replay))
		return mappings_read(replay);
	if (!before->what || before->as_of != as_of)
		keep(before, mappings_read(replay), as_of);
	return used(before->what);
}

size_t mappings_count(const struct mappings *mappings)
{
	return mappings ? mappings->count : 0;
}

const struct mapping *mappings_get(const struct mappings *mappings, size_t number)
{
	return &mappings->list[number];
}

const struct mapping *mappings_above(const struct mappings *mappings, unsigned long long address)
{
	for (size_t i = 0; i < mappings_count(mappings); i++)
		if (address < mappings->list[i].end)
			return &mappings->list[i];
	return NULL;
}

const struct mapping *mappings_find(const struct mappings *mappings, unsigned long long address)
{
	const struct mapping *mapping = mappings_above(mappings, address);

	return mapping && mapping->start <= address ? mapping : NULL;
}

unsigned long long mappings_base(const struct mappings *mappings, const struct mapping *mapping)
{
	const struct mapping *first = mapping;

	while (first > mappings->list && strcmp(first[-1].file, mapping->file) == 0 &&
	       first[-1].offset <= first->offset)
		first--;
	return first->start;
}

char mappings_sharing(struct replay *replay, unsigned long long address)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const struct mapping *mapping = mappings_find(mappings, address);

	return mapping ? mapping->rights[3] : '\0';
}
