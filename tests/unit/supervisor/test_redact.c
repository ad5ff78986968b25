/*
 * What is masked in texts, in the structure of answers and in reports, and what is not. None of the
 * secrets is anybody's.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "supervisor/monitor/report_page.h"
#include "supervisor/redact/answer.h"
#include "supervisor/redact/page.h"
#include "supervisor/redact/pattern.h"
#include "supervisor/redact/redactor.h"
#include "tests/runner.h"

#define TOKEN  "ghp_0123456789abcdefghijABCDEFGHIJ012345"
#define LINE_1 "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
#define LINE_2 "MzEfYyjiWA4R4ypbHqGC0H0+kgGVEn0hnmOTCFCsOf2FdV8mnCF9pAj6VJ3+gkYT"
#define BEGIN  "-----BEGIN PRIVATE KEY-----"
#define END    "-----END PRIVATE KEY-----"

static struct redactor *redactor;

static void make(const char *first, const char *second)
{
	const char *const items[] = {first, second, NULL};
	char why[PATTERN_WHY_MAX] = "";

	redactor = redactor_new(items, why);
	ck_assert_msg(redactor != NULL, "%s", why);
}

static void set_up(void)
{
	make("secrets", NULL);
}

static void tear_down(void)
{
	redactor_free(redactor);
	redactor = NULL;
}

static void expect_masked(const char *text, const char *expected, size_t count)
{
	size_t got = 0;
	cleanup_free char *masked = redactor_mask_text(redactor, text, &got);

	ck_assert_str_eq(masked == NULL ? text : masked, expected);
	ck_assert_uint_eq(got, count);
}

/* ---- Forms of secrets ------------------------------------------------------------------------ */

#define PASSWORD "[redacted: password]"
#define GITHUB	 "[redacted: GitHub token]"
#define KEY	 "[redacted: private key]"
#define HEADER	 "[redacted: authorization]"

static const struct {
	const char *text, *masked;
} forms[] = {{"id AKIAIOSFODNN7EXAMPLE.", "id [redacted: AWS key]."},
    {"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"aws_secret_access_key = [redacted: AWS key]"},
    {"(" TOKEN ")", "(" GITHUB ")"}, {"github_pat_11ABCDEFG0abcdefghijkl_0123456789", GITHUB},
    {"glpat-0123456789abcdefghij", "[redacted: GitLab token]"},
    {"xoxb-123456789012-abcdefGHIJ", "[redacted: Slack token]"},
    {"AIzaSyA-0123456789abcdefghijklmnopqrstu", "[redacted: Google key]"},
    {"sk-ant-api03-0123456789abcdef", "[redacted: API key]"},
    {"sk_live_0123456789abcdef", "[redacted: API key]"},
    {"npm_0123456789abcdefghijABCDEFGHIJ012345", "[redacted: registry token]"},
    {"t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3-VmNHl0w5N_X!", "t [redacted: JWT]!"},
    {"Authorization: Bearer c2VjcmV0\nHost: a", "Authorization: " HEADER "\nHost: a"},
    {"Authorization: Digest username=\"a\", response=\"6629fae4\"\nx",
	"Authorization: " HEADER "\nx"},
    {"\"authorization: Basic YTpi\\r\\nHost: a\"", "\"authorization: " HEADER "\\r\\nHost: a\""},
    {"X-Api-Key: 0123\n", "X-Api-Key: " HEADER "\n"},
    {"Set-Cookie: sid=1; Path=/\n", "Set-Cookie: " HEADER "\n"},
    {"curl -H 'Bearer abcdefgh'", "curl -H 'Bearer " HEADER "'"},
    {"postgres://bob:pw@db/x", "postgres://bob:" PASSWORD "db/x"},
    {"redis://:p@ss@h/0", "redis://:" PASSWORD "h/0"},
    {"GET /?token=abc&x=1", "GET /?token=" PASSWORD "&x=1"},
    {"{\"db_password\": \"a\\\"b c\", \"n\": 1}", "{\"db_password\": \"" PASSWORD "\", \"n\": 1}"},
    {"{\\\"password\\\": \\\"abc\\\"}", "{\\\"password\\\": \\\"" PASSWORD},
    {"password = 0x55e0 <p+8> \"abc\", n = 1", "password = 0x55e0 <p+8> \"" PASSWORD "\", n = 1"},
    {"passwd = \"ab\", 'c' <repeats 11 times>, \"d\"", "passwd = \"" PASSWORD "\""},
    {"api_key[32] = \"abc\"", "api_key[32] = \"" PASSWORD "\""},
    {"{'secret': 'abc'}", "{'secret': '" PASSWORD "'}"},
    {"login password=hunter2 ok", "login password=" PASSWORD " ok"},
    {"DB_PASSWORD=correct horse\nHOME=/", "DB_PASSWORD=" PASSWORD "\nHOME=/"},
    {"GITHUB_TOKEN=abc", "GITHUB_TOKEN=" PASSWORD},
    {"a\n" BEGIN "\n" LINE_1 "\n" LINE_2 "\n" END "\nb: c", "a\n" KEY "\nb: c"},
    {"\"" BEGIN "\\n" LINE_1 "\\n" LINE_2 "\\n" END "\\n\"", "\"" KEY "\\n\""},
    {"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" LINE_1 "\n"
     "-----END RSA PRIVATE KEY-----",
	KEY},
    {"-----BEGIN OPENSSH PRIVATE KEY-----\\nb3Blb\", 'A' <repeats 12 times>, \"BG5v\\n"
     "-----END OPENSSH PRIVATE KEY-----\\n\"",
	KEY "\\n\""}};

START_TEST(a_secret_is_masked_in_each_form)
{
	expect_masked(forms[_i].text, forms[_i].masked, 1);
}
END_TEST

/* What debugging needs, and what only resembles a secret. */
static const char *const harmless[] = {"124:28028@7f32ec86aeec.d5885cc9, thread 12",
    "if (password == NULL) return; /* token = next(); */", "password=0x0, token=0x55e0 <buffer>",
    "password = 0x55e0, n = 7", "password=<optimized out>", "http://localhost:8080/x http://a:80",
    "#4 check (who=0x563ad2a6e0c0 <account>) at a.c:31", "sk-1 AKIA ghp_ eyJ glpat a",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "TOKEN_EOF, MAX_TOKENS",
    "const char key[] = \"-----BEGIN CERTIFICATE-----\"", "mail bob@example.com: hello", "auth: 5",
    "authorization", "\"\"", "", "password = \"\"", "std::map<std::string, int>"};

START_TEST(what_is_no_secret_stays)
{
	expect_masked(harmless[_i], harmless[_i], 0);
}
END_TEST

/* ---- Cuts ------------------------------------------------------------------------------------ */

#define CUT "\n[... 300 bytes left out ...]\n"

static const struct {
	const char *text, *masked;
	size_t count;
} cuts[] = {{"the end is ghp_01234", "the end is " GITHUB, 1},
    {"value \"ghp_01234\"...", "value \"" GITHUB "\"...", 1},
    {"password = \"hun\"...", "password = \"" PASSWORD "\"...", 1},
    {"DB_PASSWORD=a" CUT "b", "DB_PASSWORD=" PASSWORD CUT "b", 1},
    {"http://bob:pass...", "http://bob:" PASSWORD "...", 1},
    {"x ghp_0123456" CUT "789abcdefghij rest", "x " GITHUB CUT "[redacted: behind a cut] rest", 2},
    {"x" CUT LINE_1 "\n" LINE_2 "\n" END "\ny", "x" CUT KEY "\ny", 1},
    {BEGIN "\n" LINE_1 "\nMzEfYy" CUT "abc", KEY "[... 300 bytes left out ...]\nabc", 1},
    {"\"" BEGIN "\\nMIIEvQ\"...", "\"" KEY "\"...", 1},
    {"a word" CUT "another", "a word" CUT "another", 0},
    {"http://localhost:80", "http://localhost:80", 0}};

START_TEST(a_secret_is_never_masked_by_half)
{
	expect_masked(cuts[_i].text, cuts[_i].masked, cuts[_i].count);
}
END_TEST

/* ---- The user's own -------------------------------------------------------------------------- */

START_TEST(own_patterns_come_to_the_set_or_stand_alone)
{
	tear_down();
	make("ACME-[0-9]{4}", NULL);
	expect_masked("ACME-1234 " TOKEN, "[redacted] " TOKEN, 1);
	tear_down();
	make("ACME-[0-9]{4}", "secrets");
	expect_masked("ACME-1234 " TOKEN, "[redacted] " GITHUB, 2);
}
END_TEST

START_TEST(a_character_is_masked_as_a_whole)
{
	tear_down();
	make("a.", NULL);
	expect_masked("xa\xc3\xa9y", "x[redacted]y", 1);
	tear_down();
	make("\\Kx$", "[\u20ac\u20ad]b");
	expect_masked("\u20ac"
		      "b!",
	    "[redacted]!", 1);
}
END_TEST

/* Memory has any bytes, and none of them ends a secret. The text is ISO 8859-1, with half a
 * character at its end. */
START_TEST(bytes_that_are_no_characters_are_masked_too)
{
	expect_masked(
	    "password = \"ab\xe9 \xff\xc3(cd\", \xe9", "password = \"" PASSWORD "\", \xe9", 1);
	expect_masked("DB_PASSWORD=a\xe2\x82", "DB_PASSWORD=" PASSWORD, 1);
	expect_masked("password = \"ab\xe9\", n", "password = \"" PASSWORD "\", n", 1);
}
END_TEST

START_TEST(any_bytes_can_be_looked_at)
{
	unsigned char bytes[512];
	unsigned state = 1;

	for (int round = 0; round < 500; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			state = state * 1103515245 + 12345;
			bytes[i] = (unsigned char)(state >> 16);
		}
		memcpy(bytes + round, "password=\"", 10 < sizeof(bytes) - (size_t)round ? 10 : 1);
		ck_assert_ptr_nonnull(
		    redactor_find(redactor, (const char *)bytes, sizeof(bytes), true));
	}
}
END_TEST

/* ---- Time ------------------------------------------------------------------------------------ */

static const char key_line[] = LINE_1 "\n", shown_key_line[] = LINE_1 "\\n";

/* What takes patterns of secrets long: much that begins like one, and goes on like one. */
static const char *const laborious[] = {"a", "A", "A_", "_TOKEN", "passwordsecret", "eyJ-", "x-",
    "x-api-", "a.b-", "http://a:", "a://b:c@", BEGIN, "-----BEGIN ", key_line, shown_key_line, END,
    "\"", "\\", "sk-", "password=\"", "password='", "password=\"a", "password = \\", "api_key: <",
    "key=0x5555 <a+1> ", "...", "password=...", "ghp_...", "\"...", CUT, "bearer ",
    "?key=", "Cookie: a\n", "Authorization: ", "\", 'a' <repeats 99 times>, \"",
    "ghp_0123456789abcdefghij "};

/* A text that takes too many steps would be masked as a whole, and there would be nothing to see.
 */
START_TEST(no_text_takes_the_secrets_too_long)
{
	static char text[1 << 17];
	const char *part = laborious[_i];
	size_t length = 0;

	while (length + strlen(part) < sizeof(text)) {
		memcpy(text + length, part, strlen(part));
		length += strlen(part);
	}
	ck_assert_msg(redactor_find(redactor, text, length, true) != NULL, "%s", part);
}
END_TEST

/* A text that takes (a+)+$b too long. */
static void fill_slow(char *text, size_t size)
{
	static const char end[] = "\n!b";

	memset(text, 'a', size - sizeof(end));
	memcpy(text + size - sizeof(end), end, sizeof(end));
}

/* It fails closed, and the log names the pattern once. */
START_TEST(a_text_that_takes_too_long_is_masked_as_a_whole)
{
	static char text[20000];
	char said[4096] = "";
	int log = memfd_create("log", MFD_CLOEXEC);

	tear_down();
	make("(a+)+$b", "secrets");
	fill_slow(text, sizeof(text));
	ck_assert_int_eq(dup2(log, STDERR_FILENO), STDERR_FILENO);
	expect_masked(text, "[redacted]", 1);
	expect_masked(text, "[redacted]", 1);
	expect_masked("a short one " TOKEN, "a short one " GITHUB, 1);
	ck_assert_int_gt(pread(log, said, sizeof(said) - 1, 0), 0);
	ck_assert_msg(strstr(said, "--redact: a text of 19999 bytes took too many steps") != NULL,
	    "%s", said);
	ck_assert_msg(strstr(said, "for the pattern (a+)+$b;") != NULL, "%s", said);
	ck_assert_ptr_eq(strstr(strstr(said, "--redact") + 1, "--redact"), NULL);
}
END_TEST

START_TEST(an_answer_with_such_a_text_has_the_others)
{
	static char text[20000];
	json_auto_t *answer = NULL;

	tear_down();
	make("(a+)+$b", NULL);
	fill_slow(text, sizeof(text));
	answer = json_pack("{s:s, s:s}", "long", text, "short", "aab");
	ck_assert_uint_eq(redact_answer(redactor, answer, NULL), 1);
	ck_assert_str_eq(json_string_value(json_object_get(answer, "long")), "[redacted]");
	ck_assert_str_eq(json_string_value(json_object_get(answer, "short")), "aab");
}
END_TEST

START_TEST(a_masked_text_stays_as_it_is)
{
	for (size_t i = 0; i < TIMES(forms); i++)
		expect_masked(forms[i].masked, forms[i].masked, 0);
	expect_masked("password = \"[redacted: x" TOKEN "\"", "password = \"" PASSWORD "\"", 1);
}
END_TEST

/* ---- Answers --------------------------------------------------------------------------------- */

/* Of ghp_0123456789abcdefghij. */
#define HEX_TOKEN "6768705f303132333435363738396162636465666768696a"
#define HEX_MASK  "************************************************"

static const struct {
	const char *answer, *masked;
	size_t count;
} answers[] = {
    {"{'results': [{'expression': 'a.password', 'value': '\\\"pw\\\"'}]}",
	"{'results': [{'expression': 'a.password', 'value': '\\\"" PASSWORD "\\\"'}]}", 1},
    {"{'evaluated': {'secret_key': '0x55e0 \\\"abc\\\"', 'n': '1'}}",
	"{'evaluated': {'secret_key': '0x55e0 \\\"" PASSWORD "\\\"', 'n': '1'}}", 1},
    {"{'expression': 'passwd', 'changes': [{'old': '\\\"a\\\"', 'new': '\\\"b\\\"'}]}",
	"{'expression': 'passwd', 'changes': [{'old': '\\\"" PASSWORD "\\\"', 'new': '\\\"" PASSWORD
	"\\\"'}]}",
	2},
    {"{'writes': [{'moment': '1:2', 'text': 'half ghp_0123456789'}, {'moment': '1:3', 'text': "
     "'abcdefghijABCDEFGHIJ012345 rest'}]}",
	"{'writes': [{'moment': '1:2', 'text': 'half " GITHUB
	"'}, {'moment': '1:3', 'text': '" GITHUB " rest'}]}",
	1},
    {"{'lines': ['a', '" BEGIN "', '" LINE_1 "', '" END "', 'b']}",
	"{'lines': ['a', '" KEY "', '" KEY "', '" KEY "', 'b']}", 1},
    {"{'" TOKEN "': 1, 'deep': [[[{'x': '" TOKEN "'}]]]}",
	"{'deep': [[[{'x': '" GITHUB "'}]]], '" GITHUB "': 1}", 2},
    {"{'address': '0x10', 'contents': '616120" HEX_TOKEN "20610a'}",
	"{'address': '0x10', 'contents': '616120" HEX_MASK "20610a'}", 1},
    {"{'value': '" TOKEN "', 'count': 3, 'none': null, 'yes': true}",
	"{'value': '" GITHUB "', 'count': 3, 'none': null, 'yes': true}", 1},
    /* "http://a:secret", where the reading ends */
    {"{'contents': '687474703a2f2f613a736563726574'}",
	"{'contents': '687474703a2f2f613a************'}", 1},
    {"{'value': '1', 'contents': '00ff'}", "{'value': '1', 'contents': '00ff'}", 0}};

/* JSON with ' for ". */
static json_t *read_json(const char *text)
{
	cleanup_free char *copy = strdup(text);
	json_t *json;

	for (char *at = copy; (at = strchr(at, '\'')) != NULL;)
		*at = '"';
	json = json_loads(copy, 0, NULL);
	ck_assert_msg(json != NULL, "%s", copy);
	return json;
}

START_TEST(an_answer_is_masked_in_all_its_parts)
{
	json_auto_t *answer = read_json(answers[_i].answer),
		    *masked = read_json(answers[_i].masked);
	size_t count = redact_answer(redactor, answer, NULL);
	cleanup_free char *shown = json_dumps(answer, JSON_SORT_KEYS);

	ck_assert_msg(json_equal(answer, masked), "%s", shown);
	ck_assert_uint_eq(count, answers[_i].count);
}
END_TEST

START_TEST(the_expression_that_was_asked_for_names_the_value)
{
	json_auto_t *answer = read_json("{'old': '\\\"a\\\"', 'new': '\\\"b\\\"'}");

	ck_assert_uint_eq(redact_answer(redactor, answer, "login.password"), 2);
	ck_assert_str_eq(json_string_value(json_object_get(answer, "new")), "\"" PASSWORD "\"");
}
END_TEST

/* The columns of a dump stay where they are, and the secret goes over three rows. */
START_TEST(memory_is_masked_byte_by_byte)
{
	json_auto_t *answer = read_json("{'address': '0x10', 'contents': "
					"'2e2e2e" HEX_TOKEN "206162'}");
	const char *dump =
	    "0x10  2e 2e 2e 67 68 70 5f 30 31 32 33 34 35 36 37 38  |...ghp_012345678|\n"
	    "0x20  39 61 62 63 64 65 66 67 68 69 6a 20 61 62        |9abcdefghij ab|\n";

	json_object_set_new(answer, "dump", json_string(dump));
	ck_assert_uint_eq(redact_answer(redactor, answer, NULL), 1);
	ck_assert_str_eq(json_string_value(json_object_get(answer, "dump")),
	    "0x10  2e 2e 2e ** ** ** ** ** ** ** ** ** ** ** ** **  |...*************|\n"
	    "0x20  ** ** ** ** ** ** ** ** ** ** ** 20 61 62        |*********** ab|\n");
}
END_TEST

/* Dumps of the same bytes, as a worker could write them that was taken over. */
#define DIGITS "20 67 68 70 5f 30 31 32 33 34 35 36 37 38"
static const char *const false_dumps[] = {"", "\n", "  ", "  |", "0x10  61", "0x10  |a|",
    ("0x10  " DIGITS "  |"), ("0x10  " DIGITS "  | gh"), ("0x10  " DIGITS "  | gh\n"),
    ("0x10  " DIGITS "  | gh|\n0x20  " DIGITS "  |a|\n"), "0x10  20 67 68 7", "0x10  6  | ghp|",
    "0x10  20 67 68 70  | ghp|", "0x10  20 67 68 70 5f30313233343536373839  | ghp_0123456789|",
    ("0x10  " DIGITS "\n  | ghp_0123456789|"), ("\n\n\n  |\n" DIGITS)};

START_TEST(a_dump_that_does_not_show_the_bytes_is_left_out)
{
	json_auto_t *answer = read_json("{'contents': '20" HEX_TOKEN "'}");

	json_object_set_new(answer, "dump", json_string(false_dumps[_i]));
	ck_assert_uint_eq(redact_answer(redactor, answer, NULL), 1);
	ck_assert_str_eq(json_string_value(json_object_get(answer, "contents")), "20" HEX_MASK);
	ck_assert_ptr_null(json_object_get(answer, "dump"));
}
END_TEST

/* So much of a row's letters is missing that a mask of them would be far behind the text. */
START_TEST(a_mask_stays_within_a_row)
{
	static char contents[20000], dump[3 + 3 * 10000 + 3] = "a  ";
	static const char password[] = "70617373776f72643d";
	json_auto_t *answer = json_object();

	memset(contents, '4', sizeof(contents) - 2);
	memcpy(contents, password, sizeof(password) - 1);
	for (size_t i = 3; i < sizeof(dump) - 3; i += 3)
		memcpy(dump + i, "41 ", 3);
	memcpy(dump + sizeof(dump) - 3, " |", 3);
	json_object_set_new(answer, "contents", json_string(contents));
	json_object_set_new(answer, "dump", json_string(dump));
	ck_assert_uint_eq(redact_answer(redactor, answer, NULL), 1);
	ck_assert_ptr_null(json_object_get(answer, "dump"));
}
END_TEST

START_TEST(a_dump_that_is_no_text_is_left_out)
{
	json_auto_t *answer = read_json("{'contents': '" HEX_TOKEN "', 'dump': ['g', 'h', 'p']}");

	ck_assert_uint_eq(redact_answer(redactor, answer, NULL), 1);
	ck_assert_ptr_null(json_object_get(answer, "dump"));
}
END_TEST

START_TEST(without_a_redactor_nothing_changes)
{
	json_auto_t *answer = read_json("{'x': '" TOKEN "'}"), *same = json_deep_copy(answer);

	ck_assert_uint_eq(redact_answer(NULL, answer, NULL), 0);
	ck_assert(json_equal(answer, same));
}
END_TEST

/* ---- Reports --------------------------------------------------------------------------------- */

#define FRAME(text)                                                                                \
	"<title>t</title>\n<style>a{}</style>\n<body><main>\n" text "</main></body></html>\n"
#define COUNTED(text, count) FRAME(text "<p>Secrets that are masked (--redact): " count ".</p>\n")

static const struct {
	const char *page, *masked;
} pages[] = {{FRAME("<p>a " TOKEN " b</p>"), COUNTED("<p>a " GITHUB " b</p>", "1")},
    {FRAME("<p>password = &quot;a&amp;b&quot;</p>"),
	COUNTED("<p>password = &quot;" PASSWORD "&quot;</p>", "1")},
    {FRAME("<p>" BEGIN "<br>\n" LINE_1 "<br>\n" END "</p><p>x</p>"),
	COUNTED("<p>" KEY "<br><br></p><p>x</p>", "1")},
    {FRAME("<code>ghp_0123456789</code><span class=\"x\">abcdefghij</span><td>abcdefghij</td>"),
	COUNTED("<code>" GITHUB "</code><span class=\"x\"></span><td>abcdefghij</td>", "1")},
    {FRAME("<p>a &lt;b&gt; &#39;</p>"), FRAME("<p>a &lt;b&gt; &#39;</p>")}};

START_TEST(a_page_keeps_its_tags)
{
	size_t length = 0;
	cleanup_free char *masked =
	    redact_page(redactor, pages[_i].page, strlen(pages[_i].page), &length);

	ck_assert_ptr_nonnull(masked);
	ck_assert_str_eq(masked, pages[_i].masked);
	ck_assert_uint_eq(length, strlen(masked));
	if (strstr(pages[_i].page, "&#39;") == NULL)
		ck_assert(report_page_is_harmless(masked, length));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{a_secret_is_masked_in_each_form, TIMES(forms)},
	    {what_is_no_secret_stays, TIMES(harmless)},
	    {a_secret_is_never_masked_by_half, TIMES(cuts)},
	    {own_patterns_come_to_the_set_or_stand_alone, 1}, {a_character_is_masked_as_a_whole, 1},
	    {a_masked_text_stays_as_it_is, 1}, {bytes_that_are_no_characters_are_masked_too, 1},
	    {any_bytes_can_be_looked_at, 1}, {no_text_takes_the_secrets_too_long, TIMES(laborious)},
	    {a_text_that_takes_too_long_is_masked_as_a_whole, 1},
	    {an_answer_with_such_a_text_has_the_others, 1},
	    {an_answer_is_masked_in_all_its_parts, TIMES(answers)},
	    {the_expression_that_was_asked_for_names_the_value, 1},
	    {memory_is_masked_byte_by_byte, 1},
	    {a_dump_that_does_not_show_the_bytes_is_left_out, TIMES(false_dumps)},
	    {a_mask_stays_within_a_row, 1}, {a_dump_that_is_no_text_is_left_out, 1},
	    {without_a_redactor_nothing_changes, 1}, {a_page_keeps_its_tags, TIMES(pages)},
	    {NULL, 0}};

	return run_loops("redact", tests, set_up, tear_down);
}
