/*
 * Where addresses end. Every value is one that a program can jump to, 0 and all ones too: none of
 * them may stand for "none".
 */
#ifndef RR_WARDEN_SOFTPMU_ADDRESS_H
#define RR_WARDEN_SOFTPMU_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A program has no memory from here on: it ends a page below the addresses of its half. */
#define ADDRESS_USER_END 0x7ffffffff000ull

/*
 * Whether memory of a program can be here. A jump to anywhere else is the hardware's to do: it
 * faults in the jump or at its target, and only the processor knows in which.
 */
static inline bool address_is_users(uint64_t address)
{
	return address < ADDRESS_USER_END;
}

/* Whether [address, address + size), which may run over the end of all addresses, is a part of the
 * `length` bytes from `start` on. */
static inline bool address_is_part(uint64_t address, uint64_t size, uint64_t start, uint64_t length)
{
	return address >= start && size <= length && address - start <= length - size;
}

#endif
