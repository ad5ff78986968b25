/*
 * Ends the program where it frees what it may not. The verdict is in the table, from where the
 * crash report reads it; the line on stderr is for whoever runs the program.
 */
#include <signal.h>
#include "worker/guardheap/calls.h"
#include "worker/guardheap/heap.h"
#include "worker/guardheap/lock.h"

#define KERNEL_SET 8 /* bytes of the kernel's signal set */

static const char *const said[] = {
    [GUARDHEAP_FINE] = "",
    [GUARDHEAP_DOUBLE_FREE] = "guard heap: double free of 0x",
    [GUARDHEAP_INSIDE] = "guard heap: free of an address inside of a block, 0x",
    [GUARDHEAP_FOREIGN] = "guard heap: free of what malloc never returned, 0x",
    [GUARDHEAP_DAMAGED] = "guard heap: bytes beside a block were written, at 0x",
};

static void print(const char *text, uint64_t address)
{
	char line[128];
	size_t length = 0;

	for (; text[length]; length++)
		line[length] = text[length];
	for (int shift = 44; shift >= 0; shift -= 4)
		line[length++] = "0123456789abcdef"[(address >> shift) & 15];
	line[length++] = '\n';
	call3(SYS_write, 2, (long)line, (long)length);
}

static void raise_abort(void)
{
	uint64_t set = 1ULL << (SIGABRT - 1);
	long pid = call3(SYS_getpid, 0, 0, 0), tid = call3(SYS_gettid, 0, 0, 0);

	kernel_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, KERNEL_SET, 0, 0);
	call3(SYS_tgkill, pid, tid, SIGABRT);
}

_Noreturn void heap_stop(
    enum guardheap_verdict verdict, uint64_t address, struct guardheap_block *block)
{
	/* As the kernel lays it out: handler, flags, restorer, mask. */
	const uint64_t as_usual[4] = {0};
	struct guardheap_table *table = heap_table();

	table->wrong_address = address;
	table->wrong_block = block ? table_number(block) : 0;
	table->verdict = verdict;
	lock_release();
	print(said[verdict], address);
	raise_abort();
	/* The program has a handler that came back, or ignores it. */
	kernel_call(SYS_rt_sigaction, SIGABRT, (long)as_usual, 0, KERNEL_SET, 0, 0);
	raise_abort();
	for (;;)
		call3(SYS_exit_group, 128 + SIGABRT, 0, 0);
}
