/*
 * Dereferences a null pointer, three calls deep: SIGSEGV in read_name.
 */
#include <stdio.h>

struct customer {
	int id;
	const char *name;
};

static const struct customer *find_customer(const struct customer *all, int count, int id)
{
	for (int i = 0; i < count; i++)
		if (all[i].id == id)
			return &all[i];
	return NULL;
}

static char read_name(const struct customer *customer)
{
	return customer->name[0];
}

static int greet(const struct customer *all, int count, int id)
{
	char initial = read_name(find_customer(all, count, id));

	return printf("hello %c\n", initial);
}

int main(void)
{
	static const struct customer customers[] = {{1, "Ada"}, {2, "Ben"}};

	greet(customers, 2, 2);
	fflush(stdout);
	greet(customers, 2, 3);
	return 0;
}
