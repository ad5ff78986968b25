/*
 * Makes random code. Instructions are random bytes under all prefixes and opcode maps, as long as
 * the decoder knows them and they do the same wherever and whenever they run. They may fault, and
 * faults must be equal too.
 */
#include "tests/differ/code.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <string.h>

enum { INSTRUCTION_MAX = 15, TRIES = 1000 };

uint64_t code_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return code_random(seed) % limit;
}

/* Instructions whose result differs from run to run, or that leave the test. */
static bool is_unfit(const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
	case ZYDIS_CATEGORY_SEGOP:
	case ZYDIS_CATEGORY_RDWRFSGS:
	case ZYDIS_CATEGORY_RDRAND:
	case ZYDIS_CATEGORY_RDSEED:
	case ZYDIS_CATEGORY_PKU:
		return true;
	default:
		break;
	}
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
	case ZYDIS_MNEMONIC_RDPID:
	case ZYDIS_MNEMONIC_RDPRU:
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_XGETBV:
	case ZYDIS_MNEMONIC_SGDT:
	case ZYDIS_MNEMONIC_SIDT:
	case ZYDIS_MNEMONIC_SLDT:
	case ZYDIS_MNEMONIC_SMSW:
	case ZYDIS_MNEMONIC_STR:
	case ZYDIS_MNEMONIC_LSL:
	case ZYDIS_MNEMONIC_LAR:
	case ZYDIS_MNEMONIC_PUSHF: /* a step shows in what it pushes */
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFQ:
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_UMWAIT:
	case ZYDIS_MNEMONIC_TPAUSE:
	case ZYDIS_MNEMONIC_VMMCALL:
	case ZYDIS_MNEMONIC_VMCALL:
	case ZYDIS_MNEMONIC_MONITORX:
	case ZYDIS_MNEMONIC_MWAITX:
		return true;
	default:
		return z->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
	}
}

static size_t random_prefixes(uint8_t *bytes, uint64_t *seed)
{
	static const uint8_t legacy[] = {0x66, 0xf2, 0xf3, 0xf0, 0x66, 0x65, 0x2e, 0x66};
	size_t n = 0;

	if (below(seed, 4) == 0)
		bytes[n++] = legacy[below(seed, sizeof legacy)];
	if (below(seed, 2) == 0)
		bytes[n++] = (uint8_t)(0x40 | below(seed, 16));
	return n;
}

/* Prefixes and map, up to the opcode; random bytes follow. */
static size_t random_map(uint8_t *bytes, uint64_t *seed)
{
	size_t n;

	switch (below(seed, 9)) {
	case 0:
	case 1:
	case 2:
		return random_prefixes(bytes, seed);
	case 3:
	case 4:
		n = random_prefixes(bytes, seed);
		bytes[n] = 0x0f;
		return n + 1;
	case 5:
		n = random_prefixes(bytes, seed);
		bytes[n] = 0x0f;
		bytes[n + 1] = below(seed, 2) ? 0x38 : 0x3a;
		return n + 2;
	case 6: /* x87 */
		bytes[0] = (uint8_t)(0xd8 | below(seed, 8));
		return 1;
	case 7: /* VEX */
		bytes[0] = 0xc4;
		bytes[1] = (uint8_t)(below(seed, 8) << 5 | (1 + below(seed, 3)));
		return 3;
	default: /* EVEX */
		bytes[0] = 0x62;
		bytes[1] = (uint8_t)(below(seed, 16) << 4 | (1 + below(seed, 3)));
		bytes[2] |= 4;
		return 4;
	}
}

/* Memory operands mostly hit: small displacements, and data at the end of those relative to rip. */
static void aim(uint8_t *bytes, const ZydisDecodedInstruction *z, uint64_t address, uint64_t *seed)
{
	uint32_t displacement = (uint32_t)below(seed, 256);

	if (z->raw.disp.size != 32)
		return;
	if (z->raw.modrm.mod == 0 && z->raw.modrm.rm == 5)
		displacement += (uint32_t)(DATA_BASE + DATA_SIZE / 2 - address - z->length);
	memcpy(bytes + z->raw.disp.offset, &displacement, sizeof displacement);
}

static size_t random_instruction(uint8_t *bytes, uint64_t address, uint64_t *seed)
{
	static ZydisDecoder decoder;
	ZydisDecodedInstruction z;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < TRIES; i++) {
		uint64_t noise[2] = {code_random(seed), code_random(seed)};

		memcpy(bytes, noise, INSTRUCTION_MAX);
		random_map(bytes, seed);
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			&decoder, NULL, bytes, INSTRUCTION_MAX, &z)) ||
		    is_unfit(&z))
			continue;
		aim(bytes, &z, address, seed);
		return z.length;
	}
	bytes[0] = 0x90;
	return 1;
}

struct link {
	size_t at; /* of four bytes */
	unsigned block;
	bool relative;
};

/* A byte in which the code may change these bits and remains suitable code. */
struct target {
	size_t at;
	uint8_t bits;
};

struct writer {
	struct code *code;
	struct link link[CODE_BLOCKS * 4];
	unsigned links;
	size_t
	    write[CODE_BLOCKS * 4]; /* xor byte [displacement], bits: where the displacement is */
	unsigned writes;
	struct target target[CODE_BLOCKS * 8];
	unsigned targets;
};

static void put(struct writer *writer, const char *bytes, size_t length)
{
	memcpy(writer->code->bytes + writer->code->length, bytes, length);
	writer->code->length += length;
}

/* Four bytes for a displacement to a block, or for its address. */
static void put_link_to(struct writer *writer, unsigned block, bool relative)
{
	writer->link[writer->links++] = (struct link){writer->code->length, block, relative};
	put(writer, "\0\0\0\0", 4);
}

static void put_link(struct writer *writer, uint64_t *seed, bool relative)
{
	put_link_to(writer, (unsigned)below(seed, CODE_BLOCKS), relative);
}

static void add_target(struct writer *writer, size_t at, uint8_t bits)
{
	writer->target[writer->targets++] = (struct target){at, bits};
}

/* A constant that can change, and a write to something that can: here, before or after. */
static void put_write(struct writer *writer, uint64_t *seed)
{
	char constant[5] = {(char)(0xb8 | below(seed, 4))}; /* mov eax (ecx, edx, ebx), ... */

	put(writer, "\x80\x35", 2);
	writer->write[writer->writes++] = writer->code->length;
	put(writer, "\0\0\0\0\0", 5);
	if (below(seed, 2) == 0)
		return;
	put(writer, constant, sizeof constant);
	add_target(writer, writer->code->length - 1 - below(seed, 4), 0xff);
}

/* mov edi, address; mov esi, address; mov ecx, count; std or nop; rep movs, stos or lods; cld */
static void put_string(struct writer *writer, uint64_t *seed)
{
	static const uint8_t operations[] = {0xa4, 0xa5, 0xaa, 0xab, 0xac, 0xad};
	static const uint8_t sizes[] = {0x90, 0x66, 0x48};
	const uint32_t to = (uint32_t)(DATA_BASE + DATA_SIZE / 4 + below(seed, DATA_SIZE / 2));
	const uint32_t from = (uint32_t)(DATA_BASE + DATA_SIZE / 4 + below(seed, DATA_SIZE / 2));
	const uint32_t count = (uint32_t)below(seed, 300);
	const uint8_t size = sizes[below(seed, 3)], operation = operations[below(seed, 6)];
	const char direction = below(seed, 3) ? '\x90' : '\xfd';

	put(writer, "\xbf", 1);
	put(writer, (const char *)&to, sizeof to);
	put(writer, "\xbe", 1);
	put(writer, (const char *)&from, sizeof from);
	put(writer, "\xb9", 1);
	put(writer, (const char *)&count, sizeof count);
	put(writer, &direction, 1);
	if (size == 0x66)
		put(writer, "\x66", 1);
	put(writer, "\xf3", 1);
	if (size == 0x48)
		put(writer, "\x48", 1);
	put(writer, (const char *)&operation, 1);
	put(writer, "\xfc", 1);
}

/* Of block number `block`; often back to its beginning. */
static void put_branch(struct writer *writer, unsigned block, uint64_t *seed)
{
	char bytes[4];

	if (below(seed, 6) == 0) { /* loopne, loope, loop, jrcxz over two bytes */
		size_t n = 0;

		if (below(seed, 4) == 0)
			bytes[n++] = 0x67;
		add_target(writer, writer->code->length + n, 3);
		bytes[n++] = (char)(0xe0 | below(seed, 4));
		bytes[n++] = 2;
		put(writer, bytes, n);
		put(writer, "\x31\xc0", 2); /* xor eax, eax */
		return;
	}
	bytes[0] = 0x0f;
	bytes[1] = (char)(0x80 | below(seed, 16));
	add_target(writer, writer->code->length + 1, 15);
	put(writer, bytes, 2);
	put_link_to(writer, below(seed, 4) ? (unsigned)below(seed, CODE_BLOCKS) : block, true);
}

/* To 0, or into the half of the kernel, in the instruction itself: call, jmp or a branch. */
static void put_wild_link(struct writer *writer, uint64_t *seed)
{
	static const char *const forms[] = {"\xe8", "\xe9", "\x0f\x84", "\x0f\x85"};
	const char *form = forms[below(seed, 4)];
	uint64_t target = below(seed, 3) ? 0 : CODE_BASE - 0x7fff0000ull;
	uint32_t displacement;

	put(writer, form, strlen(form));
	displacement = (uint32_t)(target - (CODE_BASE + writer->code->length + 4));
	put(writer, (const char *)&displacement, sizeof displacement);
}

/* To 0, to what is no address, or out of the program's half, by rax: call, jmp, ret, memory. */
static void put_wild_jump(struct writer *writer, uint64_t *seed)
{
	static const uint64_t targets[] = {0, UINT64_MAX, 0x800000000000, 0xffff7fffffffffff,
	    0xffff800000000000, 0x7ffffffff000, 0x7fffffffffff, 0x4141414141414141};
	static const struct {
		const char *bytes;
		size_t length;
	} forms[] = {{"\xff\xd0", 2}, {"\xff\xe0", 2}, {"\x50\xc3", 2}, {"\x50\xc2\x10\x00", 4},
	    {"\x50\xff\x14\x24", 4}, {"\x50\xff\x24\x24", 4}};
	const uint64_t i = below(seed, sizeof forms / sizeof forms[0]);
	const uint64_t target = targets[below(seed, sizeof targets / sizeof targets[0])];

	put(writer, "\x48\xb8", 2); /* movabs rax, target */
	put(writer, (const char *)&target, sizeof target);
	put(writer, forms[i].bytes, forms[i].length);
}

/* How a block ends, after its branch. */
static void put_end(struct writer *writer, uint64_t *seed)
{
	switch (below(seed, 16)) {
	case 0: /* jmp */
		put(writer, "\xe9", 1);
		put_link(writer, seed, true);
		break;
	case 1: /* call */
	case 2:
		if (below(seed, 2))
			put(writer, "\x66\x66\x48", 3); /* means nothing */
		put(writer, "\xe8", 1);
		put_link(writer, seed, true);
		break;
	case 3: /* push address; ret */
		put(writer, "\x68", 1);
		put_link(writer, seed, false);
		put(writer, "\xc3", 1);
		break;
	case 4: /* push address; ret 8 */
		put(writer, "\x68", 1);
		put_link(writer, seed, false);
		put(writer, "\xc2\x08\x00", 3);
		break;
	case 5: /* mov ecx, address; jmp rcx */
		put(writer, "\xb9", 1);
		put_link(writer, seed, false);
		put(writer, "\xff\xe1", 2);
		break;
	case 6: /* mov r11d, address; call r11 */
		put(writer, "\x41\xbb", 2);
		put_link(writer, seed, false);
		put(writer, "\x41\xff\xd3", 3);
		break;
	case 7: /* push address; call [rsp] */
		put(writer, "\x68", 1);
		put_link(writer, seed, false);
		put(writer, "\xff\x14\x24", 3);
		break;
	case 8: /* push address; jmp [rsp + 0] */
		put(writer, "\x68", 1);
		put_link(writer, seed, false);
		put(writer, "\xff\x64\x24\x00", 4);
		break;
	case 9: /* ret, to whatever is there */
		put(writer, "\xf3\xc3", 2);
		break;
	case 10:
		put_wild_link(writer, seed);
		break;
	case 11:
		put_wild_jump(writer, seed);
		break;
	default: /* on into the next block */
		break;
	}
}

static void set_links(struct writer *writer)
{
	struct code *code = writer->code;

	for (unsigned i = 0; i < writer->links; i++) {
		const struct link *link = &writer->link[i];
		uint64_t target = code->block[link->block];
		uint32_t value = (uint32_t)target;

		if (link->relative)
			value = (uint32_t)(target - (CODE_BASE + link->at + 4));
		memcpy(code->bytes + link->at, &value, sizeof value);
	}
}

static void set_writes(struct writer *writer, uint64_t *seed)
{
	for (unsigned i = 0; i < writer->writes; i++) {
		const struct target *target = &writer->target[below(seed, writer->targets)];
		size_t at = writer->write[i];
		uint32_t displacement = (uint32_t)(target->at - (at + 5));

		memcpy(writer->code->bytes + at, &displacement, sizeof displacement);
		writer->code->bytes[at + 4] = (uint8_t)(code_random(seed) & target->bits);
	}
}

void code_generate(struct code *code, uint64_t *seed, bool changes)
{
	struct writer writer = {.code = code};

	code->length = 0;
	for (unsigned i = 0; i < CODE_BLOCKS; i++) {
		code->block[i] = CODE_BASE + code->length;
		for (uint64_t n = below(seed, 6); n > 0; n--)
			code->length += random_instruction(
			    code->bytes + code->length, CODE_BASE + code->length, seed);
		for (uint64_t n = changes ? below(seed, 3) : 0; n > 0; n--)
			put_write(&writer, seed);
		if (below(seed, 4) == 0)
			put_string(&writer, seed);
		put_branch(&writer, i, seed);
		for (uint64_t n = below(seed, 3); n > 0; n--)
			code->length += random_instruction(
			    code->bytes + code->length, CODE_BASE + code->length, seed);
		put_end(&writer, seed);
	}
	put(&writer, "\x0f\x0b", 2); /* ud2 */
	set_links(&writer);
	set_writes(&writer, seed);
}
