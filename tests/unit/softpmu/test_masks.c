/*
 * Vector and mask registers of a child that has put known bytes into them, and what its masks
 * select. On a processor without AVX-512 only the registers of AVX are looked at, or none.
 */
#include "worker/softpmu/base/masks.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"

enum { AVX_VECTORS = 16, AVX_BYTES = 32 };

static uint8_t vectors[MASK_VECTORS][MASK_VECTOR_BYTES];
static const uint64_t masks[MASK_REGISTERS] = {1, 0xf0, 3, 4, 5, 6, 7, 1ull << 63};
static pid_t child;

static bool has_avx_512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

#define LOAD_VECTOR(n) __asm__ volatile("vmovdqu64 %0, %%zmm" #n : : "m"(vectors[n]) : "memory")
#define LOAD_MASK(n)   __asm__ volatile("kmovq %0, %%k" #n : : "m"(masks[n]) : "memory")

__attribute__((target("avx512f,avx512bw"), noinline, noreturn)) static void stop_with_zmm(void)
{
	/* Into the registers behind one another, and nothing between them and the stop. */
	LOAD_MASK(0);
	LOAD_MASK(1);
	LOAD_MASK(7);
	LOAD_VECTOR(0);
	LOAD_VECTOR(9);
	LOAD_VECTOR(15);
	LOAD_VECTOR(16);
	LOAD_VECTOR(31);
	__asm__ volatile("int3");
	_exit(1);
}

__attribute__((target("avx"), noinline, noreturn)) static void stop_with_ymm(void)
{
	__asm__ volatile("vmovdqu %0, %%ymm0" : : "m"(vectors[0]) : "memory");
	__asm__ volatile("vmovdqu %0, %%ymm9" : : "m"(vectors[9]) : "memory");
	__asm__ volatile("vmovdqu %0, %%ymm15" : : "m"(vectors[15]) : "memory");
	__asm__ volatile("int3");
	_exit(1);
}

static void begin(void)
{
	for (unsigned i = 0; i < MASK_VECTORS; i++)
		for (unsigned j = 0; j < MASK_VECTOR_BYTES; j++)
			vectors[i][j] = (uint8_t)(i * 67 + j * 3 + 1);
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		if (has_avx_512())
			stop_with_zmm();
		if (__builtin_cpu_supports("avx"))
			stop_with_ymm();
		raise(SIGTRAP);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

static void end(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

START_TEST(each_part_of_a_vector_is_read)
{
	static const unsigned numbers[] = {0, 9, 15, 16, 31};
	const unsigned bytes = has_avx_512() ? MASK_VECTOR_BYTES : AVX_BYTES;
	const unsigned count = has_avx_512() ? TIMES(numbers) : 3;
	uint8_t got[MASK_VECTOR_BYTES];

	if (!__builtin_cpu_supports("avx"))
		return;
	for (unsigned i = 0; i < count; i++) {
		const uint8_t *wanted = vectors[numbers[i]];

		ck_assert(masks_read_vector(child, numbers[i], 0, bytes, got));
		ck_assert_mem_eq(got, wanted, bytes);
		for (unsigned at = 0; at < bytes; at++) {
			ck_assert(masks_read_vector(child, numbers[i], at, 1, got));
			ck_assert_uint_eq(got[0], wanted[at]);
		}
		ck_assert(masks_read_vector(child, numbers[i], 12, 8, got));
		ck_assert_mem_eq(got, wanted + 12, 8);
	}
}
END_TEST

START_TEST(what_is_no_part_of_a_vector_is_refused)
{
	uint8_t got[2 * MASK_VECTOR_BYTES];

	ck_assert(!masks_read_vector(child, MASK_VECTORS, 0, 1, got));
	ck_assert(!masks_read_vector(child, 0, MASK_VECTOR_BYTES, 1, got));
	ck_assert(!masks_read_vector(child, 0, MASK_VECTOR_BYTES - 1, 2, got));
	if (!has_avx_512())
		ck_assert(!masks_read_vector(child, 16, 0, 1, got));
}
END_TEST

START_TEST(mask_registers_are_read)
{
	uint64_t got[MASK_REGISTERS];

	ck_assert(masks_read(child, got) || !has_avx_512());
	if (!has_avx_512())
		return;
	ck_assert_uint_eq(got[0], masks[0]);
	ck_assert_uint_eq(got[1], masks[1]);
	ck_assert_uint_eq(got[7], masks[7]);
}
END_TEST

START_TEST(a_mask_selects_bytes)
{
	const struct access by_k = {.size = 64, .element = 1, .mask = 1, .by_element = true};
	const struct access last = {.size = 64, .element = 1, .mask = 7, .by_element = true};
	const struct access by_vector = {
	    .size = 32, .element = 4, .vector_mask = true, .vector = 9, .by_element = true};
	uint64_t selected, signs = 0;

	if (has_avx_512()) {
		ck_assert(masks_select(child, &by_k, &selected));
		ck_assert_uint_eq(selected, 0xf0);
		ck_assert(masks_select(child, &last, &selected));
		ck_assert_uint_eq(selected, 1ull << 63);
	}
	if (!__builtin_cpu_supports("avx"))
		return;
	for (unsigned i = 0; i < 8; i++)
		signs |= vectors[9][4 * i + 3] & 0x80 ? 0xfull << 4 * i : 0;
	ck_assert(masks_select(child, &by_vector, &selected));
	ck_assert_uint_eq(selected, signs);
	ck_assert(signs != 0 && signs != UINT32_MAX);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    each_part_of_a_vector_is_read,
	    what_is_no_part_of_a_vector_is_refused,
	    mask_registers_are_read,
	    a_mask_selects_bytes,
	    NULL,
	};

	return run_tests("softpmu masks", tests, begin, end);
}
