/*
 * Scrubs and trims answers. The texts are made in answers_text.c.
 */
#include "supervisor/answers.h"

#include <stdbool.h>
#include <string.h>

#include "sandbox/wire/scrub.h"

#define DEPTH_MAX  16 /* of answers; what is deeper stays untrimmed */
#define SCRUB_MAX  32 /* levels of an answer */
#define ESCAPE_MAX 4  /* bytes for one */

/* NULL if it can stay as it is, or when out of memory. */
static json_t *scrubbed(const char *text, size_t length)
{
	json_t *clean = scrub_json(text, length, ESCAPE_MAX * length, NULL);

	if (clean != NULL && json_string_length(clean) == length &&
	    memcmp(json_string_value(clean), text, length) == 0) {
		json_decref(clean);
		return NULL;
	}
	return clean;
}

static void scrub_text(json_t *text)
{
	size_t length = json_string_length(text);
	json_t *clean = scrubbed(json_string_value(text), length);

	if (clean != NULL)
		json_string_set(text, json_string_value(clean));
	json_decref(clean);
}

/* Names are ours, but for those that a worker took from the program. */
static void scrub_names(json_t *object)
{
	json_t *value, *clean;
	const char *name;
	void *next;

	json_object_foreach_safe(object, next, name, value)
	{
		clean = scrubbed(name, strlen(name));
		if (clean != NULL) {
			json_object_set(object, json_string_value(clean), value);
			json_object_del(object, name);
		}
		json_decref(clean);
	}
}

static void scrub(json_t *value, int depth)
{
	json_t *part;
	const char *name;
	size_t i;

	if (json_is_string(value))
		scrub_text(value);
	if (depth == SCRUB_MAX) {
		json_array_clear(value);
		json_object_clear(value);
	}
	scrub_names(value);
	json_array_foreach(value, i, part) scrub(part, depth + 1);
	json_object_foreach(value, name, part) scrub(part, depth + 1);
}

void answers_scrub(json_t *result)
{
	scrub(result, 0);
}

static bool is_empty(const json_t *value)
{
	return json_is_false(value) || json_is_null(value) ||
	       (json_is_string(value) && json_string_length(value) == 0) ||
	       (json_is_array(value) && json_array_size(value) == 0) ||
	       (json_is_object(value) && json_object_size(value) == 0);
}

/* Only our own words: a path in a value of the program stays as it is. */
static bool holds_paths(const char *key)
{
	static const char *const keys[] = {
	    "at", "callers", "conclusion", "where", "unknown", "allocated", "freed"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Without each "DIRECTORY/" that begins a word; NULL if there is none. */
static json_t *shortened(const char *text, const char *directory)
{
	size_t length = strlen(directory), end = strlen(text), out = 0;
	char short_text[8192];
	bool found = false;

	if (end >= sizeof(short_text))
		return NULL;
	for (size_t i = 0; i < end;) {
		bool begins = i == 0 || strchr(" (", text[i - 1]) != NULL;
		if (begins && strncmp(text + i, directory, length) == 0 &&
		    text[i + length] == '/') {
			i += length + 1;
			found = true;
		} else {
			short_text[out++] = text[i++];
		}
	}
	return found ? json_stringn(short_text, out) : NULL;
}

/* The same for one value, whose owner keeps it if there is nothing to shorten; NULL then. */
static json_t *shortened_value(const json_t *value, const char *directory)
{
	return json_is_string(value) ? shortened(json_string_value(value), directory) : NULL;
}

static void shorten(json_t *object, const char *key, json_t *value, const char *directory)
{
	json_t *text, *part;
	size_t i;

	if (directory == NULL || directory[0] != '/' || directory[1] == 0 || !holds_paths(key))
		return;
	text = shortened_value(value, directory);
	if (text != NULL) {
		json_object_set_new(object, key, text); /* frees the value */
		return;
	}
	json_array_foreach(value, i, part)
	{
		text = shortened_value(part, directory);
		if (text != NULL)
			json_array_set_new(value, i, text);
	}
}

static void trim(json_t *value, const char *main, const char *directory, int depth)
{
	const char *key;
	json_t *part;
	void *next;
	size_t i;

	if (depth > DEPTH_MAX)
		return;
	json_array_foreach(value, i, part) trim(part, NULL, directory, depth + 1);
	json_object_foreach_safe(value, next, key, part)
	{
		trim(part, NULL, directory, depth + 1);
		if (!is_empty(part) || strcmp(key, "session_alive") == 0)
			shorten(value, key, part, directory);
		else if (main == NULL || strcmp(key, main) != 0 || !json_is_array(part))
			json_object_del(value, key);
	}
}

void answers_shorten_sandbox(json_t *result)
{
	const char *level =
	    json_string_value(json_object_get(json_object_get(result, "sandbox"), "level"));

	/* In place of the old one, because the session keeps that. */
	if (level != NULL && strcmp(level, "full") == 0)
		json_object_set_new(result, "sandbox", json_pack("{s:s}", "level", "full"));
}

void answers_trim(json_t *result, const char *main, const char *directory)
{
	trim(result, main, directory, 0);
}
