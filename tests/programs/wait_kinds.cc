/*
 * Threads that wait for ever, for each kind of object or in a ring. When all of them sleep, the
 * program ends itself with SIGTERM.
 */
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <linux/futex.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <threads.h>
#include <unistd.h>
#include <vector>
#include "asleep.h"

static std::mutex door;
static std::condition_variable bell;
static std::condition_variable_any any_bell;
static cnd_t plain_bell;
static mtx_t plain_door, held_door;
static struct {
	long before;
	pthread_cond_t inside;
	pthread_mutex_t lock;
} room = {0, PTHREAD_COND_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t gate;
static sem_t token, other_token;
static pthread_rwlock_t page = PTHREAD_RWLOCK_INITIALIZER, leaf = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t hot, cold;
static pthread_barrier_t both;
static std::shared_mutex shelf;
static pthread_rwlock_t fair;
static int own[2]; /* 1: taken */
static int pipes[2][2];
static bool rung, waiting, spins;

/* Its name is longer than a sentence takes. */
template <class Key, class Value> struct store_of_values_by_their_keys {
	static std::mutex lock, other;
};
template <class Key, class Value> std::mutex store_of_values_by_their_keys<Key, Value>::lock;
template <class Key, class Value> std::mutex store_of_values_by_their_keys<Key, Value>::other;
using nested = std::map<std::string, std::map<std::string, std::vector<std::string>>>;
using long_named = store_of_values_by_their_keys<nested, nested>;

static bool sleeps(const char *task)
{
	return std::atoi(task) == gettid() || thread_sleeps(std::atoi(task));
}

/* Ends the program when all others sleep in two looks; those that spin never do. */
static void watch()
{
	for (int calm = 0; calm < 2;) {
		bool all = true;
		DIR *tasks = opendir("/proc/self/task");
		while (struct dirent *task = readdir(tasks))
			if (task->d_name[0] != '.')
				all = all && (spins || sleeps(task->d_name));
		closedir(tasks);
		calm = all ? calm + 1 : 0;
		usleep(20000);
	}
	kill(getpid(), SIGTERM);
	pause();
}

static void guest()
{
	std::unique_lock<std::mutex> lock(door);
	waiting = true;
	bell.wait(lock, [] { return rung; });
}

/* The guest is woken, and must take the door again, which main holds while it joins it. */
static void relock()
{
	std::thread thread(guest);
	for (;;) {
		std::lock_guard<std::mutex> lock(door);
		if (waiting)
			break;
	}
	std::unique_lock<std::mutex> lock(door);
	rung = true;
	bell.notify_one();
	std::thread watcher(watch);
	thread.join();
}

static void *relock_in_room(void *)
{
	pthread_mutex_lock(&room.lock);
	waiting = true;
	while (!rung)
		pthread_cond_wait(&room.inside, &room.lock);
	return nullptr;
}

static void relock_posix()
{
	pthread_t thread;
	pthread_create(&thread, nullptr, relock_in_room, nullptr);
	for (bool seen = false; !seen;) {
		pthread_mutex_lock(&room.lock);
		seen = waiting;
		if (!seen)
			pthread_mutex_unlock(&room.lock);
	}
	rung = true;
	pthread_cond_broadcast(&room.inside);
	std::thread watcher(watch);
	pthread_join(thread, nullptr);
}

/* One thread for each kind of object; main holds what can be held. */
static void kinds()
{
	cnd_init(&plain_bell);
	mtx_init(&plain_door, mtx_plain);
	mtx_init(&held_door, mtx_plain);
	mtx_lock(&held_door);
	pthread_rwlock_wrlock(&page);
	pthread_rwlock_rdlock(&leaf);
	pthread_barrier_init(&gate, nullptr, 2);
	sem_init(&token, 0, 0);
	sem_init(&other_token, 0, 0);
	std::thread threads[] = {std::thread(guest), std::thread([] {
					 std::unique_lock<std::mutex> lock(door);
					 any_bell.wait(lock);
				 }),
	    std::thread([] {
		    mtx_lock(&plain_door);
		    cnd_wait(&plain_bell, &plain_door);
	    }),
	    std::thread([] { relock_in_room(nullptr); }),
	    std::thread([] { pthread_barrier_wait(&gate); }), std::thread([] { sem_wait(&token); }),
	    std::thread([] { mtx_lock(&held_door); }),
	    std::thread([] { pthread_rwlock_rdlock(&page); }),
	    std::thread([] { pthread_rwlock_wrlock(&leaf); }), std::thread(watch)};
	sem_wait(&other_token);
	for (std::thread &thread : threads)
		thread.join();
}

static void take_own(int number)
{
	while (__atomic_exchange_n(&own[number], 1, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &own[number], FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0);
}

/* Each would write what the other one reads. */
static void read_pipe(int number)
{
	char byte;
	if (read(pipes[number][0], &byte, 1) == 1 && write(pipes[!number][1], &byte, 1) == 1)
		std::puts("read");
}

static void ring(void (*take)(int))
{
	pthread_barrier_init(&both, nullptr, 2);
	auto run = [take](int first, int second) {
		take(first);
		pthread_barrier_wait(&both);
		take(second);
	};
	std::thread one(run, 0, 1), two(run, 1, 0);
	usleep(1000);
	watch();
	one.join();
	two.join();
}

/* Reads twice, the second time behind one that waits to write. */
static void read_again()
{
	pthread_rwlockattr_t kind;
	pthread_rwlockattr_init(&kind);
	pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&fair, &kind);
	std::thread reader([] {
		pthread_rwlock_rdlock(&fair);
		std::thread writer([] { pthread_rwlock_wrlock(&fair); });
		/* Without a writer in wait, it may be read. */
		while (pthread_rwlock_tryrdlock(&fair) == 0) {
			pthread_rwlock_unlock(&fair);
			sched_yield();
		}
		pthread_rwlock_rdlock(&fair);
		writer.join();
	});
	std::thread watcher(watch);
	reader.join();
}

static int config(int depth);

static int read_config(int depth)
{
	return depth ? config(depth - 1) : getpid();
}

static int config(int depth)
{
	static int instance = read_config(depth);
	return instance;
}

/* Waits for the end of one that waits to write what this one reads. */
static void join_writer()
{
	std::thread reader([] {
		pthread_rwlock_rdlock(&page);
		std::thread writer([] { pthread_rwlock_wrlock(&page); });
		writer.join();
	});
	usleep(1000);
	watch();
	reader.join();
}

/* Its initialization needs it. */
static void init_again()
{
	std::thread watcher(watch);
	config(2);
}

static int left_side(bool again);

static int right_side(bool again)
{
	static int right = (pthread_barrier_wait(&both), again ? left_side(false) : 0);
	return right;
}

static int left_side(bool again)
{
	static int left = (pthread_barrier_wait(&both), again ? right_side(false) : 0);
	return left;
}

static void ring_of_pipes()
{
	if (pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0)
		ring(read_pipe);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "kinds";

	pthread_spin_init(&hot, 0);
	pthread_spin_init(&cold, 0);
	if (std::strcmp(what, "relock") == 0)
		relock();
	else if (std::strcmp(what, "relock_posix") == 0)
		relock_posix();
	else if (std::strcmp(what, "own") == 0)
		ring(take_own);
	else if (std::strcmp(what, "writers") == 0)
		ring([](int number) { pthread_rwlock_wrlock(number ? &page : &leaf); });
	else if (std::strcmp(what, "upgrade") == 0)
		ring([](int) {
			pthread_rwlock_rdlock(&page);
			pthread_rwlock_wrlock(&page);
		});
	else if (std::strcmp(what, "upgrade_shared") == 0)
		ring([](int number) {
			if (number)
				return;
			shelf.lock_shared();
			shelf.lock();
		});
	else if (std::strcmp(what, "long_names") == 0)
		ring([](int number) { (number ? long_named::lock : long_named::other).lock(); });
	else if (std::strcmp(what, "read_again") == 0)
		read_again();
	else if (std::strcmp(what, "join_writer") == 0)
		join_writer();
	else if (std::strcmp(what, "init_again") == 0)
		init_again();
	else if (std::strcmp(what, "init_ring") == 0) {
		pthread_barrier_init(&both, nullptr, 2);
		std::thread one(left_side, true), two(right_side, true), watcher(watch);
		one.join();
	} else if (std::strcmp(what, "pipes") == 0)
		ring_of_pipes();
	else if (std::strcmp(what, "spins") == 0) {
		spins = true;
		ring([](int number) { pthread_spin_lock(number ? &hot : &cold); });
	} else
		kinds();
	return 0;
}
