/*
 * Runs another program before it uses memory that was never written.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

static volatile int met;

__attribute__((noinline, noclone)) static void judge_own(const int *own)
{
	if (*own == 5)
		met++;
}

int main(void)
{
	char *const command[] = {
	    "/bin/sh", "-c", "i=0; while [ $i -lt 200 ]; do i=$((i + 1)); done", NULL};
	int *own = malloc(sizeof(*own));
	pid_t child;

	if (posix_spawn(&child, command[0], NULL, NULL, command, environ) != 0)
		return 1;
	waitpid(child, NULL, 0);
	judge_own(own);
	free(own);
	return 0;
}
