/*
 * Lists its open descriptors, its umask and the signals it ignores: what a parent may have left it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int main(void)
{
	struct sigaction action;
	const char *preload = getenv("LD_PRELOAD");
	mode_t mask = umask(0);

	for (int fd = 0; fd < 2048; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("fd %d\n", fd);
	for (int number = 1; number < 32; number++)
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			printf("ignored %d\n", number);
	printf("umask %03o\npreload %s\n", mask, preload ? preload : "");
	return 0;
}
