/*
 * The MI parser. The recorded program controls what it reads (names, strings, DWARF), so every
 * length, depth and count is bounded, and a line that is not MI is an error.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/cast.h"
#include "worker/gdb/mi/mi.h"
#include "sandbox/wire/scrub.h"

struct cursor {
	const char *at, *end;
	unsigned depth;
	size_t nodes;
	const char *why;
};

static json_t *parse_value(struct cursor *cursor);

static json_t *refuse(struct cursor *cursor, const char *why)
{
	if (!cursor->why)
		cursor->why = why;
	return NULL;
}

static bool take(struct cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* Reads up to three octal digits. */
static char octal(struct cursor *cursor, char first)
{
	unsigned value = (unsigned)(first - '0');

	for (int i = 0; i < 2 && cursor->at < cursor->end; i++) {
		char c = *cursor->at;
		if (c < '0' || c > '7')
			break;
		value = value * 8 + (unsigned)(c - '0');
		cursor->at++;
	}
	return (char)(value & 0xff);
}

static char escaped(struct cursor *cursor)
{
	char c = *cursor->at++;

	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case 'a':
		return '\a';
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'v':
		return '\v';
	case 'e':
		return '\033';
	default:
		return c >= '0' && c <= '7' ? octal(cursor, c) : c;
	}
}

/* At most the bytes up to the closing quote, so that a long line of short strings takes no more
 * memory. */
static size_t string_room(const struct cursor *cursor)
{
	const char *at = cursor->at;

	while (at < cursor->end && *at != '"')
		at += *at == '\\' && at + 1 < cursor->end ? 2 : 1;
	return (size_t)(at - cursor->at);
}

static json_t *parse_string(struct cursor *cursor)
{
	if (!take(cursor, '"'))
		return refuse(cursor, "expected a string");

	size_t length = 0;
	cleanup_free char *bytes = malloc(string_room(cursor) + 1);
	if (!bytes)
		return refuse(cursor, "out of memory");
	while (cursor->at < cursor->end && *cursor->at != '"') {
		char c = *cursor->at++;
		if (c == '\\') {
			if (cursor->at == cursor->end)
				break;
			c = escaped(cursor);
		}
		bytes[length++] = c;
	}
	if (!take(cursor, '"'))
		return refuse(cursor, "unterminated string");
	return scrub_json(bytes, length, length * 4, NULL);
}

static bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

static bool parse_name(struct cursor *cursor, char *name)
{
	size_t length = 0;

	while (cursor->at < cursor->end && is_name_character(*cursor->at)) {
		if (length + 1 == MI_NAME_MAX)
			return refuse(cursor, "a name is too long") != NULL;
		name[length++] = *cursor->at++;
	}
	name[length] = '\0';
	return length > 0 || refuse(cursor, "expected a name") != NULL;
}

/* name=value */
static json_t *parse_result(struct cursor *cursor, char *name)
{
	if (!parse_name(cursor, name))
		return NULL;
	if (!take(cursor, '='))
		return refuse(cursor, "expected = after a name");
	return parse_value(cursor);
}

/* What follows "{" or "[": the members of a tuple, or of a list, whose members may have names that
 * nobody needs. Takes over `into` and returns it. */
static json_t *parse_members(struct cursor *cursor, json_t *into, char end)
{
	bool is_tuple = json_is_object(into);
	char name[MI_NAME_MAX];

	if (take(cursor, end))
		return into;
	do {
		bool named =
		    is_tuple || (cursor->at < cursor->end && is_name_character(*cursor->at));
		json_t *value = named ? parse_result(cursor, name) : parse_value(cursor);
		if (!value || (is_tuple ? json_object_set_new(into, name, value)
					: json_array_append_new(into, value)) != 0)
			goto bad;
	} while (take(cursor, ','));
	if (take(cursor, end))
		return into;
	refuse(cursor, is_tuple ? "unterminated tuple" : "unterminated list");
bad:
	json_decref(into);
	return NULL;
}

static json_t *parse_value(struct cursor *cursor)
{
	json_t *value = NULL;

	if (++cursor->nodes > MI_NODES_MAX)
		return refuse(cursor, "too many values");
	if (cursor->depth == MI_DEPTH_MAX)
		return refuse(cursor, "nested too deeply");
	cursor->depth++;
	if (take(cursor, '{'))
		value = parse_members(cursor, json_object(), '}');
	else if (take(cursor, '['))
		value = parse_members(cursor, json_array(), ']');
	else
		value = parse_string(cursor);
	cursor->depth--;
	return value;
}

/* Of a name that comes twice, the first value stays. gdb 16 writes a second reason behind the
 * target's own: reason="no-history",reason="end-stepping-range". */
static bool add_result(json_t *results, const char *name, json_t *value)
{
	if (!json_object_get(results, name))
		return json_object_set_new(results, name, value) == 0;
	json_decref(value);
	return true;
}

/* class,name=value,... ; gdb writes further values of a multi-location breakpoint without a name
 * (`bkpt={...},{...}`) below mi3: they are dropped. */
static json_t *parse_record(struct cursor *cursor, struct mi_record *record)
{
	json_t *results = json_object(), *value;
	char name[MI_NAME_MAX];

	if (!parse_name(cursor, record->name))
		goto bad;
	while (take(cursor, ',')) {
		bool named = cursor->at < cursor->end && is_name_character(*cursor->at);
		value = named ? parse_result(cursor, name) : parse_value(cursor);
		if (!value)
			goto bad;
		if (!named)
			json_decref(value);
		else if (!add_result(results, name, value))
			goto bad;
	}
	return results;
bad:
	json_decref(results);
	return NULL;
}

static bool kind_of(char c, enum mi_kind *kind)
{
	static const char marks[] = "^*+=~@&"; /* in the order of enum mi_kind */
	const char *mark = c ? strchr(marks, c) : NULL;

	if (mark)
		*kind = (enum mi_kind)(mark - marks);
	return mark != NULL;
}

static bool is_prompt(const char *line, size_t length)
{
	return length >= 5 && length <= 6 && memcmp(line, "(gdb)", 5) == 0 &&
	       (length == 5 || line[5] == ' ');
}

int mi_parse(const char *line, size_t length, struct mi_record *record, const char **why)
{
	struct cursor cursor = {.at = line, .end = line + length};

	*record = (struct mi_record){.token = -1};
	if (length && line[length - 1] == '\r')
		cursor.end--, length--;
	if (length > MI_LINE_MAX) {
		*why = "the line is too long";
		return -1;
	}
	if (is_prompt(line, length)) {
		record->kind = MI_PROMPT;
		return 0;
	}
	while (cursor.at < cursor.end && *cursor.at >= '0' && *cursor.at <= '9') {
		if (record->token > 1000000000000LL)
			break;
		record->token = (record->token < 0 ? 0 : record->token * 10) + (*cursor.at++ - '0');
	}
	if (cursor.at == cursor.end || !kind_of(*cursor.at, &record->kind)) {
		*why = "not an MI record";
		return -1;
	}
	cursor.at++;
	record->results =
	    record->kind < MI_CONSOLE ? parse_record(&cursor, record) : parse_string(&cursor);
	if (record->results && cursor.at != cursor.end) {
		json_decref(record->results);
		record->results = refuse(&cursor, "trailing text after the record");
	}
	if (record->results)
		return 0;
	*why = cursor.why ? cursor.why : "out of memory";
	return -1;
}

int mi_quote(char *to, size_t size, const char *text)
{
	char rewritten[8 * 1024];
	size_t out = 0;

	if (size < 3)
		return -1;
	if (cast_rewrite(rewritten, sizeof(rewritten), text))
		text = rewritten;
	to[out++] = '"';
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c == 0x7f || out + 4 > size)
			return -1;
		if (c == '"' || c == '\\')
			to[out++] = '\\';
		to[out++] = *text;
	}
	to[out++] = '"';
	to[out] = '\0';
	return (int)out;
}

const char *mi_text(const json_t *tree, const char *name)
{
	return json_string_value(json_object_get(tree, name));
}

static int number_of(const char *text)
{
	long number = strtol(text, NULL, 10);

	return number > INT_MAX ? INT_MAX : number < INT_MIN ? INT_MIN : (int)number;
}

const json_t *mi_breakpoints(const json_t *results)
{
	return json_object_get(json_object_get(results, "BreakpointTable"), "body");
}

int mi_number(const json_t *tree, const char *name, int absent)
{
	const char *text = mi_text(tree, name);

	return text ? number_of(text) : absent;
}

unsigned long long mi_address(const json_t *tree, const char *name)
{
	const char *text = mi_text(tree, name);

	return text ? strtoull(text, NULL, 16) : 0;
}

const json_t *mi_breakpoint_row(const json_t *rows, long long number)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *text = mi_text(row, "number");
		if (text && !strchr(text, '.') && mi_number(row, "number", 0) == number)
			return row;
	}
	return NULL;
}

const json_t *mi_breakpoint_place(const json_t *row, size_t index)
{
	const json_t *places = json_object_get(row, "locations");

	if (json_array_size(places))
		return json_array_get(places, index);
	return index == 0 ? row : NULL;
}

bool mi_is_enabled(const json_t *row)
{
	const char *enabled = mi_text(row, "enabled");

	return enabled && enabled[0] == 'y';
}

/* "Thread 123.456"; of a core file "Thread 0x7f12 (LWP 456)" or "LWP 456". */
int mi_tid(const json_t *thread)
{
	static const char kernels[] = "LWP ";
	const char *target = mi_text(thread, "target-id");
	const char *lwp = target ? strstr(target, kernels) : NULL;
	const char *dot = target ? strrchr(target, '.') : NULL;

	if (lwp)
		return number_of(lwp + sizeof(kernels) - 1);
	return dot ? number_of(dot + 1) : 0;
}
