/*
 * rr_report: where the page is written, and that hostile text in it stays text. tests/report checks
 * the page in a browser.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM "overrun"
#define FIRST	"rr-warden.report-1.html"
#define SECOND	"rr-warden.report-2.html"
#define LAST	"rr-warden.report-99.html"
#define MARKUP	"</code></pre><script>alert(1)</script><img src=x onerror=\"alert(2)\">"
#define HOSTILE MARKUP "'&\x1b[2J\x01"
/* What a claim takes for one expression. */
#define HOSTILE_EXPRESSION "</code></pre><script>alert(1)</script>&"

/* A new trace, with a session at the crash. Reports are written into the trace. */
struct crashed {
	struct place place;
	char *crash, *write; /* moments of the crash and of the write that caused it */
};

static struct crashed crash_with(const char *name)
{
	struct crashed crashed = {.place = place_open()};
	struct client *client = crashed.place.client;
	json_t *answer;

	json_decref(client_record(client, crashed.place.trace, PROGRAM, name));
	answer = client_tool(client, "rr_crash_report", "{s:s}", "trace_dir", crashed.place.trace);
	crashed.crash = strdup(answer_text(answer, "moment"));
	json_decref(answer);
	answer = client_tool(client, "rr_last_change", "{s:s}", "expression", "account->ledger");
	crashed.write = strdup(answer_text(answer, "moment"));
	json_decref(answer);
	return crashed;
}

static void crashed_close(struct crashed *crashed)
{
	free(crashed->crash);
	free(crashed->write);
	place_close(&crashed->place);
}
#define cleanup_crashed __attribute__((cleanup(crashed_close)))

static json_t *claim(const char *moment, const char *expression, const char *value)
{
	return json_pack(
	    "{s:s, s:s, s:s}", "moment", moment, "expression", expression, "value", value);
}

/* Reads the page that the answer names; to be freed. */
static char *page_of(const json_t *answer)
{
	char *page = harness_file(answer_text(answer, "file"));

	ck_assert_ptr_nonnull(page);
	return page;
}

static void expect_in(const char *page, const char *text)
{
	ck_assert_msg(strstr(page, text) != NULL, "no \"%s\" in %s", text, page);
}

START_TEST(a_report_shows_each_claim_with_its_verdict)
{
	cleanup_crashed struct crashed crashed = crash_with(NULL);
	struct client *client = crashed.place.client;
	json_auto_t *before = client_tool(client, "rr_when", NULL);
	json_t *after;
	struct stat status;
	char link[200];

	/* the session is at the crash, and the narrative names that moment */
	json_auto_t *answer = client_tool(client, "rr_report", "{s:s, s:s, s:[o, o, o, o]}",
	    "title", "settle crashes", "narrative", crashed.crash, "claims",
	    claim(crashed.crash, "number", "2"),
	    claim(crashed.write, "sizeof(account->name)", "16"),
	    claim(crashed.write, "name[0]", "65"), claim(crashed.write, "nothing", "1"));
	cleanup_free char *page = page_of(answer);
	expect_text(answer, "conclusion", "2 of 4 claims held; not: 3, 4; the report is written");
	expect_number(answer, "not_held.0.claim", 3);
	expect_within(answer, "not_held.0.where", "rename_account");
	expect_text(answer, "not_held.1.verdict", "not checked");
	expect_in(page, "<article id=\"claim-1\" class=\"held\">");
	expect_in(page, "<article id=\"claim-3\" class=\"not\">");
	expect_in(page, "<article id=\"claim-4\" class=\"open\">");
	/* what does not hold comes first, each with its own number */
	ck_assert(strstr(page, "id=\"claim-3\"") < strstr(page, "id=\"claim-4\""));
	ck_assert(strstr(page, "id=\"claim-4\"") < strstr(page, "id=\"claim-1\""));
	ck_assert(strstr(page, "id=\"claim-1\"") < strstr(page, "id=\"claim-2\""));
	expect_in(page, "<a href=\"#claim-2\" class=\"held\"><title>claim 2");
	expect_in(page, "=&gt; 39");
	expect_in(page, "strcpy(account-&gt;name, name);");
	expect_in(page, "<p class=\"instead\">Found <code>66 &#39;B&#39;</code> instead of "
			"<code>65</code></p>");
	expect_in(page, "<p class=\"instead\">Not checked whether it is <code>1</code>, because: "
			"<code>No symbol &quot;nothing&quot; in current context.</code></p>");
	snprintf(link, sizeof(link), "<a href=\"#claim-1\">%s</a>", crashed.crash);
	expect_in(page, link);
	ck_assert_int_eq(stat(answer_text(answer, "file"), &status), 0);
	ck_assert_int_eq(status.st_mode & 07777, 0600);
	after = client_tool(client, "rr_when", NULL);
	ck_assert(json_equal(before, after));
	json_decref(after);
}
END_TEST

static size_t times_in(const char *page, const char *text)
{
	size_t times = 0;

	for (const char *at = page; (at = strstr(at, text)) != NULL; at += strlen(text))
		times++;
	return times;
}

/* Where a text is in the page, which has it. */
static const char *at_in(const char *page, const char *text)
{
	expect_in(page, text);
	return strstr(page, text);
}

/* Failed claims are above the narrative, and what most claims have is folded. */
START_TEST(a_long_report_begins_with_what_does_not_hold)
{
	cleanup_crashed struct crashed crashed = crash_with(NULL);
	json_t *claims = json_array();
	char sum[32], value[32];

	for (int i = 0; i < 28; i++) {
		snprintf(sum, sizeof(sum), "total + %d", i);
		snprintf(value, sizeof(value), "%d", 23200 + i);
		json_array_append_new(claims, claim(crashed.crash, sum, value));
	}
	json_array_append_new(claims, claim(crashed.crash, "total", "1"));
	json_array_append_new(claims, claim(crashed.write, "sizeof(account->name)", "16"));
	json_auto_t *answer = client_tool(crashed.place.client, "rr_report", "{s:s, s:s, s:o}",
	    "title", "thirty", "narrative", "The story of it.", "claims", claims);
	cleanup_free char *page = page_of(answer);
	expect_text(answer, "conclusion", "29 of 30 claims held; not: 29; the report is written");
	ck_assert(at_in(page, "id=\"claim-29\"") < at_in(page, "The story of it."));
	ck_assert(at_in(page, "The story of it.") < at_in(page, "id=\"claim-1\""));
	/* the one that failed shows its source at once; those like it refer to it */
	ck_assert_uint_eq(times_in(page, "<details open=\"\"><summary>source and stack"), 1);
	ck_assert_uint_eq(times_in(page, "<details><summary>source and stack"), 1);
	ck_assert_uint_eq(times_in(page, "those of <a href=\"#claim-29\">claim 29</a>"), 28);
	ck_assert(at_in(page, "<details class=\"locals\"><summary>local variables (") <
		  at_in(page, "total = 23200"));
}
END_TEST

/* The timeline says where the program was, once for claims at the same moment. */
START_TEST(the_timeline_is_labelled_with_places)
{
	cleanup_crashed struct crashed crashed = crash_with(NULL);

	json_auto_t *answer = client_tool(crashed.place.client, "rr_report", "{s:s, s:[o, o, o]}",
	    "title", "places", "claims", claim(crashed.crash, "number", "2"),
	    claim(crashed.crash, "total", "23200"), claim(crashed.write, "name[0]", "66"));
	cleanup_free char *page = page_of(answer);
	ck_assert_uint_eq(times_in(page, "rotate(-50)\">settle:48</text>"), 1);
	ck_assert_uint_eq(times_in(page, "rotate(-50)\">rename_account:39</text>"), 1);
	ck_assert_ptr_null(strstr(page, "rotate(-50)\">1"));
	expect_in(page, "<title>claim 2, settle:48, ");
}
END_TEST

/* Whether the page's own code writes such a tag. */
static bool is_ours(const char *tag, size_t length)
{
	static const char *const ours[] = {"!doctype html", "html", "html lang=\"en\"",
	    "meta charset=\"utf-8\"", "title", "style", "body", "main", "header", "section", "h1",
	    "h2", "h3", "p", "br", "a", "code", "pre", "span", "div", "article", "table", "tr",
	    "th scope=\"row\"", "th", "td", "figure", "figcaption", "footer", "svg", "path", "text",
	    "circle", "rect", "details", "summary"};
	static const char viewport[] = "meta name=\"viewport\" content=";
	static const char policy[] =
	    "meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ";

	tag += *tag == '/';
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		size_t size = strlen(ours[i]);
		if (size <= length && strncmp(tag, ours[i], size) == 0 &&
		    (strchr("> /", tag[size]) != NULL))
			return true;
	}
	return length >= sizeof(viewport) - 1 &&
	       (strncmp(tag, viewport, sizeof(viewport) - 1) == 0 ||
		   strncmp(tag, policy, sizeof(policy) - 1) == 0);
}

static void expect_only_our_tags(const char *page)
{
	const char *at = page, *end;

	while ((at = strchr(at, '<')) != NULL) {
		end = strchr(++at, '>');
		ck_assert_ptr_nonnull(end);
		ck_assert_msg(is_ours(at, (size_t)(end - at)), "%.80s", at);
		/* no attribute runs or fetches anything */
		ck_assert_msg(memmem(at, (size_t)(end - at), " on", 3) == NULL &&
				  memmem(at, (size_t)(end - at), "src=", 4) == NULL,
		    "%.80s", at);
		const char *link = memmem(at, (size_t)(end - at), "href=", 5);
		ck_assert_msg(!link || strncmp(link, "href=\"#claim-", 13) == 0, "%.80s", at);
		at = end;
	}
	for (at = page; *at; at++)
		ck_assert((unsigned char)*at >= 0x20 || *at == '\n');
}

START_TEST(what_strangers_say_is_text)
{
	cleanup_crashed struct crashed crashed = crash_with(HOSTILE);
	json_t *hostile = claim(crashed.write, "name", HOSTILE), *answer;
	char narrative[1000];

	json_object_set_new(hostile, "note", json_string(HOSTILE "\xe2\x80\xae"));
	snprintf(narrative, sizeof(narrative), "%s\n\n%s <a href=\"http://x/\">%s</a>", HOSTILE,
	    crashed.write, crashed.write);
	answer = client_tool(crashed.place.client, "rr_report", "{s:s, s:s, s:[o, o, o]}", "title",
	    HOSTILE, "narrative", narrative, "claims", hostile,
	    claim(crashed.write, HOSTILE_EXPRESSION, HOSTILE), claim(HOSTILE, "1", "1"));
	cleanup_free char *page = page_of(answer);
	expect_only_our_tags(page);
	expect_in(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
	expect_in(page, "\\x01");
	expect_in(page, "\\xe2\\x80\\xae");
	ck_assert_ptr_null(strstr(page, "<script"));
	json_decref(answer);
}
END_TEST

static json_t *report(struct crashed *crashed)
{
	return client_tool(crashed->place.client, "rr_report", "{s:s, s:[o]}", "title", "t",
	    "claims", claim(crashed->crash, "number", "2"));
}

static void expect_file(const json_t *answer, const char *folder, const char *name)
{
	cleanup_free char *path = harness_path(folder, name);

	expect_text(answer, "file", path);
}

/* Existing files and links do not change, nor does the target of a link. */
START_TEST(a_report_is_always_a_new_file)
{
	cleanup_crashed struct crashed crashed = crash_with(NULL);
	const char *trace = crashed.place.trace;
	cleanup_free char *first = harness_path(trace, FIRST),
			  *second = harness_path(trace, SECOND);
	cleanup_free char *victim = harness_path(crashed.place.folder, "victim");
	struct stat status;
	json_t *answer;

	harness_write_file(first, "mine");
	ck_assert_int_eq(symlink(victim, second), 0);
	answer = report(&crashed);
	expect_file(answer, trace, "rr-warden.report-3.html");
	ck_assert_int_ne(access(victim, F_OK), 0);
	ck_assert_int_eq(stat(first, &status), 0);
	ck_assert_int_eq(status.st_size, 4);
	json_decref(answer);
	ck_assert_int_eq(unlink(second), 0);
	harness_write_file(victim, "");
	ck_assert_int_eq(symlink(victim, second), 0);
	answer = report(&crashed);
	expect_file(answer, trace, "rr-warden.report-4.html");
	ck_assert_int_eq(stat(victim, &status), 0);
	ck_assert_int_eq(status.st_size, 0);
	json_decref(answer);
}
END_TEST

/* The agent cannot name a file, and a trace directory that became a link is refused. */
START_TEST(a_report_goes_nowhere_else)
{
	cleanup_crashed struct crashed crashed = crash_with(NULL);
	struct client *client = crashed.place.client;
	cleanup_free char *moved = harness_path(crashed.place.folder, "moved");
	char *stray;

	client_tool_refused(client, "rr_report", "invalid_argument", "{s:s, s:s, s:[o]}", "title",
	    "t", "file", "/tmp/x.html", "claims", claim(crashed.crash, "number", "2"));
	ck_assert_int_eq(rename(crashed.place.trace, moved), 0);
	ck_assert_int_eq(symlink(moved, crashed.place.trace), 0);
	client_tool_refused(client, "rr_report", "not_allowed", "{s:s, s:[o]}", "title", "t",
	    "claims", claim(crashed.crash, "number", "2"));
	stray = harness_path(moved, FIRST);
	ck_assert_int_ne(access(stray, F_OK), 0);
	free(stray);
}
END_TEST

START_TEST(reports_have_bounds_in_number_and_size)
{
	cleanup_crashed struct crashed crashed = crash_with(NULL);
	struct client *client = crashed.place.client;
	char name[64], *path;
	json_t *answer;

	for (int i = 1; i <= 98; i++) {
		snprintf(name, sizeof(name), "rr-warden.report-%d.html", i);
		path = harness_path(crashed.place.trace, name);
		harness_write_file(path, "");
		free(path);
	}
	answer = report(&crashed);
	expect_file(answer, crashed.place.trace, LAST);
	json_decref(answer);
	client_tool_refused(client, "rr_report", "limit", "{s:s, s:[o]}", "title", "t", "claims",
	    claim(crashed.crash, "number", "2"));
	client_tool_refused(
	    client, "rr_report", "invalid_argument", "{s:s, s:[]}", "title", "t", "claims");
	client_tool_refused(
	    client, "rr_report", "invalid_argument", "{s:s, s:[{}]}", "title", "t", "claims");
}
END_TEST

START_TEST(reports_go_with_the_trace)
{
	cleanup_crashed struct crashed crashed = crash_with(NULL);
	struct client *client = crashed.place.client;
	cleanup_free char *file = harness_path(crashed.place.folder, "bug.tar");
	char *copy, *path;
	json_t *answer;

	json_decref(report(&crashed));
	client_tool_done(client, "rr_replay_stop", NULL);
	client_tool_done(
	    client, "rr_export", "{s:s, s:s}", "trace_dir", crashed.place.trace, "file", file);
	client_tool_done(client, "rr_rm", "{s:s}", "trace_dir", crashed.place.trace);
	ck_assert_int_ne(access(crashed.place.trace, F_OK), 0);
	answer = client_tool(client, "rr_import", "{s:s}", "file", file);
	copy = strdup(answer_text(answer, "trace_dir"));
	path = harness_path(copy, FIRST);
	ck_assert_int_eq(access(path, R_OK), 0);
	free(client_replay(client, copy));
	client_tool_done(client, "rr_replay_stop", NULL);
	client_tool_done(client, "rr_rm", "{s:s}", "trace_dir", copy);
	ck_assert_int_ne(access(copy, F_OK), 0);
	json_decref(answer);
	free(path);
	free(copy);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_report_shows_each_claim_with_its_verdict,
	    a_long_report_begins_with_what_does_not_hold, the_timeline_is_labelled_with_places,
	    what_strangers_say_is_text, a_report_is_always_a_new_file, a_report_goes_nowhere_else,
	    reports_have_bounds_in_number_and_size, reports_go_with_the_trace, NULL};

	return scene_main("report pages", tests, (const char *const[]){NULL});
}
