/*
 * Reads the code of glibc's malloc: from the beginning of each function it follows all jumps to all
 * returns. Debug symbols are not needed. It knows that the eight bytes before a block hold its size
 * and three flags.
 */
#include "worker/investigate/code/allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/where.h"
#include "worker/read/values/accessed.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/begins.h"

#define PIECES_MAX   160 /* stretches of code without a jump away */
#define JUMPS_MAX    800
#define PIECE_BYTES  256 /* that gdb disassembles at once */
#define PIECE_ROUNDS 64
#define FRAMES_MAX   12
#define FRAMES_BYTES 8000
#define FUNCTION_MAX 200

#define SIZE_MASK   (~7ULL)
#define FLAG_MAPPED 2
#define FLAG_ARENA  4
#define ARENA_MASK  (~((64ULL << 20) - 1)) /* an arena's memory begins at a multiple of 64 MB */
#define HEADER	    8

static const struct {
	const char *name, *called; /* as programs call it */
	bool gives;
} functions[ALLOCATOR_FUNCTIONS] = {{"__libc_malloc", "malloc", true},
    {"__libc_calloc", "calloc", true}, {"__libc_realloc", "realloc", true},
    {"__libc_memalign", "memalign", true}, {"aligned_alloc", "aligned_alloc", true},
    {"valloc", "valloc", true}, {"pvalloc", "pvalloc", true}, {"__libc_free", "free", false}};

#define NUMBER_RESIZE 2
#define NUMBER_TAKE   7

/* ---- Its code -------------------------------------------------------------------------------- */

struct walk {
	struct {
		unsigned long long from, to; /* to: after its last instruction; 0: not read yet */
		bool stub;		     /* jumps through memory at once, to another library */
	} pieces[PIECES_MAX];
	size_t count;
	struct {
		unsigned long long at, to;
	} jumps[JUMPS_MAX];
	size_t jump_count;
	struct allocator *allocator;
};

static void add_piece(struct walk *walk, unsigned long long from)
{
	for (size_t i = 0; i < walk->count; i++)
		if (from == walk->pieces[i].from ||
		    (from > walk->pieces[i].from && from < walk->pieces[i].to))
			return;
	if (walk->count == PIECES_MAX) {
		walk->allocator->partly = true;
		return;
	}
	walk->pieces[walk->count].from = from;
	walk->pieces[walk->count++].to = 0;
}

static void add_return(struct allocator *allocator, unsigned long long address, const char *in)
{
	for (size_t i = 0; i < allocator->return_count; i++)
		if (allocator->returns[i].address == address)
			return;
	if (allocator->return_count == ALLOCATOR_RETURNS_MAX)
		allocator->partly = true;
	else
		allocator->returns[allocator->return_count++] =
		    (struct allocator_return){address, in};
}

/* What stands between functions, and where the code after a call that never returns ends. */
static bool is_filler(const char *text)
{
	return strstr(text, "nop") || begins(text, "endbr") || begins(text, "xchg   %ax,%ax") ||
	       begins(text, "int3");
}

static bool is_jump_on(const char *text)
{
	return begins(text, "jmp") || begins(text, "bnd jmp");
}

static void take_jump(
    struct walk *walk, size_t number, unsigned long long address, const char *text)
{
	const char *to = strstr(text, "0x");

	if (strstr(text, " *")) {
		walk->pieces[number].stub = address == walk->pieces[number].from;
		walk->allocator->partly |= !walk->pieces[number].stub;
	} else if (!to || walk->jump_count == JUMPS_MAX) {
		walk->allocator->partly = true;
	} else {
		walk->jumps[walk->jump_count].at = address;
		walk->jumps[walk->jump_count].to = strtoull(to, NULL, 16);
		add_piece(walk, walk->jumps[walk->jump_count++].to);
	}
}

/* Takes one instruction. Returns whether the next one may follow it. */
static bool take(
    struct walk *walk, size_t number, unsigned long long address, const char *text, bool *called)
{

	if (*called && is_filler(text))
		return false;
	*called = begins(text, "call");
	if (begins(text, "ret") || begins(text, "repz ret") || begins(text, "bnd ret")) {
		add_return(walk->allocator, address, "$rax");
		return false;
	}
	if (begins(text, "ud2") || begins(text, "hlt") || begins(text, "(bad)"))
		return false;
	if (begins(text, "j") || begins(text, "bnd jmp"))
		take_jump(walk, number, address, text);
	return !is_jump_on(text);
}

/* Reads a piece up to where it jumps away, or returns. */
static void read_piece(struct replay *replay, struct walk *walk, size_t number)
{
	unsigned long long at = walk->pieces[number].from;
	bool goes_on = true, called = false;

	for (int round = 0; goes_on && round < PIECE_ROUNDS; round++) {
		json_t *results = NULL, *list;
		size_t i, count;

		if (gdb_command(replay_gdb(replay), &results,
			"-data-disassemble -s %llu -e %llu -- 0", at,
			at + PIECE_BYTES) != GDB_DONE) {
			walk->allocator->partly = true;
			return;
		}
		list = json_object_get(results, "asm_insns");
		count = json_array_size(list);
		for (i = 0; i < count && goes_on; i++) {
			const json_t *one = json_array_get(list, i);
			const char *address = mi_text(one, "address"), *text = mi_text(one, "inst");

			at = address ? strtoull(address, NULL, 16) : at;
			goes_on = text && take(walk, number, at, text, &called);
			walk->pieces[number].to = at + 1;
		}
		/* The last one may be read again: it may have been cut. */
		goes_on = goes_on && count > 1;
		json_decref(results);
	}
}

/* calloc ends as memset, which gets the block and returns it. */
static void add_stubs(struct walk *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		for (size_t j = 0; walk->pieces[i].stub && j < walk->jump_count; j++)
			if (walk->jumps[j].to == walk->pieces[i].from)
				add_return(walk->allocator, walk->jumps[j].at, "$rdi");
}

static void find_returns(struct replay *replay, struct allocator *allocator)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	if (!walk) {
		allocator->partly = true;
		return;
	}
	walk->allocator = allocator;
	for (size_t i = 0; i < ALLOCATOR_FUNCTIONS; i++)
		if (functions[i].gives && allocator->functions[i])
			add_piece(walk, allocator->functions[i]);
	for (size_t i = 0; i < walk->count; i++)
		if (!walk->pieces[i].to)
			read_piece(replay, walk, i);
	add_stubs(walk);
	free(walk);
}

static unsigned long long address_of(struct replay *replay, const char *name)
{
	char expression[64];
	unsigned long long address = 0;
	uint8_t byte;

	snprintf(expression, sizeof(expression), "(unsigned long) &%s", name);
	if (!accessed_number(replay, expression, &address) ||
	    !accessed_whole(replay, address, &byte, 1))
		return 0;
	return address;
}

bool allocator_is_linker(const char *file)
{
	const char *name = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	return name && (begins(name, "ld-") || begins(name, "ld.so"));
}

/* gdb takes the linker's malloc where the program stands in the linker. */
static bool is_of_linker(struct replay *replay, unsigned long long address)
{
	struct symbol symbol;

	return allocator_is_linker(symbol_file(replay, address, &symbol));
}

enum allocator_malloc allocator_malloc(struct replay *replay)
{
	unsigned long long called = address_of(replay, "malloc"),
			   own = address_of(replay, functions[0].name);

	if (!called || !own || is_of_linker(replay, called))
		return ALLOCATOR_MALLOC_UNKNOWN;
	return called == own ? ALLOCATOR_MALLOC_LIBC : ALLOCATOR_MALLOC_OTHER;
}

bool allocator_find(struct replay *replay, struct allocator *allocator)
{
	*allocator = (struct allocator){0};
	/* Other C libraries have names of their own for these, or no mallopt. */
	if (!address_of(replay, "mallopt"))
		return false;
	for (size_t i = 0; i < ALLOCATOR_FUNCTIONS; i++)
		allocator->functions[i] = address_of(replay, functions[i].name);
	allocator->take = allocator->functions[NUMBER_TAKE];
	allocator->resize = allocator->functions[NUMBER_RESIZE];
	if (!allocator->functions[0] || !allocator->take || !allocator->resize)
		return false;
	allocator->replaced = allocator_malloc(replay) == ALLOCATOR_MALLOC_OTHER;
	find_returns(replay, allocator);
	return allocator->return_count > 0;
}

/* ---- Its blocks ------------------------------------------------------------------------------ */

bool block_read(struct replay *replay, unsigned long long pointer, struct block *block)
{
	unsigned long long header;

	*block = (struct block){.address = pointer};
	if (!pointer || pointer % 16 ||
	    !accessed_whole(replay, pointer - HEADER, &header, sizeof(header)) ||
	    (header & SIZE_MASK) < 32)
		return false;
	block->mapped = (header & FLAG_MAPPED) != 0;
	block->room = (header & SIZE_MASK) - (block->mapped ? 2 * HEADER : HEADER);
	if (!block->mapped && (header & FLAG_ARENA)) {
		block->arena = pointer & ARENA_MASK;
		if (!accessed_whole(
			replay, block->arena, &block->described, sizeof(block->described)))
			block->arena = 0;
	}
	return true;
}

bool block_has(const struct block *block, unsigned long long address)
{
	return address >= block->address && address - block->address < block->room;
}

bool block_is_kept(struct replay *replay, const struct block *block)
{
	unsigned long long described;

	return !block->mapped && (!block->arena || (accessed_whole(replay, block->arena, &described,
							sizeof(described)) &&
						       described == block->described));
}

/* ---- Who called it --------------------------------------------------------------------------- */

static bool is_operator(const char *name)
{
	return name && (begins(name, "operator new") || begins(name, "operator delete"));
}

/* The allocator's function that begins there, by the name that programs call it; NULL: none does.
 */
static const char *function_at(const struct allocator *allocator, unsigned long long entry)
{
	for (size_t i = 0; i < ALLOCATOR_FUNCTIONS; i++)
		if (allocator->functions[i] == entry)
			return functions[i].called;
	return NULL;
}

static bool is_of_allocator(
    struct replay *replay, const struct allocator *allocator, const json_t *frame)
{
	unsigned long long entry;
	char name[FUNCTION_MAX];

	if (!where_entry(replay, mi_address(frame, "address") - 1, &entry, name, sizeof(name)))
		return false;
	return function_at(allocator, entry) || strcmp(name, "posix_memalign") == 0 ||
	       strcmp(name, "malloc_trim") == 0 || strcmp(name, "malloc_usable_size") == 0;
}

/* The address that the call before `back` went to; 0: it is not known. */
static unsigned long long called_from(struct replay *replay, unsigned long long back)
{
	unsigned long long target = 0;
	uint8_t bytes[6];
	int32_t offset;

	if (!accessed_whole(replay, back - sizeof(bytes), bytes, sizeof(bytes)))
		return 0;
	memcpy(&offset, bytes + 2, sizeof(offset));
	if (bytes[1] == 0xe8)
		return back + (unsigned long long)(long long)offset;
	if (bytes[0] == 0xff && bytes[1] == 0x15 &&
	    accessed_whole(
		replay, back + (unsigned long long)(long long)offset, &target, sizeof(target)))
		return target;
	return 0;
}

/* The function that begins there, or to which the program jumps from there: "operator
 * new(unsigned long)" also for "operator new(unsigned long)@plt". */
static bool name_function(
    struct replay *replay, unsigned long long address, char *name, size_t size)
{
	struct symbol symbol;
	const char *plt;

	if (!address || !symbol_at(replay, address, &symbol) || symbol.offset)
		return false;
	plt = strstr(symbol.name, "@plt");
	snprintf(name, size, "%.*s", plt ? (int)(plt - symbol.name) : (int)size, symbol.name);
	return true;
}

static enum allocator_way way_of(const char *name)
{
	static const char *const plain[] = {"malloc", "calloc", "realloc", "free", "memalign",
	    "aligned_alloc", "posix_memalign", "reallocarray"};

	if (is_operator(name))
		return strstr(name, "[]") ? WAY_NEW_ARRAY : WAY_NEW;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (strcmp(name, plain[i]) == 0)
			return WAY_MALLOC;
	return WAY_UNKNOWN;
}

enum allocator_way allocator_way(
    struct replay *replay, const struct allocator *allocator, char *name, size_t size)
{
	json_t *frames = frames_places(replay, 0, FRAMES_MAX, FRAMES_BYTES), *caller;
	enum allocator_way way = WAY_UNKNOWN;
	size_t level = 1;

	while ((caller = json_array_get(frames, level)) &&
	       (is_operator(mi_text(caller, "function")) ||
		   is_of_allocator(replay, allocator, caller)))
		level++;
	name[0] = '\0';
	if (caller &&
	    name_function(replay, called_from(replay, mi_address(caller, "address")), name, size))
		way = way_of(name);
	json_decref(frames);
	return way;
}

/* The outermost of the allocator's own functions among the frames; NULL: there is none. */
static const char *outermost_of(
    struct replay *replay, const struct allocator *allocator, const json_t *frames)
{
	const char *outermost = NULL, *function;
	unsigned long long entry;
	char name[FUNCTION_MAX];
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		bool known = where_entry(
		    replay, mi_address(frame, "address") - (i > 0), &entry, name, sizeof(name));

		function = known ? function_at(allocator, entry) : NULL;
		if (outermost && !function)
			break;
		outermost = function ? function : outermost;
	}
	return outermost;
}

void allocator_called(
    struct replay *replay, const struct allocator *allocator, char *name, size_t size)
{
	json_t *frames = frames_places(replay, 0, FRAMES_MAX, FRAMES_BYTES), *frame;
	char called[FUNCTION_MAX];
	const char *outermost;

	name[0] = '\0';
	for (size_t level = 1; (frame = json_array_get(frames, level)); level++) {
		if (name_function(replay, called_from(replay, mi_address(frame, "address")), called,
			sizeof(called)) &&
		    way_of(called) != WAY_UNKNOWN)
			snprintf(name, size, "%s", called);
		if (name[0] && !is_operator(mi_text(frame, "function")))
			break;
	}
	/* A wrapper that jumps there as the last thing it does leaves no call of it. */
	if (!name[0] && (outermost = outermost_of(replay, allocator, frames)))
		snprintf(name, size, "%s", outermost);
	json_decref(frames);
}

/* Functions at whose end the C library tidies up by itself. */
static bool is_ending(const char *name)
{
	return name &&
	       (strcmp(name, "exit") == 0 || strcmp(name, "quick_exit") == 0 ||
		   strcmp(name, "pthread_exit") == 0 || strcmp(name, "__pthread_exit") == 0);
}

/* The C library and the loader, which also come with debug symbols. */
static bool is_libc(struct replay *replay, const json_t *frame)
{
	const char *library = mi_text(frame, "library"), *function = mi_text(frame, "function");

	if (library)
		return strstr(library, "/libc.so") || strstr(library, "/libc-") ||
		       strstr(library, "/ld-") || strstr(library, "/libpthread");
	return frame_is_of_libc(replay, frame) || (function && strcmp(function, "_start") == 0);
}

/* Whether the program went into the C library from this frame by a call of the allocator, which may
 * have gone on to another function by a jump. */
static bool has_called_allocator(struct replay *replay, const json_t *frame)
{
	char name[FUNCTION_MAX];

	return name_function(
		   replay, called_from(replay, mi_address(frame, "address")), name, sizeof(name)) &&
	       way_of(name) != WAY_UNKNOWN;
}

/* Frames of the allocator can only be further in than those of the program. Without an allocator:
 * ACCESSOR_PROGRAM or ACCESSOR_LIBRARY. */
static enum accessor look_at_stack(struct replay *replay, const struct allocator *allocator)
{
	enum accessor accessor = ACCESSOR_LIBRARY;
	json_t *frames = frames_places(replay, 0, FRAMES_MAX, FRAMES_BYTES), *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		bool own = frame_is_own(replay, frame);

		if (allocator && (own ? i > 0 && has_called_allocator(replay, frame)
				      : is_of_allocator(replay, allocator, frame))) {
			accessor = ACCESSOR_ALLOCATOR;
			break;
		}
		if (accessor == ACCESSOR_LIBRARY && is_ending(mi_text(frame, "function")))
			break;
		if (own || !is_libc(replay, frame))
			accessor = ACCESSOR_PROGRAM;
		if (own)
			break;
	}
	json_decref(frames);
	return accessor;
}

bool allocator_is_called(struct replay *replay)
{
	return look_at_stack(replay, NULL) == ACCESSOR_PROGRAM;
}

enum accessor allocator_accessor(struct replay *replay, const struct allocator *allocator)
{
	json_auto_t *inner =
	    frame_json(json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"));
	enum accessor accessor =
	    frame_is_own(replay, inner) ? ACCESSOR_PROGRAM : look_at_stack(replay, allocator);

	return accessor;
}
