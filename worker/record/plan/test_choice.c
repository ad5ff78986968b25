/*
 * See test_choice.h. What is added stands behind the caller's own words, which stay.
 */
#include "worker/record/plan/test_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/record/plan/test_framework.h"
#include "worker/serve/sentence.h"

#define KNOWN "GoogleTest, Catch2, doctest, Check, ctest, pytest, Go's and Rust's test binaries"

/* How a framework is told which test to run. */
static const struct filter {
	const char *option;  /* a word of its own, or NULL */
	const char *before;  /* the name, in the same word */
	const char *after;   /* a word of its own, or NULL */
	const char *refused; /* characters that mean something else in a filter, and in no name */
	const char *escaped; /* characters that need a backslash */
	const char *note;    /* what is not as exact as it looks, or NULL */
} filters[] = {
    [FRAMEWORK_GOOGLETEST] = {NULL, "--gtest_filter=", NULL, "*?:-", "", NULL},
    [FRAMEWORK_CATCH2] = {NULL, "", NULL, "*~", "\\,[", NULL},
    [FRAMEWORK_DOCTEST] = {NULL, "--test-case=", NULL, "*", "\\,", NULL},
    [FRAMEWORK_RUST] = {NULL, "", "--exact", " ", "", NULL},
    [FRAMEWORK_GO] = {NULL, "-test.run=", NULL, " ", ".+*?()|[]{}^$\\", NULL},
    [FRAMEWORK_CTEST] = {"-R", "^", NULL, "", ".+*?()|[]^$\\", NULL},
    [FRAMEWORK_PYTEST] = {NULL, "", NULL, "", "", NULL},
};

/* A name of pytest's without its file: -k takes a part of a name. */
static const struct filter pytest_part = {
    "-k", "", NULL, " ()", "", "each test with this in its name"};

static const struct filter *filter_for(enum framework framework, const char *test)
{
	if (framework == FRAMEWORK_PYTEST && !strstr(test, "::"))
		return &pytest_part;
	return &filters[framework];
}

/* Go matches each part of a subtest's name by itself. */
static char *written(enum framework framework, const struct filter *filter, const char *test)
{
	char *word = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&word, &size);

	if (!out)
		return NULL;
	fputs(filter->before, out);
	fputs(framework == FRAMEWORK_GO ? "^" : "", out);
	for (const char *at = test; *at; at++) {
		if (framework == FRAMEWORK_GO && *at == '/') {
			fputs("$/^", out);
			continue;
		}
		if (strchr(filter->escaped, *at))
			fputc('\\', out);
		fputc(*at, out);
	}
	fputs(framework == FRAMEWORK_GO || framework == FRAMEWORK_CTEST ? "$" : "", out);
	if (fclose(out) == 0)
		return word;
	free(word);
	return NULL;
}

static void add(struct test_choice *choice, const char *word, json_t *told)
{
	if (!word)
		return;
	json_array_append_new(choice->command, json_string(word));
	json_array_append_new(told, json_string(word));
}

/* "GoogleTest: --gtest_filter=Math.adds" */
static json_t *tell(enum framework framework, const json_t *words, const char *note)
{
	json_t *told = json_sprintf("%s:", test_framework_name(framework)), *word;
	size_t i;

	json_array_foreach((json_t *)words, i, word) told =
	    sentence_add(told, json_sprintf(" %s", json_string_value(word)));
	return note ? sentence_add(told, json_sprintf(" (%s)", note)) : told;
}

/* Check knows a variable alone, and it names a case, which may have several tests. */
static void set_variable(struct test_choice *choice, const char *test)
{
	json_t *env = choice->env ? json_copy(choice->env) : json_object();

	json_object_set_new(env, "CK_RUN_CASE", json_string(test));
	json_decref(choice->env);
	choice->env = env;
	choice->told = json_sprintf("%s: CK_RUN_CASE=%s (each test of the case)",
	    test_framework_name(FRAMEWORK_CHECK), test);
}

static void set_words(struct test_choice *choice, enum framework framework, const char *test)
{
	const struct filter *filter = filter_for(framework, test);
	cleanup_free char *word = written(framework, filter, test);
	json_t *words = json_array(), *command = json_copy(choice->command);

	json_decref(choice->command);
	choice->command = command;
	add(choice, filter->option, words);
	add(choice, word, words);
	add(choice, filter->after, words);
	choice->told = tell(framework, words, filter->note);
	json_decref(words);
}

static bool is_name(enum framework framework, const char *test, struct failure *failure)
{
	const char *refused =
	    framework == FRAMEWORK_CHECK ? "" : filter_for(framework, test)->refused;
	const char *bad = strpbrk(test, refused);

	if (*test && *test != '-' && !bad)
		return true;
	if (!*test)
		failure_set(failure, ERROR_INVALID_ARGUMENT, "leave test out to run all tests",
		    "test is empty");
	else
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "give the whole name of one test, or write a filter into command",
		    "test is no name of %s, because of its \"%c\": %.200s",
		    test_framework_name(framework), bad ? *bad : '-', test);
	return false;
}

/* These build and start test programs themselves. */
static const char *hint_for(const char *real)
{
	const char *slash = strrchr(real, '/'), *name = slash ? slash + 1 : real;

	if (strcmp(name, "cargo") == 0 || strcmp(name, "rustup") == 0)
		return "record the test binary itself: `cargo test --no-run` builds it and prints "
		       "its path";
	if (strcmp(name, "go") == 0)
		return "record the test binary itself: `go test -c` builds it";
	return "leave test out, and put the framework's own filter into command; a stripped "
	       "program and a script do not tell what they are";
}

bool test_choice_make(struct test_choice *choice, const char *test, json_t *command, json_t *env,
    const char *real, struct failure *failure)
{
	enum framework framework = test ? test_framework_of(real, command) : FRAMEWORK_NONE;

	*choice = (struct test_choice){.command = json_incref(command), .env = json_incref(env)};
	if (!test)
		return true;
	if (framework == FRAMEWORK_NONE) {
		failure_set(failure, ERROR_UNSUPPORTED, hint_for(real),
		    "test is given, but it cannot be told which test framework %.300s uses; known "
		    "are " KNOWN,
		    real);
		return false;
	}
	if (!is_name(framework, test, failure))
		return false;
	if (framework == FRAMEWORK_CHECK)
		set_variable(choice, test);
	else
		set_words(choice, framework, test);
	if (choice->told)
		return true;
	return failure_no_memory(failure);
}

void test_choice_free(struct test_choice *choice)
{
	json_decref(choice->command);
	json_decref(choice->env);
	json_decref(choice->told);
	*choice = (struct test_choice){0};
}
