/*
 * Ends in a part of the function `give_up` that no symbol names, as compilers move away what hardly
 * ever runs, and strip takes its name.
 */
#include <stdlib.h>

void give_up(void);

__asm__(".text\n"
	".globl give_up\n"
	".type give_up, @function\n"
	"give_up:\n"
	"	.cfi_startproc\n"
	"	jmp .Laway\n"
	"	.cfi_endproc\n"
	".size give_up, . - give_up\n"
	"	.skip 64, 0x90\n"
	"	.cfi_startproc\n"
	".Laway:\n"
	"	sub $8, %rsp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	call abort@plt\n"
	"	.cfi_endproc\n");

int main(int argc, char **argv)
{
	(void)argv;
	if (argc < 9)
		give_up();
	return 0;
}
