/*
 * Ends at one of several calls that a compiler makes one of. The argument says which.
 */
#include <cstdlib>
#include <cstring>
#include <exception>

static volatile int sink;

__attribute__((noinline)) static void terminates(int a, int b, int c)
{
	if (a) std::terminate(); /* first */
	sink = a + 1;
	if (b) std::terminate(); /* second */
	sink = b + 2;
	if (c) std::terminate(); /* third */
	sink = c + 3;
}

__attribute__((noinline)) static void aborts(int a, int b, int c)
{
	if (a) std::abort(); /* fourth */
	sink = a + 1;
	if (b) std::abort(); /* fifth */
	sink = b + 2;
	if (c) std::abort(); /* sixth */
	sink = c + 3;
}

int main(int argc, char **argv)
{
	const char *form = argc > 1 ? argv[1] : "";

	terminates(!strcmp(form, "first"), !strcmp(form, "second"), !strcmp(form, "third"));
	aborts(!strcmp(form, "fourth"), !strcmp(form, "fifth"), !strcmp(form, "sixth"));
	return 0;
}
