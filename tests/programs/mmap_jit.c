/*
 * Code made at run time: a function with a loop is written into fresh memory, made executable, run,
 * changed and run again, unmapped and made anew at the same place with other branches.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* mov $N,%ecx; xor %eax,%eax; 1: add $M,%eax; dec %ecx; jnz 1b; ret */
static const unsigned char count_down[] = {
    0xb9, 0, 0, 0, 0, 0x31, 0xc0, 0x83, 0xc0, 0, 0xff, 0xc9, 0x75, 0xf9, 0xc3};
/* mov $N,%ecx; xor %eax,%eax; 1: add $M,%eax; loop 1b; ret */
static const unsigned char count_loop[] = {
    0xb9, 0, 0, 0, 0, 0x31, 0xc0, 0x83, 0xc0, 0, 0xe2, 0xfb, 0xc3};

static int make_and_run(unsigned char *page, const unsigned char *code, size_t size,
    unsigned char times, unsigned char step)
{
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	memcpy(page, code, size);
	page[1] = times;
	page[9] = step;
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	return ((int (*)(void))page)();
}

int main(void)
{
	void *place = NULL;
	int sum = 0;

	for (unsigned char round = 1; round <= 4; round++) {
		unsigned char *page = mmap(place, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0);
		if (page == MAP_FAILED)
			return 2;
		sum += make_and_run(page, count_down, sizeof(count_down), 10 * round, round);
		sum += make_and_run(page, count_loop, sizeof(count_loop), 5 * round, round);
		place = page;
		munmap(page, 4096);
	}
	printf("sum %d\n", sum);
	return sum == 15 * (1 + 4 + 9 + 16) ? 0 : 1;
}
