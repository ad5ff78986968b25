/*
 * Allocates through a library, from several places. Neither has debug information. The argument is
 * how many rounds (12).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *(*take)(size_t), *(*deep)(int, size_t), *(*wide)(int, size_t);
static void *(*back)(void *(*)(size_t), size_t);

static void *find(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		exit(1);
	return found;
}

static void *load(const char *program)
{
	char path[4096];
	const char *slash = strrchr(program, '/');

	snprintf(path, sizeof(path), "%.*slayer", slash ? (int)(slash - program) + 1 : 0, program);
	return dlopen(path, RTLD_NOW);
}

__attribute__((noipa)) static void *own(size_t size)
{
	void *block = take(size);

	__asm__ volatile("" : "+r"(block));
	return block;
}

__attribute__((noipa)) static void more(int round)
{
	free(deep(round % 3, 24));
	free(deep(2, 25));
	free(wide(round % 50, 26));
}

int main(int argc, char **argv)
{
	void *block;
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 12;
	void *library = load(argv[0]);

	if (!library)
		return 1;
	take = find(library, "layer_take");
	deep = find(library, "layer_deep");
	wide = find(library, "layer_wide");
	back = find(library, "layer_back");
	for (int i = 0; i < rounds; i++) {
		free(take(16));
		free(wide(i % 9, 17));
		free(back(own, 18));
		block = malloc(19 + (size_t)(i & 1));
		__asm__ volatile("" : "+r"(block)); /* or the compiler leaves both calls out */
		free(block);
		more(i);
	}
	return 0;
}
