/*
 * Reads as much of gdb's notation as a std::string has, each beside the one at the same place of
 * the other value.
 */
#include "worker/gdb/mi/former.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/text.h"

#define POINTER "_M_p = "
#define LENGTH	"_M_string_length = "
#define LOCAL	"_M_local_buf = "

struct piece {
	const char *at;
	size_t length;
};

/* A std::string in a value. */
struct string {
	struct piece address; /* with the symbol behind it */
	struct piece text;    /* empty: gdb shows none */
	struct piece local;   /* the characters in the object itself, in quotes */
};

/* To behind the quote that ends a literal. */
static const char *behind_literal(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

/* To the brace that ends the aggregate in which `at` is. */
static const char *end_of_members(const char *at)
{
	while (*at && *at != '}')
		at = *at == '"' || *at == '\'' ? behind_literal(at) : at + 1;
	return at;
}

/* The first characters of an array of them, up to its first NUL: in quotes but the last. */
static struct piece until_nul(const char *at)
{
	const char *end = at + 1;

	if (*at != '"')
		return (struct piece){"\"", 1};
	while (*end && *end != '"' && strncmp(end, "\\000", 4) != 0)
		end += *end == '\\' && end[1] ? 2 : 1;
	return (struct piece){at, (size_t)(end - at)};
}

/* The next string from *at on, which goes on behind its text. False: there is none. */
static bool next_string(const char **at, struct string *string)
{
	const char *begin = strstr(*at, POINTER), *end, *length, *local, *quote;

	if (!begin)
		return false;
	begin += strlen(POINTER);
	end = end_of_members(begin);
	quote = memchr(begin, '"', (size_t)(end - begin));
	if (quote == begin)
		return false;
	*string = (struct string){.address = {begin, (size_t)((quote ? quote - 1 : end) - begin)}};
	if (quote)
		string->text = (struct piece){quote, (size_t)(end - quote)};
	*at = end;
	length = strstr(end, LENGTH);
	local = length ? strstr(length, LOCAL) : NULL;
	begin = strstr(end, POINTER);
	if (local && (!begin || local < begin))
		string->local = until_nul(local + strlen(LOCAL));
	return true;
}

static bool is_same(struct piece one, struct piece other)
{
	return one.length == other.length && memcmp(one.at, other.at, one.length) == 0;
}

/* Whether the text is that of the characters in the object. */
static bool is_local(const struct string *string)
{
	return string->local.length && string->text.length == string->local.length + 1 &&
	       memcmp(string->text.at, string->local.at, string->local.length) == 0;
}

static void append(struct text *told, const char *from, size_t length)
{
	cleanup_free char *piece = strndup(from, length);

	if (piece)
		text_append(told, piece);
}

/* Up to the text of a string, and the text that it had. */
static void add(struct text *told, const char *from, const struct string *string,
    const struct string *other, const struct former *former)
{
	const char *end = string->address.at + string->address.length;
	bool same = is_same(string->address, other->address);

	append(told, from, (size_t)(end - from));
	if (!same && former->is_older)
		return;
	text_append(told, " ");
	if (!same || former->is_now || !string->local.length || !is_local(other)) {
		append(told, string->text.at, string->text.length);
		return;
	}
	append(told, string->local.at, string->local.length);
	text_append(told, "\"");
}

char *former_value(const char *value, const char *other, struct former former)
{
	const char *value_at = value, *other_at = other, *copied = value;
	struct string string, beside;
	struct text told;
	char *rewritten = NULL;

	if (!strstr(value, POINTER) || !text_begin(&told, 2 * strlen(value) + 1))
		return NULL;
	while (next_string(&value_at, &string) && next_string(&other_at, &beside))
		if (string.text.length) {
			add(&told, copied, &string, &beside, &former);
			copied = string.text.at + string.text.length;
		}
	text_append(&told, copied);
	if (told.bytes && strcmp(told.bytes, value) != 0)
		rewritten = strdup(told.bytes);
	text_end(&told);
	return rewritten;
}
