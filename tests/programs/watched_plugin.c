/*
 * Writes to `watched` before a plugin is loaded, while it is, and behind. Prints the last value.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static long watched;
static int mode = 5;

__attribute__((noinline)) static void put(long value)
{
	watched = value;
}

static void *load(const char *self)
{
	const char *slash = strrchr(self, '/');
	char path[4096];

	snprintf(path, sizeof(path), "%.*s/plugin_level", (int)(slash - self), self);
	return dlopen(path, RTLD_NOW);
}

int main(int argc, char **argv)
{
	void *plugin;
	void (*set)(int);

	(void)argc;
	put(1);
	plugin = load(argv[0]);
	set = plugin ? (void (*)(int))dlsym(plugin, "plugin_set") : NULL;
	if (!set)
		return 1;
	put(2);
	set(5);
	put(3);
	set(1);
	put(4);
	set(5);
	put(5);
	dlclose(plugin);
	put(6);
	printf("%ld %d\n", watched, mode);
	return 0;
}
