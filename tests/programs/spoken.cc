/*
 * Objects that C++ compares and converts: strings, smart pointers, optionals, functions. The first byte of `aligned`,
 * which is not null, is 0. Ends in the C library.
 */
#include <bitset>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

alignas(256) static int bytes[64];
static std::shared_ptr<int> aligned, other, none;
static std::weak_ptr<int> gone;
static std::unique_ptr<int> alone;
static std::optional<int> maybe;
static std::function<int()> action;
static std::vector<std::string> names;
static std::string title;
static std::variant<int, double> either = 2.5;
static std::chrono::seconds wait_for(90);
static std::bitset<70> bits;
static bool flag;

__attribute__((noinline)) static void step(int number, const std::string &label)
{
	std::printf("%d %s\n", number, label.c_str()); /* in step */
}

int main()
{
	aligned = std::shared_ptr<int>(bytes, [](int *) {});
	other = aligned;
	gone = std::make_shared<int>(1);
	bits[3] = bits[69] = true;
	for (int i = 0; i < 4; i++) {
		title = "n" + std::to_string(i);
		names.push_back(title);
		if (i == 2) {
			maybe = 5;
			flag = true;
		}
		if (i == 3)
			maybe.reset(); /* 5 stays in it */
		step(i, title);
	}
	std::fflush(stdout);
	_Exit(names.size() == 4 && bits[69] ? 0 : 1);
}
