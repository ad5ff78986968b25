/*
 * Loads a library while it runs, and calls a function of it that the program itself does not know.
 */
#include <cstdio>
#include <dlfcn.h>

int main()
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	auto root = library ? reinterpret_cast<double (*)(double)>(dlsym(library, "cbrt")) : nullptr;

	std::puts("loaded");
	if (root)
		std::printf("%.1f\n", root(27.0));
	return root ? 0 : 1;
}
