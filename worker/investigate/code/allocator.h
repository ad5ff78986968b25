#ifndef WORKER_ALLOCATOR_H
#define WORKER_ALLOCATOR_H
/*
 * The malloc of glibc in the recorded program: its functions, the instructions at which they return
 * a block, how it lays blocks out, and how the program called it.
 */
#include "worker/session/replay.h"

#define ALLOCATOR_FUNCTIONS   8
#define ALLOCATOR_RETURNS_MAX 64

struct allocator_return {
	unsigned long long address;
	const char *in; /* the register that holds the block there */
};

struct allocator {
	unsigned long long functions[ALLOCATOR_FUNCTIONS]; /* their addresses; 0: not there */
	unsigned long long take, resize; /* free and realloc, which are among them */
	struct allocator_return returns[ALLOCATOR_RETURNS_MAX]; /* of those that hand out blocks */
	size_t return_count;
	bool partly;   /* not all returns were found */
	bool replaced; /* the program's malloc is another one, which may use this one */
};

/* Whose malloc the program calls, as gdb knows it where the program stands. */
enum allocator_malloc { ALLOCATOR_MALLOC_UNKNOWN, ALLOCATOR_MALLOC_LIBC, ALLOCATOR_MALLOC_OTHER };

enum allocator_malloc allocator_malloc(struct replay *replay);

/* Whether a file is the dynamic linker, which has a malloc of its own until the C library is there,
 * and inlined ones that go on to the C library's. */
bool allocator_is_linker(const char *file);

/* Finds it where the program stands. False if it is not (yet) in memory. */
bool allocator_find(struct replay *replay, struct allocator *allocator);

struct block {
	unsigned long long address, room; /* bytes that the program may use */
	bool mapped;			  /* it has a mapping of its own, which ends with it */
	unsigned long long arena; /* where another arena than the first describes itself, or 0 */
	unsigned long long described; /* what stands there */
};

/* Reads the block that a pointer stands for. False if it can be none. */
bool block_read(struct replay *replay, unsigned long long pointer, struct block *block);
bool block_has(const struct block *block, unsigned long long address);
/* Whether the memory of a block that was freed still belongs to malloc. */
bool block_is_kept(struct replay *replay, const struct block *block);

/* What must be released or was handed out in the same way. */
enum allocator_way { WAY_UNKNOWN, WAY_MALLOC, WAY_NEW, WAY_NEW_ARRAY };

/* At a function of the allocator: how the program called it, and by which name ("" if it is not
 * known). */
enum allocator_way allocator_way(
    struct replay *replay, const struct allocator *allocator, char *name, size_t size);

/* In the code of the allocator: the name by which the program called it, "" if it is not known. */
void allocator_called(
    struct replay *replay, const struct allocator *allocator, char *name, size_t size);

/* At a function of the allocator: whether the program called it, or a library for the program. When
 * a thread or the process ends, the C library calls it by itself. */
bool allocator_is_called(struct replay *replay);

enum accessor {
	ACCESSOR_PROGRAM,   /* its own code, or a library that it called */
	ACCESSOR_ALLOCATOR, /* malloc keeps its own data in blocks, and beside them */
	ACCESSOR_LIBRARY,   /* the C library when a thread or the process ends, or unknown code */
};

/* Whose code accesses memory where the program stands. */
enum accessor allocator_accessor(struct replay *replay, const struct allocator *allocator);

#endif
