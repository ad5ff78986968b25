/*
 * The program's code for the translator: what is mapped where, copies of the pages that only rr and
 * system calls can change, and the present bytes of code that the program itself can change.
 */
#ifndef RR_WARDEN_SOFTPMU_CODEPAGES_H
#define RR_WARDEN_SOFTPMU_CODEPAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
	uint64_t start, end; /* [start, end) */
	bool code;	     /* readable and executable */
	bool changes;	     /* code that is writable, or shared with who may write to it */
	bool executable;
	bool ours; /* the code cache's, which the program does not know */
};

struct mappings {
	struct mapping *list; /* by address */
	size_t count, room;
};

/* Reads what tid has mapped; false when it cannot be read. */
bool mappings_read(struct mappings *mappings, pid_t tid);
void mappings_free(struct mappings *mappings);

/* The mapping that holds address, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address);

/* True when nothing is mapped in [start, end). */
bool mappings_is_free(const struct mappings *mappings, uint64_t start, uint64_t end);

struct codepages;

/* NULL when memory is short. Takes over *mappings. */
struct codepages *codepages_new(struct mappings *mappings);
void codepages_free(struct codepages *pages);

/*
 * Copies code of tid from address on, at most length bytes. Returns how many there are: 0 when
 * there is no code. They are all of one kind: *changes says whether the program, or another mapping
 * of the same memory, can write to them at any time.
 */
size_t codepages_read(struct codepages *pages, pid_t tid, uint64_t address, uint8_t *bytes,
    size_t length, bool *changes);

/* The bytes at [start, end) may have changed. */
void codepages_forget(struct codepages *pages, uint64_t start, uint64_t end);

/* The mappings themselves have changed: they are read again before the next copy. */
void codepages_remapped(struct codepages *pages);

/* True when [start, end) touches memory that was executable when the mappings were read. */
bool codepages_touches_code(const struct codepages *pages, uint64_t start, uint64_t end);

#endif
