/*
 * Changes its own code through /proc/self/mem, which ignores the rights of the mappings.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* mov ecx, N; xor eax, eax; 1: add eax, K; dec ecx; jnz 1b; ret */
static const uint8_t loop[] = {
    0xb9, 50, 0, 0, 0, 0x31, 0xc0, 0x83, 0xc0, 1, 0xff, 0xc9, 0x75, 0xf9, 0xc3};

enum { COUNT = 1, CONSTANT = 9 };

int main(void)
{
	uint8_t *code =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;
	int fd;

	memcpy(code, loop, sizeof loop);
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	for (int i = 0; i < 20; i++)
		sum += ((int (*)(void))code)();
	fd = open("/proc/self/mem", O_RDWR);
	for (int i = 0; i < 50; i++) {
		uint8_t count = (uint8_t)(i + 1), constant = (uint8_t)(i & 0x3f);

		if (pwrite(fd, &count, 1, (off_t)(uintptr_t)(code + COUNT)) != 1 ||
		    pwrite(fd, &constant, 1, (off_t)(uintptr_t)(code + CONSTANT)) != 1)
			return 1;
		sum += ((int (*)(void))code)();
	}
	printf("%ld\n", sum);
	return 0;
}
