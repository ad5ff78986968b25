#ifndef TESTS_E2E_FINDINGS_H
#define TESTS_E2E_FINDINGS_H
/*
 * What rr_check_memory finds, as the tests expect it.
 */
#include <jansson.h>
#include <stddef.h>

/*
 * A part of what is found, and the function in which it is. made, freed: parts of where the block
 * was allocated and freed; NULL: the finding says nothing of that, "": perhaps.
 */
struct finding_row {
	const char *what, *function, *made, *freed;
};

/* The answer has so many findings; prints the answer if not. Borrows it. */
void expect_findings(const json_t *answer, size_t count);

/* One finding is as the row says, and has a moment. */
void expect_finding(const json_t *finding, const struct finding_row *row);

/* The answer has these findings, in their order, and no other. Takes it. */
void expect_finding_rows(json_t *answer, const struct finding_row *rows, size_t count);

#endif
