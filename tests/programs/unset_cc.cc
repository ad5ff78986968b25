/*
 * What unset.c does, in C++: a constructor that forgets a member.
 */
#include <cstdio>

namespace shop
{
class Offer
{
      public:
	explicit Offer(int article) : known_(article < 3)
	{
		if (known_)
			price_ = 100L * article;
	}
	const long &price() const
	{
		return price_;
	}

      private:
	bool known_;
	long price_;
};

__attribute__((noipa)) void scratch(long seed)
{
	volatile long left[32];

	for (int i = 0; i < 32; i++)
		left[i] = seed + i; /* left behind */
}

__attribute__((noipa)) void use(const long &price)
{
	std::printf("price %ld\n", price); /* the read */
}

__attribute__((noipa)) long price_of(int article)
{
	Offer offer(article);

	use(offer.price()); /* not looked at known */
	return offer.price();
}
} // namespace shop

int main()
{
	long sum = shop::price_of(2);

	shop::scratch(7000000);
	sum += shop::price_of(5);
	std::printf("sum %ld\n", sum);
	return sum != 200;
}
