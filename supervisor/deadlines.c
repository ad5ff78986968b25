/*
 * Turns deadline classes into points in time. Has no effects, but reads the clock.
 */
#include "supervisor/deadlines.h"

#include <string.h>
#include <time.h>

#include "sandbox/wire/tools.h"
#include "supervisor/tools.h"

static const enum setting class_settings[DEADLINE_CLASS_COUNT] = {
    [DEADLINE_STARTUP] = SETTING_TIMEOUT_STARTUP,
    [DEADLINE_OPEN] = SETTING_TIMEOUT_CONNECT,
    [DEADLINE_FORWARD] = SETTING_TIMEOUT_FORWARD,
    [DEADLINE_REVERSE] = SETTING_TIMEOUT_REVERSE,
    [DEADLINE_DIRECTION] = SETTING_TIMEOUT_FORWARD,
    [DEADLINE_BREAKPOINT] = SETTING_TIMEOUT_BREAKPOINT,
    [DEADLINE_EVAL] = SETTING_TIMEOUT_EVAL,
    [DEADLINE_RECORD] = SETTING_TIMEOUT_RECORD,
    [DEADLINE_ATTEMPTS] = SETTING_TIMEOUT_RECORD,
};

/* The client's own limit, or 0. Only recordings and investigations have such an argument. */
static long long asked_seconds(const json_t *args)
{
	static const char *const names[] = {"timeout", "deadline"};
	double seconds = 0;

	for (size_t i = 0; i < 2 && seconds <= 0; i++)
		seconds = json_number_value(json_object_get(args, names[i]));
	if (seconds <= 0)
		return 0;
	return seconds > DEADLINE_SPAN_MAX ? DEADLINE_SPAN_MAX : (long long)(seconds + 0.999);
}

static long long asked_attempts(const json_t *args)
{
	json_int_t attempts = json_integer_value(json_object_get(args, "attempts"));

	return attempts > 0 && attempts <= RECORD_ATTEMPTS_MAX ? attempts : RECORD_ATTEMPTS_DEFAULT;
}

long long deadline_seconds(
    const struct settings *settings, enum deadline_class class, const json_t *args)
{
	long long seconds, asked = asked_seconds(args);

	if (class == DEADLINE_NONE)
		return 0;
	if (class == DEADLINE_DIRECTION && json_is_true(json_object_get(args, "reverse")))
		class = DEADLINE_REVERSE;
	/* To read something at another moment, the session goes there first. */
	if (class == DEADLINE_EVAL && json_object_get(args, "at") != NULL)
		class = DEADLINE_REVERSE;
	seconds = settings_number(settings, class_settings[class]);
	/* The client's limit is for one attempt: the worker keeps it. */
	if (class == DEADLINE_ATTEMPTS)
		return seconds * asked_attempts(args);
	if (class == DEADLINE_OPEN && seconds != 0) {
		long long startup = settings_number(settings, SETTING_TIMEOUT_STARTUP);
		seconds = startup == 0 ? 0 : seconds + startup;
	}
	if (asked == 0)
		return seconds;
	/* The limit on a recording protects the machine; the limit on an investigation is only the
	 * client's wish. */
	if (class == DEADLINE_RECORD && seconds != 0 && seconds < asked)
		return seconds;
	return asked;
}

bool deadline_is_argument(size_t tool)
{
	const struct mcp_param *param = tools_shown[tool].params;

	while (param->name != NULL && strcmp(param->name, "deadline") != 0)
		param++;
	return param->name != NULL;
}

int64_t deadline_after(int64_t now, long long seconds)
{
	if (seconds <= 0 || seconds > DEADLINE_SPAN_MAX)
		return DEADLINE_NEVER;
	return now + seconds * DEADLINE_SECOND;
}

int64_t deadline_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * DEADLINE_SECOND + time.tv_nsec;
}
