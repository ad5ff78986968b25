/*
 * The instructions that the translator writes. A copy does what the original does; what changes is:
 *
 *   operands relative to rip     a new displacement
 *   each conditional branch      is counted before it runs, in one of two ways:
 *
 *     Where an instruction X of the block sets all flags and can do nothing else:
 *         dec qword [counter]; jz exit; X
 *     or, at the cost of more instructions, without touching the flags:
 *         mov [rcx slot], rcx; mov rcx, [counter]; lea rcx, [rcx - 1]; mov [counter], rcx;
 *         jrcxz exit; mov rcx, [rcx slot]
 *     `exit` is the 0xcc in a slot's address: see arena.h. From there on to the block's end the
 *     branch is pending: counted, and not retired. cmp and its branch stay side by side.
 *
 *   call            push qword [literal]: the original return address; then the target's code
 *   call reg        keeps the word that the push overwrites. If the target is no address at all,
 *                   the call is undone, because it is the hardware's to do:
 *         mov [rcx slot], rcx; mov rcx, operand; mov [rax slot], rax
 *         shl qword [rsp - 8], 0; mov rax, [rsp - 8]; mov [below slot], rax
 *         push qword [literal]; and through the table as below
 *                   The shift changes nothing, and comes to the page as the push does: a mere read
 *                   would map a page that the program may only read, and the error code of the
 *                   push's fault tells whether the page was there.
 *   ret, jmp reg    the target goes to rcx, and through the table by its low 16 bits:
 *         mov dword [site slot], where; mov [rcx slot], rcx; pop rcx
 *         mov [rax slot], rax; movzx eax, cx; jmp [table + rax * 8]
 *     Each target's entry checks that it is meant, and passes on to the next of the same low bits:
 *         movabs rax, -target; lea rcx, [rcx + rax]; jrcxz ok
 *         movabs rax, target; lea rcx, [rcx + rax]; jmp [next]
 *         ok: mov rax, [rax slot]; mov rcx, [rcx slot]
 *     None of these touches the flags.
 *   code that can change is compared with what was translated, before each run of a block:
 *         mov [rcx slot], rcx; mov [rax slot], rax
 *         for each piece:
 *             mov rax, [piece]; movabs rcx, -value; lea rcx, [rcx + rax]; jrcxz on; int3
 *         on: mov rax, [rax slot]; mov rcx, [rcx slot]
 *   syscall, int3   jmp [literal] to the original instruction, which rr knows by its address
 *   what is native  leaves the cache by its stub
 *   popf            is copied behind a check that passes only usual flags, with no trap flag, and
 *                   without the one for alignment: what is written here is not aligned, so such a
 *                   program runs outside. Its 32 bits above the lowest 8 are looked at:
 *         mov [rcx slot], rcx; mov rcx, [rsp]; mov [flags slot], rcx; mov ecx, [flags slot + 1]
 *         for each usual value: lea rcx, [rcx - what it is more than the last]; jrcxz on
 *         int3; on: mov rcx, [rcx slot]; popf
 *     A short popf has only the first 8 of them:
 *         movzx ecx, word [rsp]; movzx ecx, ch
 *   syscall; ret    in rr's page, where the call does not stop: it is done there and returns here:
 *         mov [rcx slot], rcx
 *         for each call that we must see: lea rcx, [rax - number]; jrcxz to an int3
 *         mov rcx, [rsp]; mov [return slot], rcx; mov qword [rsp], back; mov rcx, [rcx slot]
 *         jmp [literal]
 *         back: as a jump through the table, and mov [rsp - 8], rcx for what the stack held
 *
 * Every instruction written here gets a place. Nothing may be written without one. Where a look at
 * the program's memory comes before the access that it stands for, or has none, a debug register
 * may meet it: the place behind it has a kind that says so.
 */
#include "worker/softpmu/translate/sequences.h"

#include <string.h>
#include <sys/syscall.h>

#include "worker/softpmu/cache/cachecalls.h"
#include "worker/softpmu/traps/cover.h"

/* The displacement of a jump to original code, wherever that is now or will be. */
static void put_link(struct emitter *e, uint64_t target)
{
	struct space *space = e->space;
	int part = arena_part_near(&space->arena, target);
	/* Out of reach: its stub here serves, and is never linked. */
	uint32_t number = blocks_entry(space->blocks, target, part < 0 ? e->part : (uint8_t)part);
	const struct block_entry *entry = blocks_get(space->blocks, number);

	if (number == 0) {
		space->broken = true;
		return;
	}
	if (!entry->body && entry->part == e->part &&
	    !blocks_add_site(space->blocks, number, e->offset))
		space->broken = true;
	emitter_relative(e, blocks_jump_address(space->blocks, number, e->part));
}

void sequence_jump(struct emitter *e, uint64_t target)
{
	emitter_place_of(e, target);
	CODE(e, 0xe9);
	put_link(e, target);
}

void sequence_wish(struct emitter *e, uint64_t original, bool lookup)
{
	if (e->count < QUEUE_MAX)
		e->queue[e->count++] = (struct wish){original, lookup};
}

/* The branch is pending from here on. */
static void put_counter_by_flags(struct emitter *e, uint32_t counter)
{
	uint32_t start = e->offset;

	EMIT_SLOT(e, PLACE_AT, 0, counter, 0x48, 0xff, 0x0c, 0x25); /* dec qword [counter] */
	e->pending = PLACE_PENDING;
	emitter_place_at(e, start + 5, PLACE_SPOILT, PLACE_EXIT, 5);
	emitter_place_at(e, start + 8, PLACE_SPOILT, 0, 2);
	CODE(e, 0x74, 0xfb); /* jz to the 0xcc */
	emitter_place_at(e, start + 10, PLACE_SPOILT, 0, 0);
}

static void put_counter_by_rcx(struct emitter *e, uint32_t counter)
{
	const int saved = PLACE_RCX_SAVED;

	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RCX, STORE_RCX);
	EMIT_SLOT(e, PLACE_AT, 0, counter, LOAD_RCX);
	EMIT(e, PLACE_AT, saved, 0x48, 0x8d, 0x49, 0xff); /* lea rcx, [rcx - 1] */
	EMIT_SLOT(e, PLACE_AT, saved, counter, STORE_RCX);
	e->pending = PLACE_PENDING;
	EMIT(e, PLACE_AT, saved, 0xe3, 0x05); /* jrcxz to the 0xcc */
	emitter_place(e, PLACE_AT, saved);
	emitter_place_at(e, e->offset + 5, PLACE_AT, saved | PLACE_EXIT, 0);
	CODE(e, LOAD_RCX);
	emitter_slot(e, ARENA_SLOT_RCX);
	emitter_place(e, PLACE_AT, 0);
}

static void put_saves(struct emitter *e)
{
	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RCX, STORE_RCX);
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RAX, STORE_RAX);
}

void sequence_restore(struct emitter *e)
{
	EMIT_SLOT(e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_RAX, LOAD_RAX);
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RCX, LOAD_RCX);
}

/* rax = the 1, 2, 4 or 8 bytes at `address` */
static void put_load_piece(struct emitter *e, uint64_t address, size_t size)
{
	const int both = PLACE_BOTH_SAVED;

	if (size < 4)
		EMIT(e, PLACE_AT, both, 0xb8, 0, 0, 0, 0); /* mov eax, 0 */
	emitter_place(e, PLACE_AT, both);
	if (size == 8)
		CODE(e, 0x48);
	if (size == 2)
		CODE(e, 0x66);
	CODE(e, size == 1 ? 0xa0 : 0xa1);
	emitter_64(e, address);
}

static void put_compare_piece(struct emitter *e, uint64_t value)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT(e, PLACE_PEEKED, both, 0x48, 0xb9); /* movabs rcx, -value */
	emitter_64(e, -value);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x0c, 0x01); /* lea rcx, [rcx + rax] */
	EMIT(e, PLACE_AT, both, 0xe3, 1);		 /* jrcxz over the int3 */
	EMIT(e, PLACE_AT, both | PLACE_STALE, 0xcc);
}

void sequence_check(struct emitter *e, const uint8_t *bytes, size_t length)
{
	size_t size = length >= 8 ? 8 : length >= 4 ? 4 : length >= 2 ? 2 : 1;

	put_saves(e);
	for (size_t done = 0; done < length; done += size) {
		size_t at = done + size <= length ? done : length - size; /* the last may overlap */
		uint64_t value = 0;

		memcpy(&value, bytes + at, size);
		put_load_piece(e, e->original + at, size);
		put_compare_piece(e, value);
	}
	sequence_restore(e);
}

void sequence_copy(struct emitter *e, const struct classified *in)
{
	uint32_t at = e->offset;
	uint64_t next = e->base + e->offset + in->z.length;
	uint32_t displacement;

	emitter_put(e, in->bytes, in->z.length);
	if (cover_is_timestamp(in->bytes, in->z.length))
		e->memory[at] = COVER_HLT;
	if (!classify_is_rip_relative(in))
		return;
	displacement =
	    (uint32_t)(in->address + in->z.length + (uint64_t)in->z.raw.disp.value - next);
	memcpy(e->memory + at + in->z.raw.disp.offset, &displacement, sizeof displacement);
}

/* mov rcx, the operand of an indirect jump or call */
static void put_load_target(struct emitter *e, const struct classified *in)
{
	const ZydisDecodedInstruction *z = &in->z;
	/* The processor ignores a REX prefix that another prefix follows: not so raw.prefixes. */
	const uint8_t rex = (uint8_t)(0x48 | z->raw.rex.X << 1 | z->raw.rex.B);

	for (unsigned i = 0; i < z->raw.prefix_count; i++) {
		uint8_t prefix = z->raw.prefixes[i].value;

		if (prefix == 0x64 || prefix == 0x65)
			CODE(e, prefix);
	}
	CODE(e, rex, 0x8b, (uint8_t)(z->raw.modrm.mod << 6 | 1 << 3 | z->raw.modrm.rm));
	if (z->attributes & ZYDIS_ATTRIB_HAS_SIB)
		CODE(e, (uint8_t)(z->raw.sib.scale << 6 | z->raw.sib.index << 3 | z->raw.sib.base));
	if (classify_is_rip_relative(in))
		emitter_relative(e, in->address + z->length + (uint64_t)z->raw.disp.value);
	else
		emitter_put(e, in->bytes + z->raw.disp.offset, z->raw.disp.size / 8u);
}

/* From here on through the table; rcx is the target, rcx and rax are saved. */
static void put_look_up(struct emitter *e)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT(e, PLACE_AT_TARGET, both, 0x0f, 0xb7, 0xc1); /* movzx eax, cx */
	/* jmp [rax * 8 + table] */
	EMIT_SLOT(e, PLACE_AT_TARGET, both, ARENA_TABLE, 0xff, 0x24, 0xc5);
}

/* The same, with rax not yet saved. */
static void put_table_jump(struct emitter *e)
{
	EMIT_SLOT(e, PLACE_AT_TARGET, PLACE_RCX_SAVED, ARENA_SLOT_RAX, STORE_RAX);
	put_look_up(e);
}

/* How each jump through the table begins: it notes its own place, and saves rcx. */
static void put_jump_start(struct emitter *e, enum place_kind kind, int undo)
{
	uint32_t start = e->offset;

	emitter_place_at(e, e->offset, kind, PLACE_JUMPED, undo);
	CODE(e, 0xc7, 0x04, 0x25); /* mov dword [slot], where */
	emitter_slot(e, ARENA_SLOT_SITE);
	emitter_32(e, (uint32_t)e->part << 28 | start);
	EMIT_SLOT(e, kind, 0, ARENA_SLOT_RCX, STORE_RCX);
}

static void put_push(struct emitter *e, int flags, uint64_t value)
{
	EMIT(e, PLACE_AT, flags, 0xff, 0x34, 0x25); /* push qword [literal] */
	emitter_literal(e, value);
	sequence_wish(e, value, true);
}

/* Saves rax, and keeps the word below the stack; rcx is saved, and has been loaded. */
static void put_keep_below(struct emitter *e)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT_SLOT(e, PLACE_LOOKED, PLACE_RCX_SAVED, ARENA_SLOT_RAX, STORE_RAX);
	EMIT(e, PLACE_LOOKS, both, 0x48, 0xc1, 0x64, 0x24, 0xf8, 0x00); /* shl qword [rsp - 8], 0 */
	EMIT(e, PLACE_LOOKED, both, 0x48, 0x8b, 0x44, 0x24, 0xf8);	/* mov rax, [rsp - 8] */
	EMIT_SLOT(e, PLACE_LOOKED, both, ARENA_SLOT_BELOW, STORE_RAX);
}

void sequence_indirect(struct emitter *e, const struct classified *in)
{
	put_jump_start(e, PLACE_AT, 0);
	emitter_place(e, PLACE_AT, PLACE_RCX_SAVED);
	put_load_target(e, in);
	put_table_jump(e);
}

void sequence_indirect_call(struct emitter *e, const struct classified *in)
{
	put_jump_start(e, PLACE_AT, sizeof(uint64_t));
	emitter_place(e, PLACE_AT, PLACE_RCX_SAVED);
	put_load_target(e, in);
	put_keep_below(e);
	put_push(e, PLACE_BOTH_SAVED, in->address + in->z.length);
	put_look_up(e);
}

void sequence_return(struct emitter *e, const struct classified *in)
{
	uint32_t pops = in->z.opcode == 0xc2 ? (uint16_t)in->z.raw.imm[0].value.u : 0;

	put_jump_start(e, PLACE_AT, -8 - (int)pops);
	emitter_place(e, PLACE_AT, PLACE_RCX_SAVED);
	if (pops == 0) {
		CODE(e, 0x59); /* pop rcx */
	} else {
		CODE(e, 0x48, 0x8b, 0x0c, 0x24); /* mov rcx, [rsp] */
		/* lea rsp, [rsp + pops + 8] */
		EMIT(e, PLACE_LOOKED, PLACE_RCX_SAVED, 0x48, 0x8d, 0xa4, 0x24);
		emitter_32(e, pops + 8);
	}
	put_table_jump(e);
}

/* A near loop or jrcxz over a jump, because it has no long form. */
void sequence_loop(struct emitter *e, const struct classified *in)
{
	uint64_t next = in->address + in->z.length, target = classify_target(in);

	emitter_place(e, PLACE_AT, 0);
	if (in->z.attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE)
		CODE(e, 0x67);
	CODE(e, in->z.opcode, 0x02);
	e->lined = false; /* it may go to itself */
	emitter_place_of(e, next);
	CODE(e, 0xeb, 0x05);
	sequence_jump(e, target);
	sequence_wish(e, target, false);
}

/* Goes to `target` if the branch's condition, which is in the low bits of its opcode, holds. */
static void put_branch(struct emitter *e, unsigned condition, uint64_t target)
{
	EMIT(e, PLACE_AT, 0, 0x0f, (uint8_t)(0x80 | (condition & 15)));
	put_link(e, target);
	sequence_wish(e, target, false);
}

void sequence_branch(struct emitter *e, const struct classified *in)
{
	put_branch(e, in->z.opcode, classify_target(in));
}

void sequence_branch_past(struct emitter *e, const struct classified *in)
{
	put_branch(e, in->z.opcode ^ 1u, in->address + in->z.length);
}

/* The entry for jumps through the table. rcx is the target, rcx and rax are saved. */
void sequence_lookup(struct emitter *e, uint32_t number)
{
	struct block_entry *entry = blocks_get(e->space->blocks, number);
	const uint64_t original = entry->original;
	uint64_t *head =
	    arena_slot(&e->space->arena, ARENA_TABLE + 8 * (uint32_t)(original & 0xffff));
	const int both = PLACE_BOTH_SAVED;

	entry->lookup = e->offset;
	e->original = original;
	e->pending = 0;
	EMIT(e, PLACE_AT_TARGET, both, 0x48, 0xb8); /* movabs rax, -original */
	emitter_64(e, -original);
	EMIT(e, PLACE_AT_TARGET, both, 0x48, 0x8d, 0x0c, 0x01); /* lea rcx, [rcx + rax] */
	EMIT(e, PLACE_PAST_CHECK, both, 0xe3, 10 + 4 + 7);	/* jrcxz ok */
	EMIT(e, PLACE_PAST_CHECK, both, 0x48, 0xb8);		/* movabs rax, original */
	emitter_64(e, original);
	EMIT(e, PLACE_PAST_CHECK, both, 0x48, 0x8d, 0x0c, 0x01); /* lea rcx, [rcx + rax] */
	EMIT(e, PLACE_AT_TARGET, both, 0xff, 0x24, 0x25);	 /* jmp [next] */
	emitter_literal(e, *head);
	sequence_restore(e); /* ok */
	*head = e->base + entry->lookup;
}

void sequence_count(struct emitter *e, bool by_flags)
{
	uint32_t counter = arena_counter(e->space->turn++ % BUDGET_COUNTERS);

	if (by_flags)
		put_counter_by_flags(e, counter);
	else
		put_counter_by_rcx(e, counter);
}

void sequence_call(struct emitter *e, const struct classified *in)
{
	put_push(e, 0, in->address + in->z.length);
}

void sequence_in_place(struct emitter *e, const struct classified *in)
{
	EMIT(e, PLACE_AT, 0, 0xff, 0x24, 0x25); /* jmp [literal] */
	emitter_literal(e, in->address);
	sequence_wish(e, in->address + in->z.length, false);
}

/* ecx = the flags that popf is going to set, but the lowest 8. Reads what popf reads. */
static void put_load_flags(struct emitter *e, const struct classified *in)
{
	const int saved = PLACE_RCX_SAVED;

	emitter_place(e, PLACE_AT, saved);
	if (in->z.operand_width == 16) {
		CODE(e, 0x0f, 0xb7, 0x0c, 0x24);		/* movzx ecx, word [rsp] */
		EMIT(e, PLACE_LOOKED, saved, 0x0f, 0xb6, 0xcd); /* movzx ecx, ch */
		return;
	}
	CODE(e, 0x48, 0x8b, 0x0c, 0x24); /* mov rcx, [rsp] */
	EMIT_SLOT(e, PLACE_LOOKED, saved, ARENA_SLOT_FLAGS, STORE_RCX);
	/* mov ecx, [slot + 1] */
	EMIT_SLOT(e, PLACE_AT, saved, ARENA_SLOT_FLAGS + 1, 0x8b, 0x0c, 0x25);
}

void sequence_pop_flags(struct emitter *e, const struct classified *in)
{
	/* Interrupts allowed, which are for all programs; also overflow; also the flag of cpuid. */
	static const uint16_t usual[] = {0x0002, 0x000a, 0x2002, 0x200a};
	enum { USUAL = sizeof usual / sizeof usual[0], COMPARISON = 7 + 2 };
	const int saved = PLACE_RCX_SAVED;

	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RCX, STORE_RCX);
	put_load_flags(e, in);
	for (int i = 0; i < USUAL; i++) {
		EMIT(e, PLACE_AT, saved, 0x48, 0x8d, 0x89); /* lea rcx, [rcx - what it is more] */
		emitter_32(e, (uint32_t)(i ? usual[i - 1] : 0) - usual[i]);
		/* jrcxz on */
		EMIT(e, PLACE_AT, saved, 0xe3, (uint8_t)((USUAL - 1 - i) * COMPARISON + 1));
	}
	EMIT(e, PLACE_AT, saved | PLACE_LEAVES, 0xcc);
	EMIT_SLOT(e, PLACE_AT, saved, ARENA_SLOT_RCX, LOAD_RCX); /* on */
	emitter_place(e, PLACE_AT, 0);
	sequence_copy(e, in);
}

/* Calls after which the code or the signal mask may be another one: they are not done from here. */
static void put_call_checks(struct emitter *e)
{
	enum { NUMBERS = 512 };

	for (uint32_t number = 0; number < NUMBERS; number++) {
		if (!cachecalls_is_one(number) && number != SYS_rt_sigprocmask)
			continue;
		EMIT(e, PLACE_AT, PLACE_RCX_SAVED, 0x48, 0x8d, 0x88); /* lea rcx, [rax - number] */
		emitter_32(e, -number);
		EMIT(e, PLACE_AT, PLACE_RCX_SAVED, 0xe3, 2); /* jrcxz to the int3 */
		EMIT(e, PLACE_AT, PLACE_RCX_SAVED, 0xeb, 1); /* jmp over it */
		EMIT(e, PLACE_AT, PLACE_RCX_SAVED | PLACE_LEAVES, 0xcc);
	}
}

/* `back` in the low 2 GB is the address to which the call returns; written once it is known. */
static uint32_t put_return_swap(struct emitter *e)
{
	uint32_t back;

	EMIT(e, PLACE_AT, PLACE_RCX_SAVED, 0x48, 0x8b, 0x0c, 0x24); /* mov rcx, [rsp] */
	EMIT_SLOT(e, PLACE_LOOKED, PLACE_RCX_SAVED, ARENA_SLOT_RETURN, STORE_RCX);
	EMIT(e, PLACE_AT, PLACE_RCX_SAVED, 0x48, 0xc7, 0x04, 0x24); /* mov qword [rsp], back */
	back = e->offset;
	emitter_32(e, 0);
	EMIT_SLOT(e, PLACE_LOOKED, PLACE_RCX_SAVED | PLACE_SWAPPED, ARENA_SLOT_RCX, LOAD_RCX);
	return back;
}

void sequence_rr_call(struct emitter *e, const struct classified *in)
{
	uint32_t back, address;

	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RCX, STORE_RCX);
	put_call_checks(e);
	back = put_return_swap(e);
	EMIT(e, PLACE_AT, PLACE_SWAPPED, 0xff, 0x24, 0x25); /* jmp [literal] */
	emitter_literal(e, in->address);
	address = (uint32_t)e->base + e->offset;
	memcpy(e->memory + back, &address, sizeof address);
	e->original = in->address + in->z.length;
	put_jump_start(e, PLACE_RETURNED, -8);
	EMIT_SLOT(e, PLACE_RETURNED, PLACE_RCX_SAVED, ARENA_SLOT_RETURN, LOAD_RCX);
	/* mov [rsp - 8], rcx */
	EMIT(e, PLACE_RETURNED, PLACE_RCX_SAVED, 0x48, 0x89, 0x4c, 0x24, 0xf8);
	put_table_jump(e);
}

void sequence_nothing(struct emitter *e, uint64_t original)
{
	emitter_place_of(e, original);
	CODE(e, 0x0f, 0x1f, 0x44, 0x00, 0x00);
}

void sequence_question(struct emitter *e, enum place_kind kind)
{
	if (e->offset == e->body)
		sequence_nothing(e, e->original);
	EMIT(e, kind, 0, 0xcc);
}

void sequence_log(struct emitter *e, uint64_t toucher)
{
	const int both = PLACE_BOTH_SAVED;

	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_ADDRESS, LOAD_RAX);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_TOUCHES, LOAD_RCX);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_TOUCHED - 8, 0x48, 0x89, 0x04, 0xcd);
	EMIT(e, PLACE_AT, both, LOAD_RAX);
	emitter_literal(e, toucher);
	EMIT_SLOT(e, PLACE_AT, both, ARENA_TOUCHERS - 8, 0x48, 0x89, 0x04, 0xcd);
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x49, 0xff); /* lea rcx, [rcx - 1] */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_TOUCHES, STORE_RCX);
}

void sequence_ask_if_full(struct emitter *e, enum place_kind kind)
{
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xe3, 2); /* jrcxz to the int3 */
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xeb, 1); /* jmp over it */
	emitter_place_at(e, e->offset, kind, PLACE_BOTH_SAVED, 1);
	CODE(e, 0xcc);
}
