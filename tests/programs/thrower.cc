/*
 * Calls that are left by an exception, and caught in a caller two levels up; others return.
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
	std::printf("%d\n", sum + static_cast<int>(work::Part(2).both().c));
	return 0;
}
