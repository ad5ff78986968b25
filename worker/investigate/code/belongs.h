#ifndef WORKER_BELONGS_H
#define WORKER_BELONGS_H
/*
 * What an address belongs to, in words: "the stack, mapped rw-p", "not mapped: a null pointer".
 */
#include "worker/read/code/mappings.h"

#define BELONGS_MAX 500

/* Below this, an address is a null pointer, or an offset from one. */
#define BELONGS_NULL_PAGES 0x10000ULL

enum right { ACCESS_READ, ACCESS_WRITE, ACCESS_EXECUTE };

/* Whether a mapping allows it. Those without rights (gdb before 12 tells none) allow all. */
bool belongs_allows(const struct mapping *mapping, enum right access);

/* Whether the program may run code there. */
bool belongs_to_code(const struct mappings *mappings, unsigned long long address);

/* No address of a program on this processor. */
bool belongs_nowhere(unsigned long long address);

/* Whether an access there fails because the stack of the selected thread is full. */
bool belongs_to_full_stack(
    struct replay *replay, const struct mappings *mappings, unsigned long long address);

/* Fills `text` with what the address belongs to, and with what forbids the access. */
void belongs_tell(struct replay *replay, const struct mappings *mappings,
    unsigned long long address, enum right access, char text[BELONGS_MAX]);

/* Why the access fails, short: "where nothing is mapped"; "" if the mapping allows it. */
const char *belongs_why(
    const struct mappings *mappings, unsigned long long address, enum right access);

#endif
