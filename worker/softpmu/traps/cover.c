/*
 * It must never leave its byte in the program's code when rr looks at it.
 */
#include "worker/softpmu/traps/cover.h"

#include <sys/ptrace.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/x86/prefixes.h"

bool cover_byte(struct tracee *tracee, uint64_t address, uint8_t byte)
{
	/* Behind the instruction may be nothing: not even its own word may end later than that. */
	uint64_t at = address & ~7ull, word = 0, covered;
	unsigned shift = (unsigned)(address & 7) * 8;

	if (kernel_ptrace(PTRACE_PEEKTEXT, tracee->tid, at, (uint64_t)&word) < 0)
		return false;
	covered = (word & ~(0xffull << shift)) | (uint64_t)byte << shift;
	if (kernel_ptrace(PTRACE_POKETEXT, tracee->tid, at, covered) < 0)
		return false;
	if (!tracee->covers) {
		tracee->covered = at;
		tracee->covered_word = word;
	}
	tracee->covers = true;
	return true;
}

bool cover_is_timestamp(const uint8_t *bytes, size_t length)
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

bool cover_timestamp(struct tracee *tracee, uint64_t rip, const uint8_t *bytes, size_t length)
{
	return !cover_is_timestamp(bytes, length) || cover_byte(tracee, rip, COVER_HLT);
}

void cover_end(struct tracee *tracee)
{
	if (tracee->covers)
		kernel_ptrace(PTRACE_POKETEXT, tracee->tid, tracee->covered, tracee->covered_word);
	tracee->covers = false;
}
