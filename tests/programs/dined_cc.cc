/*
 * Three threads that take two of three locks each, in a ring, in C++. main joins them and hangs.
 */
#include <array>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace table
{
std::mutex forks[3];
std::mutex seats;
std::condition_variable seated;
int count;

void sit_down()
{
	std::unique_lock<std::mutex> hold(seats);

	if (++count == 3)
		seated.notify_all();
	seated.wait(hold, [] { return count == 3; });
}

void dine(int left)
{
	std::lock_guard<std::mutex> first(forks[left]); /* the first fork */
	sit_down();
	std::lock_guard<std::mutex> second(forks[(left + 1) % 3]); /* the second fork */
}
} // namespace table

int main()
{
	std::puts("they begin");
	std::fflush(stdout);
	std::array<std::thread, 3> guests;
	for (int i = 0; i < 3; i++)
		guests[i] = std::thread(table::dine, i);
	for (std::thread &guest : guests)
		guest.join();
	return 0;
}
