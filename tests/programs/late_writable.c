/*
 * Code that becomes writable only after it has run, and then changes itself, back and forth
 * between rights that forbid and allow it.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* mov ecx, N; xor eax, eax; 1: add eax, K; dec ecx; jnz 1b; ret */
static const uint8_t loop[] = {
    0xb9, 50, 0, 0, 0, 0x31, 0xc0, 0x83, 0xc0, 1, 0xff, 0xc9, 0x75, 0xf9, 0xc3};

int main(void)
{
	uint8_t *code =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*run)(void) = (int (*)(void))code;
	long sum = 0;

	memcpy(code, loop, sizeof loop);
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	for (int i = 0; i < 20; i++)
		sum += run();
	mprotect(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (int i = 0; i < 100; i++) {
		code[1] = (uint8_t)(1 + i);
		code[9] = (uint8_t)(i & 0x3f);
		sum += run();
	}
	for (int i = 0; i < 30; i++) {
		mprotect(code, 4096, PROT_READ | PROT_WRITE);
		code[9] = (uint8_t)(i + 1);
		mprotect(code, 4096, PROT_READ | PROT_EXEC);
		sum += run();
	}
	printf("%ld\n", sum);
	return 0;
}
