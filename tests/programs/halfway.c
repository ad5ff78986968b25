/*
 * A thread waits for another one, in the way that the first argument names, and then reads what
 * that one wrote before it went on. A search may begin while it waits.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int value, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static sem_t given;
static pthread_t writer;
static const char *way;
static int is_ready;

static int is(const char *name)
{
	return strcmp(way, name) == 0;
}

__attribute__((noipa)) static void halfway(void)
{
}

static void *write_value(void *nothing)
{
	if (is("mutex"))
		pthread_mutex_lock(&lock);
	usleep(500000); /* until the other one waits */
	halfway();
	if (is("condition"))
		pthread_mutex_lock(&lock);
	value = 3; /* the write */
	is_ready = 1;
	if (is("condition"))
		pthread_cond_signal(&ready);
	if (is("condition") || is("mutex"))
		pthread_mutex_unlock(&lock);
	if (is("barrier"))
		pthread_barrier_wait(&both);
	if (is("semaphore"))
		sem_post(&given);
	return nothing;
}

static void wait_for_value(void)
{
	if (is("condition") || is("mutex"))
		pthread_mutex_lock(&lock);
	while (is("condition") && !is_ready)
		pthread_cond_wait(&ready, &lock);
	if (is("barrier"))
		pthread_barrier_wait(&both);
	if (is("semaphore"))
		sem_wait(&given);
	if (is("joined"))
		pthread_join(writer, NULL);
	if (is("asleep"))
		sleep(2);
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "asleep";
	pthread_barrier_init(&both, NULL, 2);
	sem_init(&given, 0, 0);
	pthread_create(&writer, NULL, write_value, NULL);
	usleep(100000);
	wait_for_value();
	seen = value; /* the read */
	printf("%d\n", seen);
	return 0;
}
