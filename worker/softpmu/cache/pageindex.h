/*
 * Which numbers belong to which pages: an index from 4 kB pages of addresses to lists of numbers.
 * Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_PAGEINDEX_H
#define RR_WARDEN_SOFTPMU_PAGEINDEX_H

#include <stdbool.h>
#include <stdint.h>

struct pageindex;

/* An empty index; NULL when memory is short. */
struct pageindex *pageindex_new(void);
void pageindex_free(struct pageindex *index);
void pageindex_clear(struct pageindex *index);

/* number belongs to every page of [start, end). False when memory is short. */
bool pageindex_add(struct pageindex *index, uint64_t start, uint64_t end, uint32_t number);

/* Asked about a number of a page touched by [start, end): true takes it out of that page. */
typedef bool pageindex_judge(void *context, uint32_t number, uint64_t start, uint64_t end);

/* Asks about every number of every page that [start, end) touches. */
void pageindex_remove(
    struct pageindex *index, uint64_t start, uint64_t end, pageindex_judge *judge, void *context);

#endif
