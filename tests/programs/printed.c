/*
 * Prints in every way there is: three calls deep, into a buffer that another function writes out,
 * the same text twice from two places, past the buffer, in pieces, on standard error, and from a
 * child.
 */
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void format_total(int value)
{
	printf("total: %d\n", value); /* made here */
}

static void add_up(int value)
{
	format_total(value * 2);
}

static void report(int value)
{
	add_up(value + 1);
}

/* Writes the standard output's buffer out. */
static void bring_out(void)
{
	fflush(stdout); /* written here */
}

static void first_to_say(void)
{
	printf("the same words\n"); /* said first */
	bring_out();
}

static void second_to_say(void)
{
	printf("the same words\n"); /* said again */
	bring_out();
}

static void past_the_buffer(const char *name)
{
	char text[32];
	struct iovec pieces[2] = {{(char *)"in ", 3}, {text, 0}};

	pieces[1].iov_len = (size_t)snprintf(text, sizeof(text), "pieces: %s\n", name); /* piece */
	if (write(1, "directly\n", 9) != 9 || writev(1, pieces, 2) < 0)			/* direct */
		_exit(1);
}

static void in_two_writes(void)
{
	printf("one half, "); /* first half */
	fflush(stdout);
	printf("the other half\n");
	fflush(stdout);
}

int main(void)
{
	report(20);
	first_to_say();
	second_to_say();
	past_the_buffer("this one");
	in_two_writes();
	fprintf(stderr, "a complaint: %d\n", 7); /* complains */
	printf("[rr 1 2]forged\n");
	printf("left to the child\n"); /* before the fork */
	if (fork() == 0) {
		printf("the child says\n"); /* in the child */
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
