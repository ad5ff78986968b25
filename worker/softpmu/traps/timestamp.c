/*
 * It must never leave its hlt in the program's code when rr looks at it.
 */
#include "worker/softpmu/traps/timestamp.h"

#include <sys/ptrace.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/x86/prefixes.h"

bool timestamp_is_read(const uint8_t *bytes, size_t length)
{
	size_t i;

	if (processor()->traps_rdtsc)
		return false;
	i = prefixes_of(bytes, length).length;
	if (i + 2 > length || bytes[i] != 0x0f)
		return false;
	return bytes[i + 1] == 0x31 ||
	       (i + 3 <= length && bytes[i + 1] == 0x01 && bytes[i + 2] == 0xf9);
}

bool timestamp_cover(struct tracee *tracee, uint64_t rip)
{
	/* Behind the instruction may be nothing: not even its own word may end later than that. */
	uint64_t at = rip & ~7ull, word = 0, covered;
	unsigned shift = (unsigned)(rip & 7) * 8;

	if (kernel_ptrace(PTRACE_PEEKTEXT, tracee->tid, at, (uint64_t)&word) < 0)
		return false;
	covered = (word & ~(0xffull << shift)) | (uint64_t)TIMESTAMP_TRAP << shift;
	if (kernel_ptrace(PTRACE_POKETEXT, tracee->tid, at, covered) < 0)
		return false;
	tracee->covers = true;
	tracee->covered = at;
	tracee->covered_word = word;
	return true;
}

void timestamp_uncover(struct tracee *tracee)
{
	if (tracee->covers)
		kernel_ptrace(PTRACE_POKETEXT, tracee->tid, tracee->covered, tracee->covered_word);
	tracee->covers = false;
}
