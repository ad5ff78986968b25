/*
 * Leaves a daemon behind: a grandchild with a session of its own that closes its files and would
 * sleep for an hour. The program itself ends at once.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_daemon(void)
{
	setsid();
	if (fork() != 0)
		_exit(0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	sleep(3600);
	_exit(0);
}

int main(void)
{
	pid_t pid = fork();

	if (pid == 0)
		become_daemon();
	waitpid(pid, NULL, 0);
	printf("daemon left behind\n");
	return 0;
}
