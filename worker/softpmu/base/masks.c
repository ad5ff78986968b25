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

/* xmm0 to xmm15 in the area's legacy part, and the upper halves of ymm0 to ymm15. */
bool masks_read_vector(pid_t tid, unsigned number, unsigned offset, uint64_t *bytes)
{
	enum { HALF = 16, LEGACY = 160, UPPER_COMPONENT = 2 };
	uint8_t area[AREA_MAX];
	struct iovec io = {area, sizeof area};
	unsigned size, upper = 0, c, d, at;

	if (number > 15 || offset + sizeof *bytes > 2 * HALF ||
	    (offset < HALF && offset + sizeof *bytes > HALF) ||
	    (offset >= HALF &&
		!__get_cpuid_count(XSAVE_LEAF, UPPER_COMPONENT, &size, &upper, &c, &d)) ||
	    kernel_ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uint64_t)&io) < 0)
		return false;
	at = (offset < HALF ? LEGACY + offset : upper + offset - HALF) + HALF * number;
	if (at + sizeof *bytes > io.iov_len)
		return false;
	memcpy(bytes, area + at, sizeof *bytes);
	return true;
}

bool masks_read(pid_t tid, uint64_t masks[MASK_REGISTERS])
{
	const size_t wanted = MASK_REGISTERS * sizeof *masks;
	uint8_t area[AREA_MAX];
	struct iovec io = {area, sizeof area};
	unsigned size = 0, offset = 0, c, d;

	if (!__get_cpuid_count(XSAVE_LEAF, MASKS_COMPONENT, &size, &offset, &c, &d) ||
	    size < wanted ||
	    kernel_ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uint64_t)&io) < 0 ||
	    offset + wanted > io.iov_len)
		return false;
	memcpy(masks, area + offset, wanted);
	return true;
}
