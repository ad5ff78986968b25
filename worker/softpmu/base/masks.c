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
