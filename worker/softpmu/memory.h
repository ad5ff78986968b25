#ifndef RR_WARDEN_SOFTPMU_MEMORY_H
#define RR_WARDEN_SOFTPMU_MEMORY_H
/*
 * A tracee's memory, by process_vm_readv, or through /proc/TID/mem where that is forbidden:
 * Docker's default profile forbids the one and not the other.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Reads; both sides are lists. Returns the bytes read, maybe fewer than asked, or -errno. */
long memory_read(pid_t tid, const struct iovec *local, size_t locals, const struct iovec *remote,
    size_t remotes);

/* Writes the same way. The caller sees to it that the program may write there. */
long memory_write(pid_t tid, const struct iovec *local, size_t locals, const struct iovec *remote,
    size_t remotes);

/* Can the program write to this address? True where nobody can tell. */
bool memory_is_writable(pid_t tid, uint64_t address);

#endif
