#ifndef WORKER_SENTENCE_H
#define WORKER_SENTENCE_H
/*
 * Parts of an answer: texts that grow part by part, and what is left out where there is nothing to
 * tell. A key that is set to NULL is left out, too: jansson ignores that.
 */
#include <jansson.h>
#include <stdbool.h>

/* The words with more behind them. Takes over both; to be released. */
static inline json_t *sentence_add(json_t *words, json_t *more)
{
	json_t *longer = json_sprintf("%s%s", json_string_value(words), json_string_value(more));

	json_decref(words);
	json_decref(more);
	return longer;
}

/* "one; two", with "; " between them. To be released. */
static inline json_t *sentence_join(const json_t *list, const char *between)
{
	json_t *joined = json_string(""), *part;
	size_t i;

	json_array_foreach(list, i, part) joined =
	    sentence_add(joined, json_sprintf("%s%s", i ? between : "", json_string_value(part)));
	return joined;
}

/* Adds a list to an answer, which an empty one is left out of. Takes over the list. */
static inline void answer_add_list(json_t *answer, const char *key, json_t *list)
{
	if (json_array_size(list))
		json_object_set(answer, key, list);
	json_decref(list);
}

/* A count, which 0 is left out of. */
static inline void answer_add_count(json_t *answer, const char *key, json_int_t count)
{
	json_object_set_new(answer, key, count ? json_integer(count) : NULL);
}

/* What is left out unless it is true. */
static inline void answer_add_flag(json_t *answer, const char *key, bool flag)
{
	json_object_set_new(answer, key, flag ? json_true() : NULL);
}

#endif
