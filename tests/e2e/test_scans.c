/*
 * Random questions about all calls of a function: how many, in which groups, with which sum, and
 * which was the last one; with conditions, between any two of them. First each call is looked at
 * once, at a stop. From these rows the test works out what each question must be answered, which
 * the worker answers without stops.
 *
 * SCAN_SECONDS=N goes on for so long; SCAN_SEED=N begins with other questions.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

enum { PASSES_MAX = 2000, PAGE = 50, SCANS = 8, TEXT_MAX = 160 };

struct pass {
	char moment[100], caller[TEXT_MAX];
	long long value;
};

/* Callers: each row's caller is that of its group, because nothing is inlined. */
static const struct ground {
	const char *program, *location, *value;
	bool callers;
} grounds[] = {
    {"callers 8", "called", "by", false},
    {"callers 8 quiet", "descend", "depth", true},
    {"passes", "ping", "number", true},
    {"layers", "malloc", "$rdi", true},
    {"conditional 40", "pass", "nth", true},
};

static struct pass passes[PASSES_MAX];
static int pass_count;
static unsigned long long seed;

static int draw(int below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int)(seed % (unsigned)below);
}

static long long integer_at(const json_t *row, const char *value)
{
	const char *text =
	    json_string_value(json_object_get(json_object_get(row, "evaluated"), value));

	ck_assert_ptr_nonnull(text);
	return strtoll(text, NULL, 0);
}

/* Looks at all of them. */
static void read_passes(struct client *client, const struct ground *ground)
{
	json_auto_t *from = json_string("start");
	size_t count = PAGE, i;

	for (pass_count = 0; count == PAGE;) {
		json_auto_t *answer =
		    client_tool(client, "rr_trace_calls", "{s:s, s:O, s:[s], s:i}", "location",
			ground->location, "from", from, "evaluate", ground->value, "limit", PAGE);
		const json_t *hits = json_object_get(answer, "hits"), *row;

		count = json_array_size(hits);
		json_array_foreach((json_t *)hits, i, row)
		{
			struct pass *pass = &passes[pass_count++];

			ck_assert_int_lt(pass_count, PASSES_MAX);
			snprintf(
			    pass->moment, sizeof(pass->moment), "%s", answer_text(row, "moment"));
			snprintf(
			    pass->caller, sizeof(pass->caller), "%s", answer_text(row, "caller"));
			pass->value = integer_at(row, ground->value);
		}
		if (count) {
			json_decref(from);
			from = json_string(passes[pass_count - 1].moment);
		}
	}
}

/* Of a value, with two numbers. */
struct form {
	const char *text; /* of the expression, with %s for the value, and %d for the numbers */
	long long (*of)(long long value, int a, int b);
};

static long long remainder_is(long long value, int a, int b)
{
	return value % a == b;
}
static long long is_more(long long value, int a, int b)
{
	return value > a - b;
}
static long long has_bits(long long value, int a, int b)
{
	return ((value & a) | b) != 0;
}
static long long is_not(long long value, int a, int b)
{
	return value != a || value == b;
}
static long long itself(long long value, int a, int b)
{
	return value + a * 0 + b * 0;
}
static long long product(long long value, int a, int b)
{
	return value * a - b;
}
static long long remainder_of(long long value, int a, int b)
{
	return value % a + b;
}
static long long byte_of(long long value, int a, int b)
{
	return (unsigned char)(value + a - b);
}

static const struct form conditions[] = {{"(long)%s %% %d == %d", remainder_is},
    {"(long)%s > %d - %d", is_more}, {"(((long)%s & %d) | %d) != 0", has_bits},
    {"(long)%s != %d || (long)" /* the value again */, is_not}};
static const struct form numbers[] = {{"(long)%s + %d * 0 + %d * 0", itself},
    {"(long)%s * %d - %d", product}, {"(long)%s %% %d + %d", remainder_of},
    {"(unsigned char)((long)%s + %d - %d)", byte_of}};

/* One that was chosen; of == NULL: none. */
struct chosen {
	char text[TEXT_MAX];
	long long (*of)(long long value, int a, int b);
	int a, b;
};

static struct chosen choose(const struct form *forms, int count, const char *value)
{
	struct chosen chosen = {.a = 1 + draw(9), .b = draw(4)};
	const struct form *form = &forms[draw(count)];
	int length;

	chosen.of = form->of;
	length = snprintf(chosen.text, TEXT_MAX, form->text, value, chosen.a, chosen.b);
	if (form->of == is_not)
		snprintf(
		    chosen.text + length, TEXT_MAX - (size_t)length, "%s == %d", value, chosen.b);
	return chosen;
}

static long long number_of(const struct chosen *chosen, const struct pass *pass)
{
	return chosen->of(pass->value, chosen->a, chosen->b);
}

static bool holds(const struct chosen *condition, const struct pass *pass)
{
	return !condition->of || number_of(condition, pass);
}

struct scan {
	int from, to; /* passes: behind `from` (-1: from the start), up to `to` (none: the end) */
	struct chosen condition, group, sum;
	bool by_caller;
};

static struct scan choose_scan(const struct ground *ground)
{
	struct scan scan = {.from = -1, .to = pass_count};

	if (draw(2))
		scan.from = draw(pass_count);
	if (draw(2))
		scan.to = scan.from + 1 + draw(pass_count - scan.from);
	if (draw(3))
		scan.condition = choose(conditions, TIMES(conditions), ground->value);
	if (draw(3) == 0)
		scan.group = choose(numbers, TIMES(numbers), ground->value);
	else
		scan.by_caller = ground->callers && draw(2);
	if (draw(2))
		scan.sum = choose(numbers, TIMES(numbers), ground->value);
	return scan;
}

static void key_of(const struct scan *scan, const struct pass *pass, char key[TEXT_MAX])
{
	if (scan->by_caller)
		snprintf(key, TEXT_MAX, "%s", pass->caller);
	else
		snprintf(key, TEXT_MAX, "%lld", number_of(&scan->group, pass));
}

/* gdb shows a byte as a number and a character. */
static bool is_same_key(const char *shown, const char *key)
{
	const size_t length = strlen(key);

	return strncmp(shown, key, length) == 0 && (!shown[length] || shown[length] == ' ');
}

static void expect_group(const struct scan *scan, const json_t *group)
{
	long long count = 0, sum = 0;
	int first = -1, last = 0;
	char key[TEXT_MAX];

	for (int i = scan->from + 1; i <= scan->to && i < pass_count; i++) {
		key_of(scan, &passes[i], key);
		if (!holds(&scan->condition, &passes[i]) ||
		    !is_same_key(answer_text(group, "key"), key))
			continue;
		first = first < 0 ? i : first;
		last = i;
		count++;
		sum += scan->sum.of ? number_of(&scan->sum, &passes[i]) : 0;
	}
	ck_assert_int_ge(first, 0);
	ck_assert_int_eq(answer_number(group, "count"), count);
	ck_assert_str_eq(answer_text(group, "first"), passes[first].moment);
	ck_assert_str_eq(answer_text(group, "last"), passes[last].moment);
	if (scan->sum.of)
		ck_assert_int_eq(answer_number(group, "sum"), sum);
}

static void expect_scan(const struct scan *scan, const json_t *answer)
{
	const json_t *groups = json_object_get(answer, "groups"), *group;
	long long total = 0, sum = 0, grouped = 0;
	size_t i;

	for (int k = scan->from + 1; k <= scan->to && k < pass_count; k++) {
		if (!holds(&scan->condition, &passes[k]))
			continue;
		total++;
		sum += scan->sum.of ? number_of(&scan->sum, &passes[k]) : 0;
	}
	ck_assert_int_eq(answer_number(answer, "total"), total);
	if (scan->sum.of && total)
		ck_assert_int_eq(answer_number(answer, "sum"), sum);
	json_array_foreach((json_t *)groups, i, group)
	{
		expect_group(scan, group);
		grouped += answer_number(group, "count");
	}
	if (scan->group.of || scan->by_caller)
		ck_assert_int_eq(grouped, total);
}

static void ask(struct client *client, const struct ground *ground, const struct scan *scan)
{
	const char *group = scan->by_caller ? "caller" : scan->group.of ? scan->group.text : NULL;

	fprintf(stderr, "%s %s where %s by %s sum %s, from %d to %d of %d\n", ground->program,
	    ground->location, scan->condition.text, group ? group : "", scan->sum.text, scan->from,
	    scan->to, pass_count);
	json_auto_t *answer = client_tool(client, "rr_trace_calls",
	    "{s:s, s:s*, s:s*, s:s*, s:s*, s:s*, s:i, s:b}", "location", ground->location,
	    "condition", scan->condition.of ? scan->condition.text : NULL, "group_by", group, "sum",
	    scan->sum.of ? scan->sum.text : NULL, "from",
	    scan->from >= 0 ? passes[scan->from].moment : NULL, "to",
	    scan->to < pass_count ? passes[scan->to].moment : NULL, "limit", 1, "count", 1);
	expect_scan(scan, answer);
}

/* The last one before a call, or before the end. */
static void ask_last(struct client *client, const struct ground *ground)
{
	const struct chosen condition = choose(conditions, TIMES(conditions), ground->value);
	const int at = draw(pass_count + 1);
	int last = at - 1;

	while (last >= 0 && !holds(&condition, &passes[last]))
		last--;
	fprintf(stderr, "%s: the last %s where %s before %d of %d\n", ground->program,
	    ground->location, condition.text, at, pass_count);
	client_tool_done(
	    client, "rr_goto", "{s:s}", "moment", at < pass_count ? passes[at].moment : "end");
	if (last < 0) {
		json_decref(client_tool_fails(client, "rr_last_time", "not_found", "{s:s, s:s}",
		    "location", ground->location, "condition", condition.text));
		return;
	}
	json_auto_t *answer = client_tool(client, "rr_last_time", "{s:s, s:s}", "location",
	    ground->location, "condition", condition.text);
	ck_assert_str_eq(answer_text(answer, "moment"), passes[last].moment);
}

START_TEST(random_scans_find_what_stops_find)
{
	const char *seconds = getenv("SCAN_SECONDS"), *begins = getenv("SCAN_SEED");
	const struct ground *ground = &grounds[_i];
	cleanup_scene struct scene scene = scene_open(ground->program, NULL);
	const double end = harness_now() + (seconds ? strtod(seconds, NULL) : 0);
	long scans = 0;

	seed = 88172645463325252ull + (begins ? strtoull(begins, NULL, 10) : 0) * 2654435761ull;
	read_passes(scene.client, ground);
	ck_assert_int_gt(pass_count, 20);
	for (; scans < SCANS || harness_now() < end; scans++) {
		struct scan scan = choose_scan(ground);

		if (draw(4))
			ask(scene.client, ground, &scan);
		else
			ask_last(scene.client, ground);
	}
	printf("%s %s: %ld scans of %d passes\n", ground->program, ground->location, scans,
	    pass_count);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {random_scans_find_what_stops_find, TIMES(grounds)}, {NULL, 0}};
	const char *programs[TIMES(grounds) + 1] = {NULL};

	for (size_t i = 0; i < TIMES(grounds); i++)
		programs[i] = grounds[i].program;
	return scene_main_loops("scans", tests, programs);
}
