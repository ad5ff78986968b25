/*
 * See answer.h. A text is looked at alone, behind the name that it is the value of, and joined with
 * the rows before and behind it, because a program can write a secret in two parts.
 */
#include "supervisor/redact/answer.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/cleanup.h"

#define DEPTH_MAX 32 /* answers_scrub has emptied what is deeper */
#define LABEL_MAX 512

/* Texts that are looked at as one. */
struct joined {
	char *text;
	size_t length;
	size_t *begins; /* of each part; one more than there are parts */
};

/* ---- One text -------------------------------------------------------------------------------- */

/* NULL, and what JSON does not take, is masked as a whole. */
static void replace(json_t *string, const char *masked)
{
	if (masked == NULL || json_string_set(string, masked) < 0)
		json_string_set(string, REDACTOR_NAMELESS);
}

/* Masks a text that begins at `from` of what was looked at. Returns the number of masks. */
static size_t mask_part(struct redactor *redactor, json_t *string, const char *looked_at,
    const unsigned char *marks, size_t from)
{
	size_t length = json_string_length(string), count;
	cleanup_free char *masked = NULL;

	count = marks == NULL ? 1 : redactor_count(marks + from, length);
	if (count == 0)
		return 0;
	if (marks != NULL)
		masked = redactor_mask(redactor, looked_at + from, marks + from, length);
	replace(string, masked);
	return count;
}

static size_t mask_alone(struct redactor *redactor, json_t *string)
{
	const char *text = json_string_value(string);
	size_t length = json_string_length(string);

	if (length == 0 || strcmp(text, REDACTOR_NAMELESS) == 0)
		return 0;
	return mask_part(redactor, string, text, redactor_find(redactor, text, length, false), 0);
}

/* As in `password = "..."`, where only the name tells that it is a secret. */
static size_t mask_value(struct redactor *redactor, const char *label, json_t *string)
{
	size_t length = json_string_length(string), before;
	cleanup_free char *text = NULL;

	if (length == 0)
		return 0;
	text = malloc(LABEL_MAX + length + 1);
	if (text == NULL)
		return mask_part(redactor, string, NULL, NULL, 0);
	before = (size_t)snprintf(text, LABEL_MAX, "%.*s = ", LABEL_MAX - 8, label);
	memcpy(text + before, json_string_value(string), length + 1);
	return mask_part(
	    redactor, string, text, redactor_find(redactor, text, before + length, false), before);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The text of a row: a list has texts, or objects that have one. */
static json_t *row_text(const json_t *row)
{
	return json_is_string(row) ? (json_t *)row : json_object_get(row, "text");
}

/* Lines are joined by newlines, and the parts of what a program wrote by nothing. False when out of
 * memory. */
static bool join(const json_t *rows, struct joined *joined)
{
	size_t room = 1, i;
	json_t *row;

	json_array_foreach(rows, i, row) room += json_string_length(row_text(row)) + 1;
	joined->text = malloc(room);
	joined->begins = calloc(json_array_size(rows) + 1, sizeof(*joined->begins));
	if (joined->text == NULL || joined->begins == NULL)
		return false;
	json_array_foreach(rows, i, row)
	{
		const json_t *text = row_text(row);
		joined->begins[i] = joined->length;
		memcpy(joined->text + joined->length,
		    json_is_string(text) ? json_string_value(text) : "", json_string_length(text));
		joined->length += json_string_length(text);
		if (json_is_string(row))
			joined->text[joined->length++] = '\n';
	}
	joined->text[joined->length] = 0;
	return true;
}

/* Masks what goes from one row to the next. It counts once. */
static size_t mask_rows(struct redactor *redactor, json_t *rows)
{
	struct joined joined = {0};
	const unsigned char *marks = NULL;
	size_t i, count = 1;
	json_t *row;

	if (json_array_size(rows) < 2)
		return 0;
	if (join(rows, &joined))
		marks = redactor_find(redactor, joined.text, joined.length, false);
	if (marks != NULL)
		count = redactor_count(marks, joined.length);
	json_array_foreach(rows, i, row)
	{
		if (count > 0 && json_string_length(row_text(row)) > 0)
			mask_part(redactor, row_text(row), joined.text, marks,
			    marks == NULL ? 0 : joined.begins[i]);
	}
	free(joined.text);
	free(joined.begins);
	return count;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static bool is_hex(const json_t *contents)
{
	size_t length = json_string_length(contents);

	return length > 0 && length % 2 == 0 &&
	       strspn(json_string_value(contents), "0123456789abcdefABCDEF") == length;
}

/* The bytes that hex digits stand for, to be freed; NULL when out of memory. */
static char *bytes_of(const char *digits, size_t count)
{
	char *bytes = malloc(count);

	for (size_t i = 0; bytes != NULL && i < count; i++)
		bytes[i] = (char)(hex_digit(digits[2 * i]) * 16 + hex_digit(digits[2 * i + 1]));
	return bytes;
}

/* Whether a byte is there both as digits and as a letter before the last bar. Each character is
 * looked at only if the one before it is not the end. */
static bool shows_byte(const char *digits, const char *letter)
{
	return isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1]) &&
	       digits[2] == ' ' && letter[0] != 0 && letter[1] != 0;
}

/* Masks one row of "0x55e0  70 6f 73 ...  |pos|", in which at most `count` bytes are left. Returns
 * how many it shows: a worker that was taken over writes any row. */
static size_t mask_dump_row(char *row, const unsigned char *marks, size_t count)
{
	char *digits = strstr(row, "  "), *letters = strstr(row, "  |");
	size_t i = 0;

	if (digits == NULL || letters == NULL)
		return 0;
	for (digits += 2, letters += 3; i < count && shows_byte(digits, letters + i); i++) {
		if (marks[i] != 0)
			digits[0] = digits[1] = letters[i] = '*';
		digits += 3;
	}
	return i;
}

/* False if the dump does not show all of these bytes: nobody knows then what it does show. */
static bool mask_dump(json_t *dump, const unsigned char *marks, size_t count)
{
	cleanup_free char *shown = strdup(json_string_value(dump));
	char *row = shown, *end;
	size_t at = 0;

	while (row != NULL && at < count) {
		end = strchr(row, '\n');
		if (end != NULL)
			*end = 0;
		at += mask_dump_row(row, marks + at, count - at);
		if (end != NULL)
			*end++ = '\n';
		row = end;
	}
	if (at == count)
		replace(dump, shown);
	return at == count;
}

/* The digits with "**" for each marked byte. */
static void mask_digits(json_t *contents, const unsigned char *marks)
{
	char *digits = strdup(json_string_value(contents));

	for (size_t i = 0; digits != NULL && digits[i] != 0; i++)
		digits[i] = marks[i / 2] != 0 ? '*' : digits[i];
	replace(contents, digits);
	free(digits);
}

/* Masks digits and characters of bytes, so that the other bytes stay in their places. Who reads
 * memory chooses where it ends, which can be in the middle of a secret. */
static size_t mask_memory(struct redactor *redactor, json_t *object)
{
	json_t *contents = json_object_get(object, "contents"),
	       *dump = json_object_get(object, "dump");
	size_t length = json_string_length(contents) / 2, count;
	const unsigned char *marks;
	char *bytes;

	if (!is_hex(contents))
		return 0;
	bytes = bytes_of(json_string_value(contents), length);
	marks = bytes == NULL ? NULL : redactor_find(redactor, bytes, length, true);
	free(bytes);
	if (marks == NULL) {
		json_string_set(contents, REDACTOR_NAMELESS);
		json_object_del(object, "dump");
		return 1;
	}
	count = redactor_count(marks, length);
	if (count > 0)
		mask_digits(contents, marks);
	if (count > 0 && dump != NULL && !(json_is_string(dump) && mask_dump(dump, marks, length)))
		json_object_del(object, "dump");
	return count;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* What the values of an object are the values of, if it says that. */
static const char *name_in(const json_t *object)
{
	static const char *const keys[] = {"expression", "name", "variable"};
	const char *name = NULL;

	for (size_t i = 0; name == NULL && i < sizeof(keys) / sizeof(*keys); i++)
		name = json_string_value(json_object_get(object, keys[i]));
	return name;
}

/* Names are ours, but for those that a worker took from the program. */
static size_t mask_keys(struct redactor *redactor, json_t *object)
{
	json_t *value;
	const char *key;
	size_t count = 0;
	void *next;

	json_object_foreach_safe(object, next, key, value)
	{
		cleanup_free char *masked = redactor_mask_text(redactor, key, &count);
		if (masked == NULL)
			continue;
		json_object_set(object, masked, value);
		json_object_del(object, key);
	}
	return count;
}

/* `about` names what values belong to; NULL: nothing does. */
static size_t mask(struct redactor *redactor, json_t *value, const char *about, int depth)
{
	char name[LABEL_MAX];
	size_t count = 0, i;
	const char *key;
	json_t *part;

	if (json_is_string(value)) {
		count += about == NULL ? 0 : mask_value(redactor, about, value);
		return count + mask_alone(redactor, value);
	}
	if (depth > DEPTH_MAX) {
		json_array_clear(value);
		json_object_clear(value);
		return 1;
	}
	count += mask_rows(redactor, value);
	json_array_foreach(value, i, part) count += mask(redactor, part, about, depth + 1);
	if (!json_is_object(value))
		return count;
	count += mask_memory(redactor, value) + mask_keys(redactor, value);
	/* A copy, because the name itself can be masked. */
	if (name_in(value) != NULL) {
		strlcpy(name, name_in(value), sizeof(name));
		about = name;
	}
	json_object_foreach(value, key, part) count +=
	    mask(redactor, part, json_is_string(part) && about == NULL ? key : about, depth + 1);
	return count;
}

size_t redact_answer(struct redactor *redactor, json_t *answer, const char *about)
{
	return redactor == NULL ? 0 : mask(redactor, answer, about, 0);
}
