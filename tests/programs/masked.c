/*
 * Vector instructions whose masks leave bytes out that they reach: a processor may stop there at a
 * watched byte. Without AVX it accesses the same bytes one by one.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

static _Alignas(32) struct {
	int near[2]; /* the masks select these two */
	int kept[6];
} wide;
static int taken;
static char *live, *stale;

__attribute__((target("avx"), noinline)) static __m256i two_of_eight(void)
{
	return _mm256_set_epi32(0, 0, 0, 0, 0, 0, -1, -1);
}

__attribute__((target("avx"), noinline)) static void store_two(void *to)
{
	_mm256_maskstore_ps(to, two_of_eight(), _mm256_setzero_ps()); /* masked store */
}

__attribute__((target("avx"), noinline)) static int load_two(const void *from)
{
	__m256i mask = two_of_eight();
	int loaded;

	asm volatile("vmovdqu %1, %%ymm1\n\t"
		     "vmaskmovps %2, %%ymm1, %%ymm2\n\t"
		     "vmovd %%xmm2, %0"
		     : "=r"(loaded)
		     : "m"(mask), "m"(*(const char(*)[32])from)
		     : "xmm1", "xmm2");
	return loaded;
}

/* What it loads takes the place of its mask. */
__attribute__((target("avx"), noinline)) static void load_over(const void *from)
{
	__m256i mask = two_of_eight();

	asm volatile("vmovdqu %0, %%ymm1\n\t"
		     "vmaskmovps %1, %%ymm1, %%ymm1"
		     :
		     : "m"(mask), "m"(*(const char(*)[32])from)
		     : "xmm1");
}

static void store(void *to)
{
	if (__builtin_cpu_supports("avx"))
		store_two(to);
	else
		memset(to, 0, 8);
}

static void *use_near(void *unused)
{
	if (__builtin_cpu_supports("avx"))
		load_two(&wide);
	return unused;
}

static void use_kept(void)
{
	pthread_t thread;

	wide.kept[0] = 5; /* set */
	store(&wide);
	pthread_create(&thread, NULL, use_near, NULL);
	taken = wide.kept[0]; /* taken */
	wide.kept[0] = 5;     /* set again */
	pthread_join(thread, NULL);
	store(&wide);
	if (__builtin_cpu_supports("avx")) {
		taken += load_two(&wide);
		load_over(&wide);
	}
}

int main(void)
{
	use_kept();
	live = calloc(1, 40);
	stale = calloc(1, 40);
	free(stale);
	/* The last 8 bytes of the block below. */
	if (__builtin_cpu_supports("avx"))
		taken += load_two(live + 32);
	printf("%d\n", taken);
	return 0;
}
