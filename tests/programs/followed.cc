/*
 * Follows a pointer that is wrong, in a way that argv[1] names.
 */
#include <cstdlib>
#include <cstring>

#define KEEP __attribute__((noinline, noipa))

struct shape {
	virtual ~shape() = default;
	virtual int area() const = 0;
};

struct square : shape {
	int side = 3;

	KEEP int area() const override
	{
		return side * side;
	}
};

struct node {
	node *next;
	int values[4];
	int *more;

	KEEP int first() const
	{
		return values[0];
	}
};

static node *const garbage = reinterpret_cast<node *>(0x1234560);

KEEP static int member(const node *head)
{
	return head->next->values[2];
}

KEEP static int element(const node *head, long at)
{
	return head->more[at];
}

KEEP static int followed(int *const *slot)
{
	return **slot;
}

KEEP static int method(const node *head)
{
	return head->next->first();
}

KEEP static int area_of(const shape *some)
{
	return some->area();
}

KEEP static int two_alike(const node *left, const node *right)
{
	return left->values[1] + right->values[1];
}

KEEP static int far_index(const int *list, long at)
{
	return list[at];
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	node head = {};
	int *slot = reinterpret_cast<int *>(garbage), list[4] = {};

	if (strcmp(way, "member") == 0)
		return member(&head);
	if (strcmp(way, "element") == 0)
		return element(&head, 2);
	if (strcmp(way, "followed") == 0)
		return followed(&slot);
	head.next = garbage;
	if (strcmp(way, "method") == 0)
		return method(&head);
	if (strcmp(way, "two_alike") == 0)
		return two_alike(garbage, garbage);
	if (strcmp(way, "far_index") == 0)
		return far_index(list, 0x100000000000);
	square *some = new square;
	memset(static_cast<void *>(some), 0x51, sizeof(*some));
	return area_of(some);
}
