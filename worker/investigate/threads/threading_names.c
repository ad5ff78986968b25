/*
 * The words of answers: which lock it is, who took it, and when.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/threads/threading_model.h"
#include "worker/investigate/code/where.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/begins.h"
#include "worker/serve/sentence.h"

void threading_name_address(
    struct replay *replay, unsigned long long address, bool inside, char *name, size_t size)
{
	struct symbol symbol;
	char brief[BRIEF_NAME_MAX];

	if (!symbol_at(replay, address, &symbol))
		snprintf(name, size, "at 0x%llx", address);
	else if (symbol.offset && !inside)
		snprintf(name, size, "%s + %llu", brief_name(symbol.name, brief), symbol.offset);
	else
		snprintf(name, size, "%s", brief_name(symbol.name, brief));
}

const char *threading_without_guard(const char *name)
{
	const char *guarded = behind_beginning(name, "guard variable for ");

	return guarded ? guarded : name;
}

void threading_name(const struct threading *threading, size_t number, char name[THREADING_NAME_MAX])
{
	static const char *const words[] = {[THREADING_MUTEX] = "mutex",
	    [THREADING_RWLOCK] = "rwlock",
	    [THREADING_SPINLOCK] = "spinlock",
	    [THREADING_SEMAPHORE] = "semaphore",
	    [THREADING_CONDITION] = "condition",
	    [THREADING_BARRIER] = "barrier",
	    [THREADING_ONCE] = "pthread_once of",
	    [THREADING_STATIC] = "the initialization of",
	    [THREADING_CREATION] = "pthread_create",
	    [THREADING_JOIN] = "pthread_join"};
	const struct threading_object *object = &threading->objects[number];
	char where[THREADING_ADDRESS_NAME_MAX];

	if (object->kind == THREADING_CREATION || object->kind == THREADING_JOIN) {
		snprintf(name, THREADING_NAME_MAX, "%s", words[object->kind]);
		return;
	}
	threading_name_address(threading->replay, object->address, false, where, sizeof(where));
	snprintf(name, THREADING_NAME_MAX, "%s %s", words[object->kind],
	    object->kind == THREADING_STATIC ? threading_without_guard(where) : where);
}

json_t *threading_held_json(const struct threading *threading, const struct order_held *held)
{
	const struct threading_taking *taking;
	char name[THREADING_NAME_MAX];
	json_t *json;

	threading_name(threading, held->object, name);
	json = json_pack("{s:s}", "lock", name);
	answer_add_flag(json, "reading", held->shared);
	if (held->taking >= threading->taking_count) {
		json_object_set_new(json, "since", json_string("before the search began"));
		return json;
	}
	taking = &threading->takings[held->taking];
	json_object_set_new(json, "since", moment_name(threading->replay, &taking->moment));
	json_object_set(json, "where", taking->where);
	return json;
}

/* The program's own code that called, not what it called in between: lock of std::mutex, for
 * instance. Such a function of a header has many callers, so only what calls by itself is
 * remembered. */
json_t *threading_caller(struct threading *threading, unsigned long long back)
{
	json_t *where, *words;
	bool direct;

	for (size_t i = 0; i < threading->known_count; i++)
		if (threading->known[i].back == back)
			return json_incref(threading->known[i].where);
	where = where_from(threading->replay, 1);
	direct = json_object_get(where, "at") && !json_object_get(where, "in");
	json_object_del(where, "in");
	words = where_words(where);
	if (direct && threading->known_count < THREADING_WHERE_MAX) {
		threading->known[threading->known_count].back = back;
		threading->known[threading->known_count++].where = json_incref(words);
	}
	json_decref(where);
	return words;
}

size_t threading_taking(struct threading *threading, json_t *where)
{
	size_t room = threading->taking_room ? threading->taking_room * 2 : 64;
	size_t number = threading->taking_free;
	struct threading_taking *takings;

	if (number != ORDER_NONE) {
		threading->taking_free = threading->takings[number].next;
	} else {
		if (threading->taking_count == threading->taking_room) {
			takings =
			    reallocarray(threading->takings, room, sizeof(*threading->takings));
			if (!takings)
				return ORDER_NONE;
			threading->takings = takings;
			threading->taking_room = room;
		}
		number = threading->taking_count++;
	}
	position_take_sum(threading->replay);
	threading->takings[number] = (struct threading_taking){
	    .moment = *replay_now(threading->replay), .where = json_incref(where)};
	return number;
}

void threading_taking_over(struct threading *threading, size_t number)
{
	struct threading_taking *taking;

	if (number >= threading->taking_count || threading->takings[number].kept)
		return;
	taking = &threading->takings[number];
	json_decref(taking->where);
	taking->where = NULL;
	taking->next = threading->taking_free;
	threading->taking_free = number;
}
