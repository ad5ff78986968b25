/*
 * Fills and copies a megabyte with string instructions, upward and downward. A watchpoint in the
 * middle must see each of them, and what comes before it must not run repetition by repetition.
 */
#include <stddef.h>

#define SIZE (1 << 20)

static unsigned char area[SIZE], other[SIZE];

static void fill(unsigned char *to, int with, size_t count)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(with) : "memory");
}

static void copy(unsigned long *to, const unsigned long *from, size_t count)
{
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void copy_down(unsigned short *to, const unsigned short *from, size_t count)
{
	__asm__ volatile("std; rep movsw; cld" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

int main(void)
{
	fill(area, 1, SIZE);
	fill(other, 2, SIZE);
	copy((unsigned long *)area, (const unsigned long *)other, SIZE / 8);
	fill(other, 3, SIZE);
	copy_down(
	    (unsigned short *)&area[SIZE - 2], (const unsigned short *)&other[SIZE - 2], SIZE / 2);
	return area[0] != 3 || area[SIZE - 1] != 3;
}
