/*
 * Copies between blocks that overlap, each in a function of its own, and after them what is right
 * and looks alike. With an argument: only what is right.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noipa))

static char text[256] = "0123456789abcdefghijklmnopqrstuvwxyz";

KEEP static void *hide(void *pointer)
{
	__asm__ volatile("" : "+r"(pointer));
	return pointer;
}

KEEP static size_t number(size_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

KEEP static void copy_up(void)
{
	char *block = hide(malloc(100));

	memset(block, 1, 100);
	memcpy(hide(block + 8), block, number(20));
	free(block);
}

KEEP static void copy_down(void)
{
	memcpy(hide(text), text + 1, number(30));
}

KEEP static void copy_and_go_on(void)
{
	char *end = mempcpy(hide(text + 5), text, number(6));

	hide(end);
}

KEEP static void copy_string(void)
{
	strcpy(hide(text), hide(text + 3));
}

KEEP static void copy_part(void)
{
	strncpy(hide(text + 2), hide(text), number(10));
}

KEEP static void add_string(void)
{
	char local[64] = "abc";

	strcat(hide(local), hide(local + 1));
}

KEEP static void copy_by_itself(void)
{
	strcpy(hide(text), hide(text));
}

KEEP static void *last(void)
{
	return memcpy(hide(text), hide(text + 4), number(16)); /* perhaps a jump */
}

KEEP static void copy_often(void)
{
	for (int i = 0; i < 3000; i++)
		memcpy(hide(text + 16), text, number(40));
}

struct pair {
	char bytes[600];
};

KEEP static void assign(struct pair *to, const struct pair *from)
{
	*to = *from;
}

KEEP static void be_right(void)
{
	static struct pair one, other;
	char local[64] = "abc";

	memmove(hide(text + 8), text, number(40));
	memmove(hide(text), text + 8, number(40));
	memcpy(hide(text + 40), text, number(40)); /* side by side */
	memcpy(hide(text), text + 40, number(40));
	memcpy(hide(text), text, number(0));
	memcpy(hide(text + 1), text, number(0));
	memcpy(hide(text), hide(text), number(10));
	assign(hide(&one), hide(&one));
	assign(hide(&one), hide(&other));
	strcpy(hide(local + 4), hide(local)); /* right behind its NUL */
	strcat(hide(local), hide(local + 7)); /* right behind it */
	strncpy(hide(local + 32), hide(local), number(32));
	strncat(hide(local), "xyz", number(2));
	bcopy(text, hide(text + 3), number(20));
}

int main(int argc, char **argv)
{
	(void)argv;
	be_right();
	if (argc == 1) {
		copy_up();
		copy_down();
		copy_and_go_on();
		copy_string();
		copy_part();
		add_string();
		copy_by_itself();
		last();
		copy_often();
	}
	be_right();
	puts("done");
	return 0;
}
