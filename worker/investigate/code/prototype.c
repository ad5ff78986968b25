/*
 * Reads types as gdb prints them. For functions of the C library, which often come without debug
 * information, a table has those that programs call most.
 */
#include "worker/investigate/code/prototype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/gdb/must.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/read/values/values.h"
#include "worker/serve/begins.h"

#define VALUE_MAX     160
#define ARGUMENTS_MAX 12 /* of a function; more are "..." */
#define INTEGERS_MAX  6	 /* in registers */
#define FLOATS_MAX    8
#define SHOWN_MAX     400

enum return_ticket { PLACE_NONE, PLACE_INTEGER, PLACE_BOOL, PLACE_DOUBLE, PLACE_FLOAT };

static const struct {
	const char *name, *type;
} known[] = {
    {"malloc", "void * (unsigned long)"},
    {"calloc", "void * (unsigned long, unsigned long)"},
    {"realloc", "void * (void *, unsigned long)"},
    {"free", "void (void *)"},
    {"memcpy", "void * (void *, void *, unsigned long)"},
    {"memmove", "void * (void *, void *, unsigned long)"},
    {"memset", "void * (void *, int, unsigned long)"},
    {"memcmp", "int (void *, void *, unsigned long)"},
    {"strlen", "unsigned long (char *)"},
    {"strcmp", "int (char *, char *)"},
    {"strncmp", "int (char *, char *, unsigned long)"},
    {"strcpy", "char * (char *, char *)"},
    {"strncpy", "char * (char *, char *, unsigned long)"},
    {"strcat", "char * (char *, char *)"},
    {"strchr", "char * (char *, int)"},
    {"strstr", "char * (char *, char *)"},
    {"strdup", "char * (char *)"},
    {"strtol", "long (char *, void *, int)"},
    {"atoi", "int (char *)"},
    {"getenv", "char * (char *)"},
    {"puts", "int (char *)"},
    {"putchar", "int (int)"},
    {"printf", "int (char *, ...)"},
    {"fprintf", "int (void *, char *, ...)"},
    {"snprintf", "int (char *, unsigned long, char *, ...)"},
    {"sprintf", "int (char *, char *, ...)"},
    {"fopen", "void * (char *, char *)"},
    {"fclose", "int (void *)"},
    {"open", "int (char *, int, ...)"},
    {"close", "int (int)"},
    {"read", "long (int, void *, unsigned long)"},
    {"write", "long (int, void *, unsigned long)"},
    {"exit", "void (int)"},
    {"abort", "void (void)"},
    {"usleep", "int (unsigned int)"},
    {"rand", "int (void)"},
    {"pthread_mutex_lock", "int (void *)"},
    {"pthread_mutex_unlock", "int (void *)"},
    {"operator new", "void * (unsigned long)"},
    {"operator delete", "void (void *)"},
};

/* "int (const char *)" for a function; false if nobody knows. */
static bool read_whole(struct replay *replay, const char *function, char *type, size_t size)
{
	size_t bare = strcspn(function, "(");
	/* gdb refuses where there is no debug information: nobody knows then. */
	const char *said = behind_beginning(
	    gdb_shown(replay_gdb(replay), NULL, "whatis '%.500s'", function), "type = ");

	if (said && strchr(said, '(')) {
		snprintf(type, size, "%.*s", (int)strcspn(said, "\n"), said);
		return strlen(type) + 1 < size;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strlen(known[i].name) != bare || strncmp(known[i].name, function, bare) != 0)
			continue;
		snprintf(type, size, "%s", known[i].type);
		return true;
	}
	return false;
}

bool prototype_returned(struct replay *replay, const char *function, char *type, size_t size)
{
	char whole[600];
	const char *end;

	if (!read_whole(replay, function, whole, sizeof(whole)))
		return false;
	end = strchr(whole, '(');
	if (!end || end == whole || end[1] == '*')
		return false;
	snprintf(type, size, "%.*s", (int)(end - whole), whole);
	if (type[strlen(type) - 1] == ' ')
		type[strlen(type) - 1] = '\0';
	return strlen(type) + 1 < size;
}

static enum return_ticket place_of(struct replay *replay, const char *type)
{
	const char *said;
	size_t length;
	char last;

	if (!type[0] ||
	    !(said = behind_beginning(
		  gdb_shown(replay_gdb(replay), NULL, "ptype %.127s", type), "type = ")))
		return PLACE_NONE;
	length = strcspn(said, "\n");
	last = strlen(said) > 1 ? said[strlen(said) - 2] : '\0';
	if (last == '*' || last == '&' || strncmp(said, "enum", 4) == 0 ||
	    (strlen(said) > 8 && strcmp(said + strlen(said) - 8, "* const\n") == 0))
		return PLACE_INTEGER;
	if (strncmp(said, "const ", 6) == 0)
		said += 6;
	if (strncmp(said, "double\n", 7) == 0)
		return PLACE_DOUBLE;
	if (strncmp(said, "float\n", 6) == 0)
		return PLACE_FLOAT;
	if (strncmp(said, "bool\n", 5) == 0 || strncmp(said, "_Bool\n", 6) == 0)
		return PLACE_BOOL;
	if (memchr(said, '{', length) || strncmp(said, "void", 4) == 0 || strstr(said, "128") ||
	    strstr(said, "long double") || strstr(said, "complex"))
		return PLACE_NONE;
	return PLACE_INTEGER;
}

static json_t *read_value(struct replay *replay, const char *expression)
{
	char why[128];
	cleanup_free char *value = values_text(replay, expression, why, sizeof(why));

	return value ? scrub_json_middle(value, strlen(value), VALUE_MAX, NULL) : NULL;
}

static void write_expression(char *expression, size_t size, enum return_ticket place,
    const char *type, const char *general, int vector)
{
	switch (place) {
	case PLACE_INTEGER:
		snprintf(expression, size, "(%s) $%s", type, general);
		break;
	case PLACE_BOOL:
		snprintf(expression, size, "(%s) (unsigned char) $%s", type, general);
		break;
	case PLACE_DOUBLE:
		snprintf(expression, size, "$xmm%d.v2_double[0]", vector);
		break;
	case PLACE_FLOAT:
		snprintf(expression, size, "$xmm%d.v4_float[0]", vector);
		break;
	case PLACE_NONE:
		expression[0] = '\0';
		break;
	}
}

json_t *prototype_value(struct replay *replay, const char *type)
{
	char expression[PROTOTYPE_TYPE_MAX + 64];

	write_expression(expression, sizeof(expression), place_of(replay, type), type, "rax", 0);
	return expression[0] ? read_value(replay, expression) : NULL;
}

/* The next of "const char *, void (*)(int))"; moves *at behind it. False at the end. */
static bool next_type(const char **at, char *type, size_t size)
{
	const char *begin = *at + strspn(*at, " "), *end = begin;
	int depth = 0;

	for (; *end && (depth > 0 || (*end != ',' && *end != ')')); end++)
		depth += (*end == '(' || *end == '<') - (*end == ')' || *end == '>');
	if (end == begin)
		return false;
	snprintf(type, size, "%.*s", (int)(end - begin), begin);
	*at = *end == ',' ? end + 1 : end;
	return strcmp(type, "void") != 0;
}

int prototype_integers(struct replay *replay, const char *function)
{
	char whole[600], type[PROTOTYPE_TYPE_MAX];
	cleanup_failure struct failure ignored = {0};
	bool clear = ambiguous_statics_check(replay, function, &ignored);
	const char *at;
	int most = 0;

	if (!clear || !read_whole(replay, function, whole, sizeof(whole)) || strstr(whole, "...") ||
	    !(at = strchr(whole, '(')) || at[1] == '*' || at[1] == ')')
		return -1;
	/* A structure that is returned is one argument more. */
	snprintf(type, sizeof(type), "%.*s", (int)(at - whole), whole);
	most += strcmp(type, "void ") != 0 && place_of(replay, type) == PLACE_NONE;
	at++;
	while (next_type(&at, type, sizeof(type))) {
		enum return_ticket place = place_of(replay, type);

		most += place == PLACE_NONE ? 2 : place == PLACE_INTEGER || place == PLACE_BOOL;
	}
	return most;
}

/* One argument's value; NULL where it is not in a register. */
static json_t *read_argument(struct replay *replay, const char *type, int *integers, int *floats)
{
	static const char *const general[INTEGERS_MAX] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
	char expression[PROTOTYPE_TYPE_MAX + 64];
	enum return_ticket place = place_of(replay, type);
	bool whole = place == PLACE_INTEGER || place == PLACE_BOOL;
	int *count = whole ? integers : floats;

	if (place == PLACE_NONE || *count >= (whole ? INTEGERS_MAX : FLOATS_MAX))
		return NULL;
	write_expression(expression, sizeof(expression), place, type,
	    whole ? general[*integers] : "rax", *floats);
	(*count)++;
	return read_value(replay, expression);
}

json_t *prototype_arguments(struct replay *replay, const char *function)
{
	char whole[600], type[PROTOTYPE_TYPE_MAX], shown[SHOWN_MAX + 2] = "";
	int integers = 0, floats = 0;
	const char *at;

	if (!read_whole(replay, function, whole, sizeof(whole)) || !(at = strchr(whole, '(')) ||
	    at[1] == '*')
		return json_string("...");
	at++;
	for (int i = 0; i <= ARGUMENTS_MAX && next_type(&at, type, sizeof(type)); i++) {
		size_t length = strlen(shown);
		json_auto_t *value =
		    i < ARGUMENTS_MAX && strcmp(type, "...") != 0 && strlen(type) + 1 < sizeof(type)
			? read_argument(replay, type, &integers, &floats)
			: NULL;

		snprintf(shown + length, sizeof(shown) - length, "%s%s", i ? ", " : "",
		    value ? json_string_value(value) : "...");
		if (!value)
			break;
	}
	return scrub_json_middle(shown, strlen(shown), SHOWN_MAX, NULL);
}
