/*
 * Containers with known contents, classes that inherit, and exceptions of three types. One exception
 * is swallowed.
 */
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bank
{
struct failure {
	int code;
};

class thing
{
public:
	explicit thing(int number) : number(number)
	{
	}
	virtual ~thing() = default;

protected:
	int number;
};

class account : public thing
{
public:
	account(int number, long balance) : thing(number), balance(balance)
	{
	}
	long get() const
	{
		return balance;
	}

private:
	long balance;
	std::string owner = "somebody";
};
} // namespace bank

struct world {
	std::vector<int> numbers;
	std::map<std::string, int> ages;
	std::vector<bank::account> accounts;
	std::unique_ptr<int> limit;
};

world everything;

__attribute__((noinline)) static void look(const world &where)
{
	std::printf("%zu %zu %ld\n", where.numbers.size(), where.ages.size(),
	    where.accounts.front().get());
}

__attribute__((noinline)) static int parse(const char *text)
{
	if (!*text)
		throw std::invalid_argument("empty");
	if (*text == '-')
		throw bank::failure{7}; /* of our own */
	if (*text == '+')
		throw 42;
	return *text - '0';
}

/* Swallows what went wrong: the caller sees 0. */
__attribute__((noinline)) static int parse_or_zero(const char *text)
{
	try {
		return parse(text);
	} catch (...) {
		return 0; /* swallowed */
	}
}

int main()
{
	int sum = 0;

	for (int i = 0; i < 300; i++)
		everything.numbers.push_back(i * i);
	everything.limit = std::make_unique<int>(500);
	everything.ages["ann"] = 31;
	everything.ages["bob"] = 42;
	everything.accounts.emplace_back(1, 100L);
	everything.accounts.emplace_back(2, -5L);
	look(everything);
	for (const char *text : {"1", "-", "", "+", "5"})
		sum += parse_or_zero(text);
	std::printf("%d\n", sum);
	return sum == 6 ? 0 : 1;
}
