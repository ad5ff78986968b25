/*
 * Values whose printed form does not say whether they are true: an enumerator with the value 0, whose
 * name begins like a number (INF), and a reference to a bool, which -O2 keeps nowhere.
 */
#include <cstdio>

enum level { INFO, NOTE, ALARM };

static volatile level seen;
static volatile int sink;

__attribute__((noinline)) static void log_at(level how, const bool &loud)
{
	seen = how;
	sink = loud;
}

int main()
{
	static const level levels[] = {INFO, NOTE, INFO, ALARM};

	for (level how : levels)
		log_at(how, how == ALARM);
	std::printf("%d\n", sink);
	return 0;
}
