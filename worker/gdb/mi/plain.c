/*
 * Reads gdb's notation of a value once, from the inside out. It must never change a value that it
 * does not understand to the end, nor make one longer.
 */
#include "worker/gdb/mi/plain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/former.h"
#include "worker/gdb/mi/notation.h"
#include "worker/gdb/mi/rust_value.h"
#include "worker/gdb/mi/text.h"

#define DEPTH_MAX 40
#define EMPTY	  "<No data fields>"

/* ---- What members of the standard library mean ----------------------------------------------- */

/* The characters of a string as gdb shows it; -1 where this is not simple to say. */
static long shown_length(struct span literal)
{
	const char *at = literal.at, *end = at + literal.length - 1;
	long count = 0;

	if (at < end && strchr("LuU", *at))
		at++;
	if (at >= end || *at++ != '"' || *end != '"')
		return -1;
	for (; at < end; count++) {
		if (*at == '"')
			return -1;
		if (*at++ != '\\')
			continue;
		for (int digits = 1;
		     digits < 3 && *at >= '0' && *at <= '7' && at[1] >= '0' && at[1] <= '7';
		     digits++)
			at++;
		at++;
	}
	return count;
}

/* The text that gdb shows behind a pointer's address; empty if there is none. */
static struct span text_behind(struct span pointer)
{
	const char *space = memchr(pointer.at, ' ', pointer.length);
	const char *symbol =
	    space && space[1] == '<'
		? memmem(space, pointer.length - (size_t)(space - pointer.at), "> ", 2)
		: NULL;
	struct span text = {pointer.at, 0};

	if (symbol)
		space = symbol + 1;
	if (space && space[1] != '\0' && strchr("\"'LuU", space[1])) {
		text.at = space + 1;
		text.length = pointer.length - (size_t)(text.at - pointer.at);
	}
	return text;
}

/* std::string_view: gdb shows the text up to a NUL, which may lie behind the view's end. */
static char *tell_view(const struct members *members)
{
	const struct member *pointer = notation_find(members, "_M_str");
	const struct member *length = notation_find(members, "_M_len");
	struct span text;

	if (!pointer || !length || members->count != 2)
		return NULL;
	text = text_behind(pointer->value);
	return shown_length(text) == strtol(length->value.at, NULL, 10)
		   ? strndup(text.at, text.length)
		   : NULL;
}

/* std::string: its text. The length is added where it is not that of the text: a string may hold
 * NULs, or be longer than what gdb shows. */
static char *tell_string(const struct members *members)
{
	const struct member *pointer = notation_find(members, "_M_p");
	const struct member *length = notation_find(members, "_M_string_length");
	struct span text;
	char *told;

	if (!pointer || !length || members->count > 3)
		return NULL;
	text = text_behind(pointer->value);
	if (!text.length)
		return NULL;
	if (shown_length(text) == strtol(length->value.at, NULL, 10))
		return strndup(text.at, text.length);
	return asprintf(&told, "%.*s (length %.*s)", (int)text.length, text.at,
		   (int)length->value.length, length->value.at) < 0
		   ? NULL
		   : told;
}

/* A container that keeps the number of its elements. */
static char *tell_container(const struct members *members)
{
	static const struct {
		const char *count, *beside;
	} containers[] = {
	    {"_M_node_count", "_M_parent"},	     /* map, set and the like */
	    {"_M_element_count", "_M_bucket_count"}, /* the unordered ones */
	    {"_M_size", "_M_prev"},		     /* list */
	};
	char *told;

	for (size_t i = 0; i < sizeof(containers) / sizeof(*containers); i++) {
		const struct member *count = notation_find(members, containers[i].count);
		if (!count || !notation_find(members, containers[i].beside))
			continue;
		return asprintf(&told, "{%.*s element%s}", (int)count->value.length,
			   count->value.at, span_is(count->value, "1") ? "" : "s") < 0
			   ? NULL
			   : told;
	}
	return NULL;
}

/* Bases and members that only wrap others. */
static bool is_wrapper(const struct member *member)
{
	static const char *const names[] = {
	    "_M_impl", "_M_t", "_M_h", "_M_dataplus", "_M_header", "_M_key_compare", "_M_node"};

	if (!span_is_aggregate(member->value))
		return false;
	if (span_begins(member->name, "<std::") || span_begins(member->name, "<__gnu_cxx::"))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_is(member->name, names[i]))
			return true;
	return false;
}

/* What says nothing about this object. */
static bool is_noise(const struct member *member)
{
	static const char *const names[] = {
	    "static _S_", "static _M_", "static npos", "static is_always_lock_free", "_M_empty"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_begins(member->name, names[i]))
			return true;
	return span_is(member->whole, EMPTY);
}

/* ---- From the inside out --------------------------------------------------------------------- */

static char *plain(struct span value, size_t depth);

/* The element K of a tuple, or what a unique_ptr holds: <std::_Head_base<K, ...>> = {_M_head_impl =
 * value}. NULL: it is something else. */
static char *tell_element(const struct member *member, const char *value)
{
	static const char base[] = "<std::_Head_base<", head[] = "{_M_head_impl = ";
	size_t length = strlen(value);
	char *told;

	if (!span_begins(member->name, base) || strncmp(value, head, sizeof(head) - 1) != 0)
		return NULL;
	if (strcmp(value, "{_M_head_impl = {}}") == 0) /* most often a deleter */
		return strdup("");
	return asprintf(&told, "[%ld] = %.*s", strtol(member->name.at + sizeof(base) - 1, NULL, 10),
		   (int)(length - sizeof(head)), value + sizeof(head) - 1) < 0
		   ? NULL
		   : told;
}

static bool has_names(struct span text)
{
	struct members members;

	if (!notation_split(text, &members))
		return false;
	for (size_t i = 0; i < members.count; i++)
		if (!members.list[i].name.length && !span_is_aggregate(members.list[i].value))
			return false;
	return true;
}

/* What a wrapper, which is `value` in plain form, leaves of itself in the aggregate around it.
 * NULL: all of it. */
static char *tell_left(const struct member *member, const char *value)
{
	struct span span = {value, strlen(value)};
	char *element;

	if (strcmp(value, "{}") == 0)
		return strdup("");
	element = tell_element(member, value);
	if (element || !span_is_aggregate(span) || !has_names(span_inside(span)))
		return element;
	return strndup(span_inside(span).at, span_inside(span).length);
}

static char *unwrap(const struct member *member, char *value, bool *whole)
{
	char *left = tell_left(member, value);

	*whole = left == NULL;
	if (*whole)
		return value;
	free(value);
	return left;
}

/* A member in plain form, "" if it says nothing. *whole: it is all that the aggregate is. */
static char *plain_member(const struct member *member, size_t depth, bool *whole)
{
	char *value, *told = NULL;

	*whole = false;
	if (is_noise(member))
		return strdup("");
	value = plain(member->value, depth + 1);
	if (!value || !member->name.length)
		return value;
	if (is_wrapper(member))
		return unwrap(member, value, whole);
	if (member->name.at[0] == '<' && strcmp(value, "{}") == 0)
		told = strdup("");
	else if (asprintf(&told, "%.*s = %s", (int)member->name.length, member->name.at, value) < 0)
		told = NULL;
	free(value);
	return told;
}

/* A tuple's elements in their order: the library keeps the last one first. */
static char *tell_tuple(const struct members *members, size_t length)
{
	struct text text;
	char *told;

	for (size_t i = 0; i < members->count; i++) {
		struct span name = members->list[i].name;

		if (!name.length || name.at[0] != '[' ||
		    strtoul(name.at + 1, NULL, 10) != members->count - 1 - i)
			return NULL;
	}
	if (members->count < 2 || !text_begin(&text, length + 2))
		return NULL;
	text_append(&text, "{");
	for (size_t i = members->count; i-- > 0;) {
		struct span whole = members->list[i].whole;
		char *one = strndup(whole.at, whole.length);

		text_append(&text, one ? one : "");
		text_append(&text, i ? ", " : "}");
		free(one);
	}
	told = strdup(text.bytes);
	text_end(&text);
	return told;
}

/* What the members, which are plain, are together. */
static char *tell_together(const char *joined)
{
	struct members members;
	char *told = NULL;

	if (!notation_split((struct span){joined, strlen(joined)}, &members))
		return NULL;
	if (members.count == 1 && span_is(members.list[0].name, "[0]"))
		return strndup(members.list[0].value.at, members.list[0].value.length);
	told = tell_tuple(&members, strlen(joined));
	if (!told)
		told = tell_string(&members);
	if (!told)
		told = tell_view(&members);
	if (!told)
		told = tell_container(&members);
	if (!told && asprintf(&told, "{%s}", joined) < 0)
		told = NULL;
	return told;
}

/* The members in plain form, one after the other. *whole: there is one, and it is all. False: a
 * member is not understood. */
static bool join(const struct members *members, size_t depth, struct text *joined, bool *whole)
{
	size_t told = 0;
	bool all = false;

	for (size_t i = 0; i < members->count; i++) {
		char *member = plain_member(&members->list[i], depth, whole);
		if (!member)
			return false;
		if (member[0]) {
			text_append(joined, told++ ? ", " : "");
			text_append(joined, member);
			all |= *whole;
		}
		free(member);
	}
	*whole = all && told == 1;
	return true;
}

/* NULL: it is not understood. */
static char *plain(struct span value, size_t depth)
{
	struct members members;
	struct text joined;
	char *told = NULL;
	bool whole;

	if (!span_is_aggregate(value))
		return strndup(value.at, value.length);
	if (depth == DEPTH_MAX || !notation_split(span_inside(value), &members) ||
	    !text_begin(&joined, value.length))
		return NULL;
	if (join(&members, depth, &joined, &whole))
		told = whole ? strdup(joined.bytes) : tell_together(joined.bytes);
	text_end(&joined);
	return told;
}

/* Where the aggregate begins: a reference shows what it refers to behind its address, as in
 * "(world &) @0x5581c0: {...". NULL: there is none. */
static const char *find_aggregate(const char *value)
{
	const char *colon;

	if (value[0] == '{')
		return value;
	colon = value[0] == '@' || value[0] == '(' ? strstr(value, ": {") : NULL;
	/* "(shop::Square) {...": of an object, its own type in front */
	if (!colon && value[0] == '(')
		colon = strstr(value, ") {");
	return colon ? colon + 2 : NULL;
}

char *plain_value(const char *value)
{
	const char *from = find_aggregate(value);
	size_t length = strlen(value);
	char *told, *all = NULL;

	if ((all = rust_value(value)) != NULL)
		return all;
	if (!from || length > PLAIN_MAX || !(strstr(value, EMPTY) || strstr(value, "_M_")))
		return NULL;
	told = plain((struct span){from, strlen(from)}, 0);
	if (told && asprintf(&all, "%.*s%s", (int)(from - value), value, told) < 0)
		all = NULL;
	free(told);
	if (all && strlen(all) < length)
		return all;
	free(all);
	return NULL;
}

void plain_results(json_t *results)
{
	json_t *child;
	const char *name;
	size_t i;

	json_array_foreach(results, i, child) plain_results(child);
	json_object_foreach(results, name, child)
	{
		char *told = json_is_string(child) && strcmp(name, "value") == 0
				 ? plain_value(json_string_value(child))
				 : NULL;
		plain_results(child);
		if (told)
			json_string_set(child, told);
		free(told);
	}
}

void plain_change(
    struct plain_change *change, const char *old, const char *new, enum plain_side now)
{
	const bool before = now == PLAIN_BEFORE;

	*change =
	    (struct plain_change){.former = {former_value(old, new, (struct former){before, true}),
				      former_value(new, old, (struct former){!before, false})}};
	old = change->former[0] ? change->former[0] : old;
	new = change->former[1] ? change->former[1] : new;
	change->owned[0] = plain_value(old);
	change->owned[1] = plain_value(new);
	change->old = change->owned[0] ? change->owned[0] : old;
	change->new = change->owned[1] ? change->owned[1] : new;
	/* what changed is something that the plain form leaves out */
	if (strcmp(change->old, change->new) == 0) {
		change->old = old;
		change->new = new;
	}
}

void plain_change_end(struct plain_change *change)
{
	free(change->owned[0]);
	free(change->owned[1]);
	free(change->former[0]);
	free(change->former[1]);
}
