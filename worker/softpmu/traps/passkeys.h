/*
 * Passes of a breakpoint, counted by a key: its return address, or a value. A search that groups
 * them asks for that with packets that rr does not know, at a stop:
 *
 *   QRRWarden.keys:        forgets all keys
 *   QRRWarden.key:KEY      counts the passes with this key from here on
 *   QRRWarden.shown:N      the table shows its rows from number N on
 *   QRRWarden.next:SUM     the pass before which the sum is SUM is the next at KEYMARK_NEXT
 *
 * all in hexadecimal. A pass with a key that was not named stops, and is not counted: so gdb sees
 * the first one of each, and all of those that it does not name.
 *
 * In the code cache each pass writes its key into a log, whose length is the number of passes: to
 * take one back takes its key back. What it looks for in a small table are keys that are named;
 * one that is not there asks, and so does a pass with which the log is full.
 */
#ifndef RR_WARDEN_SOFTPMU_PASSKEYS_H
#define RR_WARDEN_SOFTPMU_PASSKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/x86/keymark.h"

struct passkeys {
	uint64_t state;
	uint64_t number; /* of tables, ever */
	uint64_t next;
	size_t count, shown;
	struct key_row row[KEYS_MAX];
};

/* A whole packet of gdb's, which ends with a NUL. */
void passkeys_take(struct passkeys *keys, const char *packet);

void passkeys_end(struct passkeys *keys);

bool passkeys_knows(const struct passkeys *keys, uint64_t key);

/* A pass with this key is counted, with which the sum is `sum`. */
void passkeys_count(struct passkeys *keys, uint64_t key, uint64_t sum);

/* rr reads `size` bytes of a tracee there, for gdb. True if they are ours, and now in buffer. */
bool passkeys_read(const struct passkeys *keys, uint64_t address, void *buffer, size_t size);

#endif
