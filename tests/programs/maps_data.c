/*
 * Maps a file that is no program, and prints its first line.
 *
 *	maps_data FILE private|shared
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
	const char *text;

	if (fd < 0)
		return 1;
	text = mmap(
	    NULL, 4096, PROT_READ, strcmp(argv[2], "shared") ? MAP_PRIVATE : MAP_SHARED, fd, 0);
	if (text == MAP_FAILED)
		return 2;
	close(fd);
	printf("%.*s\n", (int)strcspn(text, "\n"), text);
	return 0;
}
