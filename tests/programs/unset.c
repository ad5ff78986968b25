/*
 * An uninitialised read: look_up fills the price in only where it knows the article, and price_of
 * does not look whether it did. What the sum gets is what scratch left on the stack before.
 */
#include <stdio.h>
#include <string.h>

struct offer {
	int known;
	long price;
	char name[48];
};

__attribute__((noipa)) static void scratch(long seed)
{
	volatile long left[32];

	for (int i = 0; i < 32; i++)
		left[i] = seed + i; /* left behind */
}

__attribute__((noipa)) static void look_up(struct offer *offer, int article)
{
	offer->known = article < 3;
	if (offer->known)
		offer->price = 100L * article;
}

__attribute__((noipa)) static void use(const long *price)
{
	printf("price %ld\n", *price); /* the read */
}

__attribute__((noipa)) static long price_of(int article)
{
	struct offer offer;

	look_up(&offer, article);
	use(&offer.price); /* not looked at known */
	return offer.price;
}

int main(void)
{
	long sum = price_of(2);

	scratch(7000000);
	sum += price_of(5);
	printf("sum %ld\n", sum);
	return sum != 200;
}
