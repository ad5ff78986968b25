/*
 * Knows rr's hardware events and tries them on the calling thread. Must never leave a counter open
 * and never decide anything, because pmu.c does that.
 */
#include "sandbox/pmu/pmu_event.h"

#include "sandbox/cleanup.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define TYPES_MAX	8
#define ANY_FAMILY	0xffffu
#define V(major, minor) PMU_RR_VERSION(major, minor, 0)

/* Rows of one event and one rr release; types end at the first 0. */
static const struct processor_row {
	enum pmu_vendor vendor;
	unsigned family;
	unsigned types[TYPES_MAX];
	struct pmu_event event;
} processors[] = {
    /* Nehalem and Westmere, Sandy and Ivy Bridge */
    {PMU_INTEL, ANY_FAMILY, {0x106a0, 0x106e0, 0x206e0, 0x20650, 0x206c0, 0x206f0},
	{0x5101c4, V(5, 0)}},
    {PMU_INTEL, ANY_FAMILY, {0x206a0, 0x206d0, 0x306e0, 0x306a0}, {0x5101c4, V(5, 0)}},
    /* Haswell, Broadwell */
    {PMU_INTEL, ANY_FAMILY,
	{0x306c0, 0x306f0, 0x40650, 0x40660, 0x306d0, 0x40670, 0x406f0, 0x50660},
	{0x5101c4, V(5, 0)}},
    /* Skylake, Kaby Lake, Comet Lake */
    {PMU_INTEL, ANY_FAMILY, {0x406e0, 0x50650, 0x506e0, 0x806e0, 0x906e0, 0xa0650, 0xa0660},
	{0x5101c4, V(5, 6)}},
    /* Silvermont, Goldmont, Tremont */
    {PMU_INTEL, ANY_FAMILY, {0x30670, 0x406c0, 0x50670, 0x506f0, 0x706a0}, {0x517ec4, V(5, 6)}},
    {PMU_INTEL, ANY_FAMILY, {0x506c0, 0x906c0}, {0x517ec4, V(5, 7)}},
    /* Ice, Tiger, Rocket and Alder Lake */
    {PMU_INTEL, ANY_FAMILY, {0x706e0, 0x606a0, 0x806c0, 0x806d0, 0xa0670, 0x90670, 0x906a0},
	{0x5111c4, V(5, 6)}},
    /* Raptor Lake, Sapphire and Emerald Rapids, Meteor Lake */
    {PMU_INTEL, ANY_FAMILY, {0xb0670, 0x806f0}, {0x5111c4, V(5, 7)}},
    {PMU_INTEL, ANY_FAMILY, {0x80660, 0xb06a0, 0xb06f0, 0xc06f0}, {0x5111c4, V(5, 8)}},
    {PMU_INTEL, ANY_FAMILY, {0xa06a0}, {0x5111c4, V(5, 9)}},
    /* Arrow Lake */
    {PMU_INTEL, ANY_FAMILY, {0xc0660}, {0x100005111c4, V(5, 9)}},
    /* Zen, Zen+, Zen 2 */
    {PMU_AMD, 0x8, {0x00f10, 0x00f80, 0x10f10, 0x10f80, 0x20f00, 0x30f10, 0x60f00, 0x70f10},
	{0x5100d1, V(5, 6)}},
    {PMU_AMD, 0x8, {0x60f80, 0x90f00}, {0x5100d1, V(5, 6)}},
    /* Zen 3 */
    {PMU_AMD, 0xa, {0x00f10, 0x00f80, 0x10f10, 0x10f80, 0x20f10, 0x50f00, 0x40f40},
	{0x5100d1, V(5, 6)}},
    /* Zen 4, Zen 5 */
    {PMU_AMD, 0xa, {0x60f10}, {0x5100d1, V(5, 7)}},
    {PMU_AMD, 0xa, {0x70f40, 0x70f50}, {0x5100d1, V(5, 8)}},
    {PMU_AMD, 0xb, {0x20f40}, {0x5100d1, V(5, 9)}},
};

bool pmu_processor_here(struct pmu_processor *processor)
{
	*processor = (struct pmu_processor){.vendor = PMU_OTHER};
#if defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;
	char vendor[13] = "";
	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return false;
	memcpy(vendor, &ebx, 4);
	memcpy(vendor + 4, &edx, 4);
	memcpy(vendor + 8, &ecx, 4);
	if (strcmp(vendor, "GenuineIntel") == 0)
		processor->vendor = PMU_INTEL;
	else if (strcmp(vendor, "AuthenticAMD") == 0)
		processor->vendor = PMU_AMD;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return false;
	processor->type = eax & 0xf0ff0;
	processor->family = (eax >> 20) & 0xff;
	return true;
#else
	return false;
#endif
}

const struct pmu_event *pmu_event_of(const struct pmu_processor *processor)
{
	for (size_t row = 0; row < sizeof(processors) / sizeof(processors[0]); row++) {
		const struct processor_row *known = &processors[row];
		if (known->vendor != processor->vendor)
			continue;
		if (known->family != ANY_FAMILY && known->family != processor->family)
			continue;
		for (size_t i = 0; i < TYPES_MAX && known->types[i] != 0; i++)
			if (known->types[i] == processor->type)
				return &known->event;
	}
	return NULL;
}

int pmu_event_open(const struct perf_event_attr *attr)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int counter_open(uint64_t config)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_RAW,
	    .size = sizeof(attr),
	    .config = config,
	    .pinned = 1,
	    .exclude_kernel = 1,
	    .exclude_guest = 1,
	};
	return pmu_event_open(&attr);
}

/* The counter's value, or -1. A pinned counter that found no place reads as end of file. */
static int64_t counter_read(int fd)
{
	int64_t value;
	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : -1;
}

#define LOOP_BRANCHES 2000
/* Branches of the two reads around the loop; an emulated counter that counts too much exceeds it.
 */
#define LOOP_SLACK 100

static void run_branches(void)
{
	volatile unsigned left = LOOP_BRANCHES;
	while (left > 0)
		left--;
}

enum pmu_counter pmu_counter_try(uint64_t config)
{
	cleanup_fd int fd = counter_open(config);
	if (fd < 0)
		return errno == EACCES || errno == EPERM ? PMU_COUNTER_DENIED : PMU_COUNTER_MISSING;
	int64_t before = counter_read(fd);
	run_branches();
	int64_t after = counter_read(fd);
	if (before < 0 || after - before < LOOP_BRANCHES ||
	    after - before > LOOP_BRANCHES + LOOP_SLACK)
		return PMU_COUNTER_MISCOUNTS;
	return PMU_COUNTER_WORKS;
}

bool pmu_zen_speculates_on_locks(void)
{
	cleanup_fd int fd = counter_open(0x510825);
	if (fd < 0)
		return false;
	int atomic = 0;
	int64_t before = counter_read(fd);
	__atomic_fetch_add(&atomic, 1, __ATOMIC_SEQ_CST);
	return counter_read(fd) != before;
}
