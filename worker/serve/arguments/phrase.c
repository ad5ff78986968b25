/*
 * Looks for what would end an expression early, without parsing the rest of it: gdb finds every
 * other mistake.
 */
#include "worker/serve/arguments/phrase.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include "worker/serve/words.h"

#define BRACKETS_MAX 200 /* open at once */
#define SHOWN	     80

static bool refuse(const char *what, const char *text, const char *why, struct failure *failure)
{
	failure_set(failure, ERROR_INVALID_ARGUMENT, "give one expression, and nothing beside it",
	    "%s is not one expression: %s in %.*s", what, why, SHOWN, text);
	return false;
}

/* gdb takes abbreviations of them as well. A name of the program has no number behind it. */
static bool begins_number_of(const char *word, size_t length, const char *end)
{
	static const char *const words[] = {"thread", "task", "inferior", "mask"};

	if (*end != ' ' || !isdigit((unsigned char)end[strspn(end, " ")]))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (length <= strlen(words[i]) && strncmp(word, words[i], length) == 0)
			return true;
	return false;
}

/* Why the expression would end at the word there; NULL: it does not. */
static const char *ends_at_word(const char *word, size_t length)
{
	if (length == 2 && strncmp(word, "if", 2) == 0)
		return "there is an \"if\"";
	return begins_number_of(word, length, word + length)
		   ? "there is a name with a number behind it"
		   : NULL;
}

/* Matches the brackets outside of literals; each word goes to ends_at_word. */
static const char *find_end(const char *at)
{
	static const char opening[] = "([{", closing[] = ")]}";
	char expected[BRACKETS_MAX];
	size_t open = 0, length;
	const char *why, *bracket;

	for (; *at; at += length) {
		length = 1;
		if (is_name(*at)) {
			length = name_at(at);
			why = ends_at_word(at, length);
			if (why)
				return why;
		} else if (*at == '"' || *at == '\'') {
			length = quoted_at(at);
			if (!length)
				return "a quotation mark has no partner";
		} else if ((bracket = strchr(opening, *at))) {
			if (open == BRACKETS_MAX)
				return "there are too many brackets";
			expected[open++] = closing[bracket - opening];
		} else if (strchr(closing, *at) && (!open || expected[--open] != *at)) {
			return "a bracket has no partner";
		}
	}
	return open ? "a bracket has no partner" : NULL;
}

bool phrase_is_expression(const char *what, const char *text, struct failure *failure)
{
	const char *begin = text + strspn(text, " "), *why;

	if (*begin == '/')
		return refuse(what, text, "it begins with /", failure);
	why = find_end(begin);
	return !why || refuse(what, text, why, failure);
}

/* The bytes of an operator at `at`; *why is set if it changes what stands beside it. */
static size_t operator_length(const char *at, const char **why)
{
	bool doubled = at[1] == at[0];

	*why = NULL;
	switch (*at) {
	case '+':
	case '-':
		if (doubled)
			*why = *at == '+' ? "there is ++" : "there is --";
		break;
	case '<':
	case '>':
		if (doubled && at[2] == '=' && at[3] != '=')
			*why = "there is an assignment";
		return at[1] == '=' && at[2] != '=' ? 2 : 1; /* not of v<w<int>>==x */
	case '!':
		return at[1] == '=' ? 2 : 1;
	case '=':
		if (!doubled)
			*why = "there is an assignment";
		return 2;
	default:
		break;
	}
	return 1;
}

/* The word there, with its sign if it is an operator's name. */
static size_t word_length(const char *word)
{
	size_t length = name_at(word);

	if (length == 8 && strncmp(word, "operator", length) == 0)
		length += strspn(word + length, " =!<>+-*/%&|^~");
	return length;
}

static const char *find_change(const char *at)
{
	const char *why = NULL;
	size_t length;

	for (; *at && !why; at += length) {
		if (is_name(*at)) {
			length = word_length(at);
		} else if (*at == '"' || *at == '\'') {
			length = quoted_at(at);
			if (!length)
				return NULL;
		} else {
			length = operator_length(at, &why);
		}
	}
	return why;
}

bool phrase_only_reads(const char *what, const char *text, struct failure *failure)
{
	const char *why = find_change(text);

	if (!why)
		return true;
	failure_set(failure, ERROR_NOT_ALLOWED,
	    "only read values, and compare them with == or another comparison",
	    "%s changes the program or the session, which is not allowed: %s in %.*s", what, why,
	    SHOWN, text);
	return false;
}

bool phrase_is_location(const char *what, const char *text, struct failure *failure)
{
	const char *begin = text + strspn(text, " ");

	if (*begin == '*')
		return phrase_is_expression(what, begin + 1, failure);
	if (*begin != '-')
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
	    "%s must be a function, file:line or *address; it cannot begin with -", what);
	return false;
}
