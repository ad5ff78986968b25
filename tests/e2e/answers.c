/*
 * Calls tools and reads their answers. Checks every answer for what all of them promise: the text
 * and structuredContent say the same, and the size is below the limit of clients.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/harness.h"

#define RESULT_MAX	(48 * 1024) /* 40 KiB of content, and its envelope */
#define PATH_MAX_LENGTH 256

char *answer_show(const json_t *answer)
{
	char *text = json_dumps(answer, JSON_COMPACT | JSON_ENCODE_ANY);
	return text == NULL ? strdup("(nothing)") : text;
}

json_t *answer_at(const json_t *answer, const char *path)
{
	char copy[PATH_MAX_LENGTH];
	snprintf(copy, sizeof(copy), "%s", path);
	json_t *at = (json_t *)answer;
	char *rest = copy, *step;
	while (at != NULL && (step = strsep(&rest, ".")) != NULL)
		at = json_is_array(at) ? json_array_get(at, strtoul(step, NULL, 10))
				       : json_object_get(at, step);
	return at;
}

static json_t *must_have(const json_t *answer, const char *path)
{
	json_t *value = answer_at(answer, path);
	if (value == NULL)
		harness_fail("no %s in %s", path, answer_show(answer));
	return value;
}

const char *answer_text(const json_t *answer, const char *path)
{
	const char *text = json_string_value(must_have(answer, path));
	if (text == NULL)
		harness_fail("%s is no string in %s", path, answer_show(answer));
	return text;
}

long long answer_number(const json_t *answer, const char *path)
{
	json_t *value = must_have(answer, path);
	char *end = NULL;
	const char *text = json_string_value(value);
	long long number = text == NULL ? json_integer_value(value) : strtoll(text, &end, 10);
	if ((text == NULL && !json_is_integer(value)) || (text != NULL && (end == text || *end)))
		harness_fail("%s is no whole number in %s", path, answer_show(answer));
	return number;
}

bool answer_true(const json_t *answer, const char *path)
{
	return json_is_true(answer_at(answer, path));
}

static long long number_behind(const json_t *answer, const char *path, const char *mark)
{
	const char *text = answer_text(answer, path),
		   *at = mark == NULL ? text : strrchr(text, *mark);
	char *end = NULL;
	long long number = at == NULL ? 0 : strtoll(mark == NULL ? at : at + 1, &end, 10);
	if (at == NULL || end == at + (mark != NULL))
		harness_fail("%s has no such number in %s", path, answer_show(answer));
	return number;
}

long long answer_line(const json_t *answer, const char *path)
{
	return number_behind(answer_at(answer, path), "at", ":");
}

long long answer_event(const json_t *answer, const char *path)
{
	return number_behind(answer, path, NULL);
}

long long answer_ticks(const json_t *answer, const char *path)
{
	return number_behind(answer, path, ":");
}

size_t answer_count(const json_t *answer, const char *path)
{
	json_t *value = must_have(answer, path);
	if (!json_is_array(value))
		harness_fail("%s is no array in %s", path, answer_show(answer));
	return json_array_size(value);
}

/* ---- Calls -------------------------------------------------------------------------------- */

static json_t *call_params(const char *tool, json_t *args)
{
	return json_pack(
	    "{s:s, s:o}", "name", tool, "arguments", args == NULL ? json_object() : args);
}

long long client_tool_send(struct client *client, const char *tool, json_t *args)
{
	return client_send(client, "tools/call", call_params(tool, args));
}

long long client_tool_send_progress(
    struct client *client, const char *tool, json_t *args, const char *token)
{
	json_t *params = call_params(tool, args);
	json_object_set_new(params, "_meta", json_pack("{s:s}", "progressToken", token));
	return client_send(client, "tools/call", params);
}

/* Clients read numbers as doubles, so integers that a double cannot hold must be strings. */
static void check_numbers(const json_t *value)
{
	const long long beyond = (1LL << 53) - 1;
	const char *key;
	json_t *part;
	size_t i;
	if (json_is_integer(value) &&
	    (json_integer_value(value) > beyond || json_integer_value(value) < -beyond))
		harness_fail("%lld is more than a client can hold", json_integer_value(value));
	json_object_foreach((json_t *)value, key, part) check_numbers(part);
	json_array_foreach(value, i, part) check_numbers(part);
}

/* The result object of an answer, which must be a result; the caller releases `*answer`. */
static json_t *wait_result(struct client *client, long long id, double timeout_s, json_t **answer)
{
	*answer = client_wait(client, id, timeout_s);
	if (*answer == NULL)
		harness_fail("request %lld got no answer; stderr: %s", id, client_stderr(client));
	json_t *result = json_object_get(*answer, "result");
	if (result == NULL)
		harness_fail("request %lld: %s", id, answer_show(*answer));
	char *whole = answer_show(json_object_get(result, "structuredContent"));
	if (strlen(whole) > RESULT_MAX)
		harness_fail("an answer of %zu bytes: %.300s...", strlen(whole), whole);
	free(whole);
	check_numbers(result);
	return result;
}

/* Parts that the text leaves out: types beside values, the address of a known function, dumped
 * bytes, a sandbox without problems and the layers of any. */
static bool is_for_programs(const char *key, const json_t *part)
{
	static const char *const keys[] = {"type", "address", "contents", "layers"};
	if (strcmp(key, "sandbox") == 0 && strcmp(answer_text(part, "level"), "full") == 0)
		return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Whether another text contains each line of this one. */
static bool has_lines(const char *text, const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;
	bool all = true;
	while (all && (line = strsep(&rest, "\n")) != NULL)
		all = strstr(text, line) != NULL;
	free(copy);
	return all;
}

static void check_is_said(const char *text, const json_t *value, const char *name)
{
	char number[40] = "";
	const char *key;
	json_t *part;
	size_t i;
	json_object_foreach((json_t *)value, key, part)
	{
		if (json_is_false(part) || json_is_null(part))
			harness_fail("%s says nothing", key);
		if (!is_for_programs(key, part))
			check_is_said(text, part, key);
	}
	json_array_foreach(value, i, part) check_is_said(text, part, name);
	if (json_is_integer(value))
		snprintf(number, sizeof(number), "%lld", json_integer_value(value));
	if (!has_lines(text, json_is_string(value) ? json_string_value(value) : number))
		harness_fail("the text does not say %s: %s", name, text);
}

/* Clients show the model the text or the structure, so both must carry the same. */
static void check_text_agrees(const json_t *result)
{
	const char *text = answer_text(result, "content.0.text");
	if (text[0] == '{')
		harness_fail("the text is JSON: %s", text);
	check_is_said(text, must_have(result, "structuredContent"), "it");
}

json_t *client_tool_result(struct client *client, long long id, double timeout_s)
{
	json_t *answer;
	json_t *result = wait_result(client, id, timeout_s, &answer);
	if (json_is_true(json_object_get(result, "isError")))
		harness_fail("the call failed: %s", answer_show(result));
	check_text_agrees(result);
	json_t *structured = json_incref(json_object_get(result, "structuredContent"));
	json_decref(answer);
	return structured;
}

json_t *client_tool_failure(struct client *client, long long id, const char *code, double timeout_s)
{
	json_t *answer;
	json_t *result = wait_result(client, id, timeout_s, &answer);
	if (!json_is_true(json_object_get(result, "isError")))
		harness_fail("the call should have failed: %s", answer_show(result));
	const char *its_code = answer_text(result, "structuredContent.code");
	const char *message = answer_text(result, "structuredContent.message");
	if (code != NULL && strcmp(code, its_code) != 0)
		harness_fail("expected %s: %s", code, answer_show(result));
	if (strstr(answer_text(result, "content.0.text"), message) == NULL)
		harness_fail("the text does not carry the message: %s", answer_show(result));
	json_t *structured = json_incref(json_object_get(result, "structuredContent"));
	json_decref(answer);
	return structured;
}

static json_t *pack_args(const char *format, va_list arguments)
{
	if (format == NULL)
		return NULL;
	json_error_t error;
	json_t *packed = json_vpack_ex(&error, 0, format, arguments);
	if (packed == NULL)
		harness_fail("the test's arguments: %s: %s", format, error.text);
	return packed;
}

json_t *client_tool(struct client *client, const char *tool, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	json_t *args = pack_args(format, arguments);
	va_end(arguments);
	return client_tool_result(client, client_tool_send(client, tool, args), HARNESS_TIMEOUT_S);
}

void client_tool_done(struct client *client, const char *tool, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	json_t *args = pack_args(format, arguments);
	va_end(arguments);
	json_decref(
	    client_tool_result(client, client_tool_send(client, tool, args), HARNESS_TIMEOUT_S));
}

json_t *client_tool_fails(
    struct client *client, const char *tool, const char *code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	json_t *args = pack_args(format, arguments);
	va_end(arguments);
	return client_tool_failure(
	    client, client_tool_send(client, tool, args), code, HARNESS_TIMEOUT_S);
}

void client_tool_refused(
    struct client *client, const char *tool, const char *code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	json_t *args = pack_args(format, arguments);
	va_end(arguments);
	json_decref(client_tool_failure(
	    client, client_tool_send(client, tool, args), code, HARNESS_TIMEOUT_S));
}

json_t *client_record(
    struct client *client, const char *trace_dir, const char *program, const char *argument)
{
	char *path = harness_program(program);
	json_t *command = json_pack("[s]", path);
	if (argument != NULL)
		json_array_append_new(command, json_string(argument));
	free(path);
	return client_tool(
	    client, "rr_record", "{s:o, s:s}", "command", command, "trace_dir", trace_dir);
}

char *client_replay(struct client *client, const char *trace_dir)
{
	json_t *started = client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", trace_dir);
	char *session = strdup(answer_text(started, "session"));
	json_decref(started);
	return session;
}
