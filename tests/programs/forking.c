/*
 * A server that forks: one child serves, one runs another program, one has a child of its own. Each
 * ends with an exit code of its own, by which a test finds it. With an argument, its threads fork.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM 8192

static int limit, served;
static char *path;

static void configure(int value)
{
	limit = value;
}

/* What a later call with as much on the stack finds there. */
static void fill(void)
{
	volatile int room[2 * ROOM];

	for (int i = 0; i < 2 * ROOM; i++)
		room[i] = 9;
}

static int serve(int request)
{
	volatile int unset[ROOM]; /* nobody sets it */
	volatile int answer = request + (unset[0] == ROOM);

	served += request; /* serves */
	answer += 10;
	return answer;
}

static pid_t start_child(int request)
{
	pid_t pid = request ? fork() : -1; /* forks */

	if (pid == 0)
		_exit(serve(request)); /* child */
	return pid;
}

static pid_t start_program(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(path, path, "again", (char *)NULL);
		_exit(1);
	}
	return pid;
}

static pid_t start_parent(void)
{
	pid_t pid = fork(); /* forks a parent */

	if (pid == 0) {
		served = 100; /* generation */
		waitpid(start_child(4), NULL, 0);
		_exit(13);
	}
	return pid;
}

static void *fork_here(void *unused)
{
	volatile int own = 20;

	own++; /* in the thread */
	waitpid(start_child(1), NULL, 0);
	return unused;
}

/* A child of a thread, while another one runs. */
static int run_threads(void)
{
	pthread_t threads[2];

	configure(7);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, fork_here, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	volatile int children = 3;

	path = argv[0];
	if (argc > 1 && strcmp(argv[1], "again") == 0)
		return serve(2);
	if (argc > 1)
		return run_threads();
	fill();
	configure(7);
	children++; /* counts */
	waitpid(start_child(1), NULL, 0);
	waitpid(start_program(), NULL, 0);
	waitpid(start_parent(), NULL, 0);
	return 0;
}
