/*
 * A reference count of which one user keeps a reference in each round. Its changes go through
 * functions that the compiler puts into their callers, one within another, and through ordinary
 * ones.
 */
#include <stdio.h>

enum { ROUNDS = 3 };

struct object {
	long references;
	double weight;
};

static struct object shared = {1, 0.5};

__attribute__((noinline)) static void change(struct object *object, int delta, long huge)
{
	object->references += delta + 0 * huge;
}

__attribute__((always_inline)) static inline void ref(struct object *object)
{
	change(object, 1, 0x7fffffffffffffff);
}

__attribute__((always_inline)) static inline void unref(struct object *object)
{
	change(object, -1, 1);
}

__attribute__((always_inline)) static inline void touch(struct object *object)
{
	ref(object); /* to touch */
	unref(object);
}

__attribute__((noinline)) static void take(struct object *object)
{
	change(object, 1, 1);
}

__attribute__((noinline)) static void give(struct object *object)
{
	change(object, -1, 1); /* given */
}

static void borrow(struct object *object)
{
	ref(object); /* of borrow */
	unref(object);
}

static void look(struct object *object)
{
	touch(object); /* of look */
}

static void keep(struct object *object)
{
	take(object); /* first */
	take(object); /* second */
	give(object); /* only one */
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		borrow(&shared);
		look(&shared);
		keep(&shared);
	}
	printf("%ld\n", shared.references);
	return 0;
}
