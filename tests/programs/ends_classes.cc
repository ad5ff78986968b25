/*
 * Ends in one of C++'s ways, which its argument names: throw (nobody catches it), noexcept (it may
 * not leave a function), terminate, exit (status 4, from a method).
 */
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace shop
{
class order
{
      public:
	explicit order(int number) : number(number)
	{
	}

	void check() const
	{
		if (number > 3)
			throw std::runtime_error("order " + std::to_string(number) + " is bad");
	}

	void check_quietly() const noexcept
	{
		check();
	}

	void give_up() const
	{
		std::terminate();
	}

	void leave() const
	{
		std::cerr << "order " << number << " cannot be served\n";
		std::exit(4);
	}

      private:
	int number;
};
} // namespace shop

int main(int argc, char **argv)
{
	const std::string way = argc > 1 ? argv[1] : "";
	const shop::order last(7);

	std::puts("orders begin");
	std::fflush(stdout);
	if (way == "throw")
		last.check();
	else if (way == "noexcept")
		last.check_quietly();
	else if (way == "terminate")
		last.give_up();
	else if (way == "exit")
		last.leave();
	return 0;
}
