/*
 * Loads the library `filter` from its own folder while it runs, and handles the signal that the
 * library raises. Prints 28 1.
 */
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <string>

static volatile std::sig_atomic_t signals;

static void on_signal(int)
{
	signals = signals + 1;
}

int main(int, char **argv)
{
	const std::string self = argv[0], path = self.substr(0, self.rfind('/')) + "/filter";
	void *library = dlopen(path.c_str(), RTLD_NOW);
	auto filter =
	    library ? reinterpret_cast<int (*)(int)>(dlsym(library, "filter_all")) : nullptr;

	std::signal(SIGUSR1, on_signal);
	if (!filter)
		return 1;
	const int result = filter(7);
	std::printf("%d %d\n", result, static_cast<int>(signals));
	return 0;
}
