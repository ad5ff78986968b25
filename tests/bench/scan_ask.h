#ifndef TESTS_BENCH_SCAN_ASK_H
#define TESTS_BENCH_SCAN_ASK_H
/*
 * One call of a tool, and how long it took. Whatever it answers is a figure.
 */
#include <jansson.h>
#include <stdbool.h>
#include "tests/e2e/harness.h"

struct asked {
	double seconds;
	bool cut;
	char code[24]; /* of a failure; "": none */
};

/* Calls the tool, with a deadline if it takes one; arguments is stolen. What it answers can be in
 * *answer, to be released; NULL: not wanted. */
struct asked scan_ask(struct client *client, const char *tool, json_t *arguments, json_t **answer);

/* Text of JSON with ' for ". */
json_t *scan_arguments(const char *text);

/* A row: the seconds, those of a replay (0: none), and whether the limit holds. */
void scan_figure(
    const char *what, const char *most, struct asked asked, double replay, double limit);

#endif
