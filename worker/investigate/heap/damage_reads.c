/*
 * Steps by instructions and decodes each before it runs, with the registers that it will have.
 */
#include "worker/investigate/heap/damage_reads.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/read/code/mappings.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"

#define STEPS_MAX   3000
#define WORD	    8
#define CODE_BYTES  512 /* read at once */
#define REGISTERS   17
#define STACK_BELOW 256

/* gdb's order of them. */
static const char registers[] = "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17";

static bool read_registers(struct replay *replay, struct user_regs_struct *regs)
{
	unsigned long long *const places[] = {&regs->rax, &regs->rbx, &regs->rcx, &regs->rdx,
	    &regs->rsi, &regs->rdi, &regs->rbp, &regs->rsp, &regs->r8, &regs->r9, &regs->r10,
	    &regs->r11, &regs->r12, &regs->r13, &regs->r14, &regs->r15, &regs->rip, &regs->eflags};
	json_t *results = NULL, *values, *value;
	size_t i, found = 0;

	if (gdb_command(replay_gdb(replay), &results,
		"-data-list-register-values --thread %d --frame 0 x %s",
		replay_selected(replay)->number, registers) == GDB_DONE) {
		values = json_object_get(results, "register-values");
		json_array_foreach(values, i, value)
		{
			const char *text = mi_text(value, "value");
			int number = mi_number(value, "number", -1);

			if (!text || number < 0 || number > REGISTERS)
				continue;
			*places[number] = strtoull(text, NULL, 16);
			found++;
		}
	}
	json_decref(results);
	return found == REGISTERS + 1;
}

struct walk {
	struct replay *replay;
	struct mappings *mappings;
	unsigned long long code_at; /* of the code that is known */
	uint8_t code[CODE_BYTES];
	size_t code_length;
};

/* The bytes of the instruction there, at most INSTRUCTION_BYTES_MAX. */
static const uint8_t *code_of(struct walk *walk, unsigned long long pc, size_t *length)
{
	if (pc < walk->code_at || pc + INSTRUCTION_BYTES_MAX > walk->code_at + walk->code_length) {
		walk->code_at = pc;
		walk->code_length = accessed_bytes(walk->replay, pc, walk->code, CODE_BYTES);
	}
	*length = walk->code_at + walk->code_length - pc;
	if (*length > INSTRUCTION_BYTES_MAX)
		*length = INSTRUCTION_BYTES_MAX;
	return walk->code + (pc - walk->code_at);
}

/* Makes it the first of them. */
static void put_first(struct reads *reads, unsigned long long address, bool in_file)
{
	size_t at = 0;

	while (at < reads->count && reads->words[at].address != address)
		at++;
	if (at == reads->count && reads->count < READS_MAX)
		reads->count++;
	if (at == READS_MAX)
		at--;
	memmove(&reads->words[1], &reads->words[0], at * sizeof(reads->words[0]));
	reads->words[0].address = address;
	reads->words[0].in_file = in_file;
}

/* Mapped from a file, or zeros that directly follow such a mapping. */
static bool is_of_file(const struct walk *walk, const struct mapping *mapping)
{
	const struct mapping *below = mappings_find(walk->mappings, mapping->start - 1);

	return mapping->file[0] == '/' || (!mapping->file[0] && below && below->file[0] == '/');
}

static void note(const struct walk *walk, const struct access *access,
    const struct user_regs_struct *regs, struct reads *reads)
{
	const struct mapping *mapping;
	uint64_t start, end;

	if (!access->reads || access->flushes || access->segment || access->kind == ACCESS_VECTOR)
		return;
	accesses_range(access, regs, NULL, false, &start, &end);
	mapping = mappings_find(walk->mappings, start);
	if (!mapping || mapping->rights[1] != 'w' ||
	    (mapping->start <= regs->rsp && regs->rsp < mapping->end &&
		start + STACK_BELOW >= regs->rsp))
		return;
	for (uint64_t word = start & ~(uint64_t)(WORD - 1); word < end; word += WORD)
		put_first(reads, word, is_of_file(walk, mapping));
}

static bool is_there(const struct walk *walk, const struct moment *until)
{
	cleanup_failure struct failure ignored = {0};
	struct moment here;

	return position_read(walk->replay, &here, &ignored) && here.event == until->event &&
	       here.ticks == until->ticks;
}

static bool step_on(struct walk *walk, const struct moment *until, struct reads *reads)
{
	const struct resumption one = {"step-instruction", FORWARD, true, -1, 0};
	cleanup_failure struct failure ignored = {0};
	bool there = false, ok = true;

	for (int steps = 0; ok && !there && steps < STEPS_MAX; steps++) {
		struct user_regs_struct regs = {0};
		struct accesses accesses;
		const uint8_t *code;
		size_t length;

		ok = read_registers(walk->replay, &regs);
		there = ok && regs.rip == until->pc && is_there(walk, until);
		if (!ok || there)
			break;
		code = code_of(walk, regs.rip, &length);
		accesses_of(code, length, regs.rip, &accesses);
		for (unsigned i = 0; i < accesses.count; i++)
			note(walk, &accesses.list[i], &regs, reads);
		ok = resume_run(walk->replay, &one, &ignored);
	}
	return there;
}

bool reads_note(struct replay *replay, const struct moment *until, struct reads *reads)
{
	struct walk walk = {.replay = replay, .mappings = mappings_read(replay)};
	bool there;

	reads->count = 0;
	there = walk.mappings && step_on(&walk, until, reads);
	mappings_free(walk.mappings);
	return there;
}
