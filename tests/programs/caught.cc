/*
 * Exceptions through many frames, with stack memory that is used again behind them.
 */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline))

struct guard {
	explicit guard(int number) : text(static_cast<size_t>(number), 'a') {}
	~guard() { text.clear(); }
	std::string text;
};

KEEP static int descend(int number)
{
	guard held(number);
	char words[64];

	std::snprintf(words, sizeof(words), "%d", number);
	if (number % 3 == 0)
		throw std::runtime_error(words);
	return number > 0 ? descend(number - 1) + words[0] : 0;
}

int main()
{
	size_t sum = 0;

	for (int i = 0; i < 100; i++) {
		try {
			sum += static_cast<size_t>(descend(i % 50 + 1));
		} catch (const std::exception &caught) {
			std::vector<std::string> many(20, caught.what());

			sum += many.size();
		}
	}
	std::printf("%zu\n", sum);
	return 0;
}
