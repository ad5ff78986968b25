/*
 * Keeps a thread on cores of one kind. Asks each core itself, because a worker need not see /sys.
 * If that fails, the thread may run where it could before.
 */
#include "sandbox/pmu/pmu_cores.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define LEAF_FEATURES 7u
#define HYBRID	      (1u << 15) /* in EDX of it */
#define LEAF_CORE     0x1au

unsigned pmu_core_kind(void)
{
#if defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;
	if (!__get_cpuid_count(LEAF_FEATURES, 0, &eax, &ebx, &ecx, &edx) || !(edx & HYBRID))
		return 0;
	if (!__get_cpuid_count(LEAF_CORE, 0, &eax, &ebx, &ecx, &edx))
		return 0;
	return eax >> 24;
#else
	return 0;
#endif
}

/* Goes to each core of `all`, and sorts it by its kind. False if the kernel refuses a core. */
static bool sort_cores(
    unsigned (*kind)(void), const cpu_set_t *all, cpu_set_t *performance, cpu_set_t *others)
{
	CPU_ZERO(performance);
	CPU_ZERO(others);
	for (int core = 0; core < CPU_SETSIZE; core++) {
		cpu_set_t alone;
		if (!CPU_ISSET(core, all))
			continue;
		CPU_ZERO(&alone);
		CPU_SET(core, &alone);
		if (sched_setaffinity(0, sizeof(alone), &alone) != 0)
			return false;
		CPU_SET(core, kind() == PMU_CORE_PERFORMANCE ? performance : others);
	}
	return true;
}

enum pmu_cores pmu_cores_keep(unsigned (*kind)(void), cpu_set_t *before)
{
	cpu_set_t performance, others;
	CPU_ZERO(before);
	if (kind() == 0)
		return PMU_CORES_ALIKE;
	if (sched_getaffinity(0, sizeof(*before), before) != 0)
		return PMU_CORES_MIXED;
	if (sort_cores(kind, before, &performance, &others)) {
		const cpu_set_t *kept = CPU_COUNT(&performance) > 0 ? &performance : &others;
		if (sched_setaffinity(0, sizeof(*kept), kept) == 0)
			return PMU_CORES_KEPT;
	}
	sched_setaffinity(0, sizeof(*before), before);
	return PMU_CORES_MIXED;
}
