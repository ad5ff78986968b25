/*
 * Loads a plugin, unloads it, has data where its function was, and loads it again. Prints what the
 * function returned: "3 7".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef int add(int, int);

static void *load(const char *self, add **function)
{
	const char *slash = strrchr(self, '/');
	char path[4096];
	void *library;

	snprintf(path, sizeof(path), "%.*s/plugin_twice", (int)(slash - self), self);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		exit(1);
	*function = (add *)dlsym(library, "plugin_add");
	return library;
}

static void data_is_there(unsigned char *data)
{
	memset(data, 0xc3, 4096); /* ret */
}

static void nothing_is_there(void)
{
}

int main(int argc, char **argv)
{
	add *first, *second;
	void *library = load(argv[0], &first),
	     *page = (void *)((uintptr_t)first & ~(uintptr_t)4095);
	int three = first(argc, 2);

	dlclose(library);
	page = mmap(page, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	data_is_there(page);
	munmap(page, 4096);
	nothing_is_there();
	load(argv[0], &second);
	if (second != first)
		return 1;
	printf("%d %d\n", three, second(3, 4));
	return 0;
}
