/*
 * Must never wait for the program: it may never read.
 */
#include "worker/record/plan/input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

void input_begin(struct input *input, const char *text, bool ends)
{
	input->length = input->given = 0;
	input->ends = ends;
	if (text)
		input_add(input, text);
}

bool input_add(struct input *input, const char *text)
{
	size_t length = strlen(text);

	if (length > INPUT_MAX - input_left(input))
		return false;
	memmove(input->bytes, input->bytes + input->given, input_left(input));
	input->length -= input->given;
	input->given = 0;
	memcpy(input->bytes + input->length, text, length);
	input->length += length;
	return true;
}

size_t input_left(const struct input *input)
{
	return input->length - input->given;
}

bool input_waits(const struct input *input)
{
	return input_left(input) > 0 || input->ends;
}

/* It is not an error if a program does not read its input, or ends before. */
void input_give(struct input *input, int *fd)
{
	size_t left = input_left(input);
	ssize_t given = left ? write(*fd, input->bytes + input->given, left) : 0;
	bool broken = given < 0 && errno != EAGAIN && errno != EINTR;

	if (given > 0)
		input->given += (size_t)given;
	if (!broken && (input_left(input) > 0 || !input->ends))
		return;
	cleanup_close(fd);
	*fd = -1;
}
