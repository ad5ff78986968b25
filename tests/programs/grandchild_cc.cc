/*
 * What grandchild.c does, in C++: a virtual call through a pointer that nobody set.
 */
#include <cstdio>
#include <memory>

namespace tool
{
struct Rule {
	virtual ~Rule() = default;
	virtual int cost() const = 0;
};

struct Copy : Rule {
	int cost() const override
	{
		return 3;
	}
};

__attribute__((noipa)) int total(const std::unique_ptr<Rule> *rules, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += rules[i]->cost(); /* crashes */
	return sum;
}
} // namespace tool

int main()
{
	std::unique_ptr<tool::Rule> rules[2] = {std::make_unique<tool::Copy>(), nullptr};

	std::puts("tool begins");
	std::fflush(stdout);
	std::printf("%d\n", tool::total(rules, 2));
	return 0;
}
