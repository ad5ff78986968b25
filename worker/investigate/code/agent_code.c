/*
 * gdb shows code only as a listing:
 *      0  reg 6
 *      3  const8 236
 *     ...
 *     31  end
 * It must never give out code that means something else: what it does not know it refuses.
 */
#include "worker/investigate/code/agent_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/frames/frames.h"
#include "worker/session/spoken.h"

#define LINES_MAX    128
#define REGISTER_MAX 16
#define CONST64	     0x25
#define WIDE	     8 /* bytes of its operand */

struct opcode {
	const char *name;
	unsigned char number, operand; /* operand: bytes */
};

/* The numbers of gdb's ax.def; without floating point, tracing, and what asks for more memory. */
static const struct opcode opcodes[] = {{"add", 0x02, 0}, {"sub", 0x03, 0}, {"mul", 0x04, 0},
    {"div_signed", 0x05, 0}, {"div_unsigned", 0x06, 0}, {"rem_signed", 0x07, 0},
    {"rem_unsigned", 0x08, 0}, {"lsh", 0x09, 0}, {"rsh_signed", 0x0a, 0}, {"rsh_unsigned", 0x0b, 0},
    {"log_not", 0x0e, 0}, {"bit_and", 0x0f, 0}, {"bit_or", 0x10, 0}, {"bit_xor", 0x11, 0},
    {"bit_not", 0x12, 0}, {"equal", 0x13, 0}, {"less_signed", 0x14, 0}, {"less_unsigned", 0x15, 0},
    {"ext", 0x16, 1}, {"ref8", 0x17, 0}, {"ref16", 0x18, 0}, {"ref32", 0x19, 0}, {"ref64", 0x1a, 0},
    {"if_goto", 0x20, 2}, {"goto", 0x21, 2}, {"const8", 0x22, 1}, {"const16", 0x23, 2},
    {"const32", 0x24, 4}, {"const64", CONST64, WIDE}, {"reg", 0x26, 2}, {"end", 0x27, 0},
    {"dup", 0x28, 0}, {"pop", 0x29, 0}, {"zero_ext", 0x2a, 1}, {"swap", 0x2b, 0}};

/* As rr numbers them for gdb. */
static const char *const registers[REGISTER_MAX] = {"$rax", "$rbx", "$rcx", "$rdx", "$rsi", "$rdi",
    "$rbp", "$rsp", "$r8", "$r9", "$r10", "$r11", "$r12", "$r13", "$r14", "$r15"};

struct line {
	const struct opcode *opcode;
	unsigned long long operand;
	unsigned at, becomes; /* offsets in gdb's code and in ours */
};

struct listing {
	struct line line[LINES_MAX];
	unsigned count, length;
};

static bool is_named(const struct opcode *opcode, const char *name)
{
	return strcmp(opcode->name, name) == 0;
}

static const struct opcode *find(const char *name, const char *with)
{
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
		if (is_named(&opcodes[i], name) && (opcodes[i].operand > 0) == (with != NULL))
			return &opcodes[i];
	return NULL;
}

/* A register becomes the number that it holds in the selected frame. */
static bool fold_register(struct replay *replay, struct line *line)
{
	if (line->operand >= REGISTER_MAX || !frames_number(replay, replay_selected(replay)->frame,
						 registers[line->operand], &line->operand))
		return false;
	line->opcode = find("const64", "");
	return true;
}

/* "  3  const8 236". False: not understood. */
static bool read_line(char *text, struct line *line)
{
	char *rest, *end;
	const char *name, *operand;

	line->at = (unsigned)strtoul(text, &rest, 10);
	if (rest == text || !(name = strsep(&rest, " ")) || *name || !(name = strsep(&rest, " ")) ||
	    *name || !(name = strsep(&rest, " ")))
		return false;
	operand = strsep(&rest, " ");
	line->opcode = find(name, operand);
	if (!line->opcode || rest)
		return false;
	line->operand = operand ? strtoull(operand, &end, 10) : 0;
	return !operand || (end != operand && !*end);
}

/* A line of the listing; those before it begin with words. */
static bool take_line(struct replay *replay, struct listing *listing, char *text)
{
	struct line *line = &listing->line[listing->count];

	if (text[strspn(text, " ")] < '0' || text[strspn(text, " ")] > '9')
		return true;
	if (listing->count == LINES_MAX || !read_line(text, line) ||
	    (is_named(line->opcode, "reg") && !fold_register(replay, line)))
		return false;
	line->becomes = listing->length;
	listing->length += 1u + line->opcode->operand;
	listing->count++;
	return listing->length <= AGENT_CODE_BYTES;
}

/* The same jump in our code; false if it leads to no line. */
static bool move_jump(const struct listing *listing, struct line *jump)
{
	for (unsigned i = 0; i < listing->count; i++) {
		if (listing->line[i].at == jump->operand) {
			jump->operand = listing->line[i].becomes;
			return true;
		}
	}
	return false;
}

static bool is_jump(const struct line *line)
{
	return is_named(line->opcode, "goto") || is_named(line->opcode, "if_goto");
}

static bool write_code(struct listing *listing, char *code)
{
	for (unsigned i = 0; i < listing->count; i++) {
		struct line *line = &listing->line[i];

		if (is_jump(line) && !move_jump(listing, line))
			return false;
		code += sprintf(code, "%02x", line->opcode->number);
		for (unsigned byte = line->opcode->operand; byte > 0; byte--)
			code += sprintf(
			    code, "%02x", (unsigned)(line->operand >> 8 * (byte - 1)) & 0xff);
	}
	return listing->count > 0;
}

/* The top of the stack, where it is a number that the code itself has or computes. */
struct constants {
	unsigned long long number[LINES_MAX];
	unsigned count;
};

static void take_two(struct constants *constants, bool multiplies)
{
	unsigned long long *number = constants->number;

	if (constants->count < 2) {
		constants->count = 0;
		return;
	}
	constants->count--;
	if (multiplies)
		number[constants->count - 1] *= number[constants->count];
	else
		number[constants->count - 1] += number[constants->count];
}

/* False: it reads at an address that is not known, or at another one than before. */
static bool take_read(
    struct constants *constants, const struct opcode *opcode, struct agent_place *place)
{
	const unsigned long long size = strtoull(opcode->name + strlen("ref"), NULL, 10) / 8;
	unsigned long long address;

	if (constants->count == 0)
		return false;
	address = constants->number[constants->count - 1];
	if (place->size && (place->address != address || place->size != size))
		return false;
	*place = (struct agent_place){address, size};
	constants->count = 0;
	return true;
}

/* What is not understood leaves no number that is known. */
static void find_place(const struct listing *listing, struct agent_place *place)
{
	struct constants constants = {.count = 0};

	*place = (struct agent_place){0, 0};
	for (unsigned i = 0; i < listing->count; i++) {
		const struct opcode *opcode = listing->line[i].opcode;

		if (strncmp(opcode->name, "const", 5) == 0) {
			constants.number[constants.count++] = listing->line[i].operand;
		} else if (is_named(opcode, "add") || is_named(opcode, "mul")) {
			take_two(&constants, is_named(opcode, "mul"));
		} else if (strncmp(opcode->name, "ref", 3) == 0) {
			if (!take_read(&constants, opcode, place)) {
				place->size = 0;
				return;
			}
		} else {
			constants.count = 0;
		}
	}
}

bool agent_code_make(struct replay *replay, const char *expression,
    char code[2 * AGENT_CODE_BYTES + 1], struct agent_place *place)
{
	char command[REPLAY_EXPRESSION_MAX + 32], quoted[GDB_QUOTED_MAX], *text, *rest, *line;
	struct listing listing = {.count = 0};
	bool good = true;

	if ((size_t)snprintf(command, sizeof(command), "maint agent-eval %s", expression) >=
		sizeof(command) ||
	    mi_quote(quoted, sizeof(quoted), command) < 0 ||
	    spoken_console(replay, quoted) != GDB_DONE)
		return false;
	text = rest = strdup(gdb_console_text(replay_gdb(replay)));
	while (good && rest && (line = strsep(&rest, "\n")))
		good = take_line(replay, &listing, line);
	free(text);
	find_place(&listing, place);
	return good && text && write_code(&listing, code);
}
