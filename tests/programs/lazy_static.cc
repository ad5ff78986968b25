/*
 * Two threads use a static variable of a function, which the first of them that comes initializes.
 * With an argument, they change it as well, and nothing orders that.
 */
#include <cstdio>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

struct settings {
	long value, changes;
	explicit settings(long begun) : value(begun), changes(0) /* the initialization */
	{
		sched_yield();
	}
};

static bool changes;

static settings &config()
{
	static settings one(41 + getpid() % 2);

	return one;
}

static void *use(void *sum)
{
	for (int i = 0; i < 3; i++) {
		*static_cast<long *>(sum) += config().value; /* the use */
		if (changes)
			config().changes = i; /* the change */
		sched_yield();
	}
	return nullptr;
}

int main(int argc, char **)
{
	pthread_t threads[2];
	long sums[2] = {0, 0};

	changes = argc > 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], nullptr, use, &sums[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], nullptr);
	std::printf("%ld\n", sums[0] + sums[1]);
	return 0;
}
