/*
 * Fails every third run: it counts its runs in the file that it is given, for rr_record_until. With
 * a second argument it fails by abort.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments)
{
	char text[16] = "0";
	int file = open(count > 1 ? arguments[1] : "/dev/null", O_RDWR | O_CREAT, 0600);
	int run;

	if (file < 0 || read(file, text, sizeof(text) - 1) < 0)
		return 2;
	run = atoi(text) + 1;
	if (lseek(file, 0, SEEK_SET) < 0 || dprintf(file, "%d", run) < 0)
		return 2;
	printf("run %d\n", run);
	if (run % 3 != 0)
		return 0;
	printf("the counter overflowed\n");
	fflush(stdout);
	if (count > 2)
		abort();
	return 7;
}
