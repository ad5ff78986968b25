/*
 * Replaces itself by exec three times, once from a second thread, counting down in its argument.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *path;
static char next_count[12];

static void *exec_next(void *unused)
{
	execl(path, path, next_count, (char *)NULL);
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 3;

	path = argv[0];
	printf("count %d\n", count);
	fflush(stdout);
	if (count == 0)
		return 0;
	snprintf(next_count, sizeof(next_count), "%d", count - 1);
	if (count == 2) {
		pthread_t thread;
		pthread_create(&thread, NULL, exec_next, NULL);
		pthread_join(thread, NULL);
	} else {
		exec_next(NULL);
	}
	return 1;
}
