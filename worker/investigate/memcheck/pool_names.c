/*
 * Must never let through what gdb would take for more than a function's name.
 */
#include "worker/investigate/memcheck/pool_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 80

static bool refuse(const char *text, const char *why, struct failure *failure)
{
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "NAME, NAME:N (argument N has the size, or the block), NAME=BYTES (all blocks have "
	    "this size), or in free NAME:all (it empties a pool)",
	    "\"%.*s\" names no function of an allocator: %s", SHOWN_MAX, text, why);
	return false;
}

/* A letter, and then what names of C++ have, with their templates and arguments. */
static bool is_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && !strchr("_~(", *name))
		return false;
	for (const char *at = name; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("_~:<>(), *&.", *at))
			return false;
		if (*at == ':' && *++at != ':')
			return false;
	}
	return true;
}

/* The number behind the last such sign that is no part of a name; NULL: there is none. */
static const char *number_behind(const char *text, char sign)
{
	const char *at = strrchr(text, sign);

	if (!at || at == text || (sign == ':' && at[-1] == ':') || !at[1] ||
	    strspn(at + 1, "0123456789") != strlen(at + 1))
		return NULL;
	return at + 1;
}

static bool take_name(
    const char *text, size_t length, struct pool_name *name, struct failure *failure)
{
	if (length == 0 || length >= POOL_NAME_MAX)
		return refuse(text, length ? "it is too long" : "it is empty", failure);
	memcpy(name->function, text, length);
	return is_name(name->function) || refuse(text, "this is no name of a function", failure);
}

bool pool_names_read(const char *text, bool gives, struct pool_name *name, struct failure *failure)
{
	static const char all[] = ":all";
	const char *argument = number_behind(text, ':'), *size = number_behind(text, '='),
		   *number = argument ? argument : size;
	const size_t length = number ? (size_t)(number - text - 1) : strlen(text);
	unsigned long long value = number ? strtoull(number, NULL, 10) : 1;

	*name = (struct pool_name){.given = argument};
	if (!gives && strlen(text) > strlen(all) &&
	    strcmp(text + strlen(text) - strlen(all), all) == 0) {
		name->all = true;
		return take_name(text, strlen(text) - strlen(all), name, failure);
	}
	if (!take_name(text, length, name, failure))
		return false;
	if (size && !gives)
		return refuse(text, "what is freed needs no size", failure);
	if (value == 0 || value > (size ? POOL_CONSTANT_MAX : POOL_ARGUMENT_MAX))
		return refuse(text,
		    size ? "the size is too large, or 0" : "no argument has that number", failure);
	if (size)
		name->constant = value;
	else
		name->argument = (unsigned)value;
	return true;
}
