/*
 * Names the memory that a check or a count looks at. See tracees_name_memory.
 */
#ifndef RR_WARDEN_SOFTPMU_MEMORYOF_H
#define RR_WARDEN_SOFTPMU_MEMORYOF_H

#include <stdint.h>
#include <sys/types.h>

struct memory_of {
	pid_t process;	 /* which had it when it was named; 0: not known yet */
	uint64_t number; /* as in struct tracee; 0: nobody has asked yet, or that was too late */
};

#endif
