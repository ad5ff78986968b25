/*
 * Heap memory, a return address and the neighbours of other threads, touched by the wide vectors of
 * AVX-512 and with masks. What is wrong says so in its name. A processor without AVX or AVX-512
 * does not do its part.
 *
 *	vector_masks heap | unwritten | races
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define KEEP	__attribute__((noinline, noipa))
#define AVX	__attribute__((target("avx")))
#define AVX_512 __attribute__((target("avx512f,avx512bw,avx512vl")))

static const _Alignas(32) int lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
static int taken;

static int has_avx_512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl");
}

static char *make(size_t size)
{
	char *block = malloc(size);

	memset(block, 1, size);
	return block;
}

/* ---- Heap ------------------------------------------------------------------------------------ */

/* The first lanes of eight. */
AVX KEEP static void store_lanes(void *to, int count)
{
	int select[8] = {0};

	for (int i = 0; i < count; i++)
		select[i] = -1;
	__asm__ volatile("vmovdqu (%0), %%ymm1\n\t"
			 "vmovdqu (%2), %%ymm2\n\t"
			 "vmaskmovps %%ymm2, %%ymm1, (%1)"
			 :
			 : "r"(select), "r"(to), "r"(lanes)
			 : "xmm1", "xmm2", "memory");
}

AVX KEEP static void load_lanes(const void *from, int count)
{
	int select[8] = {0};

	for (int i = 0; i < count; i++)
		select[i] = -1;
	__asm__ volatile("vmovdqu (%0), %%ymm1\n\t"
			 "vmaskmovps (%1), %%ymm1, %%ymm2"
			 :
			 : "r"(select), "r"(from)
			 : "xmm1", "xmm2", "memory");
}

AVX_512 KEEP static void store_bytes(void *to, uint64_t mask)
{
	__asm__ volatile("kmovq %1, %%k1\n\t"
			 "vpxorq %%zmm16, %%zmm16, %%zmm16\n\t"
			 "vmovdqu8 %%zmm16, (%0)%{%%k1%}"
			 :
			 : "r"(to), "r"(mask)
			 : "xmm16", "k1", "memory");
}

AVX_512 KEEP static void load_bytes(const void *from, uint64_t mask)
{
	__asm__ volatile("kmovq %1, %%k1\n\t"
			 "vmovdqu8 (%0), %%zmm16%{%%k1%}%{z%}"
			 :
			 : "r"(from), "r"(mask)
			 : "xmm16", "k1", "memory");
}

/* So many of sixteen numbers, packed. */
AVX_512 KEEP static void store_packed(void *to, uint64_t mask)
{
	__asm__ volatile("kmovq %1, %%k1\n\t"
			 "vpxorq %%zmm1, %%zmm1, %%zmm1\n\t"
			 "vpcompressd %%zmm1, (%0)%{%%k1%}"
			 :
			 : "r"(to), "r"(mask)
			 : "xmm1", "k1", "memory");
}

KEEP static void wrong_lane(char *block)
{
	store_lanes(block + 32, 3); /* one too many */
}

KEEP static void wrong_lane_loaded(char *block)
{
	load_lanes(block + 28, 4);
}

KEEP static void wrong_byte(char *block)
{
	store_bytes(block + 32, 0x1ff);
}

KEEP static void wrong_byte_loaded(char *block)
{
	load_bytes(block + 32, 1 << 9);
}

KEEP static void wrong_packed(char *block)
{
	store_packed(block + 32, 0x8101);
}

static unsigned char old_frame[64], new_frame[64];

/* The bytes around the return address, with another one, and as they were. */
#define OVER_RETURN(how)                                                                           \
	unsigned char *at = (unsigned char *)__builtin_frame_address(0) + 8 - 32;                  \
	memcpy(old_frame, at, sizeof old_frame);                                                   \
	memcpy(new_frame, at, sizeof new_frame);                                                   \
	memset(new_frame + 32, 'A', 8);                                                            \
	__asm__ volatile("kmovq %3, %%k1\n\t"                                                      \
			 "vmovdqu64 (%1), %%zmm16\n\t"                                             \
			 "vmovdqu64 (%2), %%zmm17\n\t"                                             \
			 "vmovdqu8 %%zmm16, (%0)" how "\n\t"                                       \
			 "vmovdqu64 %%zmm17, (%0)"                                                 \
			 :                                                                         \
			 : "r"(at), "r"(new_frame), "r"(old_frame), "r"(mask)                      \
			 : "xmm16", "xmm17", "k1", "memory")

AVX_512 KEEP __attribute__((optimize("no-omit-frame-pointer"))) static void wrong_return(
    uint64_t mask)
{
	OVER_RETURN("");
}

AVX_512 KEEP __attribute__((optimize("no-omit-frame-pointer"))) static void masked_return(
    uint64_t mask)
{
	OVER_RETURN("%{%%k1%}");
}

KEEP static void wrong_masked_return(void)
{
	masked_return(0xff00000000);
}

static void use_heap(void)
{
	char *block = make(40), *other = make(40), *third = make(40);

	if (__builtin_cpu_supports("avx")) {
		store_lanes(block + 32, 2);
		load_lanes(block + 28, 3);
		wrong_lane(block);
		wrong_lane_loaded(block);
	}
	if (!has_avx_512())
		return;
	store_bytes(other + 32, 0xff);
	load_bytes(other + 32, 0xff);
	store_packed(other + 32, 0x8001);
	wrong_byte(other);
	wrong_byte_loaded(other);
	wrong_packed(third);
	masked_return(0xff);
	wrong_return(0);
	wrong_masked_return();
}

/* ---- What was never written ------------------------------------------------------------------ */

AVX_512 KEEP static void copy_wide(void *to, const void *from)
{
	__asm__ volatile("vmovdqu64 (%1), %%zmm16\n\t"
			 "vmovdqa64 %%zmm16, %%zmm31\n\t"
			 "vmovdqu64 %%zmm31, (%0)"
			 :
			 : "r"(to), "r"(from)
			 : "xmm16", "xmm31", "memory");
}

/* The others become zero. */
AVX_512 KEEP static void copy_some(void *to, const void *from, uint64_t mask)
{
	__asm__ volatile("kmovq %2, %%k1\n\t"
			 "vmovdqu8 (%1), %%zmm16%{%%k1%}%{z%}\n\t"
			 "vmovdqu64 %%zmm16, (%0)"
			 :
			 : "r"(to), "r"(from), "r"(mask)
			 : "xmm16", "k1", "memory");
}

KEEP static void judge(char byte)
{
	if (byte)
		taken++;
}

/* Bytes of a copy. */
KEEP static void in_wide_copy(char *copy)
{
	judge(copy[20]);
}

KEEP static void beside_masked_store(char *block)
{
	judge(block[4]);
	if (block[20])
		taken++;
}

KEEP static void in_masked_copy(char *copy)
{
	judge(copy[20]);
	if (copy[4])
		taken++;
}

KEEP static void beside_lanes(char *block)
{
	judge(block[4]);
	if (block[12])
		taken++;
}

static void use_unwritten(void)
{
	char *by_lanes = malloc(64), *unset = malloc(64), *copy = make(64), *some = make(64);

	if (__builtin_cpu_supports("avx")) {
		store_lanes(by_lanes, 3 - 1);
		beside_lanes(by_lanes);
	}
	if (!has_avx_512())
		return;
	copy_wide(copy, unset);
	in_wide_copy(copy);
	copy_some(some, unset, 0xff);
	in_masked_copy(some);
	store_bytes(unset, 0xff);
	beside_masked_store(unset);
}

/* ---- Races ----------------------------------------------------------------------------------- */

static _Alignas(64) char shared[64], raced[64];

/* Each its own 8 bytes of `shared`, and one byte of `raced`. */
static void *write_own(void *unused)
{
	if (has_avx_512()) {
		store_bytes(shared, 0xff00);
		store_bytes(raced, 0x100);
	}
	return unused;
}

static void use_shared(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, write_own, NULL);
	if (has_avx_512()) {
		store_bytes(shared, 0xff);
		store_bytes(raced, 0x100);
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "heap") == 0)
		use_heap();
	else if (strcmp(what, "unwritten") == 0)
		use_unwritten();
	else
		use_shared();
	return 0;
}
