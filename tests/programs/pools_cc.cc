// Allocators of classes: members, overloads, templates and operator new of a class; and wrong uses
// of their blocks, one a function. With -1: none of them.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#define APART __attribute__((noipa))

static volatile long sink;

class Pool
{
	char *bytes, *at, *end;

      public:
	explicit Pool(size_t size)
	    : bytes(static_cast<char *>(malloc(size))), at(bytes), end(bytes + size)
	{
	}
	~Pool()
	{
		free(bytes);
	}

	APART void *take(size_t size)
	{
		char *block = at;

		if (size > static_cast<size_t>(end - at))
			throw std::bad_alloc();
		at += (size + 15) & ~size_t(15);
		return block;
	}

	APART void give(void *block)
	{
		sink = sink + *static_cast<char *>(block);
	}
};

template <class T> class Slab
{
	union Slot {
		Slot *next;
		alignas(T) char bytes[sizeof(T)];
	} slots[8], *first;

      public:
	Slab()
	{
		first = nullptr;
		for (Slot &slot : slots) {
			slot.next = first;
			first = &slot;
		}
	}
	APART T *get()
	{
		Slot *slot = first;

		first = slot->next;
		return reinterpret_cast<T *>(slot->bytes);
	}
	APART void put(T *value)
	{
		Slot *slot = reinterpret_cast<Slot *>(value);

		slot->next = first;
		first = slot;
	}
};

struct Point {
	long x, y, z;

	static void *operator new(size_t size);
	static void operator delete(void *block);
};

static Pool points(4096);
static Slab<Point> slab;

APART void *Point::operator new(size_t size)
{
	return points.take(size);
}

APART void Point::operator delete(void *block)
{
	points.give(block);
}

APART static void write_behind_member(bool wrong)
{
	Pool pool(1024);
	volatile char *block = static_cast<char *>(pool.take(40));

	block[wrong ? 40 : 39] = 1;
	pool.give(const_cast<char *>(block));
}

APART static void use_deleted(bool wrong)
{
	Point *point = new Point();
	volatile long *x = &point->x;

	*x = 5;
	delete point;
	if (wrong)
		sink = sink + *x;
}

APART static void use_slot_again(bool wrong)
{
	Point *point = slab.get();
	volatile long *x = &point->x;

	x[0] = x[1] = x[2] = 1;
	slab.put(point);
	if (wrong)
		x[1] = 2;
}

APART static void put_twice(bool wrong)
{
	Slab<Point> own;
	Point *point = own.get();

	own.put(point);
	if (wrong)
		own.put(point);
}

// The allocator is left by an exception.
APART static void write_behind_thrown(bool wrong)
{
	Pool pool(256);
	volatile char *block = static_cast<char *>(pool.take(24));

	try {
		for (;;)
			pool.take(32);
	} catch (const std::bad_alloc &) {
		block[wrong ? 24 : 23] = 1;
	}
}

int main(int argc, char **argv)
{
	const bool wrong = argc < 2 || strcmp(argv[1], "-1") != 0;

	write_behind_member(wrong);
	use_deleted(wrong);
	use_slot_again(wrong);
	put_twice(wrong);
	write_behind_thrown(wrong);
	return 0;
}
