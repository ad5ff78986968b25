/*
 * A tool that a build calls: it crashes where it is called without a word. It is the
 * great-grandchild of what is recorded: a shell, make, and make's shell.
 */
#include <stdio.h>
#include <string.h>

struct word {
	const char *text;
	size_t length;
};

__attribute__((noipa)) static size_t measure(const struct word *word)
{
	return strlen(word->text) + word->length; /* crashes */
}

int main(int count, char **arguments)
{
	struct word words[2] = {{arguments[0], 1}, {count > 1 ? arguments[1] : NULL, 0}};
	size_t sum = 0;

	puts("tool begins");
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		sum += measure(&words[i]);
	printf("%zu\n", sum);
	return 0;
}
