/*
 * Which pages the monitor takes for a report: only those that a browser shows without fetching
 * anything, whatever the page's policy covers. tests/e2e/test_report_page.c has real ones.
 */
#include <check.h>
#include <string.h>
#include "supervisor/monitor/report_page.h"
#include "tests/runner.h"

static bool is_harmless(const char *page)
{
	return report_page_is_harmless(page, strlen(page));
}

START_TEST(the_markup_of_reports_is_taken)
{
	static const char *const pages[] = {"", "plain text &lt;script&gt; &amp; \"quotes\"",
	    "<title>a report</title>\n<style>p{color:red}</style>\n<body><main>",
	    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">",
	    "<a href=\"#claim-1\" class=\"held\">1</a><br>\n</p>",
	    "<path class=\"time\" d=\"M10 20H30\"/><circle cx=\"1\" cy=\"2\" r=\"3\"/>",
	    "<text x=\"1\" y=\"2\" style=\"font-size:12px\">1</text>",
	    "<text transform=\"translate(10 -2) rotate(-50)\">1</text>",
	    "<details open=\"\"><summary>more</summary></details>"};

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		ck_assert_msg(is_harmless(pages[i]), "%s", pages[i]);
}
END_TEST

START_TEST(what_fetches_leaves_or_runs_is_refused)
{
	static const char *const pages[] = {"<meta http-equiv=\"refresh\" content=\"0;url=//e\">",
	    "<META HTTP-EQUIV=refresh CONTENT=0>", "<meta\thttp-equiv=refresh>",
	    "<meta name=\"viewport\" http-equiv=\"refresh\" content=\"0\">",
	    "<link rel=\"dns-prefetch\" href=\"//e\">", "<LINK rel=preconnect href=//e>",
	    "<link rel=prefetch href=//e>", "<a href=\"//e\">", "<a href=\"javascript:x\">",
	    "<a href=\"#x\" ping=\"//e\">", "<a href='#x'>", "<a href=#x>", "<a\nhref=\"#x\">",
	    "<a/href=\"#x\">", "<script>", "<p onclick=\"x\">", "<p class=\"x\" onclick=\"x\">",
	    "<img src=\"//e\">", "<base href=\"//e\">", "<iframe>", "<object>", "<embed>", "<form>",
	    "<svg><image href=\"//e\"/>", "<svg><use href=\"#x\"/>", "<svg><animate>",
	    "<svg><style>", "<!-- --><b>", "<!doctype html>", "<?xml?>", "<", "</", "<p", "<p ",
	    "<p class=\"x", "< p>", "<style>p{}</style ><script>", "<style><script></style>",
	    "<style>", "<title></title", "<title><meta http-equiv=refresh></title>",
	    "<text style=\"background:url(//e)\">", "<td style=\"font-size:1px;x:url(//e)\">",
	    "<text transform=\"url(#x)\">", "<text transform=\"translate(1) url(//e)\">",
	    "<details open=\"x\">", "<details ontoggle=\"x\">", "<noscript>", "<template>",
	    "<math>", "<plaintext>", "<html manifest=\"x\">"};

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		ck_assert_msg(!is_harmless(pages[i]), "%s", pages[i]);
	ck_assert(!report_page_is_harmless("<p\0>", 4));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    the_markup_of_reports_is_taken, what_fetches_leaves_or_runs_is_refused, NULL};

	return run_tests("report_page", tests, NULL, NULL);
}
