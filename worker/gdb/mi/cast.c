/*
 * Finds dynamic_cast<T>(e), and writes "((T) $rr_dynamic_cast ((e), (T) 0, 0))", or for a reference
 * the same with pointers. Then finds (bool) e, bool(e) and static_cast<bool>(e), and writes
 * "(0 != $rr_truth (e))". Of a text with std::get<1>(e), it writes "$rr_get (1, (e))" alone.
 */
#include "worker/gdb/mi/cast.h"

#include <stdio.h>
#include <string.h>
#include "worker/serve/words.h"

#define CASTS_MAX 16 /* in one text */

static const char word[] = "dynamic_cast";

/* The end of what `open` begins at `at`, behind its counterpart; NULL: there is none. */
static const char *behind(const char *at, char open, char close)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == open)
			depth++;
		else if (*at == close && --depth == 0)
			return at + 1;
	}
	return NULL;
}

struct cast {
	const char *begin, *end;  /* all of it */
	const char *type, *value; /* inside < > and ( ) */
	size_t type_length, value_length;
	bool reference;
};

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool is_within_name(const char *text, const char *at)
{
	return at > text && is_name(at[-1]);
}

/* The last one of the text: nothing behind it is one, so the innermost come first. */
static bool find(const char *text, struct cast *cast)
{
	const char *at = NULL, *next = text, *type, *value;

	for (; (next = strstr(next, word)); next++)
		if (!is_within_name(text, next))
			at = next;
	if (!at)
		return false;
	cast->begin = at;
	type = skip_blanks(at + sizeof(word) - 1);
	value = *type == '<' ? behind(type, '<', '>') : NULL;
	if (!value)
		return false;
	cast->type = type + 1;
	cast->type_length = (size_t)(value - type) - 2;
	value = skip_blanks(value);
	cast->end = *value == '(' ? behind(value, '(', ')') : NULL;
	if (!cast->end)
		return false;
	cast->value = value + 1;
	cast->value_length = (size_t)(cast->end - value) - 2;
	while (cast->type_length && cast->type[cast->type_length - 1] == ' ')
		cast->type_length--;
	cast->reference = cast->type_length && cast->type[cast->type_length - 1] == '&';
	while (cast->type_length && cast->type[cast->type_length - 1] == '&')
		cast->type_length--;
	return true;
}

static bool replace(char *to, size_t size, const char *text)
{
	struct cast cast;
	int length;

	if (!find(text, &cast))
		return false;
	/* before it runs, gdb takes the function's result for a number, hence the cast around it */
	length = snprintf(to, size, "%.*s%s(%.*s%s) $rr_dynamic_cast (%s(%.*s), (%.*s%s) 0, %d))%s",
	    (int)(cast.begin - text), text, cast.reference ? "(*" : "(", (int)cast.type_length,
	    cast.type, cast.reference ? " *" : "", cast.reference ? "&" : "",
	    (int)cast.value_length, cast.value, (int)cast.type_length, cast.type,
	    cast.reference ? " *" : "", cast.reference, cast.end);
	return length >= 0 && (size_t)length < size;
}

/* ---- Conversions to bool --------------------------------------------------------------------- */

static bool is_in_name(char byte)
{
	return is_name(byte) || byte == ':';
}

/* Whether a name or number stands here, and not an operator that is a word. */
static bool is_value(const char *at)
{
	static const char *const operators[] = {
	    "and", "or", "xor", "bitand", "bitor", "not_eq", NULL};
	size_t length = 0;

	while (is_in_name(at[length]))
		length++;
	return length > 0 && !is_one_of(at, length, operators);
}

/* Brackets in front of a value are casts. */
static const char *behind_casts(const char *at)
{
	const char *end = at;

	while (*end == '(') {
		end = behind(end, '(', ')');
		if (!end)
			return at;
		end = skip_blanks(end);
	}
	return is_value(end) ? end : at;
}

/* Behind a name, a number or what brackets enclose, with the casts before it and all that follows
 * it: .a ->b [1] (2). NULL: it is something else. */
static const char *behind_operand(const char *at)
{
	at = behind_casts(at + strspn(at, " \t!~*&-"));
	if (*at == '(')
		at = behind(at, '(', ')');
	else if (is_in_name(*at))
		while (is_in_name(*at))
			at++;
	else
		return NULL;
	while (at) {
		if (*at == '(' || *at == '[')
			at = *at == '(' ? behind(at, '(', ')') : behind(at, '[', ']');
		else if (*at == '.' && is_in_name(at[1]))
			at++;
		else if (at[0] == '-' && at[1] == '>')
			at += 2;
		else if (is_in_name(*at))
			at++;
		else
			break;
	}
	return at;
}

/* What stands behind the words of a conversion at `at`; NULL: none begins there. */
static const char *words_after(const char *at, bool *brackets)
{
	static const struct {
		const char *words[4];
		bool brackets; /* what it converts stands in them */
	} forms[] = {
	    {{"(", "bool", ")", NULL}, false},
	    {{"static_cast", "<", "bool", ">"}, true},
	    {{"bool", NULL}, true},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *end = at;

		for (size_t k = 0; end && k < 4 && forms[i].words[k]; k++) {
			size_t length = strlen(forms[i].words[k]);

			end = skip_blanks(end);
			end = strncmp(end, forms[i].words[k], length) == 0 ? end + length : NULL;
		}
		if (!end)
			continue;
		end = skip_blanks(end);
		*brackets = forms[i].brackets;
		return *brackets && *end != '(' ? NULL : end;
	}
	return NULL;
}

/* The last one of the text: it holds no other one. */
static bool replace_truth(char *to, size_t size, const char *text)
{
	const char *begin, *value = NULL, *end = NULL;
	bool brackets = false;
	int length;

	for (begin = text + strlen(text); !end && begin > text;) {
		begin--;
		value = is_within_name(text, begin) ? NULL : words_after(begin, &brackets);
		if (value)
			end = brackets ? behind(value, '(', ')') : behind_operand(value);
	}
	if (!end)
		return false;
	length = snprintf(to, size, "%.*s(0 != $rr_truth (%.*s))%s", (int)(begin - text), text,
	    (int)(end - value), value, end);
	return length >= 0 && (size_t)length < size;
}

/* ---- Elements of tuples ---------------------------------------------------------------------- */

/* The last "std::get<1>(e)" of the text: "$rr_get (1, (e))". */
static bool replace_get(char *to, size_t size, const char *text)
{
	static const char name[] = "std::get<";
	const char *at = NULL, *next = text, *number, *value, *end;
	size_t digits;
	int length;

	for (; (next = strstr(next, name)); next++)
		if (!is_within_name(text, next))
			at = next;
	if (!at)
		return false;
	number = at + sizeof(name) - 1;
	digits = strspn(number, "0123456789");
	value = skip_blanks(number + digits + 1);
	if (!digits || number[digits] != '>' || *value != '(' || !(end = behind(value, '(', ')')))
		return false;
	length = snprintf(to, size, "%.*s$rr_get (%.*s, %.*s)%s", (int)(at - text), text,
	    (int)digits, number, (int)(end - value), value, end);
	return length >= 0 && (size_t)length < size;
}

static int replace_all(
    char *to, size_t size, const char *text, bool (*one)(char *to, size_t size, const char *text))
{
	char before[8 * 1024];
	int count = 0;

	while (count < CASTS_MAX && one(to, size, count ? before : text)) {
		count++;
		if ((size_t)snprintf(before, sizeof(before), "%s", to) >= sizeof(before))
			return 0;
	}
	if (count)
		snprintf(to, size, "%s", before);
	return count;
}

bool cast_rewrite(char *to, size_t size, const char *text)
{
	char between[8 * 1024];
	int count;

	if (strstr(text, "std::get<"))
		return replace_all(to, size, text, replace_get) > 0;
	if (!strstr(text, "bool") && !strstr(text, word))
		return false;
	count = replace_all(to, size, text, replace);
	if (count && (size_t)snprintf(between, sizeof(between), "%s", to) >= sizeof(between))
		return false;
	return replace_all(to, size, count ? between : text, replace_truth) + count > 0;
}
