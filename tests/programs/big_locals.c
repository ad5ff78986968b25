/*
 * A local array of a megabyte, a struct with members of every kind and a string with control
 * characters: for whoever prints locals.
 */
#include <stdio.h>
#include <string.h>

struct everything {
	char letter;
	double number;
	const char *text;
	union {
		int as_int;
		float as_float;
	} either;
	enum { RED, GREEN = 5 } colour;
	struct everything *self;
	unsigned bits : 3;
	long matrix[3][4];
};

static long use(char *block, size_t size, struct everything *all)
{
	memset(block, 'a', 64);
	block[size - 1] = '\0';
	return all->matrix[2][3] + block[1]; /* stop here */
}

int main(void)
{
	char block[1024 * 1024];
	const char *strange = "tab\tbell\aescape\033[31m\xff\xfe umlaut \xc3\xa4";
	struct everything all = {
	    .letter = 'q', .number = 2.5, .text = "text \"quoted\"", .bits = 5};

	all.either.as_float = 1.0f;
	all.colour = GREEN;
	all.self = &all;
	all.matrix[2][3] = -7;
	printf("%ld %zu\n", use(block, sizeof(block), &all), strlen(strange));
	return 0;
}
