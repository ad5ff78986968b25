/* Values that nobody has set, in blocks of C++. */
#include <cstdlib>
#include <new>
#include <vector>

#define KEEP __attribute__((noinline, noipa))

long of_array, of_one, of_vector, of_aligned, behind_size;

extern "C" KEEP void look(void)
{
	__asm__ volatile("" ::: "memory");
}

struct alignas(64) wide {
	long words[32];
	wide()
	{
	}
};

struct pair {
	long first, second;
	pair() : first(7)
	{
	}
};

KEEP static void dirty(void)
{
	long *block = new long[20];

	for (int i = 0; i < 20; i++)
		block[i] = 4711 + i; /* left behind */
	__asm__ volatile("" : : "r"(block) : "memory");
	delete[] block;
}

int main()
{
	dirty();
	long *array = new long[20]; /* taken: array */
	of_array = array[12];
	pair *one = new pair; /* taken: one */
	of_one = one->second;
	wide *aligned = new wide; /* taken: aligned */
	of_aligned = aligned->words[9];
	dirty();
	std::vector<long> list;
	list.reserve(20); /* taken: vector */
	list.push_back(5);
	of_vector = list.data()[8];
	list.resize(10); /* set before */
	list.resize(2);
	behind_size = list.data()[6];
	look();
}
