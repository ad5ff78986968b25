/*
 * Code made at run time calls back, and crashes there: no file has unwind information for it. With
 * words of another call on its stack.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* push %rbp; sub $64,%rsp; call *%rdi; add $64,%rsp; pop %rbp; ret */
static const unsigned char calls_back[] = {
    0x55, 0x48, 0x83, 0xec, 0x40, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x40, 0x5d, 0xc3};

static void reached(void)
{
	*(volatile int *)8 = 1;
}

int main(void)
{
	void *code = mmap(
	    NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, calls_back, sizeof(calls_back));
	printf("made\n");
	((void (*)(void (*)(void)))code)(reached);
	return 0;
}
