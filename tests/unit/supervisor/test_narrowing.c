/*
 * No setting widens what a worker sees: for every value of every setting, and for pairs of them,
 * the view of every kind of call is a part of the view without it. The values are made from the
 * table of settings, so that a new setting is tried too. A setting that chooses a tool or a place
 * shows that one thing more.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/recorded_files.h"
#include "tests/runner.h"

#define NOBODY	   65534
#define VALUES_MAX 12

static char folder[] = "/tmp/rr-warden-unit.XXXXXX", home[64];
static char names[2048]; /* what the trace says was mapped, each with its NUL */
static size_t names_length;

/* In place of the monitor's, which reads a real trace. */
size_t recorded_files_list(int trace, const struct sandbox_policy *policy, char *list, size_t size)
{
	(void)trace, (void)policy;
	ck_assert_uint_le(names_length, size);
	memcpy(list, names, names_length);
	return names_length;
}

/* ---- The world ---------------------------------------------------------------------------------
 */

static void add_mapped(const char *directory, const char *name)
{
	names_length += (size_t)snprintf(names + names_length, sizeof(names) - names_length,
			    "%s/%s", directory, name) +
			1;
}

static void make(const char *format, ...)
{
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	ck_assert_int_eq(system(command), 0);
}

static void set_up(void)
{
	memcpy(strrchr(folder, '.') + 1, "XXXXXX", 7);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(home, sizeof(home), "%s/home", folder);
	make("cd '%s' && mkdir -p home/.ssh home/project/sub home/.local/share/rr home/.local/bin "
	     "home/.local/share/gdb other/private traces && "
	     "cp /bin/true home/project/prog && cp /bin/true other/prog && "
	     "cp /bin/true home/.local/bin/gdb && touch home/.local/share/rr/core.xml && ln -s "
	     "../other home/link && "
	     "for t in traces/t home/.local/share/rr/t; do mkdir $t; touch $t/version $t/events "
	     "$t/mmaps; "
	     "done && chown -R %d . && chmod -R a+rX .",
	    folder, geteuid() == 0 ? NOBODY : (int)geteuid());
	names_length = 0;
	add_mapped(home, "project/prog");
	add_mapped(folder, "other/prog");
	add_mapped("/etc", "passwd");
	setenv("HOME", home, 1);
	unsetenv("XDG_DATA_HOME");
}

static void tear_down(void)
{
	make("rm -rf '%s'", folder);
}

/* ---- Calls -------------------------------------------------------------------------------------
 */

struct call {
	enum worker_kind kind;
	uint32_t operation;
	enum launch_name which;
	const char *name; /* %: the scratch folder */
	enum launch_name and;
	const char *other;
	bool sees_little; /* what pairs show of it, others show too */
};

static const struct call calls[] = {
    {WORKER_REPLAY, WIRE_OP_REPLAY_START, LAUNCH_TRACE, "%/traces/t", 0, NULL, false},
    {WORKER_REPLAY, WIRE_OP_CONTINUE, LAUNCH_TRACE, "", 0, NULL, true},
    {WORKER_COMPARE, WIRE_OP_COMPARE_RUNS, LAUNCH_GOOD, "%/traces/t", LAUNCH_BAD,
	"%/home/.local/share/rr/t", true},
    {WORKER_QUERY, WIRE_OP_PS, LAUNCH_TRACE, "%/traces/t", 0, NULL, true},
    {WORKER_QUERY, WIRE_OP_PACK, LAUNCH_TRACE, "%/traces/t", 0, NULL, false},
    {WORKER_QUERY, WIRE_OP_RM, LAUNCH_TRACE, "%/traces/t", 0, NULL, true},
    {WORKER_QUERY, WIRE_OP_IMPORT, LAUNCH_FILE, "%/home/a.tar", 0, NULL, false},
    {WORKER_QUERY, WIRE_OP_LIST_RECORDINGS, LAUNCH_BASE, "", 0, NULL, true},
    {WORKER_QUERY, WIRE_OP_LIST_RECORDINGS, LAUNCH_BASE, "%/traces", 0, NULL, false},
    {WORKER_QUERY, WIRE_OP_STATUS, LAUNCH_FILE, "", 0, NULL, true},
    {WORKER_RECORD, WIRE_OP_RECORD, LAUNCH_PROGRAM, "true", 0, NULL, true},
    {WORKER_RECORD, WIRE_OP_RECORD, LAUNCH_PROGRAM, "./prog", LAUNCH_DIRECTORY, "%/home/project",
	false},
    {WORKER_RECORD, WIRE_OP_RECORD, LAUNCH_PROGRAM, "%/other/prog", LAUNCH_TRACE, "%/traces/a/new",
	false},
    {WORKER_RECORD, WIRE_OP_RECORD_UNTIL, LAUNCH_PROGRAM, "%/home/link/prog", LAUNCH_DIRECTORY,
	"%/home/link", false},
    {WORKER_RECORD, WIRE_OP_RECORD, LAUNCH_DIRECTORY, "/home", 0, NULL, false},
    {WORKER_RECORD, WIRE_OP_RECORD, LAUNCH_DIRECTORY, "/etc", 0, NULL, true},
    {WORKER_RECORD, WIRE_OP_RECORD, LAUNCH_DIRECTORY, "%/home/.ssh", 0, NULL, false},
};

static char *in_folder(const char *pattern, char text[PATH_MAX])
{
	if (!pattern || pattern[0] != '%')
		snprintf(text, PATH_MAX, "%s", pattern ? pattern : "");
	else
		snprintf(text, PATH_MAX, "%s%s", folder, pattern + 1);
	return text;
}

/* ---- Views -------------------------------------------------------------------------------------
 */

enum { LISTS = 1, READS = 2, WRITES = 4, REMOVES = 8, SOURCE = 16 };

static const struct {
	enum visible_list list;
	unsigned rights;
} rights_of[] = {{VISIBLE_READ, LISTS | READS | SOURCE},
    {VISIBLE_WRITE, LISTS | READS | WRITES | REMOVES | SOURCE}, {VISIBLE_LISTED, LISTS},
    {VISIBLE_PARENT, LISTS | REMOVES}};

struct view {
	struct composition composition;
	struct sandbox_policy policy;
	bool refused;
};

static void see(struct view *view, const struct settings *settings, const struct call *call)
{
	static const char *const nothing[LAUNCH_NAME_COUNT];
	static struct launch_request request;
	static struct paths paths;
	const char *list[LAUNCH_NAME_COUNT];
	char one[PATH_MAX], two[PATH_MAX], why[256];

	memcpy(list, nothing, sizeof(list));
	list[call->which] = in_folder(call->name, one);
	if (call->other)
		list[call->and ] = in_folder(call->other, two);
	strlcpy(paths.worker, "/usr/bin/true", sizeof(paths.worker));
	snprintf(paths.here, sizeof(paths.here), "%s/project", home);
	if (*settings_text(settings, SETTING_TRACE_DIR)) /* as main has it */
		setenv("_RR_TRACE_DIR", settings_text(settings, SETTING_TRACE_DIR), 1);
	else
		unsetenv("_RR_TRACE_DIR");
	launcher_name(&request, 1, call->kind, call->operation, list);
	compose_begin(&view->composition, settings, &paths, &request);
	sandbox_policy_default(&view->policy);
	view->refused = compose_paths(&view->composition, &view->policy, why, sizeof(why)) < 0;
}

static void forget(struct view *view)
{
	struct visible_paths *visible = &view->composition.visible;

	for (int list = 0; list < VISIBLE_LIST_COUNT; list++)
		for (size_t i = 0; i < visible->counts[list]; i++)
			free((void *)(uintptr_t)visible->lists[list][i]);
	for (size_t i = 0; i < 2 * visible->link_count; i++)
		free((void *)(uintptr_t)visible->links[i]);
}

static unsigned rights_at(const struct view *view, const char *path)
{
	const struct visible_paths *visible = &view->composition.visible;
	unsigned rights = 0;

	for (size_t k = 0; k < TIMES(rights_of); k++)
		for (size_t i = 0; i < visible->counts[rights_of[k].list]; i++)
			if (visible_path_is_within(path, visible->lists[rights_of[k].list][i]))
				rights |= rights_of[k].rights;
	return rights;
}

/* What a setting shows because it chooses it: nothing else may be more. */
static bool is_chosen(const struct settings *settings, const char *path)
{
	const char *const chosen[] = {settings_text(settings, SETTING_RR),
	    settings_text(settings, SETTING_GDB), settings_text(settings, SETTING_TRACE_DIR)};
	char real[PATH_MAX], data[PATH_MAX];

	for (size_t i = 0; i < TIMES(chosen); i++)
		if (chosen[i][0] == '/' && realpath(chosen[i], real) && strcmp(path, real) == 0)
			return true;
	snprintf(data, sizeof(data), "%s/.local/share/rr/core.xml", home);
	if (chosen[0][0] == '/' && strcmp(path, data) == 0)
		return true;
	snprintf(data, sizeof(data), "%s/.local/share/gdb", home);
	return chosen[1][0] == '/' && strcmp(path, data) == 0;
}

static void expect_part(const struct view *with, const struct view *without,
    const struct settings *settings, const char *what)
{
	const struct visible_paths *visible = &with->composition.visible;

	if (with->refused)
		return;
	ck_assert_msg(!without->refused, "%s allows a call", what);
	ck_assert_msg(with->policy.covers >= without->policy.covers, "%s uncovers", what);
	for (size_t k = 0; k < TIMES(rights_of); k++)
		for (size_t i = 0; i < visible->counts[rights_of[k].list]; i++) {
			const char *path = visible->lists[rights_of[k].list][i];
			unsigned more = rights_of[k].rights & ~rights_at(without, path);
			ck_assert_msg(!more || is_chosen(settings, path), "%s shows %s (%#x)", what,
			    path, more);
		}
}

/* ---- Settings ----------------------------------------------------------------------------------
 */

struct value {
	enum setting setting;
	char text[96];
};

static size_t add(struct value *values, size_t count, enum setting setting, const char *text)
{
	char path[PATH_MAX];

	values[count].setting = setting;
	snprintf(values[count].text, sizeof(values[count].text), "%s", in_folder(text, path));
	return count + 1;
}

/* Of one setting: every word, some numbers, places that are hidden, private, open and named. */
static size_t values_of(enum setting setting, struct value *values)
{
	static const char *const places[] = {
	    "/home", "%", "%/home", "%/home/.ssh", "%/home/link", "%/traces"};
	static const char *const words[] = {"0", "1", "64M", "yes", "no", "auto", "hardware",
	    "software", "user", "private", "text", "json", "stderr", "syslog", "error", "calls",
	    "off", "prefer", "require", "core", "all", "rr_record,rr_status"};
	enum setting_type type = setting_rows[setting].type;
	struct settings *trial = settings_new();
	char why[SETTINGS_WHY_MAX];
	size_t count = 0;

	if (setting == SETTING_RR || setting == SETTING_GDB) {
		count = add(values, count, setting, "%/home/.local/bin/gdb");
	} else if (type == SETTING_LIST || type == SETTING_TEXT) {
		for (size_t i = 0; i < TIMES(places); i++)
			count = add(values, count, setting, places[i]);
	} else {
		for (size_t i = 0; i < TIMES(words); i++)
			if (count < 3 &&
			    settings_set(trial, setting, words[i], SOURCE_FLAG, why) == 0)
				count = add(values, count, setting, words[i]);
	}
	settings_free(trial);
	ck_assert_uint_gt(count, 0);
	ck_assert_uint_le(count, VALUES_MAX);
	return count;
}

static struct settings *settings_of(const struct value *first, const struct value *second)
{
	struct settings *settings = settings_new();
	char why[SETTINGS_WHY_MAX];

	for (const struct value *value = first; value; value = value == first ? second : NULL)
		ck_assert_msg(
		    settings_set(settings, value->setting, value->text, SOURCE_FLAG, why) == 0,
		    "%s", why);
	return settings;
}

static void describe(
    char text[512], const struct value *first, const struct value *second, const struct call *call)
{
	snprintf(text, 512, "--%s=%s%s%s%s%s (call %zu, uid %d)", setting_rows[first->setting].flag,
	    first->text, second ? " --" : "", second ? setting_rows[second->setting].flag : "",
	    second ? "=" : "", second ? second->text : "", (size_t)(call - calls), (int)geteuid());
}

/* Both on top of the first alone; or the first alone on top of the defaults. */
static void compare(const struct call *call, const struct view *without, const struct value *first,
    const struct value *second)
{
	static struct view with;
	struct settings *settings = settings_of(first, second);
	char what[512];

	describe(what, first, second, call);
	see(&with, settings, call);
	expect_part(&with, without, settings, what);
	forget(&with);
	settings_free(settings);
}

static struct value values[SETTING_COUNT * VALUES_MAX];

static size_t all_values(void)
{
	size_t count = 0;

	for (int i = 0; i < SETTING_COUNT; i++)
		count += values_of((enum setting)i, values + count);
	return count;
}

/* The tests begin as root and go on as who the row says. */
static bool plays(int as_user)
{
	return as_user ? geteuid() != 0 || setresuid(NOBODY, NOBODY, 0) == 0 : geteuid() == 0;
}

/* For the end. */
static void come_back(int as_user)
{
	uid_t real, effective, saved;

	ck_assert_int_eq(getresuid(&real, &effective, &saved), 0);
	if (as_user && saved == 0)
		ck_assert_int_eq(seteuid(0), 0);
}

START_TEST(every_setting_shows_less_or_the_same)
{
	static struct view without;
	struct settings *defaults = settings_new();
	size_t count = all_values();

	if (!plays(_i))
		return;
	for (size_t c = 0; c < TIMES(calls); c++) {
		see(&without, defaults, &calls[c]);
		for (size_t i = 0; i < count; i++)
			compare(&calls[c], &without, &values[i], NULL);
		forget(&without);
	}
	settings_free(defaults);
	come_back(_i);
}
END_TEST

/* Whether a value can name something to see; of the others, one value each is enough here. */
static bool is_place(const struct value *value)
{
	enum setting_type type = setting_rows[value->setting].type;

	return type == SETTING_TEXT || type == SETTING_LIST;
}

static bool is_partner(const struct value *values_list, size_t first, size_t second)
{
	const struct value *value = &values_list[second];

	return value->setting != values_list[first].setting &&
	       (is_place(value) || second == 0 || value[-1].setting != value->setting);
}

START_TEST(every_pair_of_settings_shows_less_or_the_same)
{
	static struct view without;
	size_t count = all_values();

	if (!plays(_i))
		return;
	for (size_t i = 0; i < count; i++) {
		if (!is_place(&values[i]))
			continue;
		struct settings *first = settings_of(&values[i], NULL);
		for (size_t c = 0; c < TIMES(calls); c++) {
			if (calls[c].sees_little)
				continue;
			see(&without, first, &calls[c]);
			for (size_t k = 0; k < count; k++)
				if (is_partner(values, i, k))
					compare(&calls[c], &without, &values[i], &values[k]);
			forget(&without);
		}
		settings_free(first);
	}
	come_back(_i);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("narrowing");
	TCase *all = tcase_create("narrowing");

	/* thousands of lines of the audit */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	tcase_set_timeout(all, 120);
	tcase_add_checked_fixture(all, set_up, tear_down);
	tcase_add_loop_test(all, every_setting_shows_less_or_the_same, 0, 2);
	tcase_add_loop_test(all, every_pair_of_settings_shows_less_or_the_same, 0, 2);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
