#ifndef SANDBOX_PMU_CORES_H
#define SANDBOX_PMU_CORES_H
/*
 * Processors with cores of two kinds (Intel's hybrid ones, from Alder Lake on). Each kind has an
 * event of its own, released rr knows only that of the performance cores, and rr takes any core
 * that it may run on. So whoever starts rr first keeps to cores of one kind, and rr inherits that.
 */
#include <sched.h>
#include <stdbool.h>

enum pmu_cores {
	PMU_CORES_ALIKE, /* all cores are of one kind, nothing was changed */
	PMU_CORES_KEPT,	 /* the thread now runs on cores of one kind only */
	PMU_CORES_MIXED, /* it can be on either kind, because the kernel refused to keep it */
};

#define PMU_CORE_PERFORMANCE 0x40u /* as CPUID leaf 0x1a names it */

/* The kind of the core that the calling thread runs on; 0 where all cores are alike. */
unsigned pmu_core_kind(void);

/*
 * Keeps the calling thread, and what it starts from now on, on performance cores, or on cores of
 * another kind where it may use no performance core. `kind` is pmu_core_kind, or a test's. `before`
 * gets the cores that the thread could use until now. Takes a few milliseconds where cores differ.
 */
enum pmu_cores pmu_cores_keep(unsigned (*kind)(void), cpu_set_t *before);

#endif
