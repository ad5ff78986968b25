// A vector grows, and pointers into its old memory remain. One of them is used, for a field that lies
// far from its first byte; the other one is not used again.
#include <cstdio>
#include <string>
#include <vector>

struct node {
	std::string name;
	node *parent;
	long weight;
};

static std::vector<node> nodes;
node *used, *unused;

__attribute__((noipa)) static long weigh(const node *from)
{
	return from->weight; /* used after free */
}

__attribute__((noipa)) static void grow()
{
	nodes.push_back(node{"another node with a name of its own", nullptr, 2}); /* it grows */
}

__attribute__((noipa)) static void finish(long weight)
{
	printf("%ld\n", weight);
}

int main()
{
	nodes.reserve(2);
	nodes.push_back(node{"the first node, with a long name", nullptr, 1});
	nodes.push_back(node{"the second node, with a long name", nullptr, 1});
	used = &nodes[0];
	unused = &nodes[1];
	grow();
	finish(weigh(used));
	return 0;
}
