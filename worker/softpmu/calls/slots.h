/*
 * Which function of a program's global offset table a slot is for. glibc's memcpy and memmove are
 * one function, so what a caller means is only in the name of its slot.
 *
 * LIMIT: a program that is linked statically has no names there, and a function whose address was
 * stored elsewhere first is called without one.
 */
#ifndef RR_WARDEN_SOFTPMU_SLOTS_H
#define RR_WARDEN_SOFTPMU_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct slots;

/* The number that a function's name stands for; 0: it does not matter. */
typedef uint8_t slots_number(const char *name);

/* NULL when memory is short. */
struct slots *slots_new(slots_number *number_of);
void slots_free(struct slots *slots);

/* Of the slot at an address in tid's memory, which need not be one; 0: it is none that matters. */
uint8_t slots_at(struct slots *slots, pid_t tid, uint64_t address);

/* Something else may be mapped at [start, end). */
void slots_forget(struct slots *slots, uint64_t start, uint64_t end);

#endif
