/*
 * Ignores every signal that can be ignored, and so does its child.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (fork() == 0)
		for (;;)
			pause();
	printf("up\n");
	fflush(stdout);
	for (;;)
		pause();
}
