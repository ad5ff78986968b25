/*
 * rr_find_memory: where bytes lie in the memory that is mapped at this moment. Searches piece by
 * piece, so that an interrupt gets through and the answer has what was found by then.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/serve/handlers.h"
#include "worker/read/code/code.h"
#include "worker/read/code/mappings.h"
#include "worker/read/names/scope.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"

#define PIECE	      (4ULL << 20) /* bytes searched at once */
#define BYTES_MAX     256	   /* bytes of the pattern */
#define WORDS_MAX     (REPLAY_EXPRESSION_MAX + 64)
#define GRAIN	      (64ULL << 10) /* bytes; smaller unreadable pieces are not split further */
#define VALUE_OVERLAP 32768	    /* bytes of a value at most, because gdb reads no longer one */

struct search {
	struct replay *replay;
	char size[8];	       /* gdb's letter with its slash, or "/" */
	char words[WORDS_MAX]; /* the pattern, as gdb's find takes it */
	size_t length;	       /* its bytes in memory, at most */
	unsigned long long from, to;
	const char *mapping; /* part of its file's name; NULL: all but rr's own */
	size_t limit;
	json_t *matches;
	unsigned long long searched, unread, next; /* bytes; next: where it was cut off, or 0 */
};

/* Turns pairs of digits, with or without spaces between them, into gdb's list of bytes. */
static bool take_hex(struct search *search, const char *text)
{
	size_t used = 0;

	text += strncmp(text, "0x", 2) == 0 ? 2 : 0;
	for (; *text; text += 2) {
		text += strspn(text, " ");
		if (!*text)
			break;
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) ||
		    search->length == BYTES_MAX)
			return false;
		used += (size_t)snprintf(search->words + used, WORDS_MAX - used, "%s0x%.2s",
		    search->length ? "," : "", text);
		search->length++;
	}
	return search->length > 0;
}

static bool take_text(struct search *search, const char *text, struct failure *failure)
{
	size_t used = 0;

	search->length = strlen(text);
	if (search->length > BYTES_MAX) {
		failure_set(failure, ERROR_LIMIT, "look for its beginning",
		    "text is longer than %d bytes", BYTES_MAX);
		return false;
	}
	for (const char *at = text; *at; at++)
		used += (size_t)snprintf(search->words + used, WORDS_MAX - used, "%s0x%.2x",
		    at == text ? "" : ",", (unsigned char)*at);
	return true;
}

/* gdb gets the value itself, because it knows its size and how it lies in memory. */
static bool take_value(
    struct search *search, const struct find_memory_args *args, struct failure *failure)
{
	static const char letters[] = {[1] = 'b', [2] = 'h', [4] = 'w', [8] = 'g'};

	if (args->size != 0 && args->size != 1 && args->size != 2 && args->size != 4 &&
	    args->size != 8) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "size is 1, 2, 4 or 8");
		return false;
	}
	snprintf(
	    search->size, sizeof(search->size), "/%.1s", args->size ? &letters[args->size] : "");
	if (!ambiguous_statics_check(search->replay, args->value, failure))
		return false;
	snprintf(search->words, WORDS_MAX, "(%.*s)", REPLAY_EXPRESSION_MAX, args->value);
	search->length = VALUE_OVERLAP;
	return true;
}

static bool take_wanted(
    struct search *search, const struct find_memory_args *args, struct failure *failure)
{
	if ((args->text != NULL) + (args->hex != NULL) + (args->value != NULL) != 1) {
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "text is searched for as it is, hex as bytes, value as what an expression "
		    "gives",
		    "give one of text, hex and value");
		return false;
	}
	snprintf(search->size, sizeof(search->size), "/b");
	if (args->value)
		return take_value(search, args, failure);
	if (args->text)
		return take_text(search, args->text, failure);
	if (take_hex(search, args->hex))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, "e.g. deadbeef, or de ad be ef",
	    "hex is pairs of hexadecimal digits, at most %d bytes", BYTES_MAX);
	return false;
}

static bool take_range(
    struct search *search, const struct find_memory_args *args, struct failure *failure)
{
	search->to = ~0ULL;
	if ((args->from && !code_pointer(search->replay, args->from, &search->from, failure)) ||
	    (args->to && !code_pointer(search->replay, args->to, &search->to, failure)))
		return false;
	if (search->from < search->to)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "give the lower address as from, the higher one as to",
	    "there is nothing to search: from (0x%llx) is not below to (0x%llx)", search->from,
	    search->to);
	return false;
}

/* rr's own memory holds copies of what the program read and wrote. The program itself never uses
 * it. */
static bool is_wanted(const struct search *search, const struct mapping *mapping)
{
	const char *name = strrchr(mapping->file, '/');

	if (mapping->rights[0] != 'r' && mapping->rights[0])
		return false;
	if (mapping->end <= search->from || mapping->start >= search->to ||
	    strcmp(mapping->file, "[vvar]") == 0)
		return false;
	if (search->mapping)
		return strstr(mapping->file, search->mapping) != NULL;
	return !name || (strncmp(name, "/rr-", 4) != 0 && strncmp(name, "/librr", 6) != 0);
}

/* "0x55 <name+4>" */
static void add_match(struct search *search, const char *line, const struct mapping *mapping)
{
	unsigned long long address = strtoull(line, NULL, 16);
	const char *name = strchr(line, '<'), *file = strrchr(mapping->file, '/');
	json_t *match = json_pack("{s:o}", "address", json_sprintf("0x%llx", address));

	if (name)
		json_object_set_new(
		    match, "symbol", json_sprintf("%.*s", (int)strcspn(name + 1, ">\n"), name + 1));
	json_object_set_new(match, "in",
	    json_sprintf("%s %s", mapping->rights,
		mapping->file[0] ? (file ? file + 1 : mapping->file) : "anonymous"));
	json_array_append_new(search->matches, match);
}

/* Reads the addresses below `end` from gdb's output; the next piece finds the others again. */
static void take_matches(
    struct search *search, const char *text, unsigned long long end, const struct mapping *mapping)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long long address;

		if (strncmp(line, "0x", 2) != 0)
			continue;
		address = strtoull(line, NULL, 16);
		if (address >= end)
			continue;
		if (json_array_size(search->matches) == search->limit) {
			search->next = address;
			return;
		}
		add_match(search, line, mapping);
	}
}

/* Searches from `at` to `end`; false if it cannot go on. */
static bool look(struct search *search, unsigned long long at, unsigned long long end,
    const struct mapping *mapping, struct failure *failure)
{
	unsigned long long last = end + search->length - 1;
	char command[WORDS_MAX + 160], quoted[GDB_QUOTED_MAX];
	enum gdb_outcome outcome;

	last = last > mapping->end ? mapping->end : last;
	/* One more than fits, plus as many as the overlap may hold. */
	snprintf(command, sizeof(command), "find %s%zu 0x%llx, +%llu, %s", search->size,
	    search->limit - json_array_size(search->matches) + 1, at, last - at, search->words);
	if (!gdb_quote(quoted, "value", command, failure))
		return false;
	outcome = gdb_command(replay_gdb(search->replay), NULL,
	    "-interpreter-exec --thread %d --frame %d console %s",
	    replay_selected(search->replay)->number, replay_selected(search->replay)->frame,
	    quoted);
	if (outcome == GDB_REFUSED &&
	    gdb_says(gdb_message(replay_gdb(search->replay)), SAYS_PATTERN_IS_LARGER))
		return true;
	if (!gdb_check(replay_gdb(search->replay), outcome, ERROR_INVALID_ARGUMENT,
		"value is an expression in the selected frame; rr_locals shows its names",
		failure)) {
		scope_explain(search->replay, failure);
		return false;
	}
	if (!gdb_says(gdb_log_text(replay_gdb(search->replay)), SAYS_SEARCH_WAS_CUT_OFF)) {
		take_matches(search, gdb_console_text(replay_gdb(search->replay)), end, mapping);
	} else if (end - at > GRAIN) {
		unsigned long long middle = at + (end - at) / 2;
		return look(search, at, middle, mapping, failure) &&
		       (search->next || look(search, middle, end, mapping, failure));
	} else {
		search->unread += end - at;
	}
	return true;
}

static bool look_through(struct search *search, const struct mapping *mapping,
    unsigned long long total, struct failure *failure)
{
	unsigned long long at = mapping->start, end = mapping->end, next;

	at = at < search->from ? search->from : at;
	end = end > search->to ? search->to : end;
	for (; at < end && !search->next; at = next) {
		next = end - at > PIECE ? at + PIECE : end;
		if (!look(search, at, next, mapping, failure))
			return false;
		search->searched += next - at;
		if (replay_worker(search->replay)->interrupt && next < end)
			search->next = next;
		worker_progress(replay_worker(search->replay), (double)search->searched,
		    (double)total, "bytes searched");
	}
	return true;
}

static unsigned long long bytes_wanted(const struct search *search, const struct mappings *mappings)
{
	unsigned long long total = 0;

	for (size_t i = 0; i < mappings_count(mappings); i++) {
		const struct mapping *mapping = mappings_get(mappings, i);

		if (is_wanted(search, mapping))
			total += mapping->end - mapping->start;
	}
	return total;
}

static json_t *answer(const struct search *search)
{
	size_t count = json_array_size(search->matches);
	json_t *result = json_pack("{s:o, s:O}", "conclusion",
	    json_sprintf("%s%zu found in %llu KiB", search->next ? "at least " : "", count,
		search->searched >> 10),
	    "matches", search->matches);

	if (search->next)
		json_object_set_new(
		    result, "more", json_sprintf("from=0x%llx goes on", search->next));
	if (search->unread)
		json_object_set_new(result, "unread",
		    json_sprintf("up to %llu KiB could not be read", search->unread >> 10));
	return result;
}

json_t *tool_find_memory(
    struct replay *replay, const struct find_memory_args *args, struct failure *failure)
{
	struct search search = {
	    .replay = replay, .mapping = args->mapping, .limit = (size_t)args->limit};
	cleanup_mappings struct mappings *mappings = NULL;
	unsigned long long total = 0;
	bool ok;

	if (!take_wanted(&search, args, failure) || !take_range(&search, args, failure))
		return NULL;
	mappings = mappings_read(replay);
	if (!mappings) {
		failure_set(failure, ERROR_RR_FAILED, NULL, "rr does not tell what is mapped");
		return NULL;
	}
	total = bytes_wanted(&search, mappings);
	ok = total > 0;
	if (!ok)
		failure_set(failure, ERROR_NOT_FOUND, "rr_memory_map shows what is mapped",
		    "nothing readable is mapped there at this moment");
	search.matches = json_array();
	for (size_t i = 0; ok && i < mappings_count(mappings) && !search.next; i++)
		if (is_wanted(&search, mappings_get(mappings, i)))
			ok = look_through(&search, mappings_get(mappings, i), total, failure);
	json_t *result = ok ? answer(&search) : NULL;
	json_decref(search.matches);
	return result;
}
