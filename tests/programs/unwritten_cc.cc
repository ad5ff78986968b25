/*
 * Uses of what new has not initialised, of members that a constructor forgot, and of copies of
 * these.
 */
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define KEEP __attribute__((noinline, noipa))

volatile long met;

KEEP static void show(void *memory)
{
	asm volatile("" : : "r"(memory) : "memory");
}

struct counter {
	explicit counter(long first) : low(first) {}
	KEEP bool is_full() const { return high > 100; }
	long low, high;
};

struct shape {
	virtual ~shape() = default;
	virtual long area() const = 0;
};

struct square : shape {
	KEEP long area() const override { return side * 2; }
	long side;
};

KEEP static void in_member()
{
	counter one(5);

	show(&one);
	if (one.is_full())
		show(&one);
}

KEEP static void in_array()
{
	std::unique_ptr<int[]> list(new int[20]);

	list[0] = 1;
	show(list.get());
	if (list[7] == 3)
		met += 1;
}

KEEP static void in_vector()
{
	std::vector<counter> list;

	for (int i = 0; i < 10; i++)
		list.emplace_back(i);
	show(list.data());
	if (list[6].is_full())
		show(list.data());
}

KEEP static void in_virtual()
{
	std::unique_ptr<shape> one(new square);

	show(one.get());
	if (one->area() > 6)
		met += 1;
}

struct tagged {
	union {
		int number;
		char text[8];
	};
	unsigned small : 16, large : 16;
};

struct item : counter {
	explicit item(long first) : counter(first) {}
	struct {
		long first;
		tagged second;
	} list[2];
};

KEEP static void in_parts()
{
	item one(5);

	show(&one);
	if (one.high > 100)
		met += 1;
	if (one.list[1].second.text[6] == 'x')
		met += 1;
	if (one.list[1].second.large > 5)
		met += 1;
}

/* Nothing is wrong here. */
KEEP static void rightly()
{
	std::vector<std::string> words;
	std::pair<char, long> padded('a', 4), copy;

	for (int i = 0; i < 40; i++)
		words.push_back(std::string(static_cast<size_t>(i), 'x'));
	copy = padded;
	show(&copy);
	met += copy == padded;
	met += words[30] == words[31];
}

int main()
{
	in_member();
	in_array();
	in_vector();
	in_virtual();
	in_parts();
	rightly();
	return 0;
}
