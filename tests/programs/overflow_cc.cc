/*
 * What overflow.c does, in C++.
 */
#include <iostream>

namespace calendar
{
class Clock
{
      public:
	__attribute__((noipa)) void pass_year()
	{
		seconds_ = static_cast<int>(
		    static_cast<unsigned>(seconds_) + 365u * 86400u); /* overflows */
	}
	__attribute__((noipa)) void pass_day()
	{
		days_++;
	}
	__attribute__((noipa)) int report() const
	{
		std::cout << "seconds " << seconds_ << ", days " << days_ << '\n';
		return seconds_ < 0; /* the effect */
	}

      private:
	int seconds_ = 0;
	int days_ = 0;
};
} // namespace calendar

int main()
{
	calendar::Clock clock;

	for (int year = 0; year < 70; year++)
		clock.pass_year();
	for (int day = 0; day < 5000; day++)
		clock.pass_day();
	return clock.report();
}
