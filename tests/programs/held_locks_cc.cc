// Locks of C++ that threads hold and wait for while main looks; and one of the program's own making.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <linux/futex.h>
#include <mutex>
#include <shared_mutex>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace bank
{
struct Account
{
	std::mutex lock;
	int balance = 0;
};

Account first, second;
std::shared_mutex rates;
std::condition_variable changed;
std::atomic<int> own{1}, over{0};

void settle()
{
	std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

__attribute__((noinline)) void move()
{
	const std::lock_guard<std::mutex> from(first.lock); // the mover's
	const std::shared_lock<std::shared_mutex> reading(rates); // its reading

	while (!over)
		settle();
	first.balance--;
}

__attribute__((noinline)) void take()
{
	const std::lock_guard<std::mutex> from(first.lock); // the taker's

	first.balance++;
}

__attribute__((noinline)) void watch()
{
	std::unique_lock<std::mutex> guard(second.lock);

	changed.wait(guard, [] { return over != 0; }); // the watcher's
}

__attribute__((noinline)) void take_own()
{
	while (own != 0)
		syscall(SYS_futex, &own, FUTEX_WAIT, 1, nullptr, nullptr, 0);
}
}

extern "C" __attribute__((noinline)) void looked()
{
	__asm__ volatile("");
}

int main()
{
	std::thread mover(bank::move);
	bank::settle();
	std::thread taker(bank::take), watcher(bank::watch), maker(bank::take_own);
	bank::settle();

	looked();
	bank::over = 1;
	bank::own = 0;
	syscall(SYS_futex, &bank::own, FUTEX_WAKE, 1, nullptr, nullptr, 0);
	{
		const std::lock_guard<std::mutex> guard(bank::second.lock);
	}
	bank::changed.notify_all();
	mover.join();
	taker.join();
	watcher.join();
	maker.join();
	return 0;
}
