// Methods and exceptions whose story is known.
#include <cstdio>
#include <stdexcept>
#include <string>

struct Meter {
	double level = 1.5;
	long reads = 0;
	std::string name = "m";

	__attribute__((noipa)) bool raise(double by, float factor)
	{
		level += by * factor;
		reads++;
		return level > 4;
	}
};

__attribute__((noipa)) int parse(const std::string &text)
{
	if (text.empty())
		throw std::runtime_error("nothing to parse");
	return static_cast<int>(text.size());
}

__attribute__((noipa)) int guarded(const std::string &text)
{
	int result = 0;
	try {
		result = parse(text);
	} catch (const std::exception &) {
		result = -1;
	}
	return result;
}

int main()
{
	Meter meter;
	bool high = meter.raise(2.0, 1.25f);
	int one = guarded("four"), two = guarded("");
	std::printf("%d %d %d\n", high, one, two);
	return 0;
}
