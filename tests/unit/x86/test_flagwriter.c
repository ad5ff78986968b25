/*
 * Instructions that set all flags: the software does what the processor does.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/runner.h"
#include "worker/x86/flagwriter.h"

enum { ROUNDS = 20000, FLAGS = 0x8d5, INSTRUCTION_MAX = 15 };

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Loads rax, rcx, rdx, rbx and the flags from *rdi, does the instruction, and stores them. */
struct machine {
	uint8_t *code;
};

struct values {
	uint64_t rax, rcx, rdx, rbx, flags;
};

static void put(struct machine *machine, size_t *used, const char *bytes, size_t length)
{
	memcpy(machine->code + *used, bytes, length);
	*used += length;
}

static void run_on_processor(
    struct machine *machine, const uint8_t *bytes, size_t length, struct values *values)
{
	size_t used = 0;

	put(machine, &used, "\x53", 1);		    /* push rbx */
	put(machine, &used, "\xff\x77\x20\x9d", 4); /* push [rdi + 32]; popf */
	put(machine, &used, "\x48\x8b\x07\x48\x8b\x4f\x08", 7);
	put(machine, &used, "\x48\x8b\x57\x10\x48\x8b\x5f\x18", 8);
	put(machine, &used, (const char *)bytes, length);
	put(machine, &used, "\x9c\x8f\x47\x20", 4); /* pushf; pop [rdi + 32] */
	put(machine, &used, "\x48\x89\x07\x48\x89\x4f\x08", 7);
	put(machine, &used, "\x48\x89\x57\x10\x48\x89\x5f\x18", 8);
	put(machine, &used, "\x5b\xc3", 2);
	((void (*)(struct values *))machine->code)(values);
}

/* One on al to bh, or their longer names: prefixes, an opcode, a ModRM byte, a constant. */
static size_t random_writer(uint8_t *bytes)
{
	static const uint8_t opcodes[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x0b,
	    0x0c, 0x0d, 0x20, 0x21, 0x23, 0x25, 0x28, 0x29, 0x2a, 0x2b, 0x2d, 0x30, 0x31, 0x33,
	    0x35, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x80, 0x81, 0x83, 0x84, 0x85, 0xa8, 0xa9,
	    0xf6, 0xf7, 0xfe, 0xff};
	uint64_t noise = next_random();
	size_t n = 0;

	memset(bytes, 0, INSTRUCTION_MAX);
	if (noise % 3 == 0)
		bytes[n++] = 0x66;
	if (noise / 3 % 3 == 0)
		bytes[n++] = noise & 64 ? 0x48 : 0x40;
	bytes[n++] = opcodes[(noise >> 8) % sizeof opcodes];
	bytes[n++] = (uint8_t)(0xc0 | (noise >> 16 & 0x3b));
	noise = next_random();
	memcpy(bytes + n, &noise, 4);
	for (size_t length = 1; length <= n + 4; length++) {
		if (flagwriter_is(bytes, length))
			return length;
	}
	return 0;
}

/* The low registers; without REX a byte's fifth to eighth are ah to bh. */
static bool stays_in_the_four(const uint8_t *bytes, size_t length)
{
	size_t at = 0;
	bool rex;

	while (bytes[at] == 0x66)
		at++;
	rex = (bytes[at] & 0xf0) == 0x40;
	at += rex;
	if (at + 1 >= length || (bytes[at] < 0x40 && (bytes[at] & 7) >= 4) || bytes[at] == 0xa8 ||
	    bytes[at] == 0xa9)
		return true;
	if (bytes[at] < 0x80 || bytes[at] == 0x84 || bytes[at] == 0x85)
		return !(bytes[at + 1] & 0x24) || (!rex && !(bytes[at] & 1));
	return !(bytes[at + 1] & 4) || (!rex && !(bytes[at] & 1));
}

START_TEST(software_does_what_the_processor_does)
{
	struct machine machine = {.code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
	unsigned compared = 0;

	ck_assert_ptr_ne(machine.code, MAP_FAILED);
	for (int i = 0; i < ROUNDS; i++) {
		uint8_t bytes[INSTRUCTION_MAX];
		size_t length = random_writer(bytes);
		struct user_regs_struct regs = {0};
		struct values values;

		if (length == 0 || !stays_in_the_four(bytes, length))
			continue;
		values = (struct values){next_random(), next_random(), next_random(), next_random(),
		    (next_random() & FLAGS) | 2};
		if (i % 4 == 0)
			values.rcx = values.rax;
		regs.rax = values.rax, regs.rcx = values.rcx, regs.rdx = values.rdx;
		regs.rbx = values.rbx, regs.eflags = values.flags;
		flagwriter_apply(bytes, length, &regs);
		run_on_processor(&machine, bytes, length, &values);
		ck_assert_uint_eq(regs.rax, values.rax);
		ck_assert_uint_eq(regs.rcx, values.rcx);
		ck_assert_uint_eq(regs.rdx, values.rdx);
		ck_assert_uint_eq(regs.rbx, values.rbx);
		ck_assert_uint_eq(regs.eflags & FLAGS, values.flags & FLAGS);
		ck_assert_uint_eq(regs.rip, length);
		compared++;
	}
	ck_assert_uint_gt(compared, ROUNDS / 4);
	munmap(machine.code, 4096);
}
END_TEST

START_TEST(what_reads_flags_or_memory_is_none)
{
	static const struct {
		uint8_t bytes[8];
		size_t length;
	} none[] = {
	    {{0x11, 0xc8}, 2},	     /* adc eax, ecx */
	    {{0x19, 0xc8}, 2},	     /* sbb */
	    {{0x01, 0x08}, 2},	     /* add [rax], ecx */
	    {{0xf7, 0xd0}, 2},	     /* not */
	    {{0xf7, 0xe1}, 2},	     /* mul */
	    {{0xd1, 0xe0}, 2},	     /* shl */
	    {{0xf0, 0x01, 0xc8}, 3}, /* lock */
	    {{0x89, 0xc8}, 2},	     /* mov */
	    {{0x0f, 0xaf, 0xc1}, 3}, /* imul */
	    {{0x01, 0xc8, 0x90}, 3}, /* one byte too many */
	    {{0x05, 0, 0, 0}, 4},    /* one too few */
	};

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(!flagwriter_is(none[i].bytes, none[i].length), "row %zu", i);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    software_does_what_the_processor_does,
	    what_reads_flags_or_memory_is_none,
	    NULL,
	};

	return run_tests("softpmu flag writers", tests, NULL, NULL);
}
