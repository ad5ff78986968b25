/*
 * See findings.h.
 */
#include "tests/e2e/findings.h"

#include <check.h>
#include <stdlib.h>
#include "tests/e2e/scene.h"

void expect_findings(const json_t *answer, size_t count)
{
	cleanup_free char *text = json_dumps(answer, JSON_INDENT(1));

	ck_assert_msg(json_array_size(json_object_get(answer, "findings")) == count,
	    "not %zu findings: %s", count, text);
}

static void expect_call(const json_t *finding, const char *name, const char *part)
{
	if (!part)
		ck_assert_ptr_null(json_object_get(finding, name));
	else if (*part)
		expect_within(finding, name, part);
}

void expect_finding(const json_t *finding, const struct finding_row *row)
{
	expect_within(finding, "what", row->what);
	expect_text(finding, "frame.function", row->function);
	ck_assert_ptr_nonnull(json_object_get(finding, "moment"));
	expect_call(finding, "allocated", row->made);
	expect_call(finding, "freed", row->freed);
}

void expect_finding_rows(json_t *answer, const struct finding_row *rows, size_t count)
{
	expect_findings(answer, count);
	for (size_t i = 0; i < count; i++)
		expect_finding(json_array_get(json_object_get(answer, "findings"), i), &rows[i]);
	json_decref(answer);
}
