/*
 * Passes of a breakpoint, counted by a key: its return address, or a value. A search that groups
 * them asks for that with packets that rr does not know, at a stop:
 *
 *   QRRWarden.keys:        forgets all keys
 *   QRRWarden.key:KEY      counts the passes with this key from here on
 *   QRRWarden.shown:N      the table shows its rows from number N on
 *   QRRWarden.next:SUM     the pass before which the sum is SUM is the next at KEYMARK_NEXT
 *   QRRWarden.rule:PC,ABOVE,KEPT,BY  a rule of keymark.h; BY is 1 for rbp
 *
 * all in hexadecimal. A pass with a key that was not named stops, and is not counted: so gdb sees
 * the first one of each, and all of those that it does not name.
 *
 * A return address that decides nothing alone is not named. Then the key is made of it and of the
 * next ones, as far as there are rules, until one is named (key_of_callers).
 *
 * In the code cache each pass writes its key, and its value, into a log, whose length is the number
 * of passes: to take one back takes its key back. What it looks for in a small table are keys that
 * are named; one that is not there asks, and so does a pass with which the log is full.
 */
#ifndef RR_WARDEN_SOFTPMU_PASSKEYS_H
#define RR_WARDEN_SOFTPMU_PASSKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/base/stackwalk.h"
#include "worker/x86/keymark.h"

enum { KEY_PLACES = 2 * KEYS_MAX };

struct passkeys {
	uint64_t state;
	uint64_t number; /* of tables, ever */
	uint64_t next;
	size_t count, shown;
	struct key_row row[KEYS_MAX];
	uint16_t place[KEY_PLACES]; /* of rows, by their keys; 0: none, or the number from 1 on */
	struct stack_rules rules;
};

/* A whole packet of gdb's, which ends with a NUL. */
void passkeys_take(struct passkeys *keys, const char *packet);

void passkeys_end(struct passkeys *keys);

bool passkeys_knows(const struct passkeys *keys, uint64_t key);

/* The key of a pass of tracee tid with these registers, whose return address is *key: that one, or
 * one that is made of it and of others. False: none is named. */
bool passkeys_find(
    const struct passkeys *keys, pid_t tid, const struct user_regs_struct *regs, uint64_t *key);

/* A pass with this key and this value is counted, with which the sum of passes is `sum`. */
void passkeys_count(struct passkeys *keys, uint64_t key, uint64_t value, uint64_t sum);

/* rr reads `size` bytes of a tracee there, for gdb. True if they are ours, and now in buffer. */
bool passkeys_read(const struct passkeys *keys, uint64_t address, void *buffer, size_t size);

#endif
