/*
 * A smashed stack: overrun() overwrites its own return address with one that no memory can have.
 * The crash is at overrun's ret, not where it would have returned to.
 */
#include <stdint.h>

__attribute__((noinline)) static void overrun(volatile uint64_t *slot, uint64_t value)
{
	volatile uint64_t local[2] = {1, 2};

	for (int i = 0; i < 1000; i++)
		local[i & 1] += (uint64_t)i;
	slot = (volatile uint64_t *)__builtin_frame_address(0) + 1;
	*slot = value;
}

int main(void)
{
	uint64_t here = 0;

	overrun(&here, 0x4141414141414141ull);
	return 0;
}
