/*
 * From memory back to the write that stored the bytes. The last write counts, also if it stored
 * what was there before: so this goes through all accesses, and asks the trace what the kernel
 * wrote, which no watchpoint shows if the bytes stay the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/values/origin.h"
#include "worker/investigate/values/origin_former.h"
#include "worker/investigate/values/origin_pipe.h"
#include "worker/read/values/accessed.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/code/mappings.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/scan.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/signals.h"
#include "worker/read/names/symbol.h"
#include "worker/breaks/watchpoint.h"
#include "worker/session/images.h"
#include "worker/session/selection.h"

#define ACCESSES_MAX  5000 /* reads that are passed on the way back to the write */
#define SEARCHED_MAX  (ACCESSES_MAX + 1000)
#define TEXT_REACH    100 /* bytes before and behind an address that are looked at for a text */
#define TEXT_LEAST    4	  /* characters */
#define TEXT_SAID_MAX (2 * TEXT_REACH + 40)
#define NOTHING	      "<unreadable>" /* what gdb prints for memory that is not mapped */
#define STATE_MAX     (16 << 10)     /* bytes that xsave writes, and more than any processor has */

/* A write that is about to happen, of an instruction at the program counter. */
struct writing {
	uint8_t code[INSTRUCTION_BYTES_MAX];
	size_t length;
	struct instruction instruction;
	unsigned long long at; /* the memory that it writes: from here on */
	unsigned size;	       /* bytes of one repetition */
	unsigned long long count;
};

struct seek {
	const struct origin_bytes *bytes;
	int watch; /* gdb's number */
	int accesses;
	bool by_code, by_kernel, mapped;
	struct origin *origin;
	struct origin_block block;
	bool begins; /* a new life of the block */
	bool any;    /* the last write, whatever life of the block it belongs to */
	struct writing writing;
	struct moment
	    masked; /* the last masked store that may have stored the same; event 0: none */
};

static bool overlaps(const struct writing *writing, const struct origin_bytes *bytes)
{
	unsigned long long length = writing->size * writing->count;

	return bytes->address < writing->at + length && writing->at < bytes->address + bytes->size;
}

/* gdb does not get the mask from rr. If the bytes stay the same, they are most likely left out: the
 * search goes on, and tells. */
static bool may_leave_out(const struct memory_operand *operand, bool changed)
{
	return operand->access.mask && !changed;
}

/* The write to these bytes that the instruction at the program counter is about to make. changed:
 * they are others after it. */
static bool read_writing(
    struct replay *replay, const struct origin_bytes *bytes, bool changed, struct seek *seek)
{
	struct writing *writing = &seek->writing;
	struct failure ignored = {0};
	unsigned long long pc, flags = 0;

	if (!accessed_number(replay, "(unsigned long) $pc", &pc))
		return false;
	writing->length = accessed_bytes(replay, pc, writing->code, sizeof(writing->code));
	if (!operand_decode(writing->code, writing->length, pc, true, &writing->instruction))
		return false;
	for (size_t i = 0; i < writing->instruction.count; i++) {
		const struct memory_operand *operand = &writing->instruction.operands[i];

		if (!operand->access.writes || operand->access.lanes ||
		    (operand->access.size == 0 && !changed) ||
		    !accessed_address(replay, operand, 0, &writing->at))
			continue;
		writing->size = operand->access.size ? operand->access.size : STATE_MAX;
		writing->count = 1;
		if (operand->access.kind == ACCESS_STRING &&
		    (!accessed_number(replay, "(unsigned long) $rcx", &writing->count) ||
			!origin_read_flags(replay, &flags) || (flags & 0x400)))
			continue;
		if (!overlaps(writing, bytes) ||
		    (operand->access.by_element &&
			accessed_operand_touches(replay, operand, ACCESSED_AHEAD, bytes->address,
			    bytes->size) == ACCESSED_NOT))
			continue;
		if (!may_leave_out(operand, changed))
			return true;
		if (!seek->masked.event && position_update(replay, &ignored)) {
			position_take_sum(replay);
			seek->masked = *replay_now(replay);
		}
	}
	return false;
}

/* Whether the bytes change here. Of several watchpoints that one instruction hits, gdb tells one.
 */
static bool is_changed(struct replay *replay, const struct hit *hit, struct seek *seek)
{
	uint8_t before[ORIGIN_BYTES_MAX];

	if (hit->number == seek->watch) {
		seek->mapped = hit->old && hit->new &&strcmp(hit->old, NOTHING) == 0 &&
			       strcmp(hit->new, NOTHING) != 0;
		return hit->old && hit->new &&strcmp(hit->old, hit->new) != 0;
	}
	seek->mapped = !accessed_whole(replay, seek->bytes->address, before, seek->bytes->size);
	return seek->mapped || memcmp(before, seek->bytes->bytes, seek->bytes->size) != 0;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct seek *seek = context;
	bool changed;

	(void)failure;
	if (!hit->watched ||
	    (hit->number != seek->watch && !origin_block_is_watched(&seek->block, hit->number)))
		return SCAN_ON;
	selection_take_stop(replay); /* another thread may have stopped */
	changed = is_changed(replay, hit, seek);
	seek->by_code = !seek->mapped && read_writing(replay, seek->bytes, changed, seek);
	seek->by_kernel = changed && !seek->mapped && !seek->by_code;
	seek->begins = !seek->mapped && !seek->by_kernel &&
		       origin_block_begins(seek->origin, &seek->block, hit, seek->by_code);
	if (seek->begins || seek->by_code || seek->by_kernel || seek->mapped)
		return SCAN_ENOUGH;
	return ++seek->accesses < ACCESSES_MAX ? SCAN_ON : SCAN_ENOUGH;
}

static enum scan_end search(struct origin *origin, struct seek *seek, struct failure *failure)
{
	struct replay *replay = origin->replay;
	enum scan_end end;
	char expression[80];

	snprintf(expression, sizeof(expression), "*(unsigned char (*)[%u]) 0x%llx",
	    origin->now.size, origin->now.address);
	seek->watch = watchpoint_insert(replay, expression, WATCH_ACCESS, true, NULL, failure);
	if (!seek->watch)
		return SCAN_FAILED;
	if (!seek->any)
		origin_block_watch(origin, &seek->block);
	signals_pass_all(replay);
	end = scan_run(replay, BACKWARD, SEARCHED_MAX, see, seek, failure);
	if (!replay_worker(replay)->broken) {
		signals_stop_again(replay);
		temporary_breakpoint_delete(replay, seek->watch);
		origin_block_unwatch(origin, &seek->block);
	}
	return end;
}

/* Whether a call made this address appear. */
static bool maps(const struct input_call *call, unsigned long long address)
{
	unsigned long long begin = (unsigned long long)call->result, length = 0;

	if (strcmp(call->name, "brk") == 0)
		return true;
	if (strcmp(call->name, "mmap") == 0)
		length = call->args[1];
	else if (strcmp(call->name, "mremap") == 0)
		length = call->args[2];
	return call->result > 0 && address >= begin && address - begin < length;
}

/* The call that mapped the bytes, near the present moment; NULL: not known. */
static const struct input_call *mapping_call(const struct origin *origin)
{
	const struct inputs *inputs = &origin->writes->inputs;

	for (size_t i = inputs->count; i > 0; i--) {
		const struct input_call *call = &inputs->calls[i - 1];

		if (call->event <= replay_now(origin->replay)->event + 1 && call->is_call &&
		    kernel_writes_is_ours(origin->writes, call->tid) &&
		    maps(call, origin->now.address))
			return call;
	}
	return NULL;
}

static bool is_zero(const struct origin_bytes *now)
{
	static const uint8_t zeros[ORIGIN_BYTES_MAX];

	return memcmp(now->bytes, zeros, now->size) == 0;
}

/* It is what the file holds. */
static bool from_mapped_file(struct origin *origin)
{
	origin->input = json_pack("{s:s,s:s,s:I}", "call", "mmap", "from", origin->file, "offset",
	    (json_int_t)origin->file_offset);
	return origin_finish(origin, ORIGIN_INPUT,
	    "input: byte %llu of the file %.200s, which is mapped there", origin->file_offset,
	    origin->file);
}

/* They came with a mapping. Memory that mremap moved was somewhere else before: goes on there. */
static bool from_mapping(struct origin *origin)
{
	const struct input_call *call = mapping_call(origin);
	struct origin_bytes *now = &origin->now;
	unsigned long long old;
	uint8_t bytes[ORIGIN_BYTES_MAX];

	if (!call)
		return origin_finish(
		    origin, ORIGIN_INITIAL, "what came when the memory was mapped");
	if (strcmp(call->name, "mremap") == 0) {
		old = now->address - (unsigned long long)call->result + call->args[0];
		if (now->address - (unsigned long long)call->result + now->size > call->args[1] ||
		    !accessed_whole(origin->replay, old, bytes, now->size) ||
		    memcmp(bytes, now->bytes, now->size) != 0)
			return origin_finish(origin, ORIGIN_UNKNOWN,
			    "it came with memory that mremap moved or made larger");
		origin_note(origin, "moved by mremap to 0x%llx", now->address);
		now->address = old;
		return true;
	}
	if (strcmp(call->name, "mmap") == 0 && !(call->args[3] & MAP_ANONYMOUS) && origin->file[0])
		return from_mapped_file(origin);
	if (strcmp(call->name, "mmap") == 0 && !(call->args[3] & MAP_ANONYMOUS))
		return origin_finish(
		    origin, ORIGIN_INITIAL, "the file that was mapped here with mmap");
	return origin_finish(origin, is_zero(now) ? ORIGIN_INITIAL : ORIGIN_UNKNOWN,
	    is_zero(now) ? "nothing: nothing wrote it, and new memory is zero"
			 : "it was there when the memory was mapped, which should have been zero");
}

static bool is_printable(uint8_t byte)
{
	return byte >= ' ' && byte < 0x7f;
}

/* `, part of the text "…"`, if the byte lies in one that ends in a NUL; else "". */
static void tell_text(struct replay *replay, const struct mapping *mapping,
    unsigned long long address, char said[TEXT_SAID_MAX])
{
	unsigned long long from =
	    mapping->start + TEXT_REACH < address ? address - TEXT_REACH : mapping->start;
	size_t at = address - from, begin = at, end = at;
	uint8_t bytes[2 * TEXT_REACH];
	size_t length = accessed_bytes(replay, from, bytes, at + TEXT_REACH);

	said[0] = '\0';
	if (length <= at)
		return;
	while (begin > 0 && is_printable(bytes[begin - 1]))
		begin--;
	while (end < length && is_printable(bytes[end]))
		end++;
	if ((begin > 0 && bytes[begin - 1]) || end == length || bytes[end] || at == end ||
	    end - begin < TEXT_LEAST)
		return;
	snprintf(said, TEXT_SAID_MAX, ", part of the text \"%.*s\"", (int)(end - begin),
	    (const char *)bytes + begin);
}

/* They were there when the program, or the process, began. */
static bool from_start(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	cleanup_mappings struct mappings *mappings = NULL;
	const struct mapping *mapping;
	char text[TEXT_SAID_MAX];
	struct symbol symbol;

	if (images_get(replay, images_at(replay))->forked)
		return origin_from_fork(origin, failure);
	mappings = mappings_read(replay);
	mapping = mappings_find(mappings, origin->now.address);
	if (mapping && mapping->file[0] == '/') {
		tell_text(replay, mapping, origin->now.address, text);
		origin_finish(origin, ORIGIN_INITIAL,
		    "the file that is mapped there: byte %llu of %.200s%s",
		    origin->now.address - mapping->start + mapping->offset, mapping->file, text);
	} else if (mapping && strcmp(mapping->file, "[stack]") == 0 && !is_zero(&origin->now))
		origin_finish(origin, ORIGIN_INITIAL, "the program's arguments and environment");
	else if (mapping && is_zero(&origin->now))
		origin_finish(
		    origin, ORIGIN_INITIAL, "nothing: nothing wrote it, and new memory is zero");
	else
		origin_finish(origin, ORIGIN_INITIAL, "what was there before the program ran");
	if (symbol_at(replay, origin->now.address, &symbol) && is_zero(&origin->now) &&
	    (strstr(symbol.said, "section .bss") || strstr(symbol.said, "section .tbss")))
		origin_finish(
		    origin, ORIGIN_INITIAL, "nothing: it is zero since the program was loaded");
	if (symbol.name[0])
		snprintf(origin->text + strlen(origin->text),
		    sizeof(origin->text) - strlen(origin->text), " (%s)", symbol.said);
	return false;
}

/* Memory that nobody can write, and memory that others write too. True: neither. */
static bool is_followed(struct origin *origin)
{
	cleanup_mappings struct mappings *mappings = mappings_read(origin->replay);
	const struct mapping *mapping = mappings_find(mappings, origin->now.address);
	bool shared = mapping && mapping->rights[0] && mapping->rights[3] == 's';
	bool file = mapping && mapping->file[0] == '/' && origin->now.address >= mapping->start;

	origin->file[0] = '\0';
	if (file) {
		snprintf(origin->file, sizeof(origin->file), "%s", mapping->file);
		origin->file_offset = origin->now.address - mapping->start + mapping->offset;
	}
	bool readable_only = shared && file && mapping->rights[1] != 'w';
	if (readable_only)
		return from_mapped_file(origin);
	if (shared)
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "it lies in shared memory, which other processes write too");
	return true;
}

/* Each repetition writes as much: what it copies is as far from the destination in each. */
static bool from_repeated(struct origin *origin, const struct writing *writing)
{
	unsigned long long offset = origin->now.address - writing->at;
	struct flow flow;

	if (!flow_of_memory(writing->code, writing->length, 0, 1, &flow))
		return origin_finish(origin, ORIGIN_UNKNOWN, "the instruction cannot be decoded");
	if (flow.kind == FLOW_MEMORY) {
		flow.size = origin->now.size;
		return origin_to_source(origin, writing->code, writing->length, &flow, offset);
	}
	if (offset % writing->size + origin->now.size > writing->size ||
	    !flow_of_memory(writing->code, writing->length, (unsigned)(offset % writing->size),
		origin->now.size, &flow))
		return origin_finish(origin, ORIGIN_UNKNOWN, "`%s` fills it with a smaller value",
		    writing->instruction.text);
	return origin_to_source(origin, writing->code, writing->length, &flow, 0);
}

/* The program is about to run the instruction that stores them. */
static bool from_code(struct origin *origin, const struct writing *writing)
{
	struct origin_bytes *now = &origin->now;
	struct flow flow;

	origin_narrow_hop(origin, writing->at, writing->at + writing->size * writing->count);
	if (writing->count != 1)
		return from_repeated(origin, writing);
	if (!flow_of_memory(writing->code, writing->length, (unsigned)(now->address - writing->at),
		now->size, &flow))
		return origin_finish(origin, ORIGIN_UNKNOWN, "the instruction cannot be decoded");
	return origin_to_source(origin, writing->code, writing->length, &flow, 0);
}

/* Whether rr's own library copies it, from its buffer of system calls to where the program wants
 * the results. */
static bool is_buffered(struct replay *replay)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const struct mapping *mapping = mappings_find(mappings, replay_now(replay)->pc);

	return mapping && strstr(mapping->file, "librrpreload");
}

/* A write of the kernel that is later than the one at which the program stands now. */
static const struct input_range *later_input(
    const struct origin *origin, const struct moment *from, bool by_kernel)
{
	long long found = replay_now(origin->replay)->event;

	return kernel_writes_last(origin->writes, origin->now.address, origin->now.size,
	    by_kernel && found > 2 ? found - 2 : found, from->event);
}

/* Whether everything that the kernel wrote up to this event is known. */
static bool knows_kernel(const struct origin *origin, long long event)
{
	const struct inputs *inputs = &origin->writes->inputs;

	return (!inputs->cut && !origin->writes->broken_off) ||
	       (inputs->count && inputs->calls[inputs->count - 1].event >= event);
}

bool origin_go_to_last_store(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct seek seek = {.bytes = &origin->now, .origin = origin, .any = true};
	const struct moment from = *replay_now(replay);

	return search(origin, &seek, failure) != SCAN_FAILED && position_update(replay, failure) &&
	       seek.by_code && !later_input(origin, &from, false);
}

static void tell_masked(const struct origin *origin, const struct seek *seek)
{
	json_t *hop = json_array_get(origin->hops, json_array_size(origin->hops) - 1), *name;

	if (!seek->masked.event)
		return;
	name = moment_name(origin->replay, &seek->masked);
	json_object_set_new(hop, "masked",
	    json_sprintf("since then, at %s, a masked store passed over it, which left it as it "
			 "was: it may have stored the same",
		json_string_value(name)));
	json_decref(name);
}

bool origin_from_memory(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct seek seek = {.bytes = &origin->now, .origin = origin};
	struct moment from = *replay_now(replay);
	const struct input_range *input;
	enum scan_end end;

	if (!is_followed(origin))
		return false;
	if (!knows_kernel(origin, from.event))
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "the trace has more system calls than can be looked through");
	do {
		end = search(origin, &seek, failure);
		if (end == SCAN_FAILED || !position_update(replay, failure))
			return origin_stop(origin, failure);
	} while (seek.begins && !origin_block_is_new(origin, &seek.block, failure));
	if (!worker_goes_on(replay_worker(replay)))
		return origin_stop(origin, failure);
	input = later_input(origin, &from, seek.by_kernel);
	if (input)
		return origin_from_kernel(origin, input, failure);
	if (seek.begins)
		return origin_from_block(origin, &seek.block, &from, failure);
	if (seek.mapped)
		return from_mapping(origin);
	if (end == SCAN_EDGE)
		return from_start(origin, failure);
	if (seek.by_kernel)
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "it changed here, but by no instruction and no recorded system call");
	if (!seek.by_code)
		return origin_finish(origin, ORIGIN_UNKNOWN,
		    "it was read more than %d times since it was written", ACCESSES_MAX);
	origin_note(origin, "stored at 0x%llx", origin->now.address);
	tell_masked(origin, &seek);
	if (origin->step_count < ORIGIN_STEPS_MAX)
		origin->steps[origin->step_count++] =
		    (struct origin_step){origin->now.address, from, *replay_now(replay)};
	if (is_buffered(replay))
		return origin_finish(origin, ORIGIN_INPUT,
		    "input: a system call that rr kept in its buffer, which does not say more");
	switch (origin_from_copier(origin, failure)) {
	case ORIGIN_COPY_FAILED:
		return origin_stop(origin, failure);
	case ORIGIN_COPIED:
		return origin->end == ORIGIN_OPEN;
	case ORIGIN_NOT_COPIED:
		break;
	}
	return from_code(origin, &seek.writing);
}
