/*
 * Faults of C++ code, in the way that its argument names. The address is 0x1234560 unless said
 * otherwise.
 */
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace
{
struct page {
	char bytes[4096];
};

struct shape {
	virtual ~shape() = default;
	virtual long area() const
	{
		return side * side;
	}
	long side = 3;
};

template <typename Type> Type *bad()
{
	static volatile std::uintptr_t address = 0x1234560;

	return reinterpret_cast<Type *>(address);
}

page blank;

void exchange()
{
	long expected = 0;

	bad<std::atomic<long>>()->compare_exchange_strong(expected, 7);
}

void add()
{
	bad<std::atomic<long>>()->fetch_add(1);
}

void fill()
{
	std::memset(bad<char>(), 1, 64);
}

void copy()
{
	*bad<page>() = blank;
}

/* Reads where the virtual functions are. */
void call()
{
	std::printf("%ld\n", bad<shape>()->area());
}

/* 8 bytes into the object, after the pointer to its virtual functions. */
void member()
{
	bad<shape>()->side = 4;
}

const struct {
	std::string name;
	void (*fault)();
} forms[] = {{"exchange", exchange}, {"add", add}, {"fill", fill}, {"copy", copy}, {"call", call},
    {"member", member}};
} // namespace

int main(int argc, char **argv)
{
	const std::string name = argc > 1 ? argv[1] : "";
	const auto *form = std::find_if(
	    std::begin(forms), std::end(forms), [&](const auto &one) { return one.name == name; });

	if (form != std::end(forms))
		form->fault();
	return 2;
}
