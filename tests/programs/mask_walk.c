/*
 * Accesses beside two watched words and to them, by vector instructions with masks, by wide ones
 * that end before them, and by plain ones, in two threads. No write changes a value. Prints what it
 * accessed. Without AVX it accesses the same bytes one by one.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <x86intrin.h>

enum { STEPS = 24, LANES = 8, FIRST = 10, SECOND = 13, VALUE = 7 };

/* The masked instructions reach words 8 to 15, the wide ones words 2 to 9. */
static _Alignas(32) int words[24];
static const _Alignas(32) int values[LANES] = {7, 7, 7, 7, 7, 7, 7, 7};
static int first, second, either, masked; /* what was accessed */
static uint32_t state = 12345;
static volatile int sink;

static unsigned any(unsigned below)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

static void count(unsigned lanes)
{
	int one = lanes >> (FIRST - LANES) & 1, other = lanes >> (SECOND - LANES) & 1;

	first += one;
	second += other;
	either += one || other;
}

__attribute__((target("avx"), noinline)) static void store_masked(const int *mask)
{
	asm volatile("vmovdqu (%0), %%ymm1\n\t"
		     "vmovups (%2), %%ymm2\n\t"
		     "vmaskmovps %%ymm2, %%ymm1, (%1)\n"
		     ".globl behind_masked_store\n"
		     "behind_masked_store:\n\t"
		     "nop"
		     :
		     : "r"(mask), "r"(words + LANES), "r"(values)
		     : "xmm1", "xmm2", "memory");
}

__attribute__((target("avx"), noinline)) static void load_masked(const int *mask)
{
	asm volatile("vmovdqu (%0), %%ymm1\n\t"
		     "vmaskmovps (%1), %%ymm1, %%ymm2"
		     :
		     : "r"(mask), "r"(words + LANES)
		     : "xmm1", "xmm2", "memory");
}

__attribute__((target("avx"), noinline)) static void copy_below(void)
{
	asm volatile("vmovups (%0), %%ymm2\n\t"
		     "vmovups %%ymm2, (%0)"
		     :
		     : "r"(words + 2)
		     : "xmm2", "memory");
}

static void access_masked(unsigned lanes, int store)
{
	int mask[LANES];

	for (int i = 0; i < LANES; i++)
		mask[i] = lanes >> i & 1 ? -1 : 0;
	count(lanes);
	masked += store;
	(store ? store_masked : load_masked)(mask);
}

static void access_one(unsigned lane, int store)
{
	volatile int *word = words + LANES + lane;
	int keep = store ? VALUE : 0;

	count(1u << lane);
	if (store)
		asm volatile("movl %1, (%0)" : : "r"(word), "r"(keep) : "memory");
	else
		sink = *word;
}

static void *walk(void *unused)
{
	for (int i = 0; i < STEPS; i++) {
		unsigned kind = any(5);

		if (kind < 2 && __builtin_cpu_supports("avx"))
			access_masked(any(256), kind);
		else if (kind == 2 && __builtin_cpu_supports("avx"))
			copy_below();
		else
			access_one(any(LANES), kind & 1);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 24; i++)
		words[i] = VALUE;
	walk(NULL); /* begin */
	pthread_create(&thread, NULL, walk, NULL);
	pthread_join(thread, NULL);
	printf("%d %d %d %d\n", first, second, either, masked); /* counted */
	return 0;
}
