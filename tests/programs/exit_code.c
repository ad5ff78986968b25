/*
 * Exits with the code of its argument, 42 by default.
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	return argc > 1 ? atoi(argv[1]) : 42;
}
