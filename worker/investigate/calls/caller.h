#ifndef WORKER_CALLER_H
#define WORKER_CALLER_H
/*
 * Who called the function in which the program stands, as one who groups calls wants it: functions
 * of the program that the compiler put into their caller are passed over, and those that a client
 * names.
 */
#include "worker/session/replay.h"
#include "worker/x86/keymark.h"

/* What decides which group a pass is in: its return address, and those of its callers, or a value.
 */
struct decides {
	size_t depth; /* 0: it is not known */
	unsigned long long at[KEY_DEPTH_MAX];
	bool no_lines; /* it does so only where callers_have_no_lines */
};

/*
 * The caller of the innermost frame, in words to be released; NULL: there is none. `skip` (may be
 * NULL) has names of functions. *decides: the innermost return addresses, if the same words belong
 * to each call that comes back there. LIMIT: not if the program puts another library in the place
 * of the caller's.
 */
json_t *caller_words(struct replay *replay, const json_t *skip, struct decides *decides);

/* The same without a look at what the compiler did: the next frame that is not named, as rows of
 * calls show it. Never NULL. */
json_t *caller_shown(struct replay *replay, const json_t *skip);

#endif
