/*
 * An exception leaves some calls, and a caller two levels up catches it; other calls return.
 * Prints 7.
 */
#include <cstdio>
#include <stdexcept>
#include <string>

namespace work
{
struct Pair {
	long a, b, c;
};

class Part
{
      public:
	explicit Part(int size) : size_(size)
	{
	}
	int checked(int limit) const
	{
		if (size_ > limit)
			throw std::length_error("too large");
		return size_;
	}
	Pair both() const
	{
		return {size_, size_ + 1, 0};
	}

      private:
	int size_;
};

int ask(const Part &part)
{
	return part.checked(5) + 1;
}

/* Never returns, so that its caller's handler begins at the return address. */
__attribute__((noinline, noreturn)) int refuse(int size)
{
	throw size;
}

int guard(int size)
{
	try {
		return refuse(size);
	} catch (int) {
		return -1;
	}
}

int count(int size)
{
	int sum = 0;

	try {
		sum += ask(Part(size));
	} catch (const std::length_error &) {
	}
	return sum;
}
} // namespace work

int main()
{
	int sum = 0;

	for (int size = 1; size < 10; size += 3)
		sum += work::count(size);
	sum += work::guard(sum) + 1;
	std::printf("%d\n", sum + static_cast<int>(work::Part(2).both().c));
	return 0;
}
