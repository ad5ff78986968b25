/*
 * More values that nobody has set: in blocks of each function that hands out memory, on the stack,
 * in registers, in padding and unions. Each of the globals gets one; `look` does nothing with them.
 */
#include <alloca.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noipa))

struct padded {
	char letter;
	long number;
};

union both {
	char letter;
	unsigned long number;
};

long not_reused, aligned, by_memalign, by_posix, again_aligned, of_vla, of_alloca, of_local,
    of_array, reused;
long handed_on, from_pool, set_in_pool;
char padding, heap_padding, copied_padding;
unsigned long half_set;
static long pool[64];
static long *free_list;
void *kept_apart;

KEEP void look(void)
{
	__asm__ volatile("" ::: "memory");
}

KEEP static void dirty(long *block, int words)
{
	for (int i = 0; i < words; i++)
		block[i] = 4711 + i; /* left behind */
	__asm__ volatile("" : : "r"(block) : "memory");
}

KEEP static void heap(void)
{
	long *one = aligned_alloc(64, 4096); /* taken: aligned_alloc */
	long *two = memalign(64, 4096);	     /* taken: memalign */
	long *block;
	void *three;

	aligned = one[7];
	by_memalign = two[7];
	if (posix_memalign(&three, 64, 4096) != 0) /* taken: posix_memalign */
		abort();
	by_posix = ((long *)three)[7];
	block = malloc(80);
	dirty(block, 10);
	free(block); /* given back */
	not_reused = block[4];
	block = malloc(80); /* taken: again */
	reused = block[5];
	handed_on = block[6];
	block = malloc(2000);
	dirty(block, 250);
	kept_apart = malloc(16);
	free(block);
	block = aligned_alloc(64, 640); /* taken: aligned again */
	again_aligned = block[20];
}

KEEP static void dirty_stack(void)
{
	long left[400];

	dirty(left, 400);
}

KEEP static void stack(int length)
{
	long local, array[8], sized[length], *more = alloca((size_t)length * sizeof(long));
	struct padded one = {'a', 2}, two;
	union both both;

	__asm__ volatile(""
			 :
			 : "r"(&local), "r"(array), "r"(more), "r"(sized), "r"(&two)
			 : "memory");
	__asm__ volatile("" : : "r"(&one), "r"(&both) : "memory");
	two.letter = 'b';
	two.number = 3;
	both.letter = 'c'; /* set: half */
	__asm__ volatile("" : : "r"(&two), "r"(&both) : "memory");
	of_local = local;
	of_array = array[3];
	of_alloca = more[2];
	of_vla = sized[4];
	padding = ((char *)&two)[3];
	half_set = both.number;
}

/* The program's own allocator: nothing but its stores shows when a piece begins a new life. */
KEEP static long *pool_take(void)
{
	long *piece = free_list;

	free_list = (long *)piece[0];
	return piece;
}

KEEP static void pools(void)
{
	long *piece;

	for (int i = 0; i < 8; i++) {
		pool[i * 8] = (long)free_list;
		free_list = &pool[i * 8];
	}
	piece = pool_take();
	piece[3] = 4242; /* by the former owner */
	piece[0] = (long)free_list;
	free_list = piece;
	piece = pool_take();
	from_pool = piece[3];
}

int main(void)
{
	struct padded *block = malloc(sizeof(*block));

	block->letter = 'd';
	block->number = 4;
	heap_padding = ((char *)block)[4];
	heap();
	dirty_stack();
	stack(6);
	pools();
	look();
	return 0;
}
