/*
 * See pattern.h. Matches with PCRE2's interpreter and never with its JIT: that needs memory which
 * is writable and executable, and so would a supervisor that an attacker has taken over.
 *
 * PCRE2's own limits count from anew at each byte where a match may begin, and do not count the
 * bytes that one item runs over. So every pattern is compiled with a callout before each item,
 * which counts both for all of a search.
 */
#include "supervisor/redact/pattern.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define NESTING_MAX 50	     /* of groups in a pattern: PCRE2 recurses while it compiles */
#define MATCH_MAX   10000000 /* calls of PCRE2's match() for one begin */
#define DEPTH_MAX   200000   /* of these in each other */
#define HEAP_MAX_KB 16384    /* for places to go back to */

#define WINDOW	   16384 /* bytes that are looked at first */
#define CUT_REACH  65536 /* LIMIT: what has begun further before a cut is not masked up to it */
#define CALL_STEPS 16	 /* a call of PCRE2, in steps */

#define NOWHERE SIZE_MAX

/* Bytes of an unfinished match that tell what it becomes. Fewer do not, and give little away. */
#define RECOGNIZABLE 6

struct pattern {
	pcre2_code *code;
	char *text;
	bool keeps; /* it has a \K */
};

/* One pattern on one text. */
struct run {
	const struct pattern *pattern;
	struct pattern_search *search;
	pcre2_match_data *data;
	pcre2_match_context *context;
	size_t at;    /* where PCRE2 was when it last called */
	size_t start; /* where it looked for a match then */
	size_t keep;  /* where it came to a \K since, or NOWHERE */
};

struct match {
	size_t start;	   /* where it was found, */
	size_t begin, end; /* what is to be masked of it */
};

/* ---- Making them ----------------------------------------------------------------------------- */

/* Whether a \K is in it that is no letter K behind a backslash, or between \Q and \E. */
static bool has_keep(const char *text)
{
	for (const char *at = text; (at = strchr(at, '\\')) != NULL && at[1] != 0; at += 2) {
		if (at[1] == 'K')
			return true;
		if (at[1] == 'Q' && (at = strstr(at, "\\E")) == NULL)
			return false;
	}
	return false;
}

static size_t count_characters(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length && text[i] != 0; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

static void explain(const char *text, int error, size_t offset, char *why)
{
	PCRE2_UCHAR reason[PATTERN_WHY_MAX - 40];

	if (pcre2_get_error_message(error, reason, sizeof(reason)) == PCRE2_ERROR_BADDATA)
		snprintf((char *)reason, sizeof(reason), "PCRE2's error %d", error);
	snprintf(why, PATTERN_WHY_MAX, "%s, at character %zu", (const char *)reason,
	    count_characters(text, offset) + 1);
}

static pcre2_code *compile(const char *text, char *why)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code = NULL;
	size_t offset = 0;
	int error = 0;

	if (context == NULL) {
		strlcpy(why, "out of memory", PATTERN_WHY_MAX);
		return NULL;
	}
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_parens_nest_limit(context, NESTING_MAX);
	code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	    PCRE2_UTF | PCRE2_MULTILINE | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C, &error,
	    &offset, context);
	if (code == NULL)
		explain(text, error, offset, why);
	pcre2_compile_context_free(context);
	return code;
}

struct pattern *pattern_new(const char *text, char *why)
{
	struct pattern *pattern = NULL;
	pcre2_code *code = NULL;

	if (text[0] == 0)
		strlcpy(why, "the pattern is empty", PATTERN_WHY_MAX);
	else
		code = compile(text, why);
	if (code == NULL)
		return NULL;
	pattern = calloc(1, sizeof(*pattern));
	if (pattern == NULL || (pattern->text = strdup(text)) == NULL) {
		strlcpy(why, "out of memory", PATTERN_WHY_MAX);
		pcre2_code_free(code);
		free(pattern);
		return NULL;
	}
	pattern->code = code;
	pattern->keeps = has_keep(text);
	return pattern;
}

void pattern_free(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_code_free(pattern->code);
	free(pattern->text);
	free(pattern);
}

/* ---- One call of PCRE2 ----------------------------------------------------------------------- */

/*
 * PCRE2 calls this before each item of the pattern. A step is an item, or a byte that an item ran
 * over. Also remembers \K, because of an unfinished match PCRE2 does not tell where that was.
 */
static int take_step(pcre2_callout_block *block, void *data)
{
	struct run *run = data;
	const char *item = run->pattern->text + block->pattern_position;

	if (block->current_position > run->at)
		run->search->steps -= (long long)(block->current_position - run->at);
	run->at = block->current_position;
	if (run->start != block->start_match)
		run->keep = NOWHERE;
	run->start = block->start_match;
	if (block->next_item_length == 2 && strncmp(item, "\\K", 2) == 0)
		run->keep = run->at;
	return --run->search->steps < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

/* The first match that begins at `from` or later, and ends at `end` or before; never an empty one.
 * Returns what pcre2_match does. */
static int call(struct run *run, size_t from, size_t end, uint32_t options)
{
	run->search->steps -= CALL_STEPS;
	if (run->search->steps < 0)
		return PCRE2_ERROR_CALLOUT;
	run->at = from;
	run->keep = NOWHERE;
	/* The text was checked once. PCRE2 would check all of it in each call. */
	return pcre2_match(run->pattern->code, (PCRE2_SPTR)run->search->text, end, from,
	    options | PCRE2_NOTEMPTY | PCRE2_NO_UTF_CHECK, run->data, run->context);
}

/* The begin of the character that a byte belongs to. */
static size_t character_at(const struct run *run, size_t at)
{
	while (at > 0 && at < run->search->length &&
	       ((unsigned char)run->search->text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static size_t next_character(const struct run *run, size_t at)
{
	do
		at++;
	while (at < run->search->length && ((unsigned char)run->search->text[at] & 0xc0) == 0x80);
	return at;
}

static void mark_bytes(const struct run *run, size_t begin, size_t end, unsigned char mark)
{
	for (size_t i = begin; i < end; i++)
		if (run->search->marks[i] == 0)
			run->search->marks[i] = mark;
}

/* ---- Whole matches --------------------------------------------------------------------------- */

/*
 * The next match from `at` on. PCRE2 sees a window of the text, because parts of its work take as
 * long as the text that it sees, in each call. It says where a match could go on behind the window.
 * Returns 1, or 0 if there is none, or -1 if the search was given up.
 */
static int next_match(struct run *run, size_t at, struct match *match)
{
	const size_t length = run->search->length, *found = pcre2_get_ovector_pointer(run->data);
	size_t room = WINDOW, end;

	for (;;) {
		end = length - at > room ? character_at(run, at + room) : length;
		int result = call(run, at, end, end < length ? PCRE2_PARTIAL_HARD : 0);
		if (result == PCRE2_ERROR_PARTIAL) {
			at = pcre2_get_startchar(run->data);
			room *= 2;
			continue;
		}
		if (result == PCRE2_ERROR_NOMATCH && end < length) {
			at = end;
			room = WINDOW;
			continue;
		}
		if (result < 0)
			return result == PCRE2_ERROR_NOMATCH ? 0 : -1;
		*match = (struct match){pcre2_get_startchar(run->data), found[0], found[1]};
		return 1;
	}
}

/* Looks for a match that goes further than the last one, from the next character on. If the first
 * that it finds does not, looks behind the last one. */
static bool mark_matches(struct run *run, unsigned char mark)
{
	size_t at = 0, last = 0;
	struct match match;
	int found;

	while (at < run->search->length) {
		found = next_match(run, at, &match);
		if (found <= 0)
			return found == 0;
		mark_bytes(run, match.begin, match.end, mark);
		at = match.end > last ? next_character(run, match.start) : last;
		last = match.end > last ? match.end : last;
	}
	return true;
}

/* ---- What a cut ends ------------------------------------------------------------------------- */

/* Marks what has begun as a match at `at` or later, and goes up to the cut. */
static bool mark_beginning(struct run *run, size_t at, size_t cut, unsigned char mark)
{
	while (at < cut) {
		int result = call(run, at, cut, PCRE2_PARTIAL_HARD);
		size_t start;
		if (result == PCRE2_ERROR_NOMATCH)
			return true;
		if (result < 0 && result != PCRE2_ERROR_PARTIAL)
			return false;
		start = pcre2_get_startchar(run->data);
		at = next_character(run, start);
		if (result >= 0)
			continue; /* a whole match */
		if (!run->pattern->keeps) {
			if (cut - start >= RECOGNIZABLE)
				mark_bytes(run, start, cut, mark);
			return true;
		}
		if (run->keep < cut) {
			mark_bytes(run, run->keep, cut, mark);
			return true;
		}
	}
	return true;
}

/* LIMIT: what has begun before one cut is not masked up to the next one. A secret that has
 * something like the mark of a cut in it is masked if it is a whole match. */
static bool mark_cuts(struct run *run, unsigned char mark)
{
	const unsigned char *cuts = run->search->cuts, *end = cuts + run->search->length + 1, *cut;
	size_t from = 0, at;

	for (cut = cuts; cut < end && (cut = memchr(cut, 1, (size_t)(end - cut))) != NULL; cut++) {
		at = (size_t)(cut - cuts);
		if (at - from > CUT_REACH)
			from = character_at(run, at - CUT_REACH);
		if (!mark_beginning(run, from, at, mark))
			return false;
		from = at;
	}
	return true;
}

bool pattern_mark(const struct pattern *pattern, struct pattern_search *search, unsigned char mark,
    bool counts_cuts)
{
	struct run run = {.pattern = pattern,
	    .search = search,
	    .data = pcre2_match_data_create(1, NULL),
	    .context = pcre2_match_context_create(NULL)};
	bool done = false;

	if (run.data != NULL && run.context != NULL) {
		pcre2_set_match_limit(run.context, MATCH_MAX);
		pcre2_set_depth_limit(run.context, DEPTH_MAX);
		pcre2_set_heap_limit(run.context, HEAP_MAX_KB);
		pcre2_set_callout(run.context, take_step, &run);
		done = mark_matches(&run, mark) && (!counts_cuts || mark_cuts(&run, mark));
	}
	pcre2_match_data_free(run.data);
	pcre2_match_context_free(run.context);
	return done;
}
