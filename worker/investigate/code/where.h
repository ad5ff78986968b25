#ifndef WORKER_WHERE_H
#define WORKER_WHERE_H
/*
 * Names the code in which the program stands in few words, for answers with many such places.
 */
#include "worker/session/replay.h"

/*
 * At gdb's last stop: {function?, at?, in?} of the first frame of the program's own code. If the
 * program stands deeper, `in` is the function that this frame called.
 * If that frame is one of a wrapper, `callers` are up to six of its callers in words, and
 * `wrappers` says how many frames are of wrappers.
 */
json_t *where_own(struct replay *replay);

/* The same in words, as of where_words. To be released. */
json_t *where_own_words(struct replay *replay);

/* The same callers, of `own` among frames that have their addresses: owned by the caller, with the
 * number of wrappers; NULL: it is none, or the first of the frames. */
json_t *where_callers(
    struct replay *replay, const json_t *frames, const json_t *own, size_t *passed);

/* At gdb's last stop, in words: at most so many frames of the program's own code behind its first,
 * because a wrapper's caller is what matters. To be released. */
json_t *where_outer_callers(struct replay *replay, size_t most);

/* At gdb's last stop: "make (a.c:6), called by main (a.c:10)", with at most so many callers. To be
 * released. */
json_t *where_and_callers(struct replay *replay, size_t most);

/* The same three, but for the innermost `levels` frames. */
json_t *where_own_from(struct replay *replay, size_t levels);
json_t *where_outer_callers_from(struct replay *replay, size_t levels, size_t most);
json_t *where_and_callers_from(struct replay *replay, size_t levels, size_t most);

#define WHERE_CALLERS_MAX 2000

/* ", called by load (a.c:7), called by main (a.c:9)", of the first `count` of them: as many as
 * there are wrappers, so that the last is the one that is none. */
void where_join(const json_t *callers, size_t count, char words[WHERE_CALLERS_MAX]);

/* "make (a.c:6), called by main (a.c:10)" of places in words, of which there is at least one; the
 * first one is taken out. To be released. */
json_t *where_chain(json_t *places);

#define WHERE_CODE_MAX 64

/* Places in the program's own code that were found before. Starts as {0}. */
struct where_code {
	struct {
		unsigned long long pc;
		json_t *where;
	} known[WHERE_CODE_MAX];
	size_t count;
};

void where_forget(struct where_code *code);

/* The place for a program counter, borrowed; NULL: it was not found before. */
json_t *where_known(const struct where_code *code, unsigned long long pc);

/* The same right after an access to memory, at replay_now: the place of the instruction before,
 * which made it. */
json_t *where_behind(struct replay *replay, struct where_code *code);

/* The same for frame `level` and its callers; NULL if there is none. */
json_t *where_from(struct replay *replay, int level);

/* The same for these frames, which keep their addresses only until then. */
json_t *where_of(struct replay *replay, json_t *frames);

/* The function at an address, by its symbol: its first instruction, and its name without arguments.
 * False if no symbol covers the address. */
bool where_entry(struct replay *replay, unsigned long long pc, unsigned long long *entry,
    char *name, size_t size);

/* "store (a.c:8)", or "memcpy, called by load (a.c:7)", or "malloc, called by xmalloc (u.c:3),
 * called by load (a.c:7)". To be released. */
json_t *where_words(const json_t *where);

#endif
