#ifndef WORKER_DAMAGE_READS_H
#define WORKER_DAMAGE_READS_H
/*
 * The words of memory that a stretch of code read last. A check that failed failed on one of them,
 * most likely on the very last.
 */
#include "worker/session/replay.h"

#define READS_MAX 24

struct reads {
	struct {
		unsigned long long address; /* a multiple of 8 */
		bool in_file;		    /* it lies in a program's or library's own data */
	} words[READS_MAX];		    /* no word twice; the last first */
	size_t count;
};

/*
 * Steps the selected thread from where it stands to `until`, and notes which words of writable
 * memory it reads on the way, without those of its stack and its thread's own. False if it does not
 * get there in as many steps as are worth it; the program then stands anywhere.
 */
bool reads_note(struct replay *replay, const struct moment *until, struct reads *reads);

#endif
