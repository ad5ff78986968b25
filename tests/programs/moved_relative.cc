/*
 * In C++, and built so that its debug information names its source by a path that leads nowhere.
 */
#include <cstdio>

struct counter {
	int value;
	int next()
	{
		return ++value; /* the line of the stop */
	}
};

int main()
{
	counter count = {41};
	std::printf("%d\n", count.next());
	return 0;
}
