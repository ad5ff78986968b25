/*
 * Turns parameter tables into JSON Schema. Must stay within what the pickiest client takes.
 */
#include "mcp/schema.h"

#include <string.h>

/* Callers seldom come near a greater bound; it is checked all the same. */
#define BOUND_SHOWN_MAX 199

struct type_schema {
	const char *type, *items; /* items: of an array, or of a map's values */
};

static const struct type_schema type_schemas[] = {
    [MCP_STRING] = {"string", NULL},
    [MCP_INTEGER] = {"integer", NULL},
    [MCP_NUMBER] = {"number", NULL},
    [MCP_BOOLEAN] = {"boolean", NULL},
    [MCP_STRING_ARRAY] = {"array", "string"},
    [MCP_STRING_MAP] = {"object", "string"},
    [MCP_OBJECT_ARRAY] = {"array", "object"},
};

static void schema_add_choices(json_t *schema, const struct mcp_param *param)
{
	json_t *choices = json_array();
	for (const char *const *choice = param->choices; *choice; choice++)
		json_array_append_new(choices, json_string(*choice));
	json_object_set_new(schema, "enum", choices);
}

static void schema_add_bounds(json_t *schema, const struct mcp_param *param)
{
	if (param->min > 1)
		json_object_set_new(schema, "minimum", json_integer(param->min));
	if (param->max > 0 && param->max <= BOUND_SHOWN_MAX)
		json_object_set_new(schema, "maximum", json_integer(param->max));
}

/* Whether an argument of this name had this very text before. */
static bool was_said(json_t *said, const struct mcp_param *param)
{
	const char *before = json_string_value(json_object_get(said, param->name));
	bool same = before && strcmp(before, param->description) == 0;

	if (said && !before)
		json_object_set_new(said, param->name, json_string(param->description));
	return same;
}

static json_t *schema_of_param(const struct mcp_param *param, bool input, json_t *said)
{
	const struct type_schema *type = &type_schemas[param->type];
	json_t *schema = json_pack("{s:s}", "type", type->type);

	if (param->description && !was_said(said, param))
		json_object_set_new(schema, "description", json_string(param->description));
	if (type->items && param->type != MCP_STRING_MAP && input)
		json_object_set_new(schema, "items", json_pack("{s:s}", "type", type->items));
	if (type->items && param->type == MCP_STRING_MAP && input)
		json_object_set_new(
		    schema, "additionalProperties", json_pack("{s:s}", "type", type->items));
	if (param->choices)
		schema_add_choices(schema, param);
	if (param->type == MCP_INTEGER && input)
		schema_add_bounds(schema, param);
	return schema;
}

static json_t *schema_of_table(const struct mcp_param *params, bool input, json_t *said)
{
	json_t *properties = json_object(), *required = json_array();

	for (const struct mcp_param *param = params; param && param->name; param++) {
		json_object_set_new(properties, param->name, schema_of_param(param, input, said));
		if (param->required && input)
			json_array_append_new(required, json_string(param->name));
	}
	json_t *schema = json_pack("{s:s}", "type", "object");
	/* some clients refuse an input without properties, be they empty */
	if (input || json_object_size(properties) > 0)
		json_object_set(schema, "properties", properties);
	if (json_array_size(required) > 0)
		json_object_set(schema, "required", required);
	json_decref(properties);
	json_decref(required);
	return schema;
}

json_t *schema_of_input(const struct mcp_param *params, json_t *said)
{
	return schema_of_table(params, true, said);
}

json_t *schema_of_output(const struct mcp_param *results)
{
	return schema_of_table(results, false, NULL);
}
