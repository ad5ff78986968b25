/*
 * Two threads wait for each other's lock, among very many that have nothing to do with it.
 */
#include <pthread.h>
#include <unistd.h>

#define IDLE 70

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *idle(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static void *take_both(void *first)
{
	pthread_mutex_lock(first ? &left : &right);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(first ? &right : &left);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < IDLE; i++)
		pthread_create(&thread, NULL, idle, NULL);
	pthread_create(&thread, NULL, take_both, &left);
	pthread_create(&thread, NULL, take_both, NULL);
	for (;;)
		pause();
}
