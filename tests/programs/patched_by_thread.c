/*
 * Code that one thread runs while another writes to it, in memory that is writable and executable:
 * as compilers at run time do. How often each version runs depends on how the threads are switched.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* mov ecx, 50; xor eax, eax; 1: add eax, K; dec ecx; jnz 1b; ret */
static const uint8_t loop[] = {
    0xb9, 50, 0, 0, 0, 0x31, 0xc0, 0x83, 0xc0, 1, 0xff, 0xc9, 0x75, 0xf9, 0xc3};

enum { CONSTANT = 9, CALLS = 20000 };

static uint8_t *code;
static atomic_bool done;

static void *write_on(void *unused)
{
	(void)unused;
	for (unsigned i = 0; !atomic_load(&done); i++)
		atomic_store((_Atomic uint8_t *)&code[CONSTANT], (uint8_t)(i % 100));
	return NULL;
}

int main(void)
{
	pthread_t writer;
	long sum = 0;

	code = mmap(
	    NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	memcpy(code, loop, sizeof loop);
	if (pthread_create(&writer, NULL, write_on, NULL) != 0)
		return 1;
	for (int i = 0; i < CALLS; i++)
		sum += ((int (*)(void))code)();
	atomic_store(&done, true);
	pthread_join(writer, NULL);
	printf("%ld\n", sum);
	return 0;
}
