#ifndef WORKER_GUARDHEAP_HEAP_H
#define WORKER_GUARDHEAP_HEAP_H
/*
 * The heap itself. Every function but heap_stop is called with the lock, and with the table made.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/guardheap/table.h"

#define HEAP_ALIGN_MAX 16 /* that malloc promises */

struct guardheap_table *heap_table(void);
struct guardheap_count *heap_count(void);

/* ---- table.c ---- */

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

/* ---- guarded.c: blocks with pages of their own ---- */

/* Places a block; its address and size are set, but it is not handed out yet. NULL: not possible
 * now. */
struct guardheap_block *guarded_take(uint64_t size, uint64_t align);
/* Takes all access away. */
void guarded_give(struct guardheap_block *block);

/* ---- shared.c: blocks that share pages ---- */

struct guardheap_block *shared_take(uint64_t size, uint64_t align);
void shared_give(struct guardheap_block *block);

/* ---- slack.c: the bytes beside a block ---- */

void slack_fill(const struct guardheap_block *block);
/* The first byte that was written; 0: none. */
uint64_t slack_damage(const struct guardheap_block *block);

/* ---- stop.c ---- */

/* Says what is wrong and ends the program. Takes the lock back, for a handler of SIGABRT. */
_Noreturn void heap_stop(
    enum guardheap_verdict verdict, uint64_t address, struct guardheap_block *block);

#endif
