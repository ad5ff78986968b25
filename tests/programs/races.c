/*
 * Two threads use one counter, in the way that the first argument names. Each step that could order
 * them is written down before or after it is done, so that who reads the list can work out by
 * himself what was ordered. The list is printed at the end, a line for each step: what was done, by
 * which thread, and to which object.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	  4
#define STEPS_MAX 4000

/* What was done. Objects are small numbers: 1 and 2 are locks, others have a space of their own. */
enum step {
	TAKE = 'T',
	SHARE = 'R',
	GIVE = 'G',
	GIVE_SHARED = 'g',
	CREATE = 'C',
	BEGIN = 'B',
	END = 'E',
	JOIN = 'J',
	SIGNAL = 'S',
	WOKEN = 'V',
	POST = 'P',
	WAITED = 'Q',
	ARRIVE = 'A',
	READ = 'r',
	WRITE = 'w',
};

static volatile int counter;
static struct {
	char step;
	int thread, object;
} steps[STEPS_MAX];
static unsigned step_count;
static __thread int me;

/* One instruction, so that no other thread comes between, as rr runs one at a time; but without the
 * lock, which would look like a lock of the program's own. */
static void note(enum step step, int object)
{
	unsigned number = 1;

	__asm__ volatile("xaddl %0, %1" : "+r"(number), "+m"(step_count));
	if (number >= STEPS_MAX)
		abort();
	steps[number].step = (char)step;
	steps[number].thread = me;
	steps[number].object = object;
}

static int load(void)
{
	note(READ, 0);
	return counter; /* the read */
}

static void store(int value)
{
	note(WRITE, 0);
	counter = value; /* the write */
}

static void add(void)
{
	int seen = load();

	sched_yield();
	store(seen + 1);
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, checked;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t phase;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t free_slots;
static int turn = 1;

static void lock(pthread_mutex_t *mutex, int object)
{
	pthread_mutex_lock(mutex);
	note(TAKE, object);
}

static void unlock(pthread_mutex_t *mutex, int object)
{
	note(GIVE, object);
	pthread_mutex_unlock(mutex);
}

static void plain(void)
{
	add();
}

static void locked(void)
{
	lock(&first, 1);
	add();
	unlock(&first, 1);
}

static void two_locks(void)
{
	lock(me == 1 ? &first : &second, me);
	add();
	unlock(me == 1 ? &first : &second, me);
}

static void half_locked(void)
{
	if (me == 1)
		locked();
	else
		add();
}

static void trylock(void)
{
	while (pthread_mutex_trylock(&first) != 0)
		sched_yield();
	note(TAKE, 1);
	add();
	unlock(&first, 1);
}

/* Goes on although it did not get the lock. */
static void ignores_trylock(void)
{
	int got = pthread_mutex_trylock(&first);

	if (got == 0)
		note(TAKE, 1);
	add();
	if (got == 0)
		unlock(&first, 1);
}

static void timedlock(void)
{
	struct timespec at;

	do {
		clock_gettime(CLOCK_REALTIME, &at);
		at.tv_nsec += 1000;
	} while (pthread_mutex_timedlock(&first, &at) != 0);
	note(TAKE, 1);
	add();
	unlock(&first, 1);
}

/* The inner unlock does not give the lock up. */
static void recursively(void)
{
	lock(&recursive, 1);
	pthread_mutex_lock(&recursive);
	add();
	pthread_mutex_unlock(&recursive);
	add();
	unlock(&recursive, 1);
}

/* The second lock fails, so that one unlock is enough; and a stranger's unlock fails too. */
static void with_errors(void)
{
	pthread_mutex_unlock(&checked);
	lock(&checked, 1);
	if (pthread_mutex_lock(&checked) != EDEADLK)
		abort();
	add();
	unlock(&checked, 1);
}

static void reads_and_writes(void)
{
	pthread_rwlock_rdlock(&shelf);
	note(SHARE, 1);
	load();
	sched_yield();
	note(GIVE_SHARED, 1);
	pthread_rwlock_unlock(&shelf);
	pthread_rwlock_wrlock(&shelf);
	note(TAKE, 1);
	add();
	note(GIVE, 1);
	pthread_rwlock_unlock(&shelf);
}

static void writes_as_reader(void)
{
	pthread_rwlock_rdlock(&shelf);
	note(SHARE, 1);
	add();
	note(GIVE_SHARED, 1);
	pthread_rwlock_unlock(&shelf);
}

static void spins(void)
{
	pthread_spin_lock(&spin);
	note(TAKE, 1);
	add();
	note(GIVE, 1);
	pthread_spin_unlock(&spin);
}

/* Hands the counter over, and uses it without a lock in its turn. */
static void by_turns(void)
{
	lock(&first, 1);
	while (turn != me) {
		note(GIVE, 1);
		pthread_cond_wait(&turned, &first);
		note(TAKE, 1);
		note(WOKEN, 1);
	}
	unlock(&first, 1);
	add();
	lock(&first, 1);
	turn = 3 - me;
	note(SIGNAL, 1);
	pthread_cond_signal(&turned);
	unlock(&first, 1);
}

static void with_semaphore(void)
{
	sem_wait(&free_slots);
	note(WAITED, 1);
	add();
	note(POST, 1);
	sem_post(&free_slots);
}

static void in_phases(void)
{
	if (me == 1)
		add();
	note(ARRIVE, 1);
	pthread_barrier_wait(&phase);
	note(WAITED, 2);
	if (me == 2)
		add();
	note(ARRIVE, 1);
	pthread_barrier_wait(&phase);
	note(WAITED, 2);
}

static void make(void)
{
	store(7);
	note(POST, 3);
}

static void made_once(void)
{
	pthread_once(&once, make);
	note(WAITED, 3);
	load();
}

static int flag;

static void own_lock(void)
{
	while (__atomic_exchange_n(&flag, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	note(TAKE, 1);
	add();
	note(GIVE, 1);
	__atomic_store_n(&flag, 0, __ATOMIC_RELEASE);
}

/* Wakes nobody, and so orders nothing. */
static void with_futex(void)
{
	syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	add();
}

static void atomically(void)
{
	__atomic_fetch_add((int *)&counter, 1, __ATOMIC_SEQ_CST);
}

static const struct way {
	const char *name;
	void (*round)(void);
} ways[] = {{"plain", plain}, {"locked", locked}, {"two_locks", two_locks},
    {"half_locked", half_locked}, {"trylock", trylock}, {"ignores_trylock", ignores_trylock},
    {"timedlock", timedlock}, {"recursive", recursively}, {"errors", with_errors},
    {"rwlock", reads_and_writes}, {"writes_as_reader", writes_as_reader}, {"spinlock", spins},
    {"condition", by_turns}, {"semaphore", with_semaphore}, {"barrier", in_phases},
    {"once", made_once}, {"own_lock", own_lock}, {"futex", with_futex}, {"atomic", atomically},
    {"joined", plain}, {"forked", plain}};

static const struct way *way;

static void *work(void *number)
{
	me = (int)(long)number;
	note(BEGIN, me);
	for (int i = 0; i < ROUNDS; i++) {
		way->round();
		sched_yield();
	}
	note(END, me);
	return NULL;
}

static void start(pthread_t *thread, long number)
{
	note(CREATE, (int)number);
	pthread_create(thread, NULL, work, (void *)number);
}

static void join(pthread_t thread, int number)
{
	pthread_join(thread, NULL);
	note(JOIN, number);
}

static void prepare(void)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &kind);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&phase, NULL, 2);
	sem_init(&free_slots, 0, 1);
}

static void print_steps(void)
{
	for (unsigned i = 0; i < step_count; i++)
		printf("%c %d %d\n", steps[i].step, steps[i].thread, steps[i].object);
}

static void run(void)
{
	pthread_t threads[2];

	start(&threads[0], 1);
	if (strcmp(way->name, "joined") == 0)
		join(threads[0], 1);
	start(&threads[1], 2);
	if (strcmp(way->name, "joined") != 0)
		join(threads[0], 1);
	join(threads[1], 2);
	load();
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			way = &ways[i];
	if (!way)
		return 2;
	prepare();
	store(0);
	if (strcmp(way->name, "forked") == 0 && fork() > 0) {
		wait(NULL);
		return load();
	}
	run();
	print_steps();
	return 0;
}
