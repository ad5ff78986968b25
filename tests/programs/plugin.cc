/*
 * Loads a library while it runs, and calls one of its functions, which the program does not link to.
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
