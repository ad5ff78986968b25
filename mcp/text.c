/*
 * Near names by edit distance, and bytes made fit for JSON. Never trusts a length it was not given.
 */
#include "mcp/text.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int text_cut(const char *text, size_t limit)
{
	size_t length = strnlen(text, limit + 1);
	if (length <= limit)
		return (int)length;
	length = limit;
	while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
		length--;
	return (int)length;
}

json_t *text_json(const char *text)
{
	json_t *string = json_string(text);
	if (string)
		return string;
	char *ascii = strdup(text);
	if (!ascii)
		return NULL;
	for (char *at = ascii; *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	string = json_string(ascii);
	free(ascii);
	return string;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: a swap of neighbours, the commonest slip, counts once. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][TEXT_NAME_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t length_a = strnlen(a, TEXT_NAME_MAX), length_b = strnlen(b, TEXT_NAME_MAX);

	for (size_t j = 0; j <= length_b; j++) {
		above[j] = j;
		before[j] = 0;
	}
	for (size_t i = 1; i <= length_a; i++) {
		row[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			size_t cost = a[i - 1] != b[j - 1];
			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		size_t *oldest = before;
		before = above;
		above = row;
		row = oldest;
	}
	return above[length_b];
}

/* A name that holds the other whole ("location" for "loc") is nearer than any spelling of it. */
static size_t name_distance(const char *given, const char *name)
{
	if (strlen(given) >= 3 && (strstr(name, given) || strstr(given, name)))
		return 1;
	return edit_distance(given, name);
}

const char *text_nearest(
    const char *given, const char *(*name_at)(const void *names, size_t index), const void *names)
{
	const char *nearest = NULL, *name;
	size_t best = strnlen(given, TEXT_NAME_MAX) / 2 + 1;

	for (size_t i = 0; (name = name_at(names, i)) != NULL; i++) {
		size_t distance = name_distance(given, name);
		if (distance < best) {
			best = distance;
			nearest = name;
		}
	}
	return nearest;
}
