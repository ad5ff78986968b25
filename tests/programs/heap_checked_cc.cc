/*
 * Wrong uses of what new has made, and of a vector's memory.
 */
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline, noipa))

struct node {
	long value;
	node *next;
};

volatile long sink;

KEEP static node *hide(node *pointer)
{
	return pointer;
}

KEEP static void use_deleted()
{
	node *one = hide(new node{7, nullptr});

	delete one;
	sink = hide(one)->value;
}

KEEP static void use_old_element()
{
	std::vector<node> list(3);
	node *first = hide(list.data());

	list.resize(300);
	first->value = 5;
}

KEEP static void write_behind_array()
{
	node *array = hide(new node[5]);

	array[5].value = 1;
	delete[] array;
}

int main()
{
	std::string text(1000, 'x');
	auto shared = std::make_shared<std::vector<std::string>>(50, text);

	sink = static_cast<long>(shared->back().find('y'));
	use_deleted();
	use_old_element();
	write_behind_array();
	std::puts("done");
	return 0;
}
