#ifndef WORKER_OWN_CODE_H
#define WORKER_OWN_CODE_H
/*
 * Where the lines and functions of a program's own code begin. Two runs of the same program have
 * the same places, at addresses that may differ.
 */
#include "worker/session/replay.h"

#define OWN_CODE_PLACES_MAX 60000
#define OWN_CODE_FILES_MAX  400
#define OWN_CODE_ID_MAX	    128

struct own_place {
	unsigned long long address;
	int line;
	unsigned short file;
	bool entry;	   /* a function begins here */
	unsigned function; /* the number of the place at which its function begins */
};

struct own_code {
	char *files[OWN_CODE_FILES_MAX]; /* owned */
	size_t file_count;
	struct own_place *places; /* owned, by address */
	size_t count;
	char id[OWN_CODE_ID_MAX]; /* the program's build id; "": it has none */
	bool cut;		  /* there is more code than was read */
};

/* Of the program in which the session stands. False with *failure filled if it has no own lines.
 * Call own_code_free in either case. */
bool own_code_read(struct replay *replay, struct own_code *code, struct failure *failure);
void own_code_free(struct own_code *code);

/* Whether both are of the same program: false with *failure filled. */
bool own_code_is_same(
    const struct own_code *one, const struct own_code *other, struct failure *failure);

/* The number of the place at an address; code->count: none is there. */
size_t own_code_find(const struct own_code *code, unsigned long long address);

#endif
