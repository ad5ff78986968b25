/*
 * Limits its address space to so many MB as its argument says, and begins again there: how many MB
 * can be mapped, and the number of the next descriptor.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MEGABYTE = 1 << 20 };

int main(int count, char **arguments)
{
	struct rlimit limit;
	size_t mapped = 0;

	if (count == 2) {
		limit.rlim_cur = limit.rlim_max = strtoul(arguments[1], NULL, 10) * MEGABYTE;
		setrlimit(RLIMIT_AS, &limit);
		execl("/proc/self/exe", arguments[0], NULL);
		return 1;
	}
	while (mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED)
		mapped++;
	printf("%zu %d\n", mapped, open("/dev/null", O_RDONLY));
	return 0;
}
