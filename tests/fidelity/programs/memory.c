/*
 * Kinds: memory that is not what it was: files that end, guard pages, code that is made, changed
 * and gone, stacks that end.
 */
#define FAMILY __FILE__
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stage.h"

static void *map_at(uint64_t address, size_t size, int protection, int flags, int fd)
{
	void *at = mmap(AT(address), size, protection, MAP_PRIVATE | MAP_FIXED | flags, fd, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

/* A file of 100 bytes, mapped as two pages. */
static volatile char *short_file(void)
{
	int fd = (int)syscall(SYS_memfd_create, "short", 0);

	if (fd < 0 || ftruncate(fd, 100) != 0)
		abort();
	volatile char *at =
	    (volatile char *)map_at(STAGE_HOLE, 0x2000, PROT_READ | PROT_WRITE, 0, fd);
	close(fd);
	return at;
}

KIND(bus_error, KIND_CALLS)
{
	volatile char *file = short_file();

	file[5] = 1;
	stage_say("in the file");
	file[0x1000] = 1;
}

KIND(bus_error_in_string, KIND_CALLS)
{
	volatile char *file = short_file();
	char *from = (char *)AT(STAGE_DATA);
	size_t n = 0x1800;

	__asm__ volatile("rep movsb" : "+S"(from), "+D"(file), "+c"(n)::"memory");
}

KIND(bus_error_in_code, KIND_CALLS)
{
	short_file();
	mprotect(AT(STAGE_HOLE), 0x2000, PROT_READ | PROT_EXEC);
	((void (*)(void))AT(STAGE_HOLE + 0x1000))();
}

KIND(file_cut, KIND_CALLS)
{
	int fd = (int)syscall(SYS_memfd_create, "cut", 0);

	if (fd < 0 || ftruncate(fd, 0x2000) != 0)
		abort();
	volatile char *at = (volatile char *)mmap(
	    AT(STAGE_HOLE), 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	at[0x1000] = 7;
	if (ftruncate(fd, 0x1000) != 0)
		abort();
	at[0x1000] = 8;
}

KIND(guard_page, KIND_CALLS)
{
	volatile char *at =
	    (volatile char *)map_at(STAGE_HOLE, 0x3000, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);

	mprotect(AT(STAGE_HOLE + 0x1000), 0x1000, PROT_NONE);
	for (int i = 0xff0;; i++)
		at[i] = (char)i;
}

KIND(made_read_only, KIND_CALLS)
{
	volatile int *at =
	    (volatile int *)map_at(STAGE_HOLE, 0x1000, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);

	*at = 5;
	mprotect(AT(STAGE_HOLE), 0x1000, PROT_READ);
	*at = 6;
}

KIND(unmapped_under_pointer, KIND_CALLS)
{
	volatile int *at =
	    (volatile int *)map_at(STAGE_HOLE, 0x1000, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);

	*at = 5;
	munmap(AT(STAGE_HOLE), 0x1000);
	*at = *at + 1;
}

KIND(write_to_constant, 0)
{
	volatile char *text = (volatile char *)"a constant";

	text[2] = 'x';
}

KIND(write_to_function, 0)
{
	volatile char *code = (volatile char *)(uintptr_t)stage_enter;

	*code = 0;
}

KIND(run_data, 0)
{
	static unsigned char code[] = {0x90, 0xc3};

	((void (*)(void))(uintptr_t)code)();
}

KIND(run_heap, KIND_CALLS)
{
	unsigned char *code = (unsigned char *)malloc(16);

	code[0] = 0xc3;
	((void (*)(void))(uintptr_t)code)();
}

/* Code that was made. f(n) counts down, then does what the bytes say. */
static void make(uint64_t at, const void *end, size_t n)
{
	static const unsigned char loop[] = {0xb9, 7, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc};

	memcpy(AT(at), loop, sizeof loop);
	memcpy(AT(at + sizeof loop), end, n);
}

#define CALL_MADE(at) ((void (*)(void))AT(at))()

KIND(made_code, 0)
{
	make(STAGE_CODE + 0x100, "\x0f\x0b", 2);
	CALL_MADE(STAGE_CODE + 0x100);
}

KIND(made_code_reads_null, 0)
{
	make(STAGE_CODE, "\x31\xc0\x8b\x00\xc3", 5);
	CALL_MADE(STAGE_CODE);
}

KIND(made_code_returns_to_null, 0)
{
	make(STAGE_CODE, "\x6a\x00\xc3", 3);
	CALL_MADE(STAGE_CODE);
}

KIND(made_code_calls_null, 0)
{
	make(STAGE_CODE, "\x31\xc0\xff\xd0", 4);
	CALL_MADE(STAGE_CODE);
}

KIND(made_code_jumps_to_null, 0)
{
	/* jmp rel32 to 0 */
	unsigned char jump[] = {0xe9, 0, 0, 0, 0};
	int32_t distance = -(int32_t)(STAGE_CODE + 9 + 5);

	memcpy(jump + 1, &distance, 4);
	make(STAGE_CODE, jump, sizeof jump);
	CALL_MADE(STAGE_CODE);
}

KIND(rewritten_code, 0)
{
	make(STAGE_CODE, "\xc3", 1);
	CALL_MADE(STAGE_CODE);
	make(STAGE_CODE, "\xf4", 1);
	CALL_MADE(STAGE_CODE);
}

KIND(rewritten_while_it_runs, 0)
{
	/* mov %eax, %eax; movw $0x0b0f, 0(%rip); two nops that it overwrites */
	make(STAGE_CODE, "\x66\xc7\x05\x00\x00\x00\x00\x0f\x0b\x90\x90\xc3", 12);
	CALL_MADE(STAGE_CODE);
}

KIND(code_unmapped, KIND_CALLS)
{
	map_at(STAGE_HOLE, 0x1000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_ANONYMOUS, -1);
	make(STAGE_HOLE, "\xc3", 1);
	CALL_MADE(STAGE_HOLE);
	munmap(AT(STAGE_HOLE), 0x1000);
	CALL_MADE(STAGE_HOLE);
}

KIND(code_made_data, KIND_CALLS)
{
	map_at(STAGE_HOLE, 0x1000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_ANONYMOUS, -1);
	make(STAGE_HOLE, "\xc3", 1);
	CALL_MADE(STAGE_HOLE);
	mprotect(AT(STAGE_HOLE), 0x1000, PROT_READ);
	CALL_MADE(STAGE_HOLE);
}

KIND(code_replaced, KIND_CALLS)
{
	map_at(STAGE_HOLE, 0x1000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_ANONYMOUS, -1);
	make(STAGE_HOLE, "\xc3", 1);
	CALL_MADE(STAGE_HOLE);
	map_at(STAGE_HOLE, 0x1000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_ANONYMOUS, -1);
	CALL_MADE(STAGE_HOLE);
}

KIND(code_unmaps_itself, KIND_CALLS)
{
	/* mov $SYS_munmap, %eax; mov $hole, %edi; mov $0x1000, %esi; syscall */
	static const unsigned char code[] = {
	    0xb8, 11, 0, 0, 0, 0xbf, 0x00, 0x00, 0x18, 0x60, 0xbe, 0, 0x10, 0, 0, 0x0f, 0x05, 0xc3};

	map_at(STAGE_HOLE, 0x1000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_ANONYMOUS, -1);
	make(STAGE_HOLE, code, sizeof code);
	CALL_MADE(STAGE_HOLE);
}

/* Looks at 0 where a page was: the zero page may be mapped by nobody, but its number is 0. */
KIND(null_after_stale_page, 0)
{
	make(STAGE_CODE, "\xc3", 1);
	for (int i = 0; i < 50; i++)
		CALL_MADE(STAGE_CODE);
	memset(AT(STAGE_CODE), 0x90, 64);
	((void (*)(void))AT(0))();
}

#ifndef FIDELITY_STATIC
KIND(closed_library, KIND_CALLS)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*function)(double) = library ? (double (*)(double))dlsym(library, "cbrt") : 0;

	if (!function)
		_exit(4);
	stage_say(function(8) == 2 ? "2" : "wrong");
	/* As dlclose would, where nothing else keeps the library. */
	munmap((void *)((uintptr_t)function & ~0xfffull), 0x1000);
	function(27);
}
#endif

/* More than 100 ms without a branch, then a fault: in code that is cached, and in made code. */
#define LONG_READ 0x30000000

static void long_read(const void *end, size_t n)
{
	/* mov $LONG_READ, %ecx; mov $at, %rsi; rep lodsb */
	static const unsigned char code[] = {
	    0xb9, 0, 0, 0, 0x30, 0x48, 0xbe, 0, 0, 0, 0, 0, 1, 0, 0, 0xf3, 0xac};

	map_at(0x10000000000, LONG_READ, PROT_READ, MAP_ANONYMOUS | MAP_NORESERVE, -1);
	memcpy(AT(STAGE_CODE), code, sizeof code);
	memcpy(AT(STAGE_CODE + sizeof code), end, n);
	CALL_MADE(STAGE_CODE);
}

KIND(long_without_branch, KIND_CALLS | KIND_LONG)
{
	long_read("\x0f\x0b", 2);
}

KIND(long_then_null, KIND_CALLS | KIND_LONG)
{
	long_read("\x31\xc0\x50\x50\x8b\x00", 6);
}

KIND(long_into_fault, KIND_CALLS | KIND_LONG)
{
	const char *from = (const char *)AT(0x10000000000);
	size_t n = LONG_READ + 100;

	map_at(0x10000000000, LONG_READ, PROT_READ, MAP_ANONYMOUS | MAP_NORESERVE, -1);
	__asm__ volatile("push %%rbx\nrep lodsb\npop %%rbx" : "+S"(from), "+c"(n)::"rax", "memory");
}

/* Stacks that end. */
static int recurse(volatile int *n)
{
	volatile int here = *n + 1;

	return here < 0 ? 0 : recurse(&here) + here;
}

KIND(stack_overflow, KIND_ALTSTACK)
{
	volatile int n = 0;

	recurse(&n);
}

KIND(stack_overflow_no_alt_stack, KIND_FATAL)
{
	volatile int n = 0;

	recurse(&n);
}

KIND(stack_overflow_array, KIND_ALTSTACK)
{
	volatile char big[STAGE_STACK_SIZE + 0x100];

	big[0] = 1;
	big[sizeof big - 1] = 2;
}
