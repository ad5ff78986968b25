#ifndef WORKER_POOL_NAMES_H
#define WORKER_POOL_NAMES_H
/*
 * How a client names a function of an allocator: "pool_alloc", "pool_alloc:2", "node_new=48",
 * "arena_reset:all". Pure.
 */
#include <stdbool.h>
#include "sandbox/wire/failure.h"

#define POOL_NAME_MAX 200 /* bytes of a name, with its end */

enum {
	POOL_ARGUMENT_MAX = 32,
	POOL_CONSTANT_MAX = 1 << 30,
};

struct pool_name {
	char function[POOL_NAME_MAX];
	unsigned argument;	     /* which one is meant, from 1 on; 0: none */
	unsigned long long constant; /* that size */
	bool given;		     /* the client gives the argument; else it is the first */
	bool all;		     /* it frees all blocks of a pool */
};

/* gives: its blocks may have a constant size; else it may free all. False with *failure filled. */
bool pool_names_read(const char *text, bool gives, struct pool_name *name, struct failure *failure);

#endif
