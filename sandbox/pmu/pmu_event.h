#ifndef SANDBOX_PMU_EVENT_H
#define SANDBOX_PMU_EVENT_H
/*
 * rr's own hardware event: which one this processor has, and whether the kernel gives it.
 */
#include <stdbool.h>
#include <stdint.h>

enum pmu_vendor { PMU_INTEL, PMU_AMD, PMU_OTHER };

struct pmu_processor {
	enum pmu_vendor vendor;
	unsigned type;	 /* CPUID leaf 1, EAX & 0xf0ff0: family and model, as rr compares them */
	unsigned family; /* extended family: AMD reuses types from one to the next */
};

/* The event that counts retired conditional branches, and the first rr that knows the processor. */
struct pmu_event {
	uint64_t config;
	unsigned rr_since; /* as PMU_RR_VERSION */
};

#define PMU_RR_VERSION(major, minor, patch) ((major)*10000u + (minor)*100u + (patch))

enum pmu_counter {
	PMU_COUNTER_WORKS,
	PMU_COUNTER_DENIED,    /* EACCES or EPERM: perf_event_paranoid, or a container's filter */
	PMU_COUNTER_MISSING,   /* no PMU here, as in most virtual machines */
	PMU_COUNTER_MISCOUNTS, /* opens, but does not count what ran */
};

/* This processor; false when it is no x86-64. */
bool pmu_processor_here(struct pmu_processor *processor);

/* rr's event on it, or NULL for a processor that no rr release known to us has. */
const struct pmu_event *pmu_event_of(const struct pmu_processor *processor);

struct perf_event_attr;

/* Opens an event of the calling thread, on any processor. Its descriptor, or -1 with errno. */
int pmu_event_open(const struct perf_event_attr *attr);

/* Asks the kernel for the event on the calling thread and counts a known loop with it. */
enum pmu_counter pmu_counter_try(uint64_t config);

/*
 * Whether the processor speculates on locks in the way that makes AMD Zen miscount under rr (the
 * counter of such commits moves). Only meaningful where the counter works.
 */
bool pmu_zen_speculates_on_locks(void);

#endif
