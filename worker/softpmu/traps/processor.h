/*
 * What the processor does for us, and what it only seems to do: some hypervisors take writes to the
 * debug registers and the request to trap rdtsc, and then nothing ever happens. So it is tried out,
 * in a child of its own.
 */
#ifndef RR_WARDEN_SOFTPMU_PROCESSOR_H
#define RR_WARDEN_SOFTPMU_PROCESSOR_H

#include <stdbool.h>

struct processor {
	bool debug_registers; /* a breakpoint in one stops the program */
	bool traps_rdtsc;     /* after PR_SET_TSC, see prctl(2) */
	bool reads_fs;	      /* rdfsbase works: the kernel says so */
	bool tells_status;    /* what a debug trap was; no probe sees that it is lost at times */
};

/*
 * Tries it out. What cannot be tried is taken not to work: that is slower, and never wrong. `lacks`
 * is a list of what to do without though it works, for tests: "debug", "rdtsc", "fs", and
 * "status", see legs/trapcode.h; or NULL.
 */
void processor_probe(const char *lacks);

/* What the probe found; before it, everything works. */
const struct processor *processor(void);

#endif
