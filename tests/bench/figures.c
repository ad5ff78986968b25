/*
 * Medians and rows. Knows nothing of what is measured.
 */
#include "tests/bench/figures.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[count / 2];
}

static void row(const char *what, const char *figure, const char *limit)
{
	printf("| %-52s | %-34s | %-22s |\n", what, figure, limit);
	fflush(stdout);
}

void figures_head(const char *what)
{
	printf("\n");
	row(what, "median", "limit");
	row("---", "---", "---");
}

void figure(const char *what, const char *limit, const char *format, ...)
{
	char text[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	row(what, text, limit);
}
