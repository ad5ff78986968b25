/*
 * Stores what the client has set.
 */
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/serve/sentence.h"
#include "worker/session/breakpoint.h"

void breakpoint_clear(struct breakpoint *breakpoint)
{
	free(breakpoint->what);
	free(breakpoint->condition);
	free(breakpoint->judged);
	free(breakpoint->catches);
	free(breakpoint->resolved);
	free(breakpoint->absolute);
	free(breakpoint->frame_function);
	*breakpoint = (struct breakpoint){0};
}

static void add_text(json_t *json, const char *name, const char *text)
{
	json_object_set_new(json, name, json_string(text));
}

/* Addresses are beyond what a JSON number is sure to hold. */
static void add_frame(json_t *json, const struct breakpoint *breakpoint)
{
	json_object_set_new(json, "frame_top", json_sprintf("0x%llx", breakpoint->frame_top));
	json_object_set_new(json, "frame_back", json_sprintf("0x%llx", breakpoint->frame_back));
}

json_t *breakpoint_json(const struct breakpoint *breakpoint)
{
	json_t *json = json_pack("{s:i,s:s,s:s}", "number", breakpoint->number, "kind",
	    breakpoint->watches ? "watchpoint" : "breakpoint", "what", breakpoint->what);

	add_text(json, "condition", breakpoint->condition);
	add_text(json, "judged", breakpoint->judged);
	add_text(json, "catches", breakpoint->catches);
	answer_add_flag(json, "disabled", breakpoint->disabled);
	answer_add_flag(json, "temporary", breakpoint->temporary);
	answer_add_flag(json, "pending", breakpoint->pending);
	answer_add_count(json, "ignore_count", breakpoint->ignore_count);
	answer_add_count(json, "thread", breakpoint->thread);
	if (breakpoint->watches)
		add_text(json, "access", choices_watch_access[breakpoint->access]);
	answer_add_flag(json, "by_location", breakpoint->by_location);
	add_text(json, "resolved", breakpoint->resolved);
	add_text(json, "absolute", breakpoint->absolute);
	add_text(json, "frame_function", breakpoint->frame_function);
	if (breakpoint->frame_top)
		add_frame(json, breakpoint);
	if (breakpoint->bound)
		json_object_set_new(json, "image", json_integer(breakpoint->image));
	answer_add_count(json, "process", breakpoint->process);
	answer_add_count(json, "hits_before", breakpoint->hits_before);
	return json;
}

static long long number_of(const json_t *json, const char *name)
{
	return json_integer_value(json_object_get(json, name));
}

static char *text_of(const json_t *json, const char *name)
{
	const char *text = mi_text(json, name);

	return text ? strdup(text) : NULL;
}

static enum watch_access access_of(const char *name)
{
	unsigned access = 0;

	for (unsigned i = 0; name && choices_watch_access[i]; i++)
		if (strcmp(name, choices_watch_access[i]) == 0)
			access = i;
	return (enum watch_access)access;
}

bool breakpoint_from_json(const json_t *json, struct breakpoint *breakpoint)
{
	const char *kind = mi_text(json, "kind");

	*breakpoint = (struct breakpoint){
	    .number = (int)number_of(json, "number"),
	    .watches = kind && strcmp(kind, "watchpoint") == 0,
	    .what = text_of(json, "what"),
	    .condition = text_of(json, "condition"),
	    .judged = text_of(json, "judged"),
	    .catches = text_of(json, "catches"),
	    .disabled = json_is_true(json_object_get(json, "disabled")),
	    .temporary = json_is_true(json_object_get(json, "temporary")),
	    .pending = json_is_true(json_object_get(json, "pending")),
	    .ignore_count = number_of(json, "ignore_count"),
	    .thread = number_of(json, "thread"),
	    .access = access_of(mi_text(json, "access")),
	    .by_location = json_is_true(json_object_get(json, "by_location")),
	    .resolved = text_of(json, "resolved"),
	    .absolute = text_of(json, "absolute"),
	    .frame_function = text_of(json, "frame_function"),
	    .frame_top = mi_address(json, "frame_top"),
	    .frame_back = mi_address(json, "frame_back"),
	    .bound = json_is_integer(json_object_get(json, "image")),
	    .image = number_of(json, "image"),
	    .process = number_of(json, "process"),
	    .hits_before = number_of(json, "hits_before"),
	};
	return kind && breakpoint->what;
}

struct breakpoint_list *breakpoint_list_new(void)
{
	struct breakpoint_list *list = calloc(1, sizeof(*list));

	if (list)
		list->next = 1;
	return list;
}

struct breakpoint *breakpoint_list_add(struct breakpoint_list *list, struct breakpoint *breakpoint)
{
	struct breakpoint *bigger =
	    breakpoint->what ? reallocarray(list->entries, list->count + 1, sizeof(*list->entries))
			     : NULL;

	if (!bigger)
		return NULL;
	list->entries = bigger;
	if (!breakpoint->number)
		breakpoint->number = list->next;
	if (breakpoint->number >= list->next)
		list->next = breakpoint->number + 1;
	bigger[list->count] = *breakpoint;
	*breakpoint = (struct breakpoint){0};
	return &bigger[list->count++];
}

void breakpoint_list_remove(struct breakpoint_list *list, struct breakpoint *breakpoint)
{
	size_t behind = (size_t)(list->entries + list->count - breakpoint - 1);

	breakpoint_clear(breakpoint);
	memmove(breakpoint, breakpoint + 1, behind * sizeof(*breakpoint));
	list->count--;
}

void breakpoint_list_free(struct breakpoint_list *list)
{
	for (size_t i = 0; list && i < list->count; i++)
		breakpoint_clear(&list->entries[i]);
	if (list)
		free(list->entries);
	free(list);
}

struct breakpoint *breakpoint_by_number(const struct breakpoint_list *list, long long number)
{
	for (size_t i = 0; number && i < list->count; i++)
		if (list->entries[i].number == number)
			return &list->entries[i];
	return NULL;
}

struct breakpoint *breakpoint_by_gdb(const struct breakpoint_list *list, long long gdb)
{
	for (size_t i = 0; gdb && i < list->count; i++)
		if (list->entries[i].gdb == gdb)
			return &list->entries[i];
	return NULL;
}

long long breakpoint_hits(const struct breakpoint *breakpoint, const json_t *row)
{
	return breakpoint->hits_before + mi_number(row, "times", 0);
}
