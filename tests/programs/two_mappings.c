/*
 * Works like a careful just-in-time compiler: it maps the same memory twice, once to write and once
 * to run. It changes code that has run, and code that is just running. The file has the name of the
 * memory of rr-warden's own code cache.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * rdi: where the constant of the add is, to write. mov ecx, 50; xor eax, eax;
 * 1: inc byte [rdi]; nop; add eax, K; dec ecx; jnz 1b; ret
 */
static const uint8_t loop[] = {
    0xb9, 50, 0, 0, 0, 0x31, 0xc0, 0xfe, 0x07, 0x90, 0x83, 0xc0, 1, 0xff, 0xc9, 0x75, 0xf6, 0xc3};

enum { CONSTANT = 12, COUNT = 1 };

int main(void)
{
	int fd = memfd_create("rr-warden-code-cache", 0);
	uint8_t *writable, *code;
	long sum = 0;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	memcpy(writable, loop, sizeof loop);
	for (int i = 0; i < 100; i++) {
		writable[COUNT] = (uint8_t)(1 + i);
		writable[CONSTANT] = (uint8_t)(i & 7);
		sum += ((int (*)(uint8_t *))code)(writable + CONSTANT);
	}
	printf("%ld\n", sum);
	return 0;
}
