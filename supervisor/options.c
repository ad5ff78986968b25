/*
 * Makes the flags from the table of settings, so that every setting has a flag. Changes only the
 * struct that it is given (and getopt's state).
 */
#include "supervisor/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/text.h"

enum { OPTION_HELP = 1, OPTION_VERSION, OPTION_CONFIG, OPTION_SETTING };

static const struct option fixed_options[] = {
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"config", required_argument, NULL, OPTION_CONFIG},
};
#define FIXED_COUNT (sizeof(fixed_options) / sizeof(fixed_options[0]))

static const struct {
	const char *word;
	enum options_mode mode;
} subcommands[] = {{"doctor", MODE_DOCTOR}, {"config", MODE_CONFIG}, {"rr", MODE_RR},
    {"record-until", MODE_RECORD_UNTIL}, {"explain", MODE_EXPLAIN}, {"help", MODE_HELP}};
#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

/* The result of one pass over argv. It is applied later, because flags override files. */
struct found {
	const char *config;
	const char *texts[SETTING_COUNT + SETTINGS_LIST_MAX];
	int settings[SETTING_COUNT + SETTINGS_LIST_MAX];
	size_t count;
};

static void make_options(struct option *options)
{
	memcpy(options, fixed_options, sizeof(fixed_options));
	for (int i = 0; i < SETTING_COUNT; i++) {
		bool boolean = setting_rows[i].type == SETTING_BOOLEAN;
		options[FIXED_COUNT + (size_t)i] = (struct option){setting_rows[i].flag,
		    boolean ? optional_argument : required_argument, NULL, OPTION_SETTING + i};
	}
	memset(&options[FIXED_COUNT + SETTING_COUNT], 0, sizeof(*options));
}

static const char *option_name_at(const void *names, size_t i)
{
	return ((const struct option *)names)[i].name;
}

static const char *subcommand_at(const void *names, size_t i)
{
	(void)names;
	return i < SUBCOMMANDS ? subcommands[i].word : NULL;
}

/* The name alone of "--name=value". */
static void read_name(char *name, size_t size, const char *word)
{
	word += strspn(word, "-");
	snprintf(name, size, "%.*s", (int)strcspn(word, "="), word);
}

static void say_wrong(struct options *options, const struct option *known, char *word, int kind)
{
	char name[80];
	const char *nearest;

	options->mode = MODE_WRONG;
	read_name(name, sizeof(name), word);
	nearest = kind == ':' ? NULL : text_nearest(name, option_name_at, known);
	if (kind == ':')
		snprintf(
		    options->why, sizeof(options->why), "a value is missing after %.80s", word);
	else if (nearest != NULL)
		snprintf(options->why, sizeof(options->why),
		    "no such option: %.80s; did you mean --%s?", word, nearest);
	else
		snprintf(
		    options->why, sizeof(options->why), "no such option: %.80s; see --help", word);
}

static void say_no_command(struct options *options, const char *word)
{
	const char *nearest = text_nearest(word, subcommand_at, NULL);

	options->mode = MODE_WRONG;
	if (nearest != NULL)
		snprintf(options->why, sizeof(options->why),
		    "no such command: %.80s; did you mean %s?", word, nearest);
	else
		snprintf(options->why, sizeof(options->why),
		    "no such command: %.80s; the commands are doctor, config, rr, record-until and "
		    "explain; "
		    "without a command, rr-warden serves MCP",
		    word);
}

static void note_flag(struct options *options, struct found *found, int setting, const char *text)
{
	if (found->count == sizeof(found->settings) / sizeof(found->settings[0])) {
		options->mode = MODE_WRONG;
		snprintf(options->why, sizeof(options->why), "too many options");
		return;
	}
	found->settings[found->count] = setting;
	found->texts[found->count] = text == NULL ? "yes" : text;
	found->count++;
}

/* What is to be explained: `--help` or `--help settings`. */
static void read_topic(struct options *options, int argc, char **argv, int at)
{
	if (at >= argc)
		return;
	if (strcmp(argv[at], "settings") == 0) {
		options->mode = MODE_HELP_SETTINGS;
		return;
	}
	options->mode = MODE_WRONG;
	snprintf(options->why, sizeof(options->why),
	    "there is no help on %.80s, only --help and --help settings", argv[at]);
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static void scan(struct options *options, struct found *found, int argc, char **argv)
{
	struct option long_options[FIXED_COUNT + SETTING_COUNT + 1];
	int chosen;

	make_options(long_options);
	optind = 1;
	opterr = 0;
	while (options->mode != MODE_WRONG) {
		int at = optind;
		chosen = getopt_long(argc, argv, "+:h", long_options, NULL);
		if (chosen == -1)
			break;
		if (chosen == '?' || chosen == ':')
			say_wrong(options, long_options, argv[at], chosen);
		else if (chosen == 'h' || chosen == OPTION_HELP)
			options->mode = MODE_HELP;
		else if (chosen == OPTION_VERSION)
			options->mode = MODE_VERSION;
		else if (chosen == OPTION_CONFIG)
			found->config = optarg;
		else
			note_flag(options, found, chosen - OPTION_SETTING, optarg);
		if (options->mode == MODE_HELP || options->mode == MODE_VERSION)
			break;
	}
	if (options->mode == MODE_HELP)
		read_topic(options, argc, argv, optind);
}

static void find_subcommand(struct options *options, int argc, char **argv)
{
	if (optind >= argc || options->mode != MODE_SERVE)
		return;
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (strcmp(argv[optind], subcommands[i].word) == 0)
			options->mode = subcommands[i].mode;
	options->rest = optind + 1;
	if (options->mode == MODE_SERVE)
		say_no_command(options, argv[optind]);
	else if (options->mode == MODE_HELP)
		read_topic(options, argc, argv, options->rest);
	else if ((options->mode == MODE_DOCTOR || options->mode == MODE_CONFIG) &&
		 options->rest < argc && is_help(argv[options->rest]))
		options->mode = MODE_HELP;
}

/* A flag of [tools] as "--name=value"; -1: it is something else. */
static int tools_setting(const char *word)
{
	for (int i = 0; i < SETTING_COUNT; i++) {
		const char *flag = setting_rows[i].flag;
		size_t length = strlen(flag);
		if (strcmp(setting_rows[i].section, "tools") == 0 && strncmp(word, "--", 2) == 0 &&
		    strncmp(word + 2, flag, length) == 0 && word[2 + length] == '=')
			return i;
	}
	return -1;
}

/* `rr-warden rr --pmu=software record`: the flags of [tools] can also come after the command. */
static void scan_tools(struct options *options, struct found *found, int argc, char **argv)
{
	int setting;

	for (; options->mode == MODE_RR && options->rest < argc; options->rest++) {
		setting = tools_setting(argv[options->rest]);
		if (setting < 0)
			break;
		note_flag(options, found, setting, strchr(argv[options->rest], '=') + 1);
	}
}

static void read_environment(struct settings *settings)
{
	char why[SETTINGS_WHY_MAX];

	for (int i = 0; i < SETTING_COUNT; i++) {
		const char *name = setting_rows[i].env;
		const char *text = name == NULL ? NULL : getenv(name);

		if (text != NULL && *text != 0 &&
		    settings_set(settings, (enum setting)i, text, SOURCE_ENV, why) < 0)
			fprintf(stderr, "rr-warden: %s is ignored: %s\n", name, why);
	}
}

/* Under an administrator's file, a name is that of the machine's tool: the PATH of whoever starts
 * the server could have another one. */
static int find_machines_tool(struct settings *settings, enum setting setting, char *why)
{
	static const char *const places[] = {"/usr/local/bin", "/usr/bin", "/bin"};
	char name[NAME_MAX], path[PATH_MAX];

	if (strchr(settings_text(settings, setting), '/'))
		return 0;
	strlcpy(name, settings_text(settings, setting), sizeof(name));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", places[i], name);
		if (access(path, X_OK) == 0)
			break;
	}
	return settings_set(settings, setting, path, SOURCE_ADMIN, why);
}

static int apply(struct options *options, const struct found *found, const char *admin_file)
{
	struct settings *settings = options->settings;

	if (settings_load(settings, admin_file, SOURCE_ADMIN, options->why) < 0)
		return -1;
	if (found->config != NULL &&
	    settings_load(settings, found->config, SOURCE_FILE, options->why) < 0)
		return -1;
	read_environment(settings);
	for (size_t i = 0; i < found->count; i++)
		if (settings_set(settings, (enum setting)found->settings[i], found->texts[i],
			SOURCE_FLAG, options->why) < 0)
			return -1;
	if (settings_has_ceiling(settings) &&
	    (find_machines_tool(settings, SETTING_RR, options->why) < 0 ||
		find_machines_tool(settings, SETTING_GDB, options->why) < 0))
		return -1;
	return 0;
}

void options_read(struct options *options, int argc, char **argv, const char *admin_file)
{
	struct found found = {0};

	memset(options, 0, sizeof(*options));
	scan(options, &found, argc, argv);
	find_subcommand(options, argc, argv);
	scan_tools(options, &found, argc, argv);
	if (options->mode == MODE_HELP || options->mode == MODE_HELP_SETTINGS ||
	    options->mode == MODE_VERSION || options->mode == MODE_WRONG)
		return;
	options->settings = settings_new();
	if (options->settings == NULL)
		snprintf(options->why, sizeof(options->why), "out of memory");
	if (options->settings == NULL || apply(options, &found, admin_file) < 0) {
		options->mode = MODE_WRONG;
		settings_free(options->settings);
		options->settings = NULL;
	}
}
