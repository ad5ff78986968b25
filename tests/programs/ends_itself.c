/*
 * Ends by a signal, which it sends itself or waits for.
 *
 *	ends_itself SIGNAL | ends_itself
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void end_by(int number)
{
	kill(getpid(), number);
}

int main(int argc, char *argv[])
{
	printf("before the end\n");
	fflush(stdout);
	if (argc > 1)
		end_by(atoi(argv[1]));
	for (;;)
		pause();
}
