/*
 * The native runner: blocks of decoded operations, thunks for the plain ones, control flow and the
 * stack by hand. It must never run an instruction it is not sure of, nor go on behind an access the
 * tracee would not have got through with.
 */
#include "worker/softpmu/native.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "worker/softpmu/branch.h"
#include "worker/softpmu/guest.h"
#include "worker/softpmu/kernel.h"
#include "worker/softpmu/message.h"
#include "worker/softpmu/thunk.h"
#include "worker/softpmu/translate.h"

enum {
	BLOCKS = 16384, /* a power of two */
	WAYS = 4,	/* places that a block may take */
	OPERATIONS_BYTES = 3 << 19,
	BLOCK_BYTES = TRANSLATE_OPERATIONS * 15,
	XSTATE_MAX = 4096,
	XSTATE_MXCSR = 24,
	XSTATE_XMM = 160,
	XSTATE_FEATURES = 512,
	XSTATE_YMM_HIGH = 576,
	MXCSR_MASKS = 0x1f80,
	RAX = 0,
	RCX = 1,
	RSP = 4,
	RBP = 5,
	RSI = 6,
	RDI = 7,
	FLAG_TRAP = 1 << 8,
	FLAG_DIRECTION = 1 << 10,
	FLAG_RESUME = 1 << 16,
	FLAG_ALIGNMENT = 1 << 18,
};

struct native_block {
	uint64_t rip;
	uint32_t checked; /* the episode its bytes were last compared in */
	uint16_t bytes, operations;
	struct operation *operation; /* followed by the bytes */
};

struct native {
	struct guest *guest;
	struct thunks *thunks;
	struct thunk_state *state;
	uint8_t *store; /* of operations */
	size_t used;
	struct native_block block[BLOCKS];
	uint32_t episode;
	pid_t tid;
	uint64_t fs_base, gs_base, rip;
	bool vectors_loaded, vectors_changed, vectors_refused;
	size_t xstate_length;
	_Alignas(64) uint8_t xstate[XSTATE_MAX];
};

struct native *native_new(void)
{
	struct native *native = aligned_alloc(64, (sizeof *native + 63) & ~(size_t)63);

	if (!native)
		return NULL;
	memset(native, 0, sizeof *native);
	native->guest = guest_new();
	native->thunks = thunks_new();
	native->store = malloc(OPERATIONS_BYTES);
	if (!native->guest || !native->thunks || !native->store) {
		free(native->store);
		free(native); /* the rest stays: rr goes on without episodes */
		return NULL;
	}
	native->state = thunks_state(native->thunks);
	return native;
}

static void forget_all(struct native *native)
{
	memset(native->block, 0, sizeof native->block);
	thunks_clear(native->thunks);
	native->used = 0;
}

/*
 * The code at rip, at least a block's worth if that much can be had: near the end of a page it is
 * put together in buffer.
 */
static size_t code_at(struct native *native, uint8_t *buffer, const uint8_t **code)
{
	size_t available = guest_code(native->guest, native->rip, code), more;
	const uint8_t *rest;

	if (available == 0 || available >= BLOCK_BYTES)
		return available;
	memcpy(buffer, *code, available);
	more = guest_code(native->guest, native->rip + available, &rest);
	*code = buffer;
	if (more > BLOCK_BYTES - available)
		more = BLOCK_BYTES - available;
	if (more > 0)
		memcpy(buffer + available, rest, more);
	return available + more;
}

/* Puts a translated block into the table; its operations are followed by its bytes. */
static void keep_block(struct native *native, struct native_block *block,
    const struct operation *operation, unsigned count, const uint8_t *code, size_t length)
{
	block->rip = native->rip;
	block->checked = native->episode;
	block->bytes = (uint16_t)length;
	block->operations = (uint16_t)count;
	block->operation = (struct operation *)(native->store + native->used);
	memcpy(block->operation, operation, count * sizeof *operation);
	memcpy(block->operation + count, code, length);
	native->used += (count * sizeof *operation + length + 15) & ~(size_t)15;
}

/* The block that begins at rip, or the one that has to give way to it: not used for longest. */
static struct native_block *place_of_block(struct native *native)
{
	uint64_t hash = native->rip * 0x9e3779b97f4a7c15ull;
	struct native_block *set = &native->block[hash >> 40 & (BLOCKS - 1) & ~(WAYS - 1ull)];
	struct native_block *place = set;

	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].rip == native->rip)
			return &set[i];
		if (set[i].checked < place->checked)
			place = &set[i];
	}
	return place;
}

static struct native_block *block_at(struct native *native)
{
	struct native_block *block = place_of_block(native);
	struct operation operation[TRANSLATE_OPERATIONS];
	uint8_t buffer[BLOCK_BYTES];
	bool same = block->operation && block->rip == native->rip, full;
	const uint8_t *code;
	size_t available, length;
	unsigned count;

	if (same && block->checked == native->episode)
		return block;
	available = code_at(native, buffer, &code);
	if (available == 0)
		return NULL;
	if (same && block->bytes <= available &&
	    memcmp(block->operation + block->operations, code, block->bytes) == 0) {
		block->checked = native->episode;
		return block;
	}
	count = translate_block(
	    native->thunks, native->rip, code, available, operation, &length, &full);
	if (full || OPERATIONS_BYTES - native->used < sizeof operation + BLOCK_BYTES + 16) {
		forget_all(native);
		count = translate_block(
		    native->thunks, native->rip, code, available, operation, &length, &full);
	}
	if (count == 0)
		return NULL;
	keep_block(native, block, operation, count, code, length);
	return block;
}

/* Vector registers. */

static bool load_vectors(struct native *native)
{
	struct iovec area = {native->xstate, sizeof native->xstate};
	uint64_t features;

	if (native->vectors_loaded || native->vectors_refused)
		return native->vectors_loaded;
	if (kernel_ptrace(PTRACE_GETREGSET, native->tid, NT_X86_XSTATE, (uint64_t)&area) < 0 ||
	    area.iov_len < XSTATE_YMM_HIGH + 256 || area.iov_len == sizeof native->xstate) {
		native->vectors_refused = true;
		return false;
	}
	native->xstate_length = area.iov_len;
	memcpy(&features, native->xstate + XSTATE_FEATURES, sizeof features);
	memcpy(&native->state->mxcsr, native->xstate + XSTATE_MXCSR, sizeof native->state->mxcsr);
	memset(native->state->vector, 0, sizeof native->state->vector);
	for (unsigned n = 0; n < 16; n++) {
		if (features & 2)
			memcpy(native->state->vector[n], native->xstate + XSTATE_XMM + 16 * n, 16);
		if (features & 4)
			memcpy(native->state->vector[n] + 16,
			    native->xstate + XSTATE_YMM_HIGH + 16 * n, 16);
	}
	native->vectors_loaded = true;
	return true;
}

static void store_vectors(const struct native *native, uint8_t *xstate)
{
	uint64_t features;

	memcpy(&features, xstate + XSTATE_FEATURES, sizeof features);
	features |= 6;
	memcpy(xstate + XSTATE_FEATURES, &features, sizeof features);
	memcpy(xstate + XSTATE_MXCSR, &native->state->mxcsr, sizeof native->state->mxcsr);
	for (unsigned n = 0; n < 16; n++) {
		memcpy(xstate + XSTATE_XMM + 16 * n, native->state->vector[n], 16);
		memcpy(xstate + XSTATE_YMM_HIGH + 16 * n, native->state->vector[n] + 16, 16);
	}
}

/* Running. Each returns false when the tracee has to run this operation itself. */

static uint64_t address_of(const struct native *native, const struct operation *op)
{
	const uint64_t *gpr = native->state->gpr;
	uint64_t address = (uint64_t)op->value;

	if (op->base != 0xff)
		address += gpr[op->base];
	if (op->index != 0xff)
		address += gpr[op->index] * op->scale;
	if (op->segment == 'f')
		address += native->fs_base;
	else if (op->segment == 'g')
		address += native->gs_base;
	return address;
}

static uint64_t cut(uint64_t value, unsigned width)
{
	return width == 8 ? value : (uint32_t)value;
}

/* Would this division fault? Then the tracee has to do it. */
static bool divides_well(const struct native *native, const struct operation *op)
{
	const uint64_t *gpr = native->state->gpr;
	uint64_t divisor = 0, low = cut(gpr[0], op->width), high = cut(gpr[2], op->width);
	uint64_t sign = 1ull << (op->width * 8 - 1);

	if (op->reg != 0xff)
		divisor = cut(gpr[op->reg], op->width);
	else
		memcpy(&divisor, (const void *)(uintptr_t)native->state->memory, op->width);
	if (!op->divides_signed)
		return high < divisor;
	/* The common case alone: a dividend that fits in one register, and not the one overflow. */
	return divisor != 0 && divisor != cut(~0ull, op->width) &&
	       high == (low & sign ? cut(~0ull, op->width) : 0);
}

static bool run_thunk(struct native *native, const struct operation *op)
{
	if (op->thunk.vectors &&
	    (!load_vectors(native) ||
		(op->thunk.floating && (native->state->mxcsr & MXCSR_MASKS) != MXCSR_MASKS)))
		return false;
	if (op->size) {
		uint64_t address = address_of(native, op);
		void *memory;

		if (address & (op->align - 1u))
			return false;
		memory = guest_access(native->guest, address, op->size, op->writes);
		if (!memory)
			return false;
		native->state->memory = (uint64_t)(uintptr_t)memory;
	}
	if (op->divides && !divides_well(native, op))
		return false;
	thunk_run(native->state, op->thunk);
	native->vectors_changed |= op->thunk.vectors_change;
	if (op->writes)
		guest_settle(native->guest);
	return true;
}

static bool push(struct native *native, uint64_t value)
{
	uint64_t slot = native->state->gpr[RSP] - 8;
	void *memory = guest_access(native->guest, slot, 8, true);

	if (!memory)
		return false;
	memcpy(memory, &value, 8);
	guest_settle(native->guest);
	native->state->gpr[RSP] = slot;
	return true;
}

static bool load(struct native *native, uint64_t address, uint64_t *value)
{
	const void *memory = guest_access(native->guest, address, 8, false);

	if (memory)
		memcpy(value, memory, 8);
	return memory;
}

/* The register or memory operand of an indirect branch or push. */
static bool operand_value(struct native *native, const struct operation *op, uint64_t *value)
{
	if (op->size == 0) {
		*value = native->state->gpr[op->reg];
		return true;
	}
	return load(native, address_of(native, op), value);
}

static bool zero_upper(struct native *native)
{
	if (!load_vectors(native))
		return false;
	for (unsigned n = 0; n < 16; n++)
		memset(native->state->vector[n] + 16, 0, 16);
	native->vectors_changed = true;
	return true;
}

/*
 * One round of movs or stos, as a step by the trap flag would do it: with a repeat prefix rip stays
 * until rcx is used up.
 */
static bool run_string(struct native *native, const struct operation *op, uint64_t *next)
{
	uint64_t *gpr = native->state->gpr;
	const void *source = &gpr[RAX];
	uint64_t value = 0;
	void *target;

	if (native->state->eflags & FLAG_DIRECTION)
		return false;
	if (op->repeats && gpr[RCX] == 0)
		return true;
	if (op->kind == OP_MOVE_STRING) {
		source = guest_access(native->guest, gpr[RSI], op->width, false);
		if (!source)
			return false;
	}
	memcpy(&value, source, op->width);
	target = guest_access(native->guest, gpr[RDI], op->width, true);
	if (!target)
		return false;
	memcpy(target, &value, op->width);
	guest_settle(native->guest);
	gpr[RDI] += op->width;
	gpr[RSI] += op->kind == OP_MOVE_STRING ? op->width : 0;
	if (op->repeats && --gpr[RCX] != 0)
		*next = native->rip;
	return true;
}

/* Runs one operation; *next is where it goes. */
static bool run_operation(struct native *native, const struct operation *op, uint64_t *next)
{
	uint64_t *gpr = native->state->gpr;
	uint64_t value;

	switch (op->kind) {
	case OP_THUNK:
		return run_thunk(native, op);
	case OP_NOTHING:
		return true;
	case OP_LEA:
		gpr[op->reg] = cut(address_of(native, op), op->width);
		return true;
	case OP_PUSH_REGISTER:
	case OP_PUSH_MEMORY:
		return operand_value(native, op, &value) && push(native, value);
	case OP_PUSH_IMMEDIATE:
		return push(native, (uint64_t)op->value);
	case OP_POP_REGISTER:
		if (!load(native, gpr[RSP], &value))
			return false;
		gpr[RSP] += 8;
		gpr[op->reg] = value;
		return true;
	case OP_LEAVE:
		if (!load(native, gpr[RBP], &value))
			return false;
		gpr[RSP] = gpr[RBP] + 8;
		gpr[RBP] = value;
		return true;
	case OP_CALL:
		if (!push(native, *next))
			return false;
		*next = (uint64_t)op->value;
		return true;
	case OP_JUMP:
		*next = (uint64_t)op->value;
		return true;
	case OP_JUMP_INDIRECT:
		return operand_value(native, op, next);
	case OP_CALL_INDIRECT:
		if (!operand_value(native, op, &value) || !push(native, *next))
			return false;
		*next = value;
		return true;
	case OP_RETURN:
		if (!load(native, gpr[RSP], next))
			return false;
		gpr[RSP] += 8 + (uint64_t)op->value;
		return true;
	case OP_BRANCH:
		if (branch_is_taken(
			(enum branch_condition)op->condition, native->state->eflags, gpr[RCX], 64))
			*next = (uint64_t)op->value;
		gpr[RCX] -= branch_counts_rcx((enum branch_condition)op->condition);
		return true;
	case OP_ZERO_UPPER:
		return zero_upper(native);
	case OP_MOVE_STRING:
	case OP_STORE_STRING:
		return run_string(native, op, next);
	case OP_END:
		return false;
	}
	return false;
}

static void run(struct native *native, struct native_episode *episode)
{
	for (;;) {
		const struct native_block *block = block_at(native);

		if (!block)
			return;
		for (unsigned i = 0; i < block->operations; i++) {
			const struct operation *op = &block->operation[i];
			uint64_t behind = native->rip + op->length, next = behind;
			bool branch = op->kind == OP_BRANCH;

			if (episode->instructions >= episode->most_instructions ||
			    (branch && episode->branches >= episode->most_branches) ||
			    !run_operation(native, op, &next))
				return;
			episode->instructions++;
			episode->branches += branch;
			native->rip = next;
			if (next != behind)
				break;
		}
	}
}

static void take_registers(struct native *native, const struct user_regs_struct *regs)
{
	const unsigned long long value[16] = {regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp,
	    regs->rbp, regs->rsi, regs->rdi, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12,
	    regs->r13, regs->r14, regs->r15};

	for (unsigned n = 0; n < 16; n++)
		native->state->gpr[n] = value[n];
	native->state->eflags = regs->eflags & ~(uint64_t)FLAG_RESUME;
	native->rip = regs->rip;
	native->fs_base = regs->fs_base;
	native->gs_base = regs->gs_base;
}

static void give_registers(const struct native *native, struct user_regs_struct *regs)
{
	const uint64_t *gpr = native->state->gpr;

	regs->rax = gpr[0];
	regs->rcx = gpr[1];
	regs->rdx = gpr[2];
	regs->rbx = gpr[3];
	regs->rsp = gpr[4];
	regs->rbp = gpr[5];
	regs->rsi = gpr[6];
	regs->rdi = gpr[7];
	regs->r8 = gpr[8];
	regs->r9 = gpr[9];
	regs->r10 = gpr[10];
	regs->r11 = gpr[11];
	regs->r12 = gpr[12];
	regs->r13 = gpr[13];
	regs->r14 = gpr[14];
	regs->r15 = gpr[15];
	regs->eflags = native->state->eflags;
	regs->rip = native->rip;
	regs->orig_rax = ~0ull; /* no system call is being left any more */
}

/*
 * Gives the tracee what the episode has come to. False when it was killed meanwhile. Anything else
 * would leave its memory ahead of its registers: that must not go on.
 */
static bool commit(struct native *native, const struct user_regs_struct *regs)
{
	struct iovec area = {native->xstate, native->xstate_length};
	bool done = guest_write_back(native->guest);

	if (done && native->vectors_changed) {
		store_vectors(native, native->xstate);
		done = kernel_ptrace(
			   PTRACE_SETREGSET, native->tid, NT_X86_XSTATE, (uint64_t)&area) >= 0;
	}
	if (done && kernel_ptrace(PTRACE_SETREGS, native->tid, 0, (uint64_t)regs) >= 0)
		return true;
	if (kernel_ptrace(
		PTRACE_GETREGS, native->tid, 0, (uint64_t) & (struct user_regs_struct){0}) >= 0)
		message_fatal("thread %d takes no more writes from rr: run again with "
			      "RR_WARDEN_SOFTPMU=legs and report this",
		    native->tid);
	return false;
}

bool native_run(
    struct native *native, struct native_episode *episode, struct user_regs_struct *regs)
{
	struct user_regs_struct after = *regs;

	episode->instructions = episode->branches = 0;
	if (regs->eflags & (FLAG_TRAP | FLAG_ALIGNMENT))
		return false;
	native->tid = episode->tid;
	native->episode++;
	native->vectors_loaded = native->vectors_changed = native->vectors_refused = false;
	guest_begin(native->guest, episode->tid, episode->keep_maps);
	for (size_t i = 0; i < sizeof episode->forbidden / sizeof episode->forbidden[0]; i++) {
		if (episode->forbidden[i].start != episode->forbidden[i].end)
			guest_forbid(
			    native->guest, episode->forbidden[i].start, episode->forbidden[i].end);
	}
	take_registers(native, regs);
	run(native, episode);
	if (episode->instructions == 0)
		return false;
	give_registers(native, &after);
	if (!episode->dry && !commit(native, &after)) {
		episode->instructions = episode->branches = 0;
		return false;
	}
	*regs = after;
	return true;
}

bool native_agrees(struct native *native, uint64_t *where)
{
	static uint8_t now[XSTATE_MAX];
	struct iovec area = {now, sizeof now};

	if (!guest_agrees(native->guest, where))
		return false;
	*where = 0;
	if (!native->vectors_loaded)
		return true;
	if (kernel_ptrace(PTRACE_GETREGSET, native->tid, NT_X86_XSTATE, (uint64_t)&area) < 0)
		return false;
	memcpy(native->xstate, now, sizeof now);
	store_vectors(native, native->xstate);
	/* Registers in their initial state may be left out of one and written in the other. */
	for (unsigned n = 0; n < 16; n++) {
		uint64_t features;
		static const uint8_t zero[16];
		const uint8_t *high, *low;

		memcpy(&features, now + XSTATE_FEATURES, sizeof features);
		low = features & 2 ? now + XSTATE_XMM + 16 * n : zero;
		high = features & 4 ? now + XSTATE_YMM_HIGH + 16 * n : zero;
		*where = n;
		if (memcmp(low, native->state->vector[n], 16) != 0 ||
		    memcmp(high, native->state->vector[n] + 16, 16) != 0)
			return false;
	}
	return memcmp(now + XSTATE_MXCSR, &native->state->mxcsr, 4) == 0;
}
