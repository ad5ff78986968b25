#ifndef TESTS_BENCH_FIGURES_H
#define TESTS_BENCH_FIGURES_H
/*
 * What the benchmarks print: medians, as rows of a Markdown table that can go into a document as
 * they are.
 */
#include <stddef.h>

/* Sorts `values` and returns the middle one. */
double median(double *values, size_t count);

/* The head of the table, and one row of it: what was measured, the limit, the figure. */
void figures_head(const char *what);
void figure(const char *what, const char *limit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
