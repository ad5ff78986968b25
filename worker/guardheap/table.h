#ifndef WORKER_GUARDHEAP_TABLE_H
#define WORKER_GUARDHEAP_TABLE_H
/*
 * The blocks of this process's heap. Every function is called with the lock.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/guardheap/layout.h"

#define HEAP_ALIGN_MAX 16 /* that malloc promises */

struct guardheap_table *heap_table(void);
struct guardheap_count *heap_count(void);

/* Makes the table at the first call. False without memory. */
bool table_make(void);

struct guardheap_block *table_block(uint32_t number);
uint32_t table_number(const struct guardheap_block *block);

/* A number that was never used; 0: there is none. */
uint32_t table_new(void);

/* The block that begins at an address; NULL: none does. *in: the one that has or had it inside, as
 * far as that is known. */
struct guardheap_block *table_find(uint64_t address, struct guardheap_block **in);

void table_set_owner(const struct guardheap_block *block, uint32_t number);

/* A queue of freed blocks. */
struct queue {
	uint32_t first, last;
};

void queue_add(struct queue *queue, uint32_t number);

/* The first of the oldest `most` ones that has that much room, taken out; 0: none. */
uint32_t queue_take(struct queue *queue, uint64_t room, int most);

#endif
