#ifndef WORKER_FUNCTION_CODE_H
#define WORKER_FUNCTION_CODE_H
/*
 * The code of one function: where its lines begin, where it calls, and which variables of the
 * program it names.
 */
#include <limits.h>
#include "worker/session/replay.h"

#define FUNCTION_SPOTS_MAX   600 /* places to stop at */
#define FUNCTION_GLOBALS_MAX 16
#define FUNCTION_NAME_MAX    256

/* An instruction of the function. Each flag says what is to be seen there. */
struct spot {
	unsigned long long address;
	int line;	  /* begins here; 0: none does */
	bool calls, back; /* a call; the instruction after one */
	bool returns;
	bool outside;		 /* not of the inlined function that is told; see inlined_pass.h */
	bool leaves;		 /* jumps to another function, which then returns in its place */
	unsigned long long next; /* with calls: where it comes back to */
	char target[FUNCTION_NAME_MAX]; /* with calls and leaves: as the code has it */
	int number;			/* gdb's breakpoint */
};

struct function_code {
	unsigned long long entry;
	char path[PATH_MAX]; /* of its source */
	struct spot *spots;  /* owned, by address */
	size_t count;
	char globals[FUNCTION_GLOBALS_MAX][FUNCTION_NAME_MAX];
	size_t global_count;
	int first, last; /* lines */
	bool cut;	 /* it has more places than could be kept */
	bool optimized;
	bool late; /* its variables are in place only behind its first instructions */
};

/* The function that begins at `entry`, whose source is `path`. False with *failure filled. Call
 * function_code_free in either case. */
bool function_code_read(struct replay *replay, unsigned long long entry, const char *path,
    struct function_code *code, struct failure *failure);
void function_code_free(struct function_code *code);

/* NULL: nothing is to be seen there. */
struct spot *function_code_spot(const struct function_code *code, unsigned long long address);

#endif
