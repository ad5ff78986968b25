/*
 * Where they are in xsave's area, the processor says: cpuid leaf 13, one subleaf for each component
 * of the state. The kernel shows the area in its standard format, see ptrace(2), PTRACE_GETREGSET.
 */
#include "worker/softpmu/base/masks.h"

#include <cpuid.h>
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "worker/softpmu/base/kernel.h"

enum {
	XSAVE_LEAF = 13,
	MASKS_COMPONENT = 5,
	AREA_MAX = 1 << 14, /* more than any processor has */
};

struct area {
	uint8_t bytes[AREA_MAX];
	size_t size;
};

static bool read_area(pid_t tid, struct area *area)
{
	struct iovec io = {area->bytes, sizeof area->bytes};

	if (kernel_ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uint64_t)&io) < 0)
		return false;
	area->size = io.iov_len;
	return true;
}

/* Bytes of a component of the state; 0 is the area's legacy part. */
static bool take(const struct area *area, unsigned component, unsigned at, unsigned size, void *to)
{
	unsigned length = sizeof area->bytes, offset = 0, c, d;

	if (component > 0 && !__get_cpuid_count(XSAVE_LEAF, component, &length, &offset, &c, &d))
		return false;
	if (at + size > length || offset + at + size > area->size)
		return false;
	memcpy(to, area->bytes + offset + at, size);
	return true;
}

/* The parts of xmm0 to zmm15, and zmm16 to zmm31 as a whole. */
static const struct part {
	unsigned first, registers; /* numbers of vector registers */
	unsigned from, size;	   /* bytes of each */
	unsigned component, at;
} parts[] = {
    {0, 16, 0, 16, 0, 160},
    {0, 16, 16, 16, 2, 0},
    {0, 16, 32, 32, 6, 0},
    {16, 16, 0, 64, 7, 0},
};

static const struct part *part_of(unsigned number, unsigned offset)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct part *part = &parts[i];

		if (number - part->first < part->registers && offset - part->from < part->size)
			return part;
	}
	return NULL;
}

bool masks_read_vector(pid_t tid, unsigned number, unsigned offset, unsigned size, void *bytes)
{
	struct area area;
	uint8_t *to = bytes;

	if (!read_area(tid, &area))
		return false;
	for (unsigned taken = 0, most; taken < size; taken += most) {
		const struct part *part = part_of(number, offset + taken);
		unsigned within;

		if (!part)
			return false;
		within = offset + taken - part->from;
		most = part->size - within < size - taken ? part->size - within : size - taken;
		if (!take(&area, part->component,
			part->at + (number - part->first) * part->size + within, most, to + taken))
			return false;
	}
	return true;
}

bool masks_read(pid_t tid, uint64_t masks[MASK_REGISTERS])
{
	struct area area;

	return read_area(tid, &area) &&
	       take(&area, MASKS_COMPONENT, 0, MASK_REGISTERS * sizeof *masks, masks);
}

/* The sign bits of a vector's elements. */
static bool read_signs(pid_t tid, const struct access *access, uint64_t *elements)
{
	uint8_t vector[MASK_VECTOR_BYTES];
	const unsigned element = access->element;

	*elements = 0;
	if (element == 0 || access->size > sizeof vector ||
	    !masks_read_vector(tid, access->vector, 0, access->size, vector))
		return false;
	for (unsigned i = 0; i < access->size / element; i++)
		*elements |= (uint64_t)(vector[(i + 1) * element - 1] >> 7) << i;
	return true;
}

bool masks_select(pid_t tid, const struct access *access, uint64_t *selected)
{
	uint64_t masks[MASK_REGISTERS], elements;

	if (access->mask) {
		if (!masks_read(tid, masks))
			return false;
		elements = masks[access->mask % MASK_REGISTERS];
	} else if (!read_signs(tid, access, &elements)) {
		return false;
	}
	*selected = accesses_selected(access, elements);
	return true;
}
