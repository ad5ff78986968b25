#ifndef WORKER_SENTENCE_H
#define WORKER_SENTENCE_H
/*
 * Texts of an answer that grow part by part.
 */
#include <jansson.h>

/* The words with more behind them. Takes over both; to be released. */
static inline json_t *sentence_add(json_t *words, json_t *more)
{
	json_t *longer = json_sprintf("%s%s", json_string_value(words), json_string_value(more));

	json_decref(words);
	json_decref(more);
	return longer;
}

/* "one; two". To be released. */
static inline json_t *sentence_join(const json_t *list)
{
	json_t *joined = json_string(""), *part;
	size_t i;

	json_array_foreach(list, i, part) joined =
	    sentence_add(joined, json_sprintf("%s%s", i ? "; " : "", json_string_value(part)));
	return joined;
}

#endif
