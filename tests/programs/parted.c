/*
 * Runs that part in a known place, for rr_compare_runs. The arguments choose the way; with "log",
 * the program says which way it went.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	long price;
	int count;
};

static int logs;
long total, checks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noipa)) void tell(const char *what)
{
	if (logs)
		puts(what);
}

__attribute__((noipa)) long discount(const struct item *item)
{
	long percent = 0;

	if (item->count > 10) /* parts here with a number above 10 */
		percent = 20;
	else
		percent = 5;
	return item->price * percent / 100;
}

__attribute__((noipa)) void add(const struct item *item)
{
	checks++;
	total += item->price * item->count - discount(item);
}

__attribute__((noipa)) void report(void)
{
	tell("report");
	if (total > 1000)
		tell("large"); /* parts later by this call */
	else
		tell("small");
}

__attribute__((noipa)) size_t measure(const char *text)
{
	return strlen(text);
}

static void *worker(void *with)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		add(with);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void run_threads(struct item *items)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &items[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	struct item items[3] = {{10, 2}, {20, 3}, {30, 4}};
	const char *how = argc > 1 ? argv[1] : "plain";

	logs = argc > 2;
	if (how[0] >= '0' && how[0] <= '9')
		items[1].count = atoi(how);
	if (strcmp(how, "busy") == 0)
		for (int i = 0; i < 300; i++)
			measure(how);
	if (strncmp(how, "threads", 7) == 0) {
		if (strcmp(how, "threads2") == 0)
			items[1].count = 50;
		run_threads(items);
	}
	for (int i = 0; i < 3; i++)
		add(&items[i]);
	measure(how);
	report();
	printf("%ld\n", total);
	return total > 1000;
}
