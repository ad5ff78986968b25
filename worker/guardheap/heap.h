#ifndef WORKER_GUARDHEAP_HEAP_H
#define WORKER_GUARDHEAP_HEAP_H
/*
 * The heap itself. Every function but heap_stop is called with the lock, and with the table made.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/guardheap/table.h"

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
