/*
 * Cuts a source line into postfix expressions (a->b[i].c), without calls and without a claim to
 * parse C: what is cut wrongly has another value, or none, and is dropped.
 */
#include "worker/investigate/search/phrases.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/arguments/harmless.h"
#include "worker/read/values/accessed.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/code/source.h"
#include "worker/serve/words.h"

#define LINE_MAX_BYTES 1000
#define TABLE_MAX      64 /* functions of a class's table that are looked at */
#define FRAME_BYTES    4000

static bool read_line(struct replay *replay, char line[LINE_MAX_BYTES])
{
	json_auto_t *frames = frames_near(replay, 1, FRAME_BYTES);
	char path[FRAME_PATH_MAX], *comment;
	bool ok;
	int number;

	ok = frame_place(json_array_get(frames, 0), path, &number) &&
	     source_line(replay, path, number, line, LINE_MAX_BYTES);
	if (ok && (comment = strstr(line, "//")))
		*comment = '\0';
	if (ok && (comment = strstr(line, "/*")))
		*comment = '\0';
	return ok;
}

/* The partner of the bracket at `at`, which lies behind it (step 1) or before it (-1) in a text
 * that begins at `line`; NULL: none on this line. */
static const char *partner(const char *line, const char *at, int step)
{
	int depth = 0;

	for (; at >= line && *at; at += step) {
		depth += *at == ')' || *at == ']';
		depth -= *at == '(' || *at == '[';
		if (depth == 0)
			return at;
	}
	return NULL;
}

static const char *back_over_space(const char *line, const char *at)
{
	while (at > line && isspace((unsigned char)at[-1]))
		at--;
	return at;
}

/* Where the postfix expression begins that ends before `end`. */
static const char *begin_of(const char *line, const char *end)
{
	const char *at = back_over_space(line, end), *before;

	for (;;) {
		while (at > line && (at[-1] == ')' || at[-1] == ']')) {
			before = partner(line, at - 1, -1);
			if (!before)
				return at;
			at = before;
		}
		while (at > line && is_word(at[-1]))
			at--;
		if (at - 2 >= line &&
		    (strncmp(at - 2, "->", 2) == 0 || strncmp(at - 2, "::", 2) == 0))
			at -= 2;
		else if (at > line && at[-1] == '.')
			at--;
		else
			return at;
	}
}

/* Where the unary expression ends that begins at `at`. */
static const char *end_of(const char *at)
{
	const char *close;

	at += strspn(at, " \t*&-+!~");
	for (;;) {
		if (*at == '(' || *at == '[') {
			close = partner(at, at, 1);
			if (!close)
				return at;
			at = close + 1;
			/* A cast: the value follows. */
			if (is_word(*at) || *at == '*' || *at == '(')
				return end_of(at);
		} else if (is_word(*at)) {
			while (is_word(*at))
				at++;
		} else if (strncmp(at, "->", 2) == 0 || strncmp(at, "::", 2) == 0) {
			at += 2;
		} else if (*at == '.') {
			at++;
		} else {
			return at;
		}
	}
}

static bool take(const char *begin, const char *end, char phrase[PHRASE_MAX])
{
	cleanup_failure struct failure ignored = {0};

	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	if (end <= begin || end - begin >= PHRASE_MAX)
		return false;
	snprintf(phrase, PHRASE_MAX, "%.*s", (int)(end - begin), begin);
	return !strpbrk(phrase, "$\"'`@{};=") && !isdigit((unsigned char)phrase[0]) &&
	       harmless_text(phrase, &ignored);
}

static unsigned long long cut(unsigned long long value, unsigned size)
{
	return size && size < sizeof(value) ? value & ((1ULL << (8 * size)) - 1) : value;
}

/* Whether the words have that value; *place: where it lies, 0: in no memory. */
static bool has_value(struct replay *replay, const char *phrase, unsigned long long value,
    unsigned size, unsigned long long *place)
{
	char expression[PHRASE_MAX + 40];
	unsigned long long found;

	snprintf(expression, sizeof(expression), "(unsigned long)(%s)", phrase);
	if (!accessed_number(replay, expression, &found) || cut(found, size) != cut(value, size))
		return false;
	snprintf(expression, sizeof(expression), "(unsigned long)&(%s)", phrase);
	if (!accessed_number(replay, expression, place))
		*place = 0;
	return true;
}

/* What is known of the best words so far. */
struct choice {
	struct replay *replay;
	unsigned long long value, address, place;
	unsigned size;
	char *phrase;
	size_t found; /* different words that have the value */
	bool sure;    /* they lie where the instruction reads */
};

static void consider(struct choice *choice, const char *phrase)
{
	unsigned long long place;

	if (choice->sure || strcmp(choice->phrase, phrase) == 0 ||
	    !has_value(choice->replay, phrase, choice->value, choice->size, &place))
		return;
	choice->sure = choice->address && place == choice->address;
	if (choice->address && place && !choice->sure)
		return;
	choice->found++;
	choice->place = place;
	snprintf(choice->phrase, PHRASE_MAX, "%s", phrase);
}

static void settle(struct choice *choice)
{
	if (choice->sure || choice->found == 1)
		return;
	choice->phrase[0] = '\0';
	choice->place = 0;
}

void phrases_find_callee(struct replay *replay, unsigned long long value,
    unsigned long long address, char phrase[PHRASE_MAX], unsigned long long *place)
{
	struct choice choice = {
	    .replay = replay, .value = value, .address = address, .size = 8, .phrase = phrase};
	char line[LINE_MAX_BYTES], words[PHRASE_MAX];

	phrase[0] = '\0';
	*place = 0;
	if (!read_line(replay, line))
		return;
	for (const char *at = line; *at; at++)
		if (*at == '(' && take(begin_of(line, at), at, words))
			consider(&choice, words);
	settle(&choice);
	*place = choice.place;
}

void phrases_find_divisor(struct replay *replay, unsigned long long value, unsigned size,
    unsigned long long address, char phrase[PHRASE_MAX])
{
	struct choice choice = {
	    .replay = replay, .value = value, .address = address, .size = size, .phrase = phrase};
	char line[LINE_MAX_BYTES], words[PHRASE_MAX];

	phrase[0] = '\0';
	if (!read_line(replay, line))
		return;
	for (const char *at = line; *at; at++) {
		if (*at != '/' && *at != '%')
			continue;
		at += at[1] == '=';
		if (take(at + 1, end_of(at + 1), words))
			consider(&choice, words);
	}
	settle(&choice);
}

/* Whether a * behind these words follows a pointer: it is no product, and no declaration. */
static bool is_unary(const char *line, const char *at)
{
	static const char word[] = "return";
	const char *before = back_over_space(line, at);
	size_t length = (size_t)(before - line);

	return length == 0 || strchr("=(,;{!&|?:<>+-*/%[", before[-1]) ||
	       (length >= strlen(word) && strncmp(before - strlen(word), word, strlen(word)) == 0);
}

void phrases_find_pointer(struct replay *replay, unsigned long long value, char phrase[PHRASE_MAX],
    unsigned long long *place)
{
	struct choice choice = {.replay = replay, .value = value, .size = 8, .phrase = phrase};
	char line[LINE_MAX_BYTES], words[PHRASE_MAX];

	phrase[0] = '\0';
	*place = 0;
	if (!read_line(replay, line))
		return;
	for (const char *at = line; *at; at++)
		if (((*at == '[' || strncmp(at, "->", 2) == 0) &&
			take(begin_of(line, at), at, words)) ||
		    (*at == '*' && is_unary(line, at) && take(at + 1, end_of(at + 1), words)))
			consider(&choice, words);
	if (choice.found == 0)
		consider(&choice, "this");
	settle(&choice);
	*place = choice.place;
}

/* The object's words and the method's, of "shape->area(". */
static bool split(
    const char *begin, const char *end, char object[PHRASE_MAX], char method[PHRASE_MAX])
{
	const char *at = back_over_space(begin, end);

	end = at;
	while (at > begin && is_word(at[-1]))
		at--;
	if (at == end || at - 1 <= begin || !take(at, end, method))
		return false;
	if (at[-1] == '.')
		return take(begin, at - 1, object);
	return at - 2 > begin && strncmp(at - 2, "->", 2) == 0 && take(begin, at - 2, object);
}

/* The pointer to the table of virtual functions of an object, and where it lies. */
static bool read_table(struct replay *replay, const char *object, bool points,
    unsigned long long *table, unsigned long long *place)
{
	char expression[PHRASE_MAX + 60];

	snprintf(
	    expression, sizeof(expression), "(unsigned long)%s(%s)", points ? "" : "&", object);
	return accessed_number(replay, expression, place) &&
	       accessed_whole(replay, *place, table, sizeof(*table));
}

static bool has_in_table(struct replay *replay, const char *object, bool points,
    unsigned long long target, unsigned long long *table)
{
	unsigned long long functions[TABLE_MAX] = {0};
	unsigned long long place;
	size_t bytes;

	if (!read_table(replay, object, points, table, &place))
		return false;
	bytes = accessed_bytes(replay, *table, (uint8_t *)functions, sizeof(functions));
	for (size_t i = 0; i < bytes / sizeof(*functions); i++)
		if (functions[i] == target)
			return true;
	return false;
}

/* The next call of a method on the line from *at on, which is set behind it. */
static bool next_method(const char *line, const char **at, char object[PHRASE_MAX],
    char method[PHRASE_MAX], bool *points)
{
	for (; **at; (*at)++) {
		const char *begin = **at == '(' ? begin_of(line, *at) : NULL, *arrow;

		if (!begin || !split(begin, *at, object, method))
			continue;
		arrow = strstr(begin, "->");
		*points = arrow && arrow < *at;
		(*at)++;
		return true;
	}
	return false;
}

/* Whether the object's table is the one that is looked for; *found: what is told of it. */
typedef bool is_table(struct replay *replay, const char *object, bool points,
    unsigned long long wanted, unsigned long long *found);

/* The only object on the line whose method is called and whose table it is. */
static bool find_only(struct replay *replay, unsigned long long wanted, is_table *is,
    char object[PHRASE_MAX], char method[PHRASE_MAX], unsigned long long *found)
{
	char line[LINE_MAX_BYTES], this[PHRASE_MAX], called[PHRASE_MAX];
	unsigned long long its;
	const char *at = line;
	size_t count = 0;
	bool points;

	if (!read_line(replay, line))
		return false;
	while (next_method(line, &at, this, called, &points)) {
		if (!is(replay, this, points, wanted, &its))
			continue;
		snprintf(object, PHRASE_MAX, "%s", this);
		snprintf(method, PHRASE_MAX, "%s", called);
		*found = its;
		count++;
	}
	return count == 1;
}

static bool has_slot(struct replay *replay, const char *object, bool points,
    unsigned long long slot, unsigned long long *place)
{
	unsigned long long table;

	return read_table(replay, object, points, &table, place) &&
	       slot - table < TABLE_MAX * sizeof(slot);
}

bool phrases_find_object(struct replay *replay, unsigned long long slot, char object[PHRASE_MAX],
    unsigned long long *place)
{
	char method[PHRASE_MAX];

	return find_only(replay, slot, has_slot, object, method, place);
}

bool phrases_find_virtual(struct replay *replay, unsigned long long target, char object[PHRASE_MAX],
    char method[PHRASE_MAX], unsigned long long *table)
{
	return find_only(replay, target, has_in_table, object, method, table);
}
