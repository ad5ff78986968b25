/*
 * The upper parts of wide vector registers: a VEX instruction clears the part above its own width,
 * a legacy one keeps it. Prints a sum of all of it, over many branches.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__attribute__((target("avx512f"))) static uint64_t mix(uint64_t seed)
{
	uint64_t in[8], out[8], sum = 0;

	for (int i = 0; i < 8; i++)
		in[i] = seed * (uint64_t)(2 * i + 1);
	__asm__ volatile("vmovdqu64 %1, %%zmm5\n\t"
			 "vmovdqu64 %1, %%zmm6\n\t"
			 "vmovdqu64 %1, %%zmm17\n\t"
			 "test $1, %2\n\t"
			 "jz 1f\n\t"
			 "vpaddq %%ymm5, %%ymm6, %%ymm5\n\t"
			 "1: test $2, %2\n\t"
			 "jz 2f\n\t"
			 "vzeroupper\n\t"
			 "2: paddq %%xmm6, %%xmm5\n\t"
			 "vpaddq %%zmm17, %%zmm5, %%zmm5\n\t"
			 "vmovdqu64 %%zmm5, %0"
			 : "=m"(out)
			 : "m"(in), "r"((uint32_t)seed)
			 : "xmm5", "xmm6", "xmm17", "cc");
	for (int i = 0; i < 8; i++)
		sum = sum * 31 + out[i];
	return sum;
}

int main(void)
{
	uint64_t sum = 0;

	if (!__builtin_cpu_supports("avx512f")) {
		puts("no wide vectors here");
		return 0;
	}
	for (uint64_t i = 0; i < 500; i++)
		sum += mix(i);
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
