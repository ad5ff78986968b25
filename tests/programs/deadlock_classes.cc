/*
 * What deadlock.c does, in C++: two threads always take two locks in opposite order, and a third one
 * waits for a condition that never comes true. main joins them and hangs.
 */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace bank
{
struct account {
	std::mutex lock;
	long balance = 100;
};

account left, right;
std::mutex door;
std::condition_variable opened;
bool open;

/* Both threads have their first lock before either takes its second. */
class meeting
{
      public:
	void wait()
	{
		std::unique_lock<std::mutex> hold(inside);

		if (++here == 2)
			complete.notify_all();
		complete.wait(hold, [this] { return here == 2; });
	}

      private:
	std::mutex inside;
	std::condition_variable complete;
	int here = 0;
} both;

void transfer(account &from, account &to, long amount)
{
	std::lock_guard<std::mutex> first(from.lock);
	both.wait();
	std::lock_guard<std::mutex> second(to.lock);
	from.balance -= amount;
	to.balance += amount;
}

void wait_outside()
{
	std::unique_lock<std::mutex> hold(door);

	opened.wait(hold, [] { return open; });
}
} // namespace bank

int main()
{
	std::printf("transfers begin\n");
	std::fflush(stdout);
	std::thread outside(bank::wait_outside);
	std::thread give([] { bank::transfer(bank::left, bank::right, 10); });
	std::thread take([] { bank::transfer(bank::right, bank::left, 20); });
	give.join();
	take.join();
	outside.join();
	return 0;
}
