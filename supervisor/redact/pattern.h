#ifndef SUPERVISOR_REDACT_PATTERN_H
#define SUPERVISOR_REDACT_PATTERN_H
/*
 * Patterns of secrets: Perl-compatible regular expressions, as PCRE2 reads them. ^ and $ are begin
 * and end of a line, a dot is any character but a newline, and \K keeps what stands before it out
 * of the match.
 *
 * Recorded programs choose the texts, and a text can take a backtracking matcher any time. So each
 * search has a number of steps, and gives up when they are used up.
 */
#include <stdbool.h>
#include <stddef.h>

#define PATTERN_WHY_MAX 200

struct pattern;

/* NULL with `why` (PATTERN_WHY_MAX bytes): what is wrong with it, and where. */
struct pattern *pattern_new(const char *text, char *why);
void pattern_free(struct pattern *pattern);

/* What is searched, by one pattern after the other. */
struct pattern_search {
	const char *text; /* valid UTF-8 */
	size_t length;
	const unsigned char *cuts; /* length + 1: 1 where the text was cut before a byte */
	unsigned char *marks;	   /* length: stays 0 for a byte that belongs to no match */
	long long steps;	   /* that are left for all patterns */
};

/*
 * Gives `mark` to each byte of a match that has none. After a match, the next one may overlap it if
 * it goes further. If the pattern `counts_cuts`, the beginning of a match that a cut ends counts as
 * one, once it is recognizable.
 *
 * Returns whether all of the text was searched; if not, nothing can be said of what has no mark.
 */
bool pattern_mark(const struct pattern *pattern, struct pattern_search *search, unsigned char mark,
    bool counts_cuts);

#endif
