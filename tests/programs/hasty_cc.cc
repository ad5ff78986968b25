/*
 * What hasty.c does, in C++.
 */
#include <cstdio>
#include <thread>

namespace work
{
struct Job {
	int numbers[4] = {3, 5, 7, 9};
	int count = 0;

	void prepare()
	{
		count = 4; /* said too late */
	}

	__attribute__((noipa)) int add_up() const
	{
		int sum = 0;

		for (int i = 0; i < count; i++) /* read too early */
			sum += numbers[i]; /* left out */
		return sum;
	}

	int ask()
	{
		std::thread thread(&Job::prepare, this);
		int sum = add_up();

		thread.join();
		return sum;
	}
};

Job job;
} // namespace work

int main()
{
	int sum = work::job.ask();

	std::printf("sum %d\n", sum);
	return sum != 24;
}
