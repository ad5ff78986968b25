/*
 * Two threads of C++ use one object, in the way that the first argument names.
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace bank
{

class account
{
      public:
	void plain()
	{
		add();
	}
	void guarded()
	{
		std::lock_guard<std::mutex> guard(lock);
		add();
	}
	void shared()
	{
		{
			std::shared_lock<std::shared_mutex> reader(shelf);
			seen = balance; /* the read */
		}
		std::unique_lock<std::shared_mutex> writer(shelf);
		add();
	}
	void writes_as_reader()
	{
		std::shared_lock<std::shared_mutex> reader(shelf);
		add();
	}
	void recursively()
	{
		std::lock_guard<std::recursive_mutex> outer(again);
		{
			std::lock_guard<std::recursive_mutex> inner(again);
			add();
		}
		add();
	}
	void by_turns(int me)
	{
		std::unique_lock<std::mutex> guard(lock);
		turned.wait(guard, [&] { return turn == me; });
		guard.unlock();
		add();
		guard.lock();
		turn = 1 - me;
		turned.notify_all();
	}
	void made_once()
	{
		std::call_once(once, [this] { balance = 100; });
		seen = balance;
	}
	/* On x86, the loads and stores of this flag are plain moves. */
	void with_a_flag(int me)
	{
		while (ready.load(std::memory_order_acquire) != me)
			std::this_thread::yield();
		add();
		ready.store(1 - me, std::memory_order_release);
	}

      private:
	void add()
	{
		long now = balance;

		std::this_thread::yield();
		balance = now + 1; /* the write */
	}
	std::mutex lock;
	std::shared_mutex shelf;
	std::recursive_mutex again;
	std::condition_variable turned;
	std::once_flag once;
	std::atomic<int> ready{0};
	int turn = 0;
	volatile long balance = 0;

      public:
	static thread_local volatile long seen;
};

thread_local volatile long account::seen;
account first;
std::atomic<long> total;

} // namespace bank

using bank::first;

static void work(const char *way, int me)
{
	for (int i = 0; i < 4; i++) {
		if (strcmp(way, "guarded") == 0)
			first.guarded();
		else if (strcmp(way, "shared") == 0)
			first.shared();
		else if (strcmp(way, "writes_as_reader") == 0)
			first.writes_as_reader();
		else if (strcmp(way, "recursive") == 0)
			first.recursively();
		else if (strcmp(way, "condition") == 0)
			first.by_turns(me);
		else if (strcmp(way, "once") == 0)
			first.made_once();
		else if (strcmp(way, "flag") == 0)
			first.with_a_flag(me);
		else if (strcmp(way, "atomic") == 0)
			bank::total = bank::total + 1;
		else
			first.plain();
		std::this_thread::yield();
	}
}

int main(int, char **argv)
{
	const char *way = argv[1] ? argv[1] : "plain";
	std::thread one(work, way, 0), other(work, way, 1);

	one.join();
	other.join();
	std::printf("done\n");
	return 0;
}
