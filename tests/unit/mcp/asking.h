#ifndef TESTS_MCP_ASKING_H
#define TESTS_MCP_ASKING_H
/*
 * An exchange in which the last answer is kept for the test to look at, and freed after it.
 */
#include "tests/unit/mcp/exchange.h"

static json_t *answer;

static inline void close_and_drop(void)
{
	json_decref(answer);
	answer = NULL;
	exchange_close();
}

static inline void asked(const char *line)
{
	json_decref(answer);
	answer = ask(line);
}

/* The request is an error of the protocol with this code. */
static inline void refused(const char *line, int code)
{
	asked(line);
	ck_assert_int_eq(number_at(answer, "error/code"), code);
}

#endif
