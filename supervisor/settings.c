/*
 * Settings: parsing, the ceiling rule, and the configuration file. Looks at the file system
 * only before the supervisor is locked down.
 */
#include "supervisor/settings.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/wire/scrub.h"
#include "supervisor/redact/redactor.h"
#include "supervisor/tool_list.h"

#define TYPE_TEXT      SETTING_TEXT
#define TYPE_PMU       SETTING_PMU_CHOICE
#define TYPE_NETWORK   SETTING_NETWORK_CHOICE
#define TYPE_ANSWERS   SETTING_ANSWERS_CHOICE
#define TYPE_AUDIT     SETTING_AUDIT_CHOICE
#define TYPE_LOG_LEVEL SETTING_LOG_LEVEL_CHOICE
#define TYPE_TOOLS     SETTING_TOOLS_CHOICE
#define TYPE_LIST      SETTING_LIST
#define TYPE_PATTERNS  SETTING_PATTERNS
#define TYPE_BYTES     SETTING_BYTES
#define TYPE_SECONDS   SETTING_SECONDS
#define TYPE_COUNT     SETTING_NUMBER
#define TYPE_BOOLEAN   SETTING_BOOLEAN
#define TYPE_REQUEST   SETTING_REQUEST

const struct setting_row setting_rows[SETTING_COUNT] = {
#define X(name, section, key, flag, env, type, rule, value, help)                                  \
	[SETTING_##name] = {section, key, flag, env, TYPE_##type, RULE_##rule, value, help},
    SETTINGS(X)
#undef X
};

struct value {
	enum setting_source source;
	long long number;
	char *text;
	char *items[SETTINGS_LIST_MAX + 1];
	size_t count;
};

struct settings {
	struct value values[SETTING_COUNT];
	struct value ceilings[SETTING_COUNT]; /* the administrator's values, or the defaults */
	bool has_ceiling;
};

struct suffix {
	char letter;
	long long factor;
};

static const struct suffix byte_suffixes[] = {
    {'K', 1LL << 10}, {'M', 1LL << 20}, {'G', 1LL << 30}, {'T', 1LL << 40}, {0, 0}};
static const struct suffix second_suffixes[] = {
    {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {0, 0}};
static const struct suffix no_suffixes[] = {{0, 0}};

#define NUMBER_MAX (1LL << 50)

static int parse_number(const char *text, const struct suffix *suffixes, long long *number)
{
	char digits[32];
	long long factor = 1;
	size_t length = strlen(text);
	const char *error = NULL;

	if (length == 0 || length >= sizeof(digits))
		return -1;
	memcpy(digits, text, length + 1);
	for (const struct suffix *s = suffixes; s->letter != 0; s++) {
		if (digits[length - 1] == s->letter) {
			digits[length - 1] = 0;
			factor = s->factor;
			break;
		}
	}
	*number = strtonum(digits, 0, NUMBER_MAX / factor, &error);
	*number *= factor;
	return error == NULL ? 0 : -1;
}

static int parse_choice(const char *text, const char *const *choices)
{
	for (int i = 0; choices[i] != NULL; i++)
		if (strcasecmp(text, choices[i]) == 0)
			return i;
	return -1;
}

static const char *const boolean_words[] = {
    "no", "yes", "off", "on", "false", "true", "0", "1", NULL};
static const char *const request_words[] = {"off", "prefer", "require", NULL};
static const char *const network_words[] = {"user", "private", NULL};
static const char *const answers_words[] = {"text", "json", "plain", NULL};
static const char *const pmu_words[] = {"auto", "hardware", "software", NULL};

static const char *const audit_words[] = {"stderr", "syslog", NULL};
static const char *const log_level_words[] = {"error", "audit", "calls", "gdb", NULL};

static const char *const *const type_words[] = {
    [SETTING_PMU_CHOICE] = pmu_words,
    [SETTING_NETWORK_CHOICE] = network_words,
    [SETTING_ANSWERS_CHOICE] = answers_words,
    [SETTING_AUDIT_CHOICE] = audit_words,
    [SETTING_LOG_LEVEL_CHOICE] = log_level_words,
    [SETTING_REQUEST] = request_words,
};

static const char *const type_descriptions[] = {
    [SETTING_TEXT] = "text",
    [SETTING_PMU_CHOICE] = "auto, hardware or software",
    [SETTING_NETWORK_CHOICE] = "user or private",
    [SETTING_ANSWERS_CHOICE] = "text, json or plain",
    [SETTING_AUDIT_CHOICE] = "stderr or syslog",
    [SETTING_LOG_LEVEL_CHOICE] = "error, audit, calls or gdb",
    [SETTING_TOOLS_CHOICE] = "all, core, or names of tools such as rr_record,rr_crash_report",
    [SETTING_LIST] = "one item on each line",
    [SETTING_PATTERNS] = "secrets or a Perl-compatible regular expression",
    [SETTING_BYTES] = "a number of bytes such as 512M or 4G",
    [SETTING_SECONDS] = "a number of seconds, or a time such as 10m or 1h",
    [SETTING_NUMBER] = "a number",
    [SETTING_BOOLEAN] = "yes or no",
    [SETTING_REQUEST] = "require, prefer or off",
};

static bool is_list(enum setting_type type)
{
	return type == SETTING_LIST || type == SETTING_PATTERNS;
}

/* `why` (SETTINGS_WHY_MAX bytes) says what is wrong with a value, where its type alone does not. */
static int parse_value(enum setting_type type, const char *text, long long *number, char *why)
{
	int choice;

	*number = 0;
	why[0] = 0;
	switch (type) {
	case SETTING_TEXT:
	case SETTING_LIST:
		/* A worker is told it in JSON. */
		if (!scrub_is_text(text))
			strlcpy(why, "it must be UTF-8", SETTINGS_WHY_MAX);
		return why[0] == 0 && strlen(text) < SETTINGS_TEXT_MAX ? 0 : -1;
	case SETTING_TOOLS_CHOICE:
		return tool_list_read(text, NULL) ? 0 : -1;
	case SETTING_PATTERNS:
		return redactor_check(text, why) ? 0 : -1;
	case SETTING_PMU_CHOICE:
	case SETTING_NETWORK_CHOICE:
	case SETTING_ANSWERS_CHOICE:
	case SETTING_AUDIT_CHOICE:
	case SETTING_LOG_LEVEL_CHOICE:
	case SETTING_REQUEST:
		choice = parse_choice(text, type_words[type]);
		*number = choice;
		return choice < 0 ? -1 : 0;
	case SETTING_BYTES:
		return parse_number(text, byte_suffixes, number);
	case SETTING_SECONDS:
		return parse_number(text, second_suffixes, number);
	case SETTING_NUMBER:
		return parse_number(text, no_suffixes, number);
	case SETTING_BOOLEAN:
		choice = parse_choice(text, boolean_words);
		*number = choice % 2;
		return choice < 0 ? -1 : 0;
	}
	return -1;
}

static void value_clear(struct value *value)
{
	for (size_t i = 0; i < value->count; i++)
		free(value->items[i]);
	free(value->text);
	memset(value, 0, sizeof(*value));
}

static int value_store(
    struct value *value, enum setting_type type, const char *text, long long number)
{
	char *copy;

	if (is_list(type) && value->count >= SETTINGS_LIST_MAX)
		return -1;
	copy = strdup(text);
	if (copy == NULL)
		return -1;
	if (is_list(type)) {
		value->items[value->count++] = copy;
		value->items[value->count] = NULL;
	} else {
		free(value->text);
		value->text = copy;
	}
	value->number = number;
	return 0;
}

struct settings *settings_new(void)
{
	struct settings *settings = calloc(1, sizeof(*settings));

	if (settings == NULL)
		return NULL;
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_row *row = &setting_rows[i];
		char why[SETTINGS_WHY_MAX];
		long long number = 0;

		if (is_list(row->type))
			continue;
		if (parse_value(row->type, row->value, &number, why) < 0 ||
		    value_store(&settings->values[i], row->type, row->value, number) < 0) {
			settings_free(settings);
			return NULL;
		}
	}
	return settings;
}

void settings_free(struct settings *settings)
{
	if (settings == NULL)
		return;
	for (int i = 0; i < SETTING_COUNT; i++) {
		value_clear(&settings->values[i]);
		value_clear(&settings->ceilings[i]);
	}
	free(settings);
}

bool path_is_within(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (path[0] != '/' || strstr(path, "/../") != NULL || strstr(path, "/./") != NULL)
		return false;
	if (strlen(path) >= 3 && strcmp(path + strlen(path) - 3, "/..") == 0)
		return false;
	while (length > 1 && root[length - 1] == '/')
		length--;
	if (length == 1 && root[0] == '/')
		return true;
	return strncmp(path, root, length) == 0 && (path[length] == 0 || path[length] == '/');
}

/* Of what exists, where it really is counts: a link below an allowed directory leads elsewhere.
 * What is made later is looked at when it is used. */
static bool is_really_within(const char *path, const char *root)
{
	char real_path[PATH_MAX], real_root[PATH_MAX];

	return !realpath(path, real_path) || !realpath(root, real_root) ||
	       path_is_within(real_path, real_root);
}

static bool in_subset(const struct value *ceiling, const char *text)
{
	for (size_t i = 0; i < ceiling->count; i++)
		if (strcmp(text, ceiling->items[i]) == 0 ||
		    (path_is_within(text, ceiling->items[i]) &&
			is_really_within(text, ceiling->items[i])))
			return true;
	return false;
}

static bool is_granted(
    const struct setting_row *row, const struct value *ceiling, const char *text, long long number)
{
	switch (row->rule) {
	case RULE_FREE:
	case RULE_ADDED:
	case RULE_PART:
		return true;
	case RULE_LESS:
		if (row->type == SETTING_BOOLEAN)
			return number <= ceiling->number;
		return ceiling->number == 0 || (number != 0 && number <= ceiling->number);
	case RULE_MORE:
		return number >= ceiling->number;
	case RULE_SUBSET:
		return ceiling->count == 0 || in_subset(ceiling, text);
	case RULE_GRANTED:
		return in_subset(ceiling, text);
	case RULE_FIXED:
		return strcmp(text, ceiling->text) == 0;
	}
	return false;
}

int settings_set(struct settings *settings, enum setting setting, const char *text,
    enum setting_source source, char *why)
{
	const struct setting_row *row = &setting_rows[setting];
	struct value *value = &settings->values[setting];
	char wrong[SETTINGS_WHY_MAX];
	long long number;

	if (parse_value(row->type, text, &number, wrong) < 0) {
		snprintf(why, SETTINGS_WHY_MAX, "%s%s: \"%.60s\" is not %s%s%.200s",
		    source == SOURCE_FLAG ? "--" : "", source == SOURCE_FLAG ? row->flag : row->key,
		    text, type_descriptions[row->type], wrong[0] != 0 ? ": " : "", wrong);
		return -1;
	}
	if (source != SOURCE_ADMIN && settings->has_ceiling &&
	    !is_granted(row, &settings->ceilings[setting], text, number)) {
		snprintf(why, SETTINGS_WHY_MAX,
		    "%s=%.60s is more than " SETTINGS_FILE
		    " grants ([%s] %s); leave it out, or ask the "
		    "administrator",
		    row->flag, text, row->section, row->key);
		return -1;
	}
	/* The first item from each source starts the list again, unless the lists add up. */
	if (is_list(row->type) && row->rule != RULE_ADDED && value->source != source)
		value_clear(value);
	value->source = source;
	if (value_store(value, row->type, text, number) < 0) {
		snprintf(
		    why, SETTINGS_WHY_MAX, "%s: more than %d items", row->key, SETTINGS_LIST_MAX);
		return -1;
	}
	return 0;
}

struct load {
	struct settings *settings;
	FILE *file;
	enum setting_source source;
	int line, error_line;
	bool too_long;
	char why[SETTINGS_WHY_MAX / 2];
};

static enum setting find_setting(const char *section, const char *key)
{
	int i;

	for (i = 0; i < SETTING_COUNT; i++)
		if (strcmp(setting_rows[i].section, section) == 0 &&
		    strcmp(setting_rows[i].key, key) == 0)
			break;
	return (enum setting)i;
}

static void say_unknown(struct load *load, const char *section, const char *key)
{
	size_t used = (size_t)snprintf(
	    load->why, sizeof(load->why), "no setting \"%.40s\" in [%.40s]", key, section);
	bool first = true;

	for (int i = 0; i < SETTING_COUNT; i++) {
		if (strcmp(setting_rows[i].section, section) != 0 || used >= sizeof(load->why))
			continue;
		used += (size_t)snprintf(load->why + used, sizeof(load->why) - used, "%s%s",
		    first ? "; there are " : ", ", setting_rows[i].key);
		first = false;
	}
	if (first && used < sizeof(load->why))
		snprintf(load->why + used, sizeof(load->why) - used,
		    "; the sections are tools, traces, recording, sessions, debugging, timeouts, "
		    "sandbox");
}

/* inih allows only ';' for comments after a value, but people also write '#'. */
static void copy_value(char *value, const char *text, size_t size)
{
	char *comment;

	strlcpy(value, text, size);
	comment = value[0] == '#' ? value : strstr(value, " #");
	if (comment == NULL)
		comment = strstr(value, "\t#");
	if (comment == NULL)
		return;
	while (comment > value && (comment[-1] == ' ' || comment[-1] == '\t'))
		comment--;
	*comment = 0;
}

/* inih's handler: 1 goes on, 0 is an error on this line. */
static int load_setting(void *user, const char *section, const char *key, const char *text)
{
	struct load *load = user;
	enum setting setting = find_setting(section, key);
	char why[SETTINGS_WHY_MAX], value[SETTINGS_LINE_MAX];

	if (load->why[0] != 0)
		return 0;
	if (setting == SETTING_COUNT) {
		say_unknown(load, section, key);
	} else if ((copy_value(value, text, sizeof(value)),
		       settings_set(load->settings, setting, value, load->source, why)) < 0) {
		snprintf(load->why, sizeof(load->why), "%.*s", (int)sizeof(load->why) - 1, why);
	} else {
		return 1;
	}
	load->error_line = load->line;
	return 0;
}

static char *load_line(char *line, int size, void *stream)
{
	struct load *load = stream;
	char *got = load->too_long ? NULL : fgets(line, size, load->file);

	if (got == NULL)
		return NULL;
	load->line++;
	if (strchr(line, '\n') == NULL && !feof(load->file)) {
		load->too_long = true;
		return NULL;
	}
	return got;
}

static void remember_ceilings(struct settings *settings)
{
	settings->has_ceiling = true;
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct value *from = &settings->values[i];
		struct value *to = &settings->ceilings[i];

		to->number = from->number;
		to->text = from->text == NULL ? NULL : strdup(from->text);
		for (size_t k = 0; k < from->count; k++)
			to->items[to->count++] = strdup(from->items[k]);
	}
}

int settings_load(
    struct settings *settings, const char *path, enum setting_source source, char *why)
{
	struct load load = {.settings = settings, .source = source};
	int line;

	load.file = fopen(path, "re");
	if (load.file == NULL) {
		if (source == SOURCE_ADMIN && errno == ENOENT)
			return 0;
		snprintf(why, SETTINGS_WHY_MAX, "%s: %s", path, strerror(errno));
		return -1;
	}
	/* A directory can be opened, but reads as if it were empty. */
	errno = 0;
	line = ini_parse_stream(load_line, &load, load_setting, &load);
	int error = ferror(load.file) ? errno : 0;
	fclose(load.file);
	if (error != 0) {
		snprintf(why, SETTINGS_WHY_MAX, "%s: %s", path, strerror(error));
		return -1;
	}
	if (load.too_long) {
		line = load.line;
		snprintf(load.why, sizeof(load.why), "a line is longer than %d bytes",
		    SETTINGS_LINE_MAX - 2);
	} else if (load.error_line != 0) {
		line = load.error_line;
	}
	if (line != 0) {
		snprintf(why, SETTINGS_WHY_MAX, "%s:%d: %s", path, line,
		    load.why[0] != 0 ? load.why : "this is neither [section] nor key = value");
		return -1;
	}
	if (source == SOURCE_ADMIN)
		remember_ceilings(settings);
	return 0;
}

long long settings_number(const struct settings *settings, enum setting setting)
{
	return settings->values[setting].number;
}

enum setting_source settings_source(const struct settings *settings, enum setting setting)
{
	return settings->values[setting].source;
}

const char *settings_text(const struct settings *settings, enum setting setting)
{
	return settings->values[setting].text == NULL ? "" : settings->values[setting].text;
}

const char *const *settings_list(const struct settings *settings, enum setting setting)
{
	return (const char *const *)settings->values[setting].items;
}

const char *const *settings_ceiling(const struct settings *settings, enum setting setting)
{
	return (const char *const *)settings->ceilings[setting].items;
}

const char *settings_ceiling_text(const struct settings *settings, enum setting setting)
{
	return settings->has_ceiling ? settings->ceilings[setting].text : NULL;
}

bool settings_has_ceiling(const struct settings *settings)
{
	return settings->has_ceiling;
}
