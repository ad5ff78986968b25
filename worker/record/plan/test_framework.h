#ifndef WORKER_TEST_FRAMEWORK_H
#define WORKER_TEST_FRAMEWORK_H
/*
 * Which test framework a program uses, by what it is or links. Never runs it.
 */
#include <jansson.h>

enum framework {
	FRAMEWORK_NONE, /* none that we know, or the program does not tell */
	FRAMEWORK_GOOGLETEST,
	FRAMEWORK_CATCH2,
	FRAMEWORK_DOCTEST,
	FRAMEWORK_CHECK,
	FRAMEWORK_RUST,
	FRAMEWORK_GO,
	FRAMEWORK_CTEST,
	FRAMEWORK_PYTEST,
};

/* `real` is the program's file, links resolved; `command` is what is run, because `python3 -m
 * pytest` is pytest. */
enum framework test_framework_of(const char *real, const json_t *command);

/* As people call it; not for FRAMEWORK_NONE. */
const char *test_framework_name(enum framework framework);

#endif
