/*
 * Self-modifying code: a loop whose body rewrites the conditional jump ahead of it on every pass,
 * in memory that is writable and executable at once.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/*
 *	xor %eax,%eax
 *	mov $20,%ecx
 * 1:	test $2,%cl
 *	jz 2f		byte 10: flipped between jz and jnz by the next instruction
 *	inc %eax
 * 2:	xorb $1, jz(%rip)
 *	dec %ecx
 *	jnz 1b
 *	ret
 */
static const unsigned char code[] = {0x31, 0xc0, 0xb9, 20, 0, 0, 0, 0xf6, 0xc1, 0x02, 0x74, 0x02,
    0xff, 0xc0, 0x80, 0x35, 0xf5, 0xff, 0xff, 0xff, 0x01, 0xff, 0xc9, 0x75, 0xee, 0xc3};

int main(void)
{
	unsigned char *page = mmap(
	    NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 2;
	memcpy(page, code, sizeof(code));
	int taken = ((int (*)(void))page)();
	printf("fell through %d times\n", taken);
	return taken == 10 ? 0 : 1;
}
