/*
 * Bit-fields beside others in the same word: of a struct, of a base class, of a nested struct
 * without a name, and read in a method. `locked` is set by setup and cleared by wrong; `mode`
 * changes in each of the rounds (120), `high` twice as often by raise, while lower changes `low`.
 */
#include <cstdio>

constexpr int rounds = 120;

struct numbered {
	unsigned number : 4, kept : 28;
};

struct device : numbered {
	unsigned ready : 1, locked : 1, mode : 6;
	int error : 5;
	unsigned long large : 40;
	struct {
		unsigned low : 4, high : 4;
	};

	__attribute__((noinline)) bool is_locked(int round) const
	{
		return locked && round < rounds; // asked
	}
};

static device it;

__attribute__((noinline)) static void setup()
{
	it.kept = 7;
	it.ready = 1;
	it.locked = 1; // locked
	it.number = 3;
	it.large = 0x123456789a;
}

__attribute__((noinline)) static void tick(int round)
{
	it.mode = static_cast<unsigned>(round) & 63; // ticks
	it.error = -(round & 7);
	it.large += static_cast<unsigned long>(round);
	it.kept = it.kept + 1;
}

__attribute__((noinline)) static void lower(int round)
{
	it.low = static_cast<unsigned>(round) & 15;
}

__attribute__((noinline)) static void raise()
{
	it.high = it.high + 1; // raised
}

__attribute__((noinline)) static void wrong()
{
	it.locked = 0; // cleared
}

int main()
{
	int locked = 0;

	setup();
	for (int i = 1; i <= rounds; i++) {
		tick(i);
		raise();
		lower(i);
		raise();
		locked += it.is_locked(i);
		if (i == 80)
			wrong();
	}
	std::printf("%d %u %lx\n", locked, it.mode, static_cast<unsigned long>(it.large));
	return it.locked;
}
