#ifndef WORKER_ORIGIN_H
#define WORKER_ORIGIN_H
/*
 * Follows the bytes of a value back, from one place that held them to the one before: memory or a
 * register. The session's replay does the searching, so whoever asks begins an excursion before.
 *
 * A step is only made if the bytes at the source, before it, are those at the destination, after
 * it. Where that cannot be shown, the way ends, and says why.
 */
#include "worker/investigate/code/allocator.h"
#include "worker/x86/flow.h"
#include "worker/x86/operand.h"
#include "worker/session/launch/kernel_writes.h"
#include "worker/session/replay.h"

#define ORIGIN_BYTES_MAX 8
#define ORIGIN_TEXT_MAX	 512
#define ORIGIN_STEPS_MAX 8

/* Where the way ends. */
enum origin_end {
	ORIGIN_OPEN, /* not yet */
	ORIGIN_CONSTANT,
	ORIGIN_COMPUTED,
	ORIGIN_ADDRESS,
	ORIGIN_INPUT,
	ORIGIN_ALLOCATION,
	ORIGIN_FILLED,	/* memset */
	ORIGIN_INITIAL, /* it was there before the program ran, or came with a mapping */
	ORIGIN_UNSET,	/* nobody set it */
	ORIGIN_CHANGED, /* the bytes differ where they must be the same */
	ORIGIN_UNKNOWN, /* `text` says why it goes no further */
	ORIGIN_LIMIT,
	ORIGIN_CUT,
	ORIGIN_FAILED, /* *failure is filled */
};

/* The bytes that are followed, and where they are while the program stands where it does. */
struct origin_bytes {
	bool in_register;
	bool must_be_set; /* by the function that read the register, as it does not save it */
	struct piece piece;
	unsigned long long address;
	unsigned size;
	unsigned skipped; /* of the value that was asked for, below these */
	bool narrowed;	  /* these are not all that was asked for */
	uint8_t bytes[ORIGIN_BYTES_MAX];
};

/* A step from memory to the write that the bytes come from. */
struct origin_step {
	unsigned long long address;
	struct moment read, write;
};

struct origin {
	struct replay *replay;
	const struct kernel_writes *writes;
	struct origin_bytes now;
	long long limit;
	struct origin_step steps[ORIGIN_STEPS_MAX]; /* the first ones from memory */
	size_t step_count;
	char file[200]; /* that is mapped where the bytes are; "": none */
	unsigned long long file_offset;
	struct allocator allocator; /* found when it is needed */
	bool has_allocator;
	json_t *hops;  /* the steps, the last in time first */
	json_t *left;  /* with ORIGIN_UNSET: the earlier write of what is there; or NULL */
	json_t *input; /* with ORIGIN_INPUT: the call, descriptor, offset; or NULL */
	enum origin_end end;
	char text[ORIGIN_TEXT_MAX]; /* what the value comes from, in words */
};

/* Ends the way here. Returns false, for a tail call. */
bool origin_finish(struct origin *origin, enum origin_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes a step at the present place, if its line is not that of the step before. */
void origin_note(struct origin *origin, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A step at the present place; and adds it, taking it over, whatever the step before is. */
json_t *origin_hop(struct origin *origin);
void origin_add_hop(struct origin *origin, json_t *hop, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like origin_note, but in the step before if that is of the same line: "stored at 0x1234, loaded
 * from …".
 */
void origin_add(struct origin *origin, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One step back from memory, or from a register. False: the way has ended. */
bool origin_from_memory(struct origin *origin, struct failure *failure);
bool origin_from_register(struct origin *origin, struct failure *failure);

/* Back to the last store of the bytes by an instruction. False: another write is later, or there is
 * none. */
bool origin_go_to_last_store(struct origin *origin, struct failure *failure);

enum origin_copied { ORIGIN_COPIED, ORIGIN_NOT_COPIED, ORIGIN_COPY_FAILED };

/* At a write to the bytes. If a function of the C library copies them or fills memory with them,
 * goes to its call or its beginning, and on at its source; ORIGIN_COPIED also if that ends the way.
 * Otherwise the program stands where it did. */
enum origin_copied origin_from_copier(struct origin *origin, struct failure *failure);

/* At a write of the kernel: ends the way there, or goes on in the process that wrote the bytes. */
bool origin_from_kernel(
    struct origin *origin, const struct input_range *range, struct failure *failure);

/* Follows from here on only those of the bytes in memory that lie in [begin, end), which must be at
 * least one. */
void origin_narrow(struct origin_bytes *now, unsigned long long begin, unsigned long long end);

/* The same, and says so in the last hop. */
void origin_narrow_hop(struct origin *origin, unsigned long long begin, unsigned long long end);

/* Goes on at the source of an instruction that is about to run and writes the bytes. `code` are its
 * bytes; `shift` is added to its memory operand's address. */
bool origin_to_source(struct origin *origin, const uint8_t *code, size_t length,
    const struct flow *flow, unsigned long long shift);

/*
 * At arithmetic that changes nothing (adds 0, masks what is 0 already): goes on at the operand that
 * is its result. False if it is no such instruction; *on is origin_to_source's result.
 */
bool origin_through_neutral(struct origin *origin, const struct instruction *instruction, bool *on);

/* Goes on at a register, or in memory, that holds the first `size` bytes of the value; zeros fill
 * up the rest. False for a tail call: the bytes differ, and the way has ended. */
bool origin_to_register(
    struct origin *origin, const struct piece *piece, const struct instruction *instruction);
bool origin_to_memory(struct origin *origin, unsigned long long address, unsigned size,
    const struct instruction *instruction);

/* Whether gdb may lack these bytes of a register: rr does not tell it those that AVX-512 added.
 * Such a step is shown by the bytes of the step behind it. */
bool origin_is_hidden(const struct piece *piece);

/* Reads bytes of a register; false if that fails. */
bool origin_read_register(struct replay *replay, const struct piece *piece, uint8_t *bytes);
bool origin_read_flags(struct replay *replay, unsigned long long *flags);

/* The name of the function in which the program stands, as its symbol or gdb says, without the
 * prefixes and suffixes of the C library: "memmove". "": not known. */
void origin_function(struct replay *replay, char *name, size_t size);
/* The same of the function that the call at the program counter leads to. */
void origin_called(struct replay *replay, char *name, size_t size);

/* After a step that failed: interrupted, or worse. False for a tail call. */
bool origin_stop(struct origin *origin, struct failure *failure);

#endif
