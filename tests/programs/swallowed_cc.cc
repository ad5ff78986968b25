/*
 * A swallowed exception: the third field cannot be read, and read_all goes on as if nothing had
 * happened. Prints 34, not 46.
 */
#include <cstdio>
#include <stdexcept>
#include <string>

namespace input
{
__attribute__((noipa)) int parse_number(const std::string &text)
{
	if (text[0] < '0' || text[0] > '9')
		throw std::invalid_argument("not a number: " + text); /* thrown here */
	return std::stoi(text);
}

__attribute__((noipa)) int read_all()
{
	int sum = 0;

	for (const char *text : {"10", "11", "x2", "13"}) {
		try {
			sum += parse_number(text);
		} catch (const std::exception &) { /* swallowed here */
		}
	}
	return sum;
}
} // namespace input

int main()
{
	int sum = input::read_all();

	std::printf("%d\n", sum);
	return sum != 46;
}
