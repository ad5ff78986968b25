/*
 * Writes the messages with a single write each: rr and the program share the terminal.
 */
#include "worker/softpmu/base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGE_MAX = 512 };

static void write_line(const char *format, va_list arguments)
{
	char line[MESSAGE_MAX] = "rr-warden softpmu: ";
	size_t length = sizeof "rr-warden softpmu: " - 1;
	int n = vsnprintf(line + length, sizeof line - length - 1, format, arguments);

	if (n > 0)
		length +=
		    (size_t)n < sizeof line - length - 1 ? (size_t)n : sizeof line - length - 2;
	line[length++] = '\n';
	if (write(STDERR_FILENO, line, length) < 0)
		return; /* nobody is left to be told */
}

void message_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
}

void message_fatal(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
	_exit(1);
}
