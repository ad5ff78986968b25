/*
 * Validates and converts arguments. Everything here is untrusted: strings are cut before they go
 * into a message, and JSON in strings is parsed under the same limits as the line.
 */
#include "mcp/arguments.h"
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mcp/rpc.h"
#include "mcp/text.h"

#define QUOTED(text) text_cut((text), TEXT_NAME_MAX), (text)

static const char *const type_names[] = {
    [MCP_STRING] = "a string",
    [MCP_INTEGER] = "an integer",
    [MCP_NUMBER] = "a number",
    [MCP_BOOLEAN] = "true or false",
    [MCP_STRING_ARRAY] = "an array of strings, such as [\"a\", \"b\"]",
    [MCP_STRING_MAP] = "an object of strings, such as {\"NAME\": \"value\"}",
    [MCP_OBJECT_ARRAY] = "an array of objects, such as [{...}, {...}]",
};

static json_t *fault_type(const struct mcp_param *param, struct argument_fault *fault)
{
	snprintf(fault->message, sizeof(fault->message), "argument \"%s\" must be %s", param->name,
	    type_names[param->type]);
	return NULL;
}

static json_t *fault_limit(
    const struct mcp_param *param, struct argument_fault *fault, size_t limit, const char *unit)
{
	snprintf(fault->message, sizeof(fault->message),
	    "argument \"%s\" is too long: its limit is %zu %s", param->name, limit, unit);
	return NULL;
}

static size_t limit_of(const struct mcp_param *param, size_t otherwise)
{
	return param->max > 0 ? (size_t)param->max : otherwise;
}

/* A scalar as the string it would be written as; NULL for anything else. */
static json_t *string_from_scalar(const json_t *value)
{
	char text[40];

	switch (json_typeof(value)) {
	case JSON_STRING:
		if (strlen(json_string_value(value)) != json_string_length(value))
			return NULL;
		return json_incref((json_t *)value);
	case JSON_INTEGER:
		snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
		return json_string(text);
	case JSON_REAL:
		snprintf(text, sizeof(text), "%.15g", json_real_value(value));
		return json_string(text);
	case JSON_TRUE:
		return json_string("true");
	case JSON_FALSE:
		return json_string("false");
	case JSON_OBJECT:
	case JSON_ARRAY:
	case JSON_NULL:
		return NULL;
	}
	return NULL;
}

static bool choice_is_known(const struct mcp_param *param, const char *text)
{
	for (const char *const *choice = param->choices; *choice; choice++)
		if (strcmp(*choice, text) == 0)
			return true;
	return false;
}

static const char *choice_at(const void *choices, size_t index)
{
	return ((const char *const *)choices)[index];
}

static json_t *fault_choice(
    const struct mcp_param *param, const char *text, struct argument_fault *fault)
{
	const char *nearest = text_nearest(text, choice_at, param->choices);
	size_t used = 0;

	snprintf(fault->message, sizeof(fault->message),
	    nearest ? "argument \"%s\" cannot be \"%.*s\": did you mean \"%s\"?"
		    : "argument \"%s\" cannot be \"%.*s\"",
	    param->name, QUOTED(text), nearest);
	used = (size_t)snprintf(fault->hint, sizeof(fault->hint), "%s takes one of:", param->name);
	for (const char *const *choice = param->choices; *choice && used < sizeof(fault->hint);
	     choice++)
		used += (size_t)snprintf(fault->hint + used, sizeof(fault->hint) - used, "%s %s",
		    choice == param->choices ? "" : ",", *choice);
	return NULL;
}

static json_t *accept_string(
    const struct mcp_param *param, const json_t *value, struct argument_fault *fault)
{
	json_t *string = string_from_scalar(value);
	size_t limit = limit_of(param, MCP_STRING_MAX);

	if (!string)
		return fault_type(param, fault);
	if (json_string_length(string) > limit) {
		json_decref(string);
		return fault_limit(param, fault, limit, "bytes");
	}
	if (param->choices && !choice_is_known(param, json_string_value(string))) {
		fault_choice(param, json_string_value(string), fault);
		json_decref(string);
		return NULL;
	}
	return string;
}

/* The text of a number without surrounding blanks; false if it is not a short plain string. */
static bool number_text(const json_t *value, char *text, size_t size)
{
	const char *start = json_string_value(value);
	if (!start)
		return false;
	size_t length = json_string_length(value);
	while (length > 0 && isspace((unsigned char)*start))
		start++, length--;
	while (length > 0 && isspace((unsigned char)start[length - 1]))
		length--;
	if (length == 0 || length >= size || memchr(start, '\0', length))
		return false;
	memcpy(text, start, length);
	text[length] = '\0';
	return true;
}

static bool integer_from(const json_t *value, long long *integer)
{
	char text[32];
	const char *error;

	if (json_is_integer(value)) {
		*integer = json_integer_value(value);
		return true;
	}
	if (json_is_real(value)) {
		double real = json_real_value(value);
		*integer = fabs(real) < 9007199254740992.0 ? (long long)real : 0;
		return (double)*integer == real;
	}
	if (!number_text(value, text, sizeof(text)))
		return false;
	*integer = strtonum(text, LLONG_MIN, LLONG_MAX, &error);
	return error == NULL;
}

static json_t *accept_integer(
    const struct mcp_param *param, const json_t *value, struct argument_fault *fault)
{
	long long integer;

	if (!integer_from(value, &integer))
		return fault_type(param, fault);
	if ((param->min || param->max) && (integer < param->min || integer > param->max)) {
		snprintf(fault->message, sizeof(fault->message),
		    "argument \"%s\" is %lld: it must be from %lld to %lld", param->name, integer,
		    param->min, param->max);
		return NULL;
	}
	return json_integer(integer);
}

static json_t *accept_number(
    const struct mcp_param *param, const json_t *value, struct argument_fault *fault)
{
	char text[64], *end;
	double number;

	if (json_is_number(value)) {
		number = json_number_value(value);
	} else {
		if (!number_text(value, text, sizeof(text)))
			return fault_type(param, fault);
		number = strtod(text, &end);
		if (*end != '\0')
			return fault_type(param, fault);
	}
	return isfinite(number) ? json_real(number) : fault_type(param, fault);
}

static json_t *accept_boolean(
    const struct mcp_param *param, const json_t *value, struct argument_fault *fault)
{
	const char *text = json_string_value(value);

	if (json_is_boolean(value))
		return json_incref((json_t *)value);
	if (text && strcasecmp(text, "true") == 0)
		return json_true();
	if (text && strcasecmp(text, "false") == 0)
		return json_false();
	return fault_type(param, fault);
}

/* The value itself, or what it holds as a string; a new reference. Depth and number of values are
 * held to the line's limits by the same reader. */
static json_t *unwrap_stringified(const json_t *value)
{
	if (!json_is_string(value))
		return json_incref((json_t *)value);
	return rpc_parse_value(json_string_value(value), json_string_length(value));
}

static bool fault_nul(const struct mcp_param *param, struct argument_fault *fault)
{
	snprintf(fault->message, sizeof(fault->message),
	    "a string in argument \"%s\" holds a NUL character", param->name);
	return false;
}

/* Whether every string in a value can be passed on as a text of C. The parser bounds the depth. */
static bool has_texts_only(const json_t *value)
{
	const char *key;
	json_t *part;
	size_t i;

	if (json_is_string(value))
		return strlen(json_string_value(value)) == json_string_length(value);
	json_object_foreach((json_t *)value, key, part) if (!has_texts_only(part)) return false;
	json_array_foreach((json_t *)value, i, part) if (!has_texts_only(part)) return false;
	return true;
}

/* Adds an element, or the member `key` of a map, to what was accepted. */
static bool accept_next(const struct mcp_param *param, json_t *accepted, const char *key,
    const json_t *value, struct argument_fault *fault)
{
	json_t *taken = NULL;

	if (param->type != MCP_OBJECT_ARRAY)
		taken = string_from_scalar(value);
	else if (json_is_object(value) && !has_texts_only(value))
		return fault_nul(param, fault);
	else if (json_is_object(value))
		taken = json_incref((json_t *)value);
	if (!taken) {
		fault_type(param, fault);
		return false;
	}
	if (json_string_length(taken) > MCP_STRING_MAX) {
		json_decref(taken);
		fault_limit(
		    param, fault, MCP_STRING_MAX, key ? "bytes a member" : "bytes per element");
		return false;
	}
	return (key ? json_object_set_new(accepted, key, taken)
		    : json_array_append_new(accepted, taken)) == 0;
}

static json_t *accept_all(
    const struct mcp_param *param, json_t *given, struct argument_fault *fault)
{
	bool is_map = json_is_object(given), ok = true;
	size_t limit = limit_of(param, MCP_ELEMENTS_MAX), index;
	json_t *accepted, *value;
	const char *key;

	if ((is_map ? json_object_size(given) : json_array_size(given)) > limit)
		return fault_limit(param, fault, limit, is_map ? "members" : "elements");
	accepted = is_map ? json_object() : json_array();
	json_object_foreach(given, key, value) ok =
	    ok && accept_next(param, accepted, key, value, fault);
	json_array_foreach(given, index, value) ok =
	    ok && accept_next(param, accepted, NULL, value, fault);
	if (ok)
		return accepted;
	json_decref(accepted);
	return NULL;
}

/* The same, or an array of the one string where that is allowed. */
static json_t *unwrap_given(const struct mcp_param *param, const json_t *value)
{
	json_t *given = unwrap_stringified(value);

	if (param->type != MCP_STRING_ARRAY || param->min == 0 || !json_is_string(value) ||
	    json_is_array(given))
		return given;
	json_decref(given);
	return json_pack("[O]", value);
}

/* An array or a map. */
static json_t *accept_container(
    const struct mcp_param *param, const json_t *value, struct argument_fault *fault)
{
	json_type type = param->type == MCP_STRING_MAP ? JSON_OBJECT : JSON_ARRAY;
	json_t *given = unwrap_given(param, value);
	json_t *accepted = given && json_typeof(given) == type ? accept_all(param, given, fault)
							       : fault_type(param, fault);

	json_decref(given);
	return accepted;
}

typedef json_t *accept_function(
    const struct mcp_param *param, const json_t *value, struct argument_fault *fault);

static accept_function *const accept_by_type[] = {
    [MCP_STRING] = accept_string,
    [MCP_INTEGER] = accept_integer,
    [MCP_NUMBER] = accept_number,
    [MCP_BOOLEAN] = accept_boolean,
    [MCP_STRING_ARRAY] = accept_container,
    [MCP_STRING_MAP] = accept_container,
    [MCP_OBJECT_ARRAY] = accept_container,
};

static const char *param_name_at(const void *params, size_t index)
{
	return ((const struct mcp_param *)params)[index].name;
}

static void hint_names(const struct mcp_param *params, struct argument_fault *fault)
{
	size_t used = (size_t)snprintf(fault->hint, sizeof(fault->hint),
	    params && params->name ? "The arguments are:" : "The tool takes no arguments.");

	for (const struct mcp_param *param = params;
	     param && param->name && used < sizeof(fault->hint); param++)
		used += (size_t)snprintf(fault->hint + used, sizeof(fault->hint) - used, "%s %s%s",
		    param == params ? "" : ",", param->name, param->required ? " (required)" : "");
}

static void hint_param(const struct mcp_param *param, struct argument_fault *fault)
{
	if (!fault->hint[0] && param->description)
		snprintf(
		    fault->hint, sizeof(fault->hint), "%s: %s", param->name, param->description);
}

static bool names_are_known(
    const struct mcp_param *params, const json_t *given, struct argument_fault *fault)
{
	static const struct mcp_param none = {0};
	const char *key;
	json_t *value;

	if (!params)
		params = &none;
	json_object_foreach((json_t *)given, key, value)
	{
		const struct mcp_param *param = params;
		while (param->name && strcmp(param->name, key) != 0)
			param++;
		if (param->name)
			continue;
		const char *nearest = text_nearest(key, param_name_at, params);
		snprintf(fault->message, sizeof(fault->message),
		    nearest ? "unknown argument \"%.*s\": did you mean \"%s\"?"
			    : "unknown argument \"%.*s\"",
		    QUOTED(key), nearest);
		hint_names(params, fault);
		return false;
	}
	return true;
}

json_t *arguments_accept(
    const struct mcp_param *params, const json_t *given, struct argument_fault *fault)
{
	json_t *accepted = json_object();

	*fault = (struct argument_fault){0};
	if (!names_are_known(params, given, fault))
		goto refused;
	for (const struct mcp_param *param = params; param && param->name; param++) {
		const json_t *value = json_object_get(given, param->name);
		/* Models pass null for arguments that they leave out. */
		if (!value || json_is_null(value)) {
			if (!param->required)
				continue;
			snprintf(fault->message, sizeof(fault->message),
			    "argument \"%s\" is missing", param->name);
			hint_names(params, fault);
			goto refused;
		}
		json_t *taken = accept_by_type[param->type](param, value, fault);
		if (!taken) {
			hint_param(param, fault);
			goto refused;
		}
		json_object_set_new(accepted, param->name, taken);
	}
	return accepted;
refused:
	json_decref(accepted);
	return NULL;
}
