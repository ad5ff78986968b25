/*
 * The register says which value the pointer has, the source line what it is called: words are told
 * only if they have that value.
 */
#include "worker/investigate/fault/pointer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/code/belongs.h"
#include "worker/investigate/search/phrases.h"
#include "worker/read/values/accessed.h"

#define NAME_BYTES (PHRASE_MAX + 40)

/* The stack's own registers are no pointers of the source, and neither is the program counter. */
static bool is_pointer(const char *base)
{
	static const char *const others[] = {"", "rsp", "rbp", "rip"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(base, others[i]) == 0)
			return false;
	return true;
}

/* "*p" of "(*p)". */
static void strip(char *words)
{
	size_t length = strlen(words);

	if (words[0] != '(' || strcspn(words + 1, "()") != length - 2)
		return;
	memmove(words, words + 1, length - 2);
	words[length - 2] = '\0';
}

static void suggest(struct fault *fault, const char *name, unsigned long long place)
{
	if (fault->hint[0])
		return;
	if (place)
		snprintf(fault->hint, sizeof(fault->hint),
		    "rr_last_change of *(long *) 0x%llx says who wrote that pointer", place);
	else
		snprintf(fault->hint, sizeof(fault->hint),
		    "rr_origin_of of %s says where that pointer came from", name);
}

static void tell(
    struct fault *fault, const char *name, unsigned long long value, unsigned long long place)
{
	const char *address = json_string_value(json_object_get(fault->json, "address"));
	size_t used = strlen(fault->said), room = sizeof(fault->said) - used;

	if (value == 0)
		snprintf(fault->said + used, room, ": %s is null", name);
	else if (address && strtoull(address, NULL, 16) == value)
		snprintf(fault->said + used, room, ": %s points there", name);
	else
		snprintf(fault->said + used, room, ": %s is 0x%llx", name, value);
	json_object_set_new(fault->json, "pointer", json_string(name));
	if (place)
		json_object_set_new(fault->json, "pointer_at", json_sprintf("0x%llx", place));
	suggest(fault, name, place);
}

void pointer_tell(struct replay *replay, const struct mappings *mappings,
    const struct memory_operand *operand, struct fault *fault)
{
	unsigned long long value, place;
	char phrase[PHRASE_MAX], name[NAME_BYTES];

	if (!is_pointer(operand->base) || !accessed_register(replay, operand->base, 8, &value) ||
	    belongs_allows(mappings_find(mappings, value), ACCESS_READ))
		return;
	if (phrases_find_object(replay, value, phrase, &place)) {
		snprintf(name, sizeof(name), "the virtual table pointer of %s", phrase);
		accessed_whole(replay, place, &value, sizeof(value));
		tell(fault, name, value, place);
		return;
	}
	phrases_find_pointer(replay, value, phrase, &place);
	/* The code may have added an index to it. */
	if (!phrase[0] && value && value < BELONGS_NULL_PAGES) {
		value = 0;
		phrases_find_pointer(replay, value, phrase, &place);
	}
	strip(phrase);
	if (phrase[0])
		tell(fault, phrase, value, place);
}
