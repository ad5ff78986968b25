/*
 * Two threads that map, unmap and take a signal, round after round: most of its events are system
 * calls that change the memory, and returns from a signal handler.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#define ROUNDS 400
#define SIZE   4096

static volatile sig_atomic_t signals;

static void count(int number)
{
	signals += number == SIGUSR1;
}

static void *work(void *argument)
{
	for (int round = 0; round < ROUNDS; round++) {
		char *page =
		    mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			return argument;
		page[0] = 1;
		raise(SIGUSR1);
		mprotect(page, SIZE, PROT_READ);
		munmap(page, SIZE);
	}
	return NULL;
}

int main(void)
{
	pthread_t other;

	signal(SIGUSR1, count);
	pthread_create(&other, NULL, work, &other);
	work(NULL);
	pthread_join(other, NULL);
	printf("signals %d\n", signals);
	return 0;
}
