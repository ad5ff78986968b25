/*
 * A program that dies with a stack pointer of 0.
 */
int main(void)
{
	__asm__ volatile("xor %esp, %esp\n\tpush %rax");
	return 0;
}
