/*
 * Keeps the table. It must never be short of a pass without saying so.
 */
#include "worker/softpmu/traps/passkeys.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/address.h"

void passkeys_end(struct passkeys *keys)
{
	const uint64_t number = keys->number;

	memset(keys, 0, sizeof *keys);
	keys->number = number + 1;
}

/* Where the row's number is, or belongs. */
static uint16_t *place_of(struct passkeys *keys, uint64_t key)
{
	size_t at = (key * 0x9e3779b97f4a7c15ull >> 32) % KEY_PLACES;

	while (keys->place[at] && keys->row[keys->place[at] - 1].key != key)
		at = (at + 1) % KEY_PLACES;
	return &keys->place[at];
}

bool passkeys_knows(const struct passkeys *keys, uint64_t key)
{
	return *place_of((struct passkeys *)keys, key) != 0;
}

static void add(struct passkeys *keys, uint64_t key)
{
	uint16_t *place = place_of(keys, key);

	if (*place || keys->count == KEYS_MAX)
		return;
	keys->row[keys->count++] = (struct key_row){.key = key};
	*place = (uint16_t)keys->count;
}

static void add_rule(struct passkeys *keys, const char *text)
{
	uint64_t part[4] = {0};
	char *end;

	for (size_t i = 0; i < 4; i++, text = end + (*end == ',')) {
		part[i] = strtoull(text, &end, 16);
		if (end == text)
			return;
	}
	stack_rules_add(&keys->rules, part[0],
	    &(struct stack_rule){(uint32_t)part[1], (uint32_t)part[2], part[3] != 0});
}

bool passkeys_find(
    const struct passkeys *keys, pid_t tid, const struct user_regs_struct *regs, uint64_t *key)
{
	struct stack_place place = {regs->rip, regs->rsp, regs->rbp};
	const uint64_t first = *key;

	for (int depth = 1; depth <= KEY_DEPTH_MAX && !passkeys_knows(keys, *key); depth++) {
		if (keys->rules.count == 0 || !stackwalk_out(&keys->rules, tid, &place) ||
		    (depth == 1 && place.pc != first))
			break;
		if (depth > 1)
			*key = key_of_callers(*key, place.pc);
	}
	if (passkeys_knows(keys, *key))
		return true;
	*key = first;
	return false;
}

/* The number in a packet that begins with `name`. */
static bool take(const char *packet, const char *name, uint64_t *number)
{
	const size_t length = strlen(name);
	char *end;

	if (strncmp(packet, name, length) != 0)
		return false;
	*number = strtoull(packet + length, &end, 16);
	return end != packet + length;
}

void passkeys_take(struct passkeys *keys, const char *packet)
{
	static const char rule[] = "QRRWarden.rule:";
	uint64_t number;

	if (strcmp(packet, "QRRWarden.keys:") == 0) {
		passkeys_end(keys);
		keys->state = KEYS_ON;
	} else if (take(packet, "QRRWarden.key:", &number)) {
		add(keys, number);
	} else if (take(packet, "QRRWarden.shown:", &number)) {
		keys->shown = number < keys->count ? (size_t)number : keys->count;
	} else if (take(packet, "QRRWarden.next:", &number)) {
		keys->next = number;
	} else if (strncmp(packet, rule, strlen(rule)) == 0) {
		add_rule(keys, packet + strlen(rule));
	}
}

void passkeys_count(struct passkeys *keys, uint64_t key, uint64_t value, uint64_t sum)
{
	const uint16_t number = *place_of(keys, key);
	struct key_row *row;

	if (!number) {
		keys->state |= KEYS_LOST;
		return;
	}
	row = &keys->row[number - 1];
	row->count++;
	row->last = sum;
	if ((int64_t)value < 0)
		keys->state |= KEYS_NEGATIVE;
	if (__builtin_add_overflow(row->sum, (int64_t)value, &row->sum))
		keys->state |= KEYS_LOST;
}

bool passkeys_read(const struct passkeys *keys, uint64_t address, void *buffer, size_t size)
{
	struct key_table table = {.state = keys->state, .count = keys->count};
	size_t left = keys->count - keys->shown;

	if (address == KEYMARK_NEXT && size == sizeof keys->next) {
		memcpy(buffer, &keys->next, size);
		return true;
	}
	if (!(keys->state & KEYS_ON) ||
	    !address_is_part(address, size, KEYMARK_TABLE, sizeof table))
		return false;
	left = left < KEYS_SHOWN ? left : KEYS_SHOWN;
	memcpy(table.row, keys->row + keys->shown, left * sizeof *keys->row);
	memcpy(buffer, (const char *)&table + (address - KEYMARK_TABLE), size);
	return true;
}
