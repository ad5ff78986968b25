/* Writes to values of several types before and after a library is loaded. */
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace shop {
struct item {
	int weight;
	struct item *next;
};
enum state { CLOSED, OPEN };
typedef long amount;
template <typename T> struct box {
	T held;
};
} // namespace shop

static shop::item goods[2];
static shop::item *best;
static shop::state door;
static shop::amount stock;
static shop::box<int> kept;
static const char *label = "none";
static double price;
static std::vector<int> list;
static std::string text = "one";
static std::string moved = "a text that is too long to be kept inside";
static char large[64];

static void change(int by)
{
	goods[0].weight += by;
	best = &goods[by];
	door = by ? shop::OPEN : shop::CLOSED;
	stock += 10;
	kept.held += by + 1;
	label = by ? "some" : "few";
	price += 0.5;
	list.push_back(by);
	text += "x";
	moved = "a text that is moved here, number " + std::to_string(by);
	large[63]++;
}

int main()
{
	change(1);
	void *library = dlopen("libm.so.6", RTLD_NOW);
	if (!library || !dlopen("libresolv.so.2", RTLD_NOW))
		return 1;
	change(0);
	change(1);
	std::printf("%d %p %d %ld %d %s %f %zu %s %d\n", goods[0].weight, (void *) best, door, stock, kept.held, label,
	    price, list.size(), text.c_str(), large[63]);
	return 0;
}
