/*
 * setjmp and longjmp out of nested calls: a tiny parser that gives up from deep inside.
 */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf gave_up;

static int parse(const char **text, int depth)
{
	int value = 0;

	while (**text != '\0' && **text != ')') {
		char symbol = *(*text)++;
		if (symbol == '(')
			value += parse(text, depth + 1);
		else if (symbol >= '0' && symbol <= '9')
			value += symbol - '0';
		else
			longjmp(gave_up, depth);
	}
	if (**text == ')')
		(*text)++;
	return value;
}

int main(void)
{
	static const char *const inputs[] = {"1(2(3))4", "(((x)))", "9", "((5)(6(?)))"};

	for (int i = 0; i < 4; i++) {
		const char *text = inputs[i];
		int depth = setjmp(gave_up);
		if (depth == 0)
			printf("%s is %d\n", inputs[i], parse(&text, 1));
		else
			printf("%s gave up at depth %d\n", inputs[i], depth);
	}
	return 0;
}
