/*
 * Keeps the objects of a program's threads, and the doubts about them. Knows no function of theirs.
 */
#include "worker/investigate/threads/threading_model.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"

static struct threading_object *add_object(struct threading *threading)
{
	size_t room = threading->object_room ? threading->object_room * 2 : 64;
	struct threading_object *objects = threading->objects;

	if (threading->object_count == threading->object_room) {
		objects = reallocarray(objects, room, sizeof(*objects));
		if (!objects)
			return NULL;
		threading->objects = objects;
		threading->object_room = room;
	}
	if (order_add_object(threading->order) == ORDER_NONE)
		return NULL;
	objects[threading->object_count] = (struct threading_object){0};
	return &objects[threading->object_count++];
}

size_t threading_object(
    struct threading *threading, enum threading_kind kind, unsigned long long address, size_t owner)
{
	struct threading_object *object;

	for (size_t i = 0; i < threading->object_count; i++) {
		object = &threading->objects[i];
		if (object->address == address && object->kind == kind && object->owner == owner)
			return i;
	}
	object = add_object(threading);
	if (!object) {
		threading->partly = true;
		return ORDER_NONE;
	}
	object->kind = kind;
	object->address = address;
	object->owner = owner;
	return threading->object_count - 1;
}

bool threading_read(
    struct threading *threading, const char *expressions, unsigned long long *numbers, size_t count)
{
	struct replay *replay = threading->replay;
	json_auto_t *results = NULL;
	const char *at = NULL;
	size_t i;

	if (gdb_command(replay_gdb(replay), &results,
		"-data-evaluate-expression --thread %d --frame 0 --language c \"{%s}\"",
		replay_selected(replay)->number, expressions) == GDB_DONE)
		at = mi_text(results, "value");
	for (i = 0; at && i < count; i++) {
		char *end;

		at += strcspn(at, "0123456789");
		if (!*at)
			break;
		numbers[i] = strtoull(at, &end, 0);
		at = end;
	}
	return i == count;
}

void threading_doubt(struct threading *threading, json_t *sentence)
{
	json_t *reason;
	size_t i;

	json_array_foreach(threading->reasons, i, reason)
	{
		if (json_equal(reason, sentence)) {
			json_decref(sentence);
			return;
		}
	}
	if (i < THREADING_REASONS_MAX)
		json_array_append(threading->reasons, sentence);
	json_decref(sentence);
}

void threading_blind(struct threading *threading, json_t *sentence)
{
	threading->blind = true;
	threading_doubt(threading, sentence);
}
