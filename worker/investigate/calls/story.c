/*
 * Folds loops, from the outside in. A loop begins at an instruction that is passed again and again.
 * Its passes are told once for each different way through them, with a count.
 */
#include "worker/investigate/calls/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/serve/words.h"

#define OCCURRENCES_MIN 3 /* of an instruction, to begin a loop */
#define DEPTH_MAX	6
#define VARIANTS_MAX	8 /* of a loop's passes that are told */
#define TOLD_MAX	4000
#define SOURCE_SHOWN	100
#define WAYS_MAX	200
#define BRANCHES_MAX	40

bool story_begin(struct story *story)
{
	*story = (struct story){.rows = calloc(STORY_ROWS_MAX, sizeof(*story->rows))};
	return story->rows != NULL;
}

void story_end(struct story *story)
{
	for (size_t i = 0; i < story->count; i++)
		json_decref(story->rows[i].calls);
	free(story->rows);
	*story = (struct story){0};
}

/* The compiler may begin a line in several places. Further up in the code, it is another pass. */
static bool goes_on(const struct story_row *row, int line, const struct moment *moment)
{
	return row->line == line && moment->pc > row->reached;
}

bool story_add(struct story *story, int line, const struct moment *moment)
{
	struct story_row *last = story->count ? &story->rows[story->count - 1] : NULL;

	if (last && goes_on(last, line, moment)) {
		last->reached = moment->pc;
		return true;
	}
	if (!story->rows || story->count == STORY_ROWS_MAX)
		return false;
	story->rows[story->count++] =
	    (struct story_row){.line = line, .moment = *moment, .reached = moment->pc};
	return true;
}

json_t *story_add_call(struct story *story, const struct moment *moment)
{
	struct story_row *row = story->count ? &story->rows[story->count - 1] : NULL;
	json_t *call;

	if (!row)
		return NULL;
	if (!row->calls)
		row->calls = json_array();
	call = moment_json(moment);
	json_array_append_new(row->calls, call);
	story->calls++;
	return call;
}

/* ---- Telling ------------------------------------------------------------------------------- */

struct teller {
	const struct story *story;
	const struct story_source *source;
	size_t
	    *next; /* of each row: the next row at the same instruction; the number of rows: none */
	story_namer *namer;
	void *owner;
	json_t *to;
};

/* One way through a loop. */
struct variant {
	unsigned long key;
	size_t first[2],
	    last; /* rows: where its first pass begins and ends; where its last begins */
	size_t passes;
};

struct numbered {
	unsigned long long pc;
	size_t row;
};

static int by_pc(const void *a, const void *b)
{
	const struct numbered *one = a, *other = b;

	if (one->pc != other->pc)
		return one->pc < other->pc ? -1 : 1;
	return one->row < other->row ? -1 : one->row > other->row;
}

static bool find_next(struct teller *teller)
{
	size_t count = teller->story->count;
	struct numbered *order = calloc(count + 1, sizeof(*order));

	teller->next = calloc(count + 1, sizeof(*teller->next));
	if (!order || !teller->next) {
		free(order);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (struct numbered){teller->story->rows[i].moment.pc, i};
	qsort(order, count, sizeof(*order), by_pc);
	for (size_t i = 0; i < count; i++)
		teller->next[order[i].row] =
		    i + 1 < count && order[i + 1].pc == order[i].pc ? order[i + 1].row : count;
	free(order);
	return true;
}

/* Where the loop that begins at a row begins for the last time, before `end`; 0: none begins there.
 */
static size_t loop_end(const struct teller *teller, size_t row, size_t end)
{
	size_t seen = 1, at = row;

	while (teller->next[at] < end) {
		at = teller->next[at];
		seen++;
	}
	return seen >= OCCURRENCES_MIN ? at : 0;
}

static unsigned long key_of(const struct teller *teller, size_t from, size_t to, int depth);

/* The same for loops whose passes take the same ways, in whatever order and however often. */
static unsigned long key_of_loop(const struct teller *teller, size_t row, size_t last, int depth)
{
	unsigned long known[VARIANTS_MAX], sum = 0, key;
	size_t count = 0, next, i;

	for (size_t pass = row; pass < last; pass = next) {
		next = teller->next[pass];
		key = key_of(teller, pass, next, depth);
		for (i = 0; i < count && known[i] != key; i++)
			;
		if (i < count || count == VARIANTS_MAX)
			continue;
		known[count++] = key;
		sum += key * 31;
	}
	return sum;
}

/* Equal for passes that took the same ways. */
static unsigned long key_of(const struct teller *teller, size_t from, size_t to, int depth)
{
	unsigned long key = 5381;

	for (size_t at = from; at < to; at++) {
		size_t last = depth < DEPTH_MAX ? loop_end(teller, at, to) : 0;

		if (last) {
			key = key * 1000003UL + key_of_loop(teller, at, last, depth + 1);
			at = last;
		}
		key = key * 1000003UL + (unsigned long)teller->story->rows[at].moment.pc;
	}
	return key;
}

/* The code of a line, without the blanks before it. */
static void source_of(const struct story_source *source, int line, char *text)
{
	const char *row = source->text;

	text[0] = '\0';
	while (row && *row) {
		char *end;
		long number = strtol(row, &end, 10);

		if (number == line && end != row) {
			end += strspn(end, " \t");
			snprintf(text, SOURCE_SHOWN, "%.*s", (int)strcspn(end, "\n"), end);
			return;
		}
		row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL;
	}
}

static void tell_calls(struct teller *teller, const struct story_row *row, int depth)
{
	json_t *call;
	size_t i;

	json_array_foreach(row->calls, i, call)
	{
		const char *returned = json_string_value(json_object_get(call, "returned"));
		const char *note = json_string_value(json_object_get(call, "note"));
		struct moment moment;
		json_t *name;

		if (!moment_from_json(call, &moment))
			continue;
		name = teller->namer(teller->owner, &moment);
		json_array_append_new(teller->to,
		    json_sprintf("%s %*scalls %s(%s)%s%s%s%s", json_string_value(name),
			depth * 2 + 4, "", json_string_value(json_object_get(call, "name")),
			json_string_value(json_object_get(call, "args")), returned ? " = " : "",
			returned ? returned : "", note ? ": " : "", note ? note : ""));
		json_decref(name);
	}
}

static void tell_row(struct teller *teller, const struct story_row *row, int depth)
{
	json_t *name = teller->namer(teller->owner, &row->moment);
	char source[SOURCE_SHOWN];

	source_of(teller->source, row->line, source);
	json_array_append_new(teller->to,
	    json_sprintf("%s %*s%d %s", json_string_value(name), depth * 2, "", row->line, source));
	json_decref(name);
	tell_calls(teller, row, depth);
}

static void tell_rows(struct teller *teller, size_t from, size_t to, int depth);

/* The ways through the passes of the loop from a row on; returns how many there are. */
static size_t find_variants(const struct teller *teller, size_t row, size_t last, int depth,
    struct variant variants[VARIANTS_MAX])
{
	size_t count = 0, next, i;

	for (size_t pass = row; pass < last; pass = next) {
		unsigned long key;

		next = teller->next[pass];
		key = key_of(teller, pass, next, depth);
		for (i = 0; i < count && variants[i].key != key; i++)
			;
		if (i == VARIANTS_MAX)
			continue;
		if (i == count)
			variants[count++] = (struct variant){.key = key, .first = {pass, next}};
		variants[i].last = pass;
		variants[i].passes++;
	}
	return count;
}

static void tell_variant(
    struct teller *teller, const struct variant *variant, const char *what, int depth)
{
	json_t *last = teller->namer(teller->owner, &teller->story->rows[variant->last].moment);

	if (variant->passes == 1)
		json_array_append_new(
		    teller->to, json_sprintf("%*s1 pass %s:", depth * 2, "", what));
	else
		json_array_append_new(
		    teller->to, json_sprintf("%*s%zu passes %s, the last from %s:", depth * 2, "",
				    variant->passes, what, json_string_value(last)));
	json_decref(last);
	tell_rows(teller, variant->first[0], variant->first[1], depth + 1);
}

static void tell_loop(struct teller *teller, size_t row, size_t last, int depth)
{
	struct variant variants[VARIANTS_MAX];
	size_t count = find_variants(teller, row, last, depth, variants);

	for (size_t i = 0; i < count; i++)
		tell_variant(teller, &variants[i], i ? "like this" : "of a loop like this", depth);
	if (count == VARIANTS_MAX)
		json_array_append_new(
		    teller->to, json_sprintf("%*s(and maybe passes in other ways)", depth * 2, ""));
}

static void tell_rows(struct teller *teller, size_t from, size_t to, int depth)
{
	for (size_t at = from; at < to && json_array_size(teller->to) < TOLD_MAX; at++) {
		size_t last = depth < DEPTH_MAX ? loop_end(teller, at, to) : 0;

		if (last) {
			tell_loop(teller, at, last, depth);
			at = last;
		}
		tell_row(teller, &teller->story->rows[at], depth);
	}
}

/* Two thirds of the limit from the beginning, the rest from the end. */
static json_t *without_middle(json_t *told, size_t limit)
{
	size_t count = json_array_size(told), head = limit * 2 / 3, tail = count - (limit - head);
	json_t *kept;

	if (count <= limit)
		return told;
	kept = json_array();
	for (size_t i = 0; i < count; i++) {
		if (i == head)
			json_array_append_new(
			    kept, json_sprintf("[... %zu lines left out; limit shows more ...]",
				      tail - head));
		if (i < head || i >= tail)
			json_array_append(kept, json_array_get(told, i));
	}
	json_decref(told);
	return kept;
}

json_t *story_tell(const struct story *story, const struct story_source *source, size_t limit,
    story_namer *namer, void *owner)
{
	struct teller teller = {story, source, NULL, namer, owner, json_array()};

	if (find_next(&teller))
		tell_rows(&teller, 0, story->count, 0);
	free(teller.next);
	return without_middle(teller.to, limit);
}

/* ---- Branches ------------------------------------------------------------------------------ */

struct way {
	int from, to; /* lines; to 0: the function ended */
	size_t count;
};

static bool has_word(const char *text, const char *word)
{
	const char *at = text;

	while ((at = strstr(at, word)) != NULL) {
		if ((at == text || !is_word(at[-1])) && !is_word(at[strlen(word)]))
			return true;
		at++;
	}
	return false;
}

static bool is_branch(const char *source)
{
	static const char *const words[] = {"if", "while", "for", "switch"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (has_word(source, words[i]))
			return true;
	return strchr(source, '?') != NULL;
}

static size_t count_ways(const struct story *story, struct way *ways)
{
	size_t count = 0, at;

	for (size_t i = 0; i < story->count; i++) {
		int to = i + 1 < story->count ? story->rows[i + 1].line : 0;

		if (!to && story->cut)
			break;
		for (at = 0; at < count; at++)
			if (ways[at].from == story->rows[i].line && ways[at].to == to)
				break;
		if (at == WAYS_MAX)
			continue;
		if (at == count)
			ways[count++] = (struct way){.from = story->rows[i].line, .to = to};
		ways[at].count++;
	}
	return count;
}

static int by_lines(const void *a, const void *b)
{
	const struct way *one = a, *other = b;

	if (one->from != other->from)
		return one->from < other->from ? -1 : 1;
	return one->to < other->to ? -1 : one->to > other->to;
}

/* "12 if (i == 100): 13 (2 times), 15 (6 times)" of ways[at..end). */
static json_t *branch_words(const struct way *ways, size_t at, size_t end, const char *source)
{
	char text[600];
	int length = snprintf(text, sizeof(text), "%d %s: next", ways[at].from, source);

	for (; at < end && length < (int)sizeof(text) - 60; at++) {
		char where[24] = "the end";

		if (ways[at].to)
			snprintf(where, sizeof(where), "%d", ways[at].to);
		length += snprintf(text + length, sizeof(text) - (size_t)length,
		    " %s (%zu time%s)%s", where, ways[at].count, ways[at].count == 1 ? "" : "s",
		    at + 1 < end ? "," : "");
	}
	return json_string(text);
}

json_t *story_branches(const struct story *story, const struct story_source *source)
{
	struct way ways[WAYS_MAX];
	size_t count = count_ways(story, ways), end;
	json_t *branches = json_array();
	char text[SOURCE_SHOWN];

	qsort(ways, count, sizeof(*ways), by_lines);
	for (size_t at = 0; at < count && json_array_size(branches) < BRANCHES_MAX; at = end) {
		for (end = at; end < count && ways[end].from == ways[at].from;)
			end++;
		source_of(source, ways[at].from, text);
		if (end - at > 1 || is_branch(text))
			json_array_append_new(branches, branch_words(ways, at, end, text));
	}
	return branches;
}
