/*
 * See redactor.h. Fails closed: if a text cannot be looked at in the memory or the steps that there
 * are for it, all of it is masked.
 */
#include "supervisor/redact/redactor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/log.h"
#include "sandbox/wire/scrub.h"
#include "supervisor/redact/pattern.h"
#include "supervisor/redact/secrets.h"

#define PATTERNS_MAX 254 /* numbers of bytes */
#define MASK_MAX     48
#define MASK_BEGIN   "[redacted"

/*
 * What all patterns together may take for one text, in steps of pattern.h: about 5 ns each. Of the
 * texts in that test_redact.c calls laborious, most take a fifth of it, and sources a tenth.
 */
#define STEPS_LEAST    100000
#define STEPS_FOR_BYTE 256

#define NO_CHARACTER '\x1a' /* SUBSTITUTE */

struct entry {
	struct pattern *pattern;
	const char *text; /* as the user or secrets.c has it */
	const char *name; /* of a row of secrets; NULL: the user's own */
	enum secret_cut cut;
};

struct redactor {
	struct entry entries[PATTERNS_MAX];
	size_t count;
	size_t room; /* bytes of each of these, which are one block: */
	unsigned char *marks, *cuts;
	char *valid;
	bool said; /* that a text was masked as a whole */
};

/* ---- Making one ------------------------------------------------------------------------------ */

bool redactor_check(const char *item, char *why)
{
	struct pattern *pattern = strcmp(item, SECRETS_NAME) == 0 ? NULL : pattern_new(item, why);
	bool good = pattern != NULL || strcmp(item, SECRETS_NAME) == 0;

	pattern_free(pattern);
	return good;
}

static bool add(struct redactor *redactor, const char *pattern, const char *name,
    enum secret_cut cut, char *why)
{
	struct entry *entry = &redactor->entries[redactor->count];

	if (redactor->count == PATTERNS_MAX) {
		strlcpy(why, "there are too many patterns", PATTERN_WHY_MAX);
		return false;
	}
	*entry = (struct entry){pattern_new(pattern, why), pattern, name, cut};
	if (entry->pattern == NULL)
		return false;
	redactor->count++;
	return true;
}

static bool add_item(struct redactor *redactor, const char *item, char *why)
{
	if (strcmp(item, SECRETS_NAME) != 0)
		return add(redactor, item, NULL, CUT_MARKED, why);
	for (const struct secret *secret = secrets; secret->name != NULL; secret++)
		if (!add(redactor, secret->pattern, secret->name, secret->cut, why))
			return false;
	return true;
}

/* Whether an item is there before its place, because patterns of several files add up. */
static bool came_before(const char *const *items, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(items[i], items[at]) == 0)
			return true;
	return false;
}

struct redactor *redactor_new(const char *const *items, char *why)
{
	struct redactor *redactor = calloc(1, sizeof(*redactor));

	if (redactor == NULL) {
		strlcpy(why, "out of memory", PATTERN_WHY_MAX);
		return NULL;
	}
	for (size_t i = 0; items[i] != NULL; i++) {
		if (!came_before(items, i) && !add_item(redactor, items[i], why)) {
			redactor_free(redactor);
			return NULL;
		}
	}
	return redactor;
}

void redactor_free(struct redactor *redactor)
{
	if (redactor == NULL)
		return;
	for (size_t i = 0; i < redactor->count; i++)
		pattern_free(redactor->entries[i].pattern);
	free(redactor->marks);
	free(redactor);
}

size_t redactor_patterns(const struct redactor *redactor)
{
	return redactor->count;
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* What we and gdb write where a text was cut. */
static const char *const cuts[] = {"\"...", "'...", "\n[... ", "[... ", "...", "\xe2\x80\xa6"};

static bool is_mark_of_cut(const char *text, size_t length, size_t at)
{
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		size_t size = strlen(cuts[i]);
		if (length - at >= size && memcmp(text + at, cuts[i], size) == 0)
			return true;
	}
	return false;
}

static void find_cuts(struct redactor *redactor, const char *text, size_t length)
{
	bool before = false;

	for (size_t i = 0; i <= length; i++) {
		bool is = is_mark_of_cut(text, length, i);
		redactor->cuts[i] = is && !before;
		before = is;
	}
}

static bool make_room(struct redactor *redactor, size_t length)
{
	if (length < redactor->room)
		return true;
	free(redactor->marks);
	redactor->room = 0;
	redactor->marks = malloc(3 * (length + 1));
	if (redactor->marks == NULL)
		return false;
	redactor->room = length + 1;
	redactor->cuts = redactor->marks + redactor->room;
	redactor->valid = (char *)redactor->cuts + redactor->room;
	return true;
}

/*
 * The text as valid UTF-8, byte for byte: patterns go by characters, and memory has any bytes. A
 * byte that is no character becomes one that is no letter, and does not end a secret. (PCRE2 itself
 * could take such a text, but there a match ends at such a byte.)
 */
static const char *valid_text(struct redactor *redactor, const char *text, size_t length)
{
	size_t size;

	memcpy(redactor->valid, text, length);
	for (size_t i = 0; i < length; i += size) {
		size = scrub_character_length((const unsigned char *)text + i, length - i);
		if (size == 0)
			redactor->valid[i] = NO_CHARACTER;
		size += size == 0;
	}
	return redactor->valid;
}

/* Says once why texts are masked as a whole. */
static void say_masked(struct redactor *redactor, size_t length, const char *why, const char *more)
{
	if (!redactor->said)
		log_error("--redact: a text of %zu bytes %s%.400s; it is masked as a whole, and so "
			  "will be others like it (said once)",
		    length, why, more);
	redactor->said = true;
}

/*
 * Marks all matches. The first pattern that finds a byte names its mask. False if there were not
 * enough steps or not enough memory.
 */
static bool mark(struct redactor *redactor, struct pattern_search *search, bool piece)
{
	long long most = 0, before;
	size_t slowest = 0;
	bool done = true;

	for (size_t i = 0; done && i < redactor->count; i++) {
		const struct entry *entry = &redactor->entries[i];
		enum secret_cut cut = piece && entry->cut == CUT_MARKED ? CUT_ANYWHERE : entry->cut;
		before = search->steps;
		/* The end of a text, which nothing marks, can be a cut as well. */
		redactor->cuts[search->length] = cut == CUT_ANYWHERE;
		done = pattern_mark(
		    entry->pattern, search, (unsigned char)(i + 1), cut != CUT_NOWHERE);
		if (before - search->steps > most) {
			most = before - search->steps;
			slowest = i;
		}
	}
	if (!done)
		say_masked(redactor, search->length,
		    "took too many steps, or too much memory, most of all for the pattern ",
		    redactor->entries[slowest].text);
	return done;
}

static const char *mask_of(const struct redactor *redactor, size_t number, char mask[MASK_MAX])
{
	const char *name = redactor->entries[number].name;

	if (name == NULL)
		return REDACTOR_NAMELESS;
	snprintf(mask, MASK_MAX, MASK_BEGIN ": %s]", name);
	return mask;
}

/* The length of the mask that the text begins with; 0: it begins with none. */
static size_t mask_at(const struct redactor *redactor, const char *text, size_t length)
{
	char mask[MASK_MAX];

	for (size_t i = 0; i < redactor->count; i++) {
		const char *known = mask_of(redactor, i, mask);
		size_t size = strlen(known);
		if (size <= length && memcmp(text, known, size) == 0)
			return size;
	}
	return 0;
}

/* A text that was made of masked ones has their masks, which tell nothing. */
static void leave_masks(const struct redactor *redactor, const char *text, size_t length)
{
	const char *at = text, *end = text + length;

	while ((at = memmem(at, (size_t)(end - at), MASK_BEGIN, strlen(MASK_BEGIN))) != NULL) {
		size_t size = mask_at(redactor, at, (size_t)(end - at));
		memset(redactor->marks + (at - text), 0, size);
		at += size > 0 ? size : 1;
	}
}

const unsigned char *redactor_find(
    struct redactor *redactor, const char *text, size_t length, bool piece)
{
	struct pattern_search search;

	if (length > REDACTOR_TEXT_MAX || !make_room(redactor, length)) {
		say_masked(redactor, length, "is too long, or there is no memory for it", "");
		return NULL;
	}
	memset(redactor->marks, 0, length + 1);
	find_cuts(redactor, text, length);
	search = (struct pattern_search){.text = valid_text(redactor, text, length),
	    .length = length,
	    .cuts = redactor->cuts,
	    .marks = redactor->marks,
	    .steps = STEPS_LEAST + STEPS_FOR_BYTE * (long long)length};
	if (!mark(redactor, &search, piece))
		return NULL;
	leave_masks(redactor, text, length);
	return redactor->marks;
}

/* ---- Masking --------------------------------------------------------------------------------- */

/* A run of marks is one mask, whatever patterns found it. */
static bool begins_mask(const unsigned char *marks, size_t at)
{
	return marks[at] != 0 && (at == 0 || marks[at - 1] == 0);
}

size_t redactor_count(const unsigned char *marks, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += begins_mask(marks, i);
	return count;
}

char *redactor_mask(
    const struct redactor *redactor, const char *text, const unsigned char *marks, size_t length)
{
	char *masked = malloc(length + redactor_count(marks, length) * MASK_MAX + 1);
	char *to = masked, mask[MASK_MAX];

	if (masked == NULL)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if (marks[i] == 0)
			*to++ = text[i];
		else if (begins_mask(marks, i))
			to = stpcpy(to, mask_of(redactor, marks[i] - 1, mask));
	}
	*to = 0;
	return masked;
}

char *redactor_mask_text(struct redactor *redactor, const char *text, size_t *count)
{
	size_t length = strlen(text), found;
	const unsigned char *marks = redactor_find(redactor, text, length, false);

	if (marks == NULL) {
		*count += 1;
		return strdup(REDACTOR_NAMELESS);
	}
	found = redactor_count(marks, length);
	*count += found;
	return found == 0 ? NULL : redactor_mask(redactor, text, marks, length);
}
