/*
 * Values that nobody has set, in blocks that other calls of the allocator touched before one handed
 * them out: realloc released them, malloc or calloc cut them off, posix_memalign had no use for
 * them. Each of the globals gets one; `look` does nothing with them.
 */
#include <stdlib.h>

#define KEEP __attribute__((noinline, noipa))

long after_realloc, after_split, after_calloc, beside_aligned, by_reallocarray, longer_in_place,
    never_handed_out, copied, after_jump, copied_by_jump;
void *kept_apart[8];

KEEP void look(void)
{
	__asm__ volatile("" ::: "memory");
}

KEEP static long *dirty(size_t words)
{
	long *block = malloc(words * sizeof(*block));

	for (size_t i = 0; i < words; i++)
		block[i] = 4711; /* left behind */
	__asm__ volatile("" : : "r"(block) : "memory");
	return block;
}

/* Wrappers that jump to what they wrap, as compilers make them. */
void jump_to_free(void *block);
void *jump_to_realloc(void *block, size_t size);
__asm__(".text\n"
	".type jump_to_free, @function\n"
	"jump_to_free: jmp free@plt\n"
	".type jump_to_realloc, @function\n"
	"jump_to_realloc: jmp realloc@plt\n");

KEEP static void by_jumps(void)
{
	long *block = dirty(14);

	jump_to_free(block);
	block = malloc(112); /* taken: after a jump */
	after_jump = block[5];
	block = dirty(18);
	kept_apart[6] = malloc(16);
	block = jump_to_realloc(block, 5000);
	copied_by_jump = block[5];
}

KEEP static void released_by_realloc(void)
{
	long *block = dirty(10), *moved;

	kept_apart[0] = malloc(80);
	moved = realloc(block, 5000);
	block = malloc(80); /* taken: after realloc */
	after_realloc = block[5];
	copied = moved[5];
}

/* The words behind a block of `bytes`, in the free one that it was cut off. */
KEEP static void cut_off(void)
{
	long *block = dirty(375), *rest;

	kept_apart[1] = malloc(16);
	free(block);
	kept_apart[2] = malloc(1000); /* cut off: the rest */
	never_handed_out = block[200];
	rest = malloc(1992); /* taken: the rest */
	after_split = rest[20];
	block = dirty(375);
	kept_apart[3] = malloc(16);
	free(block);
	kept_apart[4] = calloc(1, 1000);
	rest = malloc(1992); /* taken: behind calloc's */
	after_calloc = rest[20];
}

/* The aligned block is cut out of a larger one, whose beginning the allocator keeps. */
KEEP static void beside(void)
{
	long *block;

	if (posix_memalign(&kept_apart[5], 64, 128) != 0)
		abort();
	block = realloc(malloc(16), 128); /* taken: beside */
	beside_aligned = block[2];
}

KEEP static void resized(void)
{
	long *block = reallocarray(NULL, 10, sizeof(*block)); /* taken: reallocarray */

	by_reallocarray = block[8];
	block = malloc(2500);	      /* taken: made longer */
	block = realloc(block, 2700); /* stays where it is */
	longer_in_place = block[7];
}

int main(void)
{
	by_jumps();
	released_by_realloc();
	cut_off();
	beside();
	resized();
	look();
	return 0;
}
