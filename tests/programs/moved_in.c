/*
 * Crashes in a line of a system's header that the compiler moved into a function of the program.
 */
#include <stdlib.h>

__attribute__((noipa)) static int handle(const int *session, int marker)
{
	int kept = marker + 1;
	int *volatile copy = (int *)session;

#line 233 "/usr/include/c++/12/bits/basic_string.h"
	kept += *copy;
#line 17 "tests/programs/moved_in.c"
	return kept;
}

int main(void)
{
	return handle(NULL, 76);
}
