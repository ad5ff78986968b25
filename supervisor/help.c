/*
 * See help.h. Only prints.
 */
#include "supervisor/help.h"

#include <stdio.h>
#include <string.h>

#include "supervisor/folded.h"
#include "supervisor/settings.h"

#define WIDTH	    80
#define TEXT_COLUMN 28
#define TEXT_MAX    1024

struct line {
	const char *what, *text;
};

static const struct line commands[] = {
    {"[OPTION]...", "serve MCP on stdin and stdout, for an agent's host"},
    {"config HOST",
	"print how to add it to claude, codex, gemini, cursor or vscode, with the options before "
	"`config`"},
    {"doctor",
	"say what works on this machine, and how to fix what doesn't work (--verbose, --json, "
	"--no-record)"},
    {"record-until COMMAND", "record until it fails, and keep that trace"},
    {"explain TRACE", "say why the program ended, without an agent (--markdown for CI)"},
    {"rr ARGUMENTS", "run rr by hand, also without hardware counters"},
};

/* What most people need; `--help settings` has the others. */
static const struct line common[] = {
    {"--trace-dir=DIRECTORY", "where new traces go [~/.local/share/rr]"},
    {"--source-dir=DIRECTORY", "look for sources of foreign traces there too"},
    {"--pmu=software", "count without the processor's counters [auto]"},
    {"--timeout-reverse=S", "seconds for a search or a run backward [280]"},
    {"--log=FILE", "write a log there; --log-level=calls adds each call"},
    {"--config=FILE", "read settings from a file"},
    {"--help settings", "all settings, with their defaults"},
    {"--version", "the version"},
};

static void print_line(const char *before, const struct line *line)
{
	int at = printf("  %s%s", before, line->what);

	if (at + 2 > TEXT_COLUMN)
		printf("\n%*s", TEXT_COLUMN, "");
	else
		printf("%*s", TEXT_COLUMN - at, "");
	folded_print(stdout, line->text, TEXT_COLUMN, WIDTH);
}

void help_print(void)
{
	printf("rr-warden: an MCP server that gives coding agents rr's time-travel debugging\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		print_line("rr-warden ", &commands[i]);
	printf("\nOptions stand before the command:\n");
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		print_line("", &common[i]);
}

static void print_setting(const struct setting_row *row)
{
	char text[TEXT_MAX], flag[64];

	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s", row->help, row->value[0] ? " [" : "",
	    row->value, row->value[0] ? "]" : "",
	    strcmp(row->key, row->flag) != 0 ? "; in a file: " : "",
	    strcmp(row->key, row->flag) != 0 ? row->key : "", row->env == NULL ? "" : "; ",
	    row->env == NULL ? "" : row->env);
	snprintf(flag, sizeof(flag), "--%s", row->flag);
	print_line("", &(struct line){flag, text});
}

void help_print_settings(void)
{
	folded_print(stdout,
	    "Each setting is a flag, --flag=value; in a file it is a line \"key = value\" below "
	    "its [section]. A flag overrides the environment, which overrides --config, which "
	    "overrides " SETTINGS_FILE ". Where that file exists, nobody can exceed it.",
	    0, WIDTH);
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_row *row = &setting_rows[i];
		if (i == 0 || strcmp(row->section, setting_rows[i - 1].section) != 0)
			printf("\n[%s]\n", row->section);
		print_setting(row);
	}
}

void help_greet(void)
{
	folded_print(stdout,
	    "rr-warden " RR_WARDEN_VERSION
	    " is an MCP server that gives coding agents rr's time-travel debugging. An agent's "
	    "host starts it and talks to it through pipes; in a terminal there is nobody to "
	    "serve. Type",
	    0, WIDTH);
	printf("\n"
	       "  rr-warden config claude   to add it to an agent's host (or codex, gemini,\n"
	       "                            cursor, vscode)\n"
	       "  rr-warden doctor          to see what works on this machine\n"
	       "  rr-warden --help          for everything else\n");
}
