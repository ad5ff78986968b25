#ifndef WORKER_X86_EFLAGS_H
#define WORKER_X86_EFLAGS_H
/*
 * The bits of eflags that we read or compute.
 */
enum {
	FLAG_CARRY = 1 << 0,
	FLAG_PARITY = 1 << 2,
	FLAG_ADJUST = 1 << 4,
	FLAG_ZERO = 1 << 6,
	FLAG_SIGN = 1 << 7,
	FLAG_TRAP = 1 << 8,
	FLAG_DIRECTION = 1 << 10,
	FLAG_OVERFLOW = 1 << 11,
	FLAG_RESUME = 1 << 16,
	FLAG_ALIGNMENT = 1 << 18,

	/* What arithmetic sets. */
	FLAG_STATUS =
	    FLAG_CARRY | FLAG_PARITY | FLAG_ADJUST | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW,
};

#endif
