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

	*keys = (struct passkeys){.number = number + 1};
}

static struct key_row *find(struct passkeys *keys, uint64_t key)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->row[i].key == key)
			return &keys->row[i];
	}
	return NULL;
}

bool passkeys_knows(const struct passkeys *keys, uint64_t key)
{
	return find((struct passkeys *)keys, key);
}

static void add(struct passkeys *keys, uint64_t key)
{
	if (!find(keys, key) && keys->count < KEYS_MAX)
		keys->row[keys->count++] = (struct key_row){.key = key};
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
	}
}

void passkeys_count(struct passkeys *keys, uint64_t key, uint64_t sum)
{
	struct key_row *row = find(keys, key);

	if (!row) {
		keys->state |= KEYS_LOST;
		return;
	}
	row->count++;
	row->last = sum;
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
