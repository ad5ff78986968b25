#ifndef RR_WARDEN_SOFTPMU_MEMORY_H
#define RR_WARDEN_SOFTPMU_MEMORY_H
/*
 * A tracee's memory. It is read by process_vm_readv, or through /proc/TID/mem where that is
 * forbidden: Docker's default profile forbids the one and not the other. It is written by ptrace,
 * because for uid 0 Landlock forbids to write to /proc where there is no mount namespace.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Reads so many bytes. False if it could not read all of them: some may be in `bytes` then. */
bool memory_read(pid_t tid, uint64_t address, void *bytes, size_t size);

/* The same, and returns how many it could read: the first of them, but maybe none where a page
 * among them cannot be read. */
size_t memory_read_some(pid_t tid, uint64_t address, void *bytes, size_t size);

/* Reads; both sides are lists. Returns the bytes read, maybe fewer than asked, or -errno. */
long memory_read_lists(pid_t tid, const struct iovec *local, size_t locals,
    const struct iovec *remote, size_t remotes);

/* Reads code: up to so many bytes. Returns how many there are before the first page that cannot be
 * read. */
size_t memory_read_code(pid_t tid, uint64_t address, uint8_t *bytes, size_t length);

/* The same of tracee *(pid_t *)context: a code_reader. */
size_t memory_code_reader(void *context, uint64_t address, uint8_t *bytes, size_t length);

/* Reads one word. False if it could not read all of it. */
bool memory_read_word(pid_t tid, uint64_t address, uint64_t *word);

/*
 * Writes whole words to a stopped tracee, whatever the page's rights. False if it could not write
 * all of them.
 */
bool memory_write(pid_t tid, uint64_t address, const uint64_t *words, size_t count);

/* Can the program write to this address? True where nobody can tell. */
bool memory_is_writable(pid_t tid, uint64_t address);

#endif
