/*
 * What lost_update.c does, in C++: one clerk reads the balance, another one changes it, and then
 * the first writes what it had computed from the value it had read. Exits with status 1.
 */
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

namespace bank
{
class Account
{
      public:
	long look()
	{
		std::lock_guard<std::mutex> hold(lock_);
		return balance_; /* read here */
	}
	void store(long value)
	{
		std::lock_guard<std::mutex> hold(lock_);
		balance_ = value; /* written here */
	}

      private:
	std::mutex lock_;
	long balance_ = 100;
};

Account account;
std::promise<void> read_it, changed_it;

void slow_clerk(long amount)
{
	long seen = account.look(); /* the lock is given up between this and the store */

	read_it.set_value();
	changed_it.get_future().wait();
	account.store(seen + amount);
}

void quick_clerk(long amount)
{
	read_it.get_future().wait();
	account.store(account.look() + amount);
	changed_it.set_value();
}
} // namespace bank

int main()
{
	std::thread slow(bank::slow_clerk, 10), quick(bank::quick_clerk, 50);

	slow.join();
	quick.join();
	std::printf("balance %ld, not 160\n", bank::account.look());
	return bank::account.look() != 160;
}
