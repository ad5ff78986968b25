/*
 * Takes the number from gdb's text of the value: "-1", "97 'a'" and "true" are integers, the name
 * of an enumerator or a fraction is none.
 */
#include "worker/investigate/calls/running_sum.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/read/values/values.h"

#define EXACT_MAX (1LL << 53) /* of what clients read as a floating-point number */

static bool integer_of(const char *value, long long *number)
{
	char *end;

	if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
		*number = value[0] == 't';
		return true;
	}
	errno = 0;
	*number = strtoll(value, &end, 10);
	return !errno && end != value && (!*end || strncmp(end, " '", 2) == 0);
}

bool running_sum_step(
    long long *total, long long added, const char *expression, struct failure *failure)
{
	if (!__builtin_add_overflow(*total, added, total))
		return true;
	failure_set(failure, ERROR_LIMIT, "sum a smaller stretch, with from and to",
	    "the sum of %.200s does not fit into 64 bits", expression);
	return false;
}

bool running_sum_add(struct running_sum *sum, struct replay *replay, const char *expression,
    long long *added, struct failure *failure)
{
	char *value = NULL, *type = NULL, why[200] = "";
	bool well;

	*added = 0;
	if (values_read(replay, expression, &value, &type, why, sizeof(why)) != 0 || !value) {
		location_hits_count_unread(replay, why, &sum->unread);
		well = !expression_is_harmful(expression, why, failure);
	} else if (!integer_of(value, added)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "give an expression with an integer value, such as a parameter; a cast to "
		    "(long) makes one of an enumeration",
		    "sum adds integers of 64 bits, and %.200s is %.100s here", expression, value);
		well = false;
	} else {
		well = running_sum_step(&sum->total, *added, expression, failure);
	}
	free(value);
	free(type);
	return well;
}

json_t *running_sum_json(long long sum)
{
	return sum > -EXACT_MAX && sum < EXACT_MAX ? json_integer(sum) : json_sprintf("%lld", sum);
}
