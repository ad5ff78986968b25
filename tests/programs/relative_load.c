/* Loads a library by a relative name, after a change of directory, and stops inside it. With an
 * argument, it unloads it again. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[PATH_MAX] = "";
	void *library;
	int (*add)(int, int), sum;

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0 || chdir(dirname(path)) != 0)
		return 1;
	library = dlopen("./plugin_twice", RTLD_NOW);
	add = library ? (int (*)(int, int))dlsym(library, "plugin_add") : 0;
	if (!add)
		return 1;
	sum = add(40, 2); /* loaded */
	if (argc > 1)
		dlclose(library);
	return sum != 42 || !argv;
}
