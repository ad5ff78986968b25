/*
 * Without parsing it: it must never be taken for one that reads less than it does.
 */
#include "worker/investigate/values/predicate.h"

#include <ctype.h>
#include <string.h>
#include "worker/breaks/places/hardware.h"
#include "worker/read/names/identifiers.h"

static bool is_named_before(const char *text, struct identifier name)
{
	struct identifier other = identifier_next(text, text);

	for (; other.name < name.name; other = identifier_next(text, other.name + other.length))
		if (other.length == name.length && strncmp(other.name, name.name, name.length) == 0)
			return true;
	return false;
}

/* Places in memory that a predicate reads, at most. Each name is one, and each -> [] and * another.
 */
static int count_places(const char *predicate)
{
	struct identifier name = identifier_next(predicate, predicate);
	int count = 0;

	for (; name.name; name = identifier_next(predicate, name.name + name.length))
		count += !is_named_before(predicate, name);
	for (const char *at = predicate; *at; at++)
		count += *at == '[' || *at == '*' || strncmp(at, "->", 2) == 0;
	return count;
}

/* gdb watches the part of "a && b" that it comes to, and more of it when a becomes true. If that is
 * more than the processor has room for, rr ends with an assertion. */
bool predicate_may_grow(const char *predicate)
{
	return count_places(predicate) > HARDWARE_REGISTERS &&
	       (strstr(predicate, "&&") || strstr(predicate, "||") || strchr(predicate, '?'));
}

bool predicate_reads(const char *predicate)
{
	for (const char *at = predicate; (at = strchr(at, '(')); at++)
		if (at > predicate && isalnum((unsigned char)at[-1]))
			return true;
	return identifier_next(predicate, predicate).name || strpbrk(predicate, "*{");
}
