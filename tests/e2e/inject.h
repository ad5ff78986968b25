#ifndef TESTS_E2E_INJECT_H
#define TESTS_E2E_INJECT_H
/*
 * Brings a fault into a running process from outside: signals, limits, and system calls of our
 * choice made in its place through ptrace. So real programs fail on demand, where a double would
 * only pretend to.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes the process call exit_group(status), wherever it is. False when it may not be traced. */
bool inject_exit(pid_t pid, int status);

/* Makes the process write these bytes (at most 256) to a descriptor of its own, and go on. */
bool inject_write(pid_t pid, int fd, const char *bytes, size_t length);

/* From now on the process gets no more memory, or no more descriptors, than it has. */
bool inject_no_memory(pid_t pid);
bool inject_no_descriptors(pid_t pid);

/* Its first descriptor that is a socket; -1: none, or we may not look. */
int inject_find_socket(pid_t pid);

#endif
