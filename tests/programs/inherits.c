/*
 * Changes a function of its own before each fork, without running it: what was translated of it for
 * an earlier child is wrong for the next.
 *
 *	inherits CHILDREN
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static unsigned char *page;

/* The function returns this value. */
static void write_function(int value)
{
	unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov eax, value; ret */

	memcpy(code + 1, &value, sizeof(value));
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	memcpy(page, code, sizeof(code));
	mprotect(page, PAGE, PROT_READ | PROT_EXEC);
}

int main(int argc, char *argv[])
{
	int children = argc > 1 ? atoi(argv[1]) : 1;
	int (*function)(void);

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	memcpy(&function, &page, sizeof(function));
	write_function(1);
	printf("%d", function());
	for (int i = 2; i < children + 2; i++) {
		int status = 0;

		write_function(i);
		fflush(stdout);
		if (fork() == 0)
			_exit(function());
		wait(&status);
		printf(" %d", WEXITSTATUS(status));
	}
	printf("\n");
	return 0;
}
