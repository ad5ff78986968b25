/*
 * A library in C++ that filters.cc loads while it runs.
 */
#include <csignal>

namespace filters
{
template <typename Number> class scale
{
      public:
	explicit scale(Number factor) : factor(factor)
	{
	}

	Number apply(Number number)
	{
		last = number * factor;
		return last;
	}

      private:
	Number factor;
	Number last = 0;
};

int apply(int number)
{
	return scale<int>(3).apply(number);
}

double apply(double number)
{
	return scale<double>(0.5).apply(number);
}

void raise_user_signal()
{
	std::raise(SIGUSR1);
}
} // namespace filters

extern "C" int filter_all(int number)
{
	filters::raise_user_signal();
	return filters::apply(number) + static_cast<int>(filters::apply(2.0 * number));
}
