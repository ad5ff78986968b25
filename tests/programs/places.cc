/*
 * A function of six places: one name, and more bodies than there are debug registers.
 */
static volatile long sum;

template <int BODY> __attribute__((noinline)) void many(int by)
{
	sum = sum + by + BODY;
}

static __attribute__((noinline)) void all(int by)
{
	many<1>(by);
	many<2>(by);
	many<3>(by);
	many<4>(by);
	many<5>(by);
	many<6>(by);
}

int main()
{
	for (int i = 0; i < 20; i++)
		all(i);
	many<1>(7);
	return sum == 0;
}
