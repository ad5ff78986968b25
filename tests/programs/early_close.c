/*
 * The race of pbzip2 0.9: the main thread takes the queue away when all blocks are queued, while a
 * consumer is still about to lock it. Here the consumer always comes too late: SIGSEGV. It crashes
 * while main waits in a barrier that nobody opens.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "asleep.h"

struct queue {
	pthread_mutex_t lock;
	int blocks[8], count;
};

static struct queue *fifo;
static pthread_barrier_t taken, closed;
static atomic_bool gone;

static void *consume(void *total)
{
	for (;;) {
		int block = 0;

		pthread_mutex_lock(&fifo->lock);
		if (fifo->count > 0)
			block = fifo->blocks[--fifo->count];
		pthread_mutex_unlock(&fifo->lock);
		*(int *)total += block;
		if (block == 1) { /* the last one */
			pthread_barrier_wait(&taken);
			while (!gone || !thread_sleeps(getpid())) /* main, in the barrier */
				usleep(1000);
		}
	}
	return NULL;
}

static void queue_close(void)
{
	free(fifo);
	fifo = NULL;
}

int main(void)
{
	pthread_t consumer;
	int total = 0;

	fifo = calloc(1, sizeof(*fifo));
	pthread_mutex_init(&fifo->lock, NULL);
	for (int block = 1; block <= 8; block++)
		fifo->blocks[fifo->count++] = block;
	pthread_barrier_init(&taken, NULL, 2);
	pthread_barrier_init(&closed, NULL, 2);
	pthread_create(&consumer, NULL, consume, &total);
	pthread_barrier_wait(&taken);
	printf("compressed %d\n", total);
	fflush(stdout);
	queue_close(); /* the consumer is not joined */
	gone = 1;
	pthread_barrier_wait(&closed);
	pthread_join(consumer, NULL);
	return 0;
}
