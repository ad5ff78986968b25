/*
 * What walks.c does in threads, in C++: methods write the members, some of them through a virtual
 * function or on the way out of an exception.
 *
 *	walks_classes threads N
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#define THREADS_MAX 16
#define ROUNDS	    6

namespace bank {

class Ledger {
      public:
	virtual ~Ledger() = default;
	void touch(int who, int round);
	void print() const
	{
		printf("value %ld field %u %u text %.32s\n", value, field.low, field.high, text);
	}

      protected:
	virtual void set_value(long to)
	{
		value = to;
	}
	virtual void set_text(int who, int round);

	long value = 0;
	struct {
		unsigned low : 4, high : 12;
	} field = {0, 0};
	char text[32] = "";
};

class Guarded : public Ledger {
	void set_value(long to) override
	{
		if (to % 3 == 0)
			throw std::range_error("a multiple of three");
		Ledger::set_value(to);
	}
};

/* Bytes that a string instruction or a vector one writes. */
void Ledger::set_text(int who, int round)
{
	memset(text, 'a' + who, sizeof(text));
	if (round % 2)
		memcpy(text + 8, "12345678", 8);
}

void Ledger::touch(int who, int round)
{
	long seen = value;

	try {
		set_value(seen + 1 + who);
	} catch (const std::range_error &) {
		value = seen + 2 + who;
	}
	if (round % 3 == 0)
		Ledger::set_value(value); /* the same once more: no change */
	field.low = (unsigned)round & 15;
	if (round % 4 == 0)
		field.high = (field.high + 1) & 4095;
	if (round % 5 == 0)
		set_text(who, round);
}

} // namespace bank

static bank::Guarded ledger;
static std::mutex lock;

static void work(int who)
{
	for (int round = 0; round < ROUNDS; round++) {
		std::unique_lock<std::mutex> held(lock, std::defer_lock);

		if (round % 2)
			held.lock();
		ledger.touch(who, round);
		if (round % 2 == 0)
			std::this_thread::yield();
	}
}

int main(int argc, char *argv[])
{
	int count = argc > 2 ? atoi(argv[2]) : 2;
	std::vector<std::thread> threads;

	for (int i = 0; i < count && i < THREADS_MAX; i++)
		threads.emplace_back(work, i);
	for (std::thread &thread : threads)
		thread.join();
	ledger.print();
	return 0;
}
