#ifndef SANDBOX_PMU_PROBE_H
#define SANDBOX_PMU_PROBE_H
/*
 * Finds out what pmu_decide needs to know: asks the kernel, the processor and rr itself.
 */
#include "sandbox/pmu/pmu.h"

/*
 * Fills facts; path (PATH_MAX bytes) gets rr's absolute path when there is one. Waits for rr's
 * answer no longer than `seconds`, more than 0.
 */
void pmu_probe(const char *rr, double seconds, struct pmu_facts *facts, char *path);

#endif
