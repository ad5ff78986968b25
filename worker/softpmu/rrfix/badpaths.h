/*
 * Names of files that a program passes where it has no memory: the kernel answers EFAULT, but rr
 * 5.6 to 5.9 read the name too, and end the recording when they cannot.
 */
#ifndef RR_WARDEN_SOFTPMU_BADPATHS_H
#define RR_WARDEN_SOFTPMU_BADPATHS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * rr could not read memory of the tracee at the address. Is it such a name? Then rr shall read an
 * empty one: it only compares it with names that it treats in its own way. tid is the task that rr
 * saw last.
 */
bool badpaths_is_one(pid_t tid, uint64_t address);

#endif
