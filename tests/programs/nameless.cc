/*
 * Variables whose types have no name, or none that gdb can read: each is written once in put, and
 * once more at the end.
 */
#include <atomic>
#include <cstdio>

struct {
	short low, high;
} pair_of_shorts;
union {
	int whole;
	float part;
} either;
enum { RED, GREEN, BLUE } color;
namespace
{
struct Hidden {
	int value;
} hidden;
} // namespace
std::atomic<int> counter;

static void put(int value)
{
	pair_of_shorts.high = static_cast<short>(value); /* pair */
	either.whole = value;				 /* either */
	color = BLUE;					 /* color */
	hidden.value = value;				 /* hidden */
	counter.store(value);				 /* counter */
}

int main()
{
	put(7);
	std::printf("%d\n", pair_of_shorts.high + either.whole + color + hidden.value + counter);
	return 0;
}
