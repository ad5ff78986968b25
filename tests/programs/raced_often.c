/*
 * Threads use one place in memory at random: by reads, writes and both at once, in functions of
 * their own and of the C library, in a handler of a timer's signals, with and without a lock,
 * beside places whose addresses have the same low bits. The first argument is the seed, the second
 * how often each thread does something (40). "plain" behind them: only in ways that each thread can
 * count; a line for each then says who it is, and how often it read and wrote. "atomic", "strings":
 * with atomic operations, or string instructions, too.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "alarms.h"

#define THREADS	    3
#define GENERATIONS 2
#define LOW_BITS    8192 /* longs, after which they are the same again */
#define place	    room[LOW_BITS]

static volatile long room[2 * LOW_BITS + 1];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile fill)(void *, int, size_t) = memset;
static unsigned long seed = 1, rounds = 40;
static int is_plain, is_atomic, has_strings;

static __thread struct {
	unsigned long state;
	long reads, writes;
	volatile long alarms; /* handled: each reads and writes */
	long kept;
} me;

static unsigned long pick(unsigned long most)
{
	me.state ^= me.state << 13;
	me.state ^= me.state >> 7;
	me.state ^= me.state << 17;
	return me.state % most;
}

static void look(void)
{
	me.kept = place;
	me.reads++;
}

static void store(void)
{
	place = me.kept;
	me.writes++;
}

static void add(void)
{
	place += 3; /* reads, and writes */
	me.reads++;
	me.writes++;
}

/* One instruction reads and writes. */
static void increment(void)
{
	__asm__ volatile("incq %0" : "+m"(place) : : "cc");
	me.reads++;
	me.writes++;
}

static void compare(void)
{
	if (place == me.kept)
		me.kept++;
	me.reads++;
}

/* A part of it. */
static void touch_byte(void)
{
	((volatile char *)&place)[5] = 1;
	me.writes++;
}

static void use_others(void)
{
	room[0]++;
	room[2 * LOW_BITS]++;
	room[LOW_BITS - 1]++;
	room[LOW_BITS + 1]++;
}

static void add_under_lock(void)
{
	pthread_mutex_lock(&mutex);
	add();
	pthread_mutex_unlock(&mutex);
}

static void copy_from(void)
{
	long here[2];

	copy(here, (const void *)&place, sizeof(here));
}

static void fill_in(void)
{
	fill((void *)&place, (int)pick(2), sizeof(place));
}

static void move_string(void)
{
	long here = 0, count = sizeof(here);
	const void *from = (const void *)&place;
	void *to = &here;

	__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

static void push_and_pop(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp; push %0; pop %0; lea 128(%%rsp), %%rsp"
			 : "+m"(place)
			 :
			 : "memory");
}

static void add_atomically(void)
{
	__atomic_fetch_add(&place, 1, __ATOMIC_SEQ_CST);
}

static void act(void)
{
	static void (*const plain[])(void) = {
	    look, store, add, increment, compare, touch_byte, use_others, look, store, add};
	static void (*const others[])(void) = {copy_from, fill_in, push_and_pop, add_under_lock};

	if (is_plain ? pick(3000) == 0 : pick(8) == 0)
		sched_yield();
	if (is_plain ? pick(3000) == 0 : pick(8) == 0)
		add_under_lock();
	else if (is_atomic && pick(4) == 0)
		add_atomically();
	else if (has_strings && pick(20) == 0)
		move_string();
	else if (!is_plain && pick(4) == 0)
		others[pick(sizeof(others) / sizeof(*others))]();
	else
		plain[pick(sizeof(plain) / sizeof(*plain))]();
}

static void on_alarm(int signal)
{
	(void)signal;
	place += 4;
	me.alarms++;
	alarms_seen();
}

static void tell(void)
{
	sigset_t alarm;

	if (!is_plain)
		return;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	pthread_mutex_lock(&mutex);
	printf("%ld %ld %ld\n", syscall(SYS_gettid), me.reads + me.alarms, me.writes + me.alarms);
	pthread_mutex_unlock(&mutex);
}

static void *work(void *number)
{
	me.state = (seed + (unsigned long)number) * 0x9e3779b97f4a7c15;
	for (unsigned long i = 0; i < rounds; i++)
		act();
	tell();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	seed = argc > 1 ? strtoul(argv[1], NULL, 10) : seed;
	rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : rounds;
	is_plain = argc > 3 && strcmp(argv[3], "plain") == 0;
	is_atomic = argc > 3 && strcmp(argv[3], "atomic") == 0;
	has_strings = argc > 3 && strcmp(argv[3], "strings") == 0;
	signal(SIGALRM, on_alarm);
	for (long i = 0; i < GENERATIONS; i++) {
		alarms_begin(is_plain ? 2000 : 20000, is_plain ? 30 : 5);
		for (long j = 0; j < THREADS; j++)
			pthread_create(&thread[j], NULL, work, (void *)(THREADS * i + j));
		for (int j = 0; j < THREADS; j++)
			pthread_join(thread[j], NULL);
	}
	alarms_end();
	tell();
	return 0;
}
