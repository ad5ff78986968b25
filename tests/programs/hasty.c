/*
 * Fails in some schedules only, about once in ten in chaos mode: ask starts a thread that says how
 * many numbers a job has, and adds them up without waiting for it. Where the thread is slower, the
 * sum is 0, and the program exits with status 1.
 */
#include <pthread.h>
#include <stdio.h>

struct job {
	int numbers[4];
	int count;
};

static void *prepare(void *argument)
{
	struct job *job = argument;

	job->count = 4; /* said too late */
	return NULL;
}

__attribute__((noipa)) static int add_up(const struct job *job)
{
	int sum = 0;

	for (int i = 0; i < job->count; i++) /* read too early */
		sum += job->numbers[i];	     /* left out */
	return sum;
}

static int ask(struct job *job)
{
	pthread_t thread;
	int sum;

	pthread_create(&thread, NULL, prepare, job);
	sum = add_up(job);
	pthread_join(thread, NULL);
	return sum;
}

static struct job job = {{3, 5, 7, 9}, 0};

int main(void)
{
	int sum = ask(&job);

	printf("sum %d\n", sum);
	return sum != 24;
}
