/*
 * Translates the classes that the C library's regular expressions do not have. Must never let a
 * pattern through that they take for something else: nothing would be found, without a reason.
 */
#include "worker/serve/arguments/pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define PLAIN_IF_BASIC "()|+?{}"

/* A backslash and a letter. NULL: not here. */
static const struct {
	char letter;
	const char *outside, *in_brackets;
} classes[] = {
    {'d', "[0-9]", "0-9"},
    {'D', "[^0-9]", NULL},
    {'w', "\\w", "[:alnum:]_"},
    {'W', "\\W", NULL},
    {'s', "\\s", "[:space:]"},
    {'S', "\\S", NULL},
    {'b', "\\b", NULL},
    {'B', "\\B", NULL},
    {'t', "\t", "\t"},
};

struct translation {
	enum pattern_kind kind;
	const char *at;	 /* what is left of the pattern */
	char *to;	 /* the end of what is written */
	const char *why; /* it cannot be; NULL: it can */
};

static void copy(struct translation *translation, size_t length)
{
	memcpy(translation->to, translation->at, length);
	translation->to += length;
	translation->at += length;
}

static void take_class(struct translation *translation, bool in_brackets)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		const char *text = in_brackets ? classes[i].in_brackets : classes[i].outside;

		if (classes[i].letter != translation->at[1] || !text)
			continue;
		translation->to = stpcpy(translation->to, text);
		translation->at += 2;
		return;
	}
	translation->why =
	    in_brackets ? "of a backslash and a letter, brackets have \\d, \\w, \\s and \\t only"
			: "of a backslash and a letter, there are \\d, \\D, \\w, \\W, \\s, \\S, "
			  "\\b, \\B and \\t only";
}

/* In brackets POSIX takes a backslash for itself. */
static void take_backslash(struct translation *translation, bool in_brackets)
{
	const char next = translation->at[1];

	if (isalpha((unsigned char)next)) {
		take_class(translation, in_brackets);
	} else if (in_brackets && (next == ']' || next == '-' || next == '^')) {
		translation->why =
		    "in brackets, ] must come first, - last, and ^ not first, without "
		    "a backslash";
	} else if (!in_brackets && translation->kind == PATTERN_BASIC && next &&
		   strchr(PLAIN_IF_BASIC, next)) {
		translation->at++;
		copy(translation, 1);
	} else {
		copy(translation, next ? 2 : 1);
	}
}

/* "[[:alpha:]_]", with which it begins. */
static void take_brackets(struct translation *translation)
{
	copy(translation, translation->at[1] == '^' ? 2 : 1);
	if (*translation->at == ']')
		copy(translation, 1);
	while (*translation->at && *translation->at != ']' && !translation->why) {
		const char *at = translation->at, *end = NULL;

		if (*at == '\\') {
			take_backslash(translation, true);
			continue;
		}
		if (*at == '[' && at[1] && strchr(":.=", at[1]))
			for (end = at + 2; *end && (end[0] != at[1] || end[1] != ']'); end++)
				;
		copy(translation, end && *end ? (size_t)(end + 2 - at) : 1);
	}
	if (*translation->at)
		copy(translation, 1);
}

const char *pattern_translate(const char *pattern, enum pattern_kind kind, char *to)
{
	struct translation translation = {.kind = kind, .at = pattern, .to = to};

	while (*translation.at && !translation.why) {
		if (*translation.at == '\\') {
			take_backslash(&translation, false);
		} else if (*translation.at == '[') {
			take_brackets(&translation);
		} else {
			if (kind == PATTERN_BASIC && strchr(PLAIN_IF_BASIC, *translation.at))
				*translation.to++ = '\\';
			copy(&translation, 1);
		}
	}
	*translation.to = '\0';
	return translation.why;
}
