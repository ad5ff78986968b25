/*
 * Has what a program built with AddressSanitizer has: the function that its constructors call.
 */
void __asan_init(void);

void __asan_init(void)
{
}

int main(void)
{
	__asan_init();
	return 0;
}
