/*
 * Patterns of secrets: what they match, however long the text is, and that no text can take them
 * more than the steps that they are given.
 */
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include "supervisor/redact/pattern.h"
#include "tests/runner.h"

#define TEXT_MAX_BYTES 16
#define PATTERN_BYTES  96
#define LONG_BYTES     (1 << 16)
#define ENOUGH	       100000000LL

static struct pattern *compiled(const char *text)
{
	char why[PATTERN_WHY_MAX] = "";
	struct pattern *pattern = pattern_new(text, why);

	ck_assert_msg(pattern != NULL, "%s: %s", text, why);
	return pattern;
}

static unsigned char marks[LONG_BYTES], cuts[LONG_BYTES + 1];

/* Fills in marks. Returns whether the search was done; *steps are those that it was given, and then
 * those that are left. */
static bool search(const struct pattern *pattern, const char *text, size_t length, long long *steps)
{
	struct pattern_search what = {text, length, cuts, marks, *steps};

	memset(marks, 0, sizeof(marks));
	bool done = pattern_mark(pattern, &what, 1, true);
	*steps = what.steps;
	return done;
}

static void mark_all(const struct pattern *pattern, const char *text, size_t length)
{
	long long steps = ENOUGH;

	ck_assert(search(pattern, text, length, &steps));
}

/* ---- Against regexec ------------------------------------------------------------------------- */

struct dice {
	unsigned long long state;
};

static unsigned roll(struct dice *dice, unsigned sides)
{
	dice->state = dice->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(dice->state >> 33) % sides;
}

static void append(char *pattern, const char *more)
{
	strlcat(pattern, more, PATTERN_BYTES);
}

static void make_pattern(struct dice *dice, char *pattern, int depth)
{
	static const char *const atoms[] = {"a", "b", "c", "[ab]", "[^a\n]", "."};
	static const char *const repeats[] = {
	    "*", "+", "?", "{2}", "{1,3}", "{2,}", "", "", "", ""};
	int count = 1 + (int)roll(dice, 3);

	for (int i = 0; i < count; i++) {
		/* In a repeated group, regexec takes a line's begin and end for what they are not.
		 */
		if (depth == 0 && roll(dice, 10) == 0) {
			append(pattern, roll(dice, 2) ? "^" : "$");
			continue;
		}
		if (depth < 3 && roll(dice, 3) == 0) {
			append(pattern, "(");
			make_pattern(dice, pattern, depth + 1);
			if (roll(dice, 2)) {
				append(pattern, "|");
				make_pattern(dice, pattern, depth + 1);
			}
			append(pattern, ")");
		} else {
			append(pattern, atoms[roll(dice, 6)]);
		}
		append(pattern, repeats[roll(dice, 10)]);
	}
}

static size_t make_text(struct dice *dice, char *text)
{
	size_t length = roll(dice, 8);

	for (size_t i = 0; i < length; i++)
		text[i] = "abcb\n"[roll(dice, 5)];
	text[length] = 0;
	return length;
}

/* Whether all of text[begin..end) is a match where it stands. */
static bool is_match(
    const regex_t *regex, const char *text, size_t length, size_t begin, size_t end)
{
	char part[TEXT_MAX_BYTES];
	regmatch_t match;
	int flags = 0;

	memcpy(part, text + begin, end - begin);
	part[end - begin] = 0;
	flags |= begin > 0 && text[begin - 1] != '\n' ? REG_NOTBOL : 0;
	flags |= end < length && text[end] != '\n' ? REG_NOTEOL : 0;
	return regexec(regex, part, 1, &match, flags) == 0 && match.rm_so == 0 &&
	       (size_t)match.rm_eo == end - begin;
}

/* Marks the bytes of every match, however short, and of every overlapping one. Returns where the
 * first begins, or `length`. */
static size_t mark_with_regexec(
    const regex_t *regex, const char *text, size_t length, bool in_match[TEXT_MAX_BYTES])
{
	size_t first = length;

	memset(in_match, 0, TEXT_MAX_BYTES);
	for (size_t begin = length; begin-- > 0;) {
		for (size_t end = begin + 1; end <= length; end++) {
			if (!is_match(regex, text, length, begin, end))
				continue;
			memset(in_match + begin, true, end - begin);
			first = begin;
		}
	}
	return first;
}

/* Perl takes the first alternative where POSIX takes the longest, so a match may be shorter; it
 * begins at the same byte. */
START_TEST(matches_are_those_of_regexec)
{
	struct dice dice = {1};
	int compared = 0;

	while (compared < 3000) {
		char text[TEXT_MAX_BYTES], words[PATTERN_BYTES] = "";
		bool in_match[TEXT_MAX_BYTES];
		regex_t regex;

		make_pattern(&dice, words, 0);
		if (strlen(words) > PATTERN_BYTES / 2)
			continue;
		struct pattern *pattern = compiled(words);
		ck_assert_int_eq(regcomp(&regex, words, REG_EXTENDED | REG_NEWLINE), 0);
		for (int i = 0; i < 4; i++, compared++) {
			size_t length = make_text(&dice, text);
			size_t first = mark_with_regexec(&regex, text, length, in_match), got = 0;
			mark_all(pattern, text, length);
			while (got < length && marks[got] == 0)
				got++;
			ck_assert_msg(got == first, "%s in \"%s\" begins at %zu, and not at %zu",
			    words, text, first, got);
			for (size_t at = 0; at < length; at++)
				ck_assert_msg(marks[at] == 0 || in_match[at],
				    "%s in \"%s\": no match has byte %zu", words, text, at);
		}
		regfree(&regex);
		pattern_free(pattern);
	}
}
END_TEST

/* ---- What regexec does not know -------------------------------------------------------------- */

/* The text between < and > is what is marked. */
static const struct {
	const char *pattern, *text;
} matches[] = {{"(?i)KEY=[a-f]+", "x <Key=aFFe>!"}, {"id \\K[0-9]+", "the id <42>,"},
    {"\\bcat\\b", "concat <cat> cats"}, {"\\d{2}", "a<12>b"}, {"\\w+:", " <a_1:> "},
    {"\\S+", " <x.y> "}, {"a\\.b", "axb <a.b>"}, {"[]x]+", "a<]x>b"}, {"[a\\\\]+", "<\\a>"},
    {"a\\tb", "<a\tb>"}, {"[[:upper:]-]+$", "a<B-C>"}, {"x{0}y", "x<y>"}, {"\\\\|\\||\\(", "a<|>"},
    {"^b.", "ab\n<bc>"}, {"(?<=k=).+", "k=<v>\nw"}, {"[ä-ü]+", "a <öü> u"}, {"é.", "\xc3<éü>"},
    {"(a|b)\\1", "ab<aa>b"}, {"(?:k|key)=\\K\\w+", "key=<v>,"}, {"[0-9]{4}", "<1234567>"},
    {"a(*SKIP)b|[^b]", "<xc>b<>"}, {"a*", "b<aa>b"}};

/* Reads the text of a row. Returns how many bytes it has; those between < and > have a mark. */
static size_t read_marked(const char *marked, char *text, unsigned char *wanted)
{
	size_t length = 0;
	bool within = false;

	for (; *marked != 0; marked++) {
		if (*marked == '<' || *marked == '>') {
			within = *marked == '<';
			continue;
		}
		wanted[length] = within;
		text[length++] = *marked;
	}
	text[length] = 0;
	return length;
}

START_TEST(a_pattern_can_say_more)
{
	struct pattern *pattern = compiled(matches[_i].pattern);
	char text[64];
	unsigned char wanted[64];
	size_t length = read_marked(matches[_i].text, text, wanted);

	mark_all(pattern, text, length);
	for (size_t i = 0; i < length; i++)
		ck_assert_msg(
		    marks[i] == wanted[i], "%s in %s: byte %zu", matches[_i].pattern, text, i);
	pattern_free(pattern);
}
END_TEST

static const struct {
	const char *pattern, *why;
} wrong[] = {{"", "the pattern is empty"}, {"a(b", "missing closing parenthesis, at character 4"},
    {"a)b", "unmatched closing parenthesis, at character 2"},
    {"[ab", "missing terminating ] for character class, at character 4"},
    {"*a", "quantifier does not follow a repeatable item, at character"},
    {"ä(b", "missing closing parenthesis, at character 4"}, {"a{3,2}", "out of order"},
    {"(a)\\2", "non-existent subpattern"}, {"\\y", "unrecognized character follows \\"},
    {"a\\", "\\ at end of pattern"}, {"[[:word", "missing terminating ]"},
    {"[[.a.]]", "collating elements are not supported"}, {"[z-a]", "range out of order"},
    {"(?=a\\Kb)", "\\K is not allowed in lookarounds"}, {"\xff", "UTF-8"},
    {"a\\Cb", "\\C is disabled"}, {"((a{99}){99}){99}", "too large"},
    {"((((((((((((((((((((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))))))))"
     "))))))))))))",
	"parentheses are too deeply nested"}};

START_TEST(a_wrong_pattern_is_refused_with_the_reason)
{
	char why[PATTERN_WHY_MAX] = "";

	ck_assert_msg(pattern_new(wrong[_i].pattern, why) == NULL, "%s", wrong[_i].pattern);
	ck_assert_msg(strstr(why, wrong[_i].why) != NULL, "%s: %s", wrong[_i].pattern, why);
}
END_TEST

/* ---- Long texts ------------------------------------------------------------------------------ */

/* A text is not looked at as a whole. A match is found wherever it stands, and however far it goes.
 */
static const size_t border_sizes[] = {1, 10, 100, 5000, 20000, 40000};

START_TEST(a_match_is_found_across_every_border)
{
	static char text[LONG_BYTES];
	struct pattern *pattern = compiled("\\bk=\\K[a-z]+;");
	size_t size = border_sizes[_i];

	for (size_t begin = 16384 - 12; begin < 16384 + 3; begin++) {
		memset(text, ' ', sizeof(text));
		text[begin] = 'k';
		text[begin + 1] = '=';
		memset(text + begin + 2, 'x', size);
		text[begin + 2 + size] = ';';
		mark_all(pattern, text, sizeof(text));
		for (size_t i = 0; i < sizeof(text); i++)
			ck_assert_msg(marks[i] == (i >= begin + 2 && i < begin + 3 + size),
			    "size %zu, begin %zu, byte %zu", size, begin, i);
	}
	pattern_free(pattern);
}
END_TEST

/* ---- Steps ----------------------------------------------------------------------------------- */

static const char *const slow[] = {"(a|aa)*b", "(a*)*b", "(a+)+$b", "a*a*a*a*a*b", "(.*a){9}b",
    "[a-z]*X", "(?:[a-z]*+)X", "(a|b|ab)*c", "a|a*b", "(a?){40}b", "(?=(a+))\\1b", "a(?R)?c",
    ".*?.*?b", "(?:a|a)*+b"};

/* A text that nothing but the steps bounds: PCRE2 looks first whether a letter that must be there
 * is there. */
static void fill(char *text, size_t length)
{
	static const char end[] = "\n!bXc!";

	memset(text, 'a', length);
	memcpy(text + length - strlen(end), end, strlen(end));
}

/* Each of them takes an engine without a bound a time that grows with the square of the text, or
 * explodes. Only the one step that comes too late may run over more bytes than were left. */
START_TEST(no_text_takes_more_steps_than_it_is_given)
{
	static const long long given[] = {1000, 10000000};
	static char text[LONG_BYTES];
	struct pattern *pattern = compiled(slow[_i]);

	fill(text, sizeof(text));
	for (int i = 0; i < TIMES(given); i++) {
		long long steps = given[i];
		bool done = search(pattern, text, sizeof(text), &steps);
		ck_assert_int_ge(steps, -1LL * LONG_BYTES);
		ck_assert_msg(i > 0 || !done, "%lld are left", steps);
	}
	pattern_free(pattern);
}
END_TEST

/* PCRE2 counts for one begin of a match only, and not what an item runs over. */
START_TEST(steps_are_those_of_all_begins)
{
	static char text[LONG_BYTES];
	struct pattern *pattern = compiled("[a-z]++X");
	long long left[2];

	for (int i = 0; i < 2; i++) {
		left[i] = ENOUGH;
		fill(text, (size_t)1000 << i);
		ck_assert(search(pattern, text, (size_t)1000 << i, &left[i]));
	}
	ck_assert_int_ge(ENOUGH - left[0], 990 * 990 / 2);
	ck_assert_int_ge(ENOUGH - left[1], 3 * (ENOUGH - left[0]));
	pattern_free(pattern);
}
END_TEST

/* ---- Cuts ------------------------------------------------------------------------------------ */

#define NOWHERE 99

static const struct {
	const char *pattern, *text;
	size_t begin; /* of what ends at the bar */
} cut[] = {{"tok_[a-z]{20}", "x tok_abcd|", 2}, {"tok_[a-z]{20}", "x tok_ab|", 2},
    {"tok_[a-z]{20}", "x tok_a|", NOWHERE}, {"tok_[a-z]{20}", "x tok_ABCD|", NOWHERE},
    {"key=\\K[a-z]{20}", "key=a|", 4}, {"key=\\K[a-z]{20}", "key=|", NOWHERE},
    {"key=\\K[a-z]{20}", "ke|", NOWHERE}, {"(?:a|k)(?:b|ey=\\K)[a-z]{20}", "key=ab|", 4},
    {"k.*?=\\K[a-z]{20}", "k==a|", 3}, {"\\\\K[a-z]{20}", "\\Kabcdefg|", 0},
    {"\\Q\\K\\E[a-z]{20}", "\\Kabcdefg|", 0}, {"key=\\K[a-z]{20}", "|key=a|", 5},
    {"tok_[a-z]{20}", "x tok_abcd", NOWHERE}};

START_TEST(what_a_cut_ends_counts_once_it_is_recognizable)
{
	struct pattern *pattern = compiled(cut[_i].pattern);
	size_t length = strlen(cut[_i].text), end;

	for (size_t i = 0; i < length; i++)
		cuts[i] = cut[_i].text[i] == '|';
	mark_all(pattern, cut[_i].text, length);
	memset(cuts, 0, sizeof(cuts));
	end = length - (cut[_i].text[length - 1] == '|');
	for (size_t i = 0; i < length; i++)
		ck_assert_msg(
		    marks[i] == (i >= cut[_i].begin && i < end), "%s: byte %zu", cut[_i].text, i);
	pattern_free(pattern);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{matches_are_those_of_regexec, 1},
	    {a_pattern_can_say_more, TIMES(matches)},
	    {a_wrong_pattern_is_refused_with_the_reason, TIMES(wrong)},
	    {a_match_is_found_across_every_border, TIMES(border_sizes)},
	    {no_text_takes_more_steps_than_it_is_given, TIMES(slow)},
	    {steps_are_those_of_all_begins, 1},
	    {what_a_cut_ends_counts_once_it_is_recognizable, TIMES(cut)}, {NULL, 0}};

	return run_loops("pattern", tests, NULL, NULL);
}
