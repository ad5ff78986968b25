/*
 * As many system calls as its argument says, of the kind that costs least: getppid.
 */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long left = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	long sum = 0;

	while (left-- > 0)
		sum += getppid();
	return sum == 0;
}
