/*
 * See client_config.h. Only prints.
 */
#include "supervisor/commands/client_config.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"

#define EXIT_UNKNOWN   2
#define TOOL_TIMEOUT_S 600 /* a long search in a trace; the clients' own defaults are a minute */

/* For a host that puts every tool before its model. Not for Codex, which puts off some, and never
 * lists again: what is not listed would be lost to its model. */
#define SHORT_LIST "--tools=core"

/* What is printed: a line for a shell, TOML, or JSON with the server below a key. */
enum form { FORM_COMMAND, FORM_TOML, FORM_JSON };

/*
 * For each client, the ways to configure it, in the order of printing. `text` is the command before
 * the server's own, or the key in a JSON file.
 */
static const struct way {
	const char *client;
	const char *title; /* "" for commands */
	enum form form;
	const char *text;
	bool short_list; /* it puts every tool before its model, and lists again when told */
	bool typed;	 /* the client wants "type": "stdio" */
	int timeout_ms;	 /* "timeout" in JSON; 0: it has none */
} ways[] = {
    {"claude", "", FORM_COMMAND, "claude mcp add --scope user rr --", false, false, 0},
    {"claude", ".mcp.json of a project", FORM_JSON, "mcpServers", false, true, 0},
    {"codex", "", FORM_COMMAND, "codex mcp add rr --", false, false, 0},
    {"codex", "~/.codex/config.toml", FORM_TOML, "mcp_servers", false, false, 0},
    {"gemini", "~/.gemini/settings.json", FORM_JSON, "mcpServers", true, false,
	TOOL_TIMEOUT_S * 1000},
    {"cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project", FORM_JSON, "mcpServers",
	true, false, 0},
    {"vscode", ".vscode/mcp.json of a project", FORM_JSON, "servers", true, true, 0},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void print_known(FILE *to)
{
	for (size_t i = 0; i < WAYS; i++)
		if (i == 0 || strcmp(ways[i].client, ways[i - 1].client) != 0)
			fprintf(to, "%s%s", i == 0 ? "" : ", ", ways[i].client);
}

/* In single quotes if a shell would interpret it. */
static void print_word(const char *word)
{
	bool plain = word[0] != 0 && word[strcspn(word, " \t\n\"'\\$&|;<>()*?[]#~`!{}")] == 0;

	if (plain) {
		printf(" %s", word);
		return;
	}
	printf(" '");
	for (; *word != 0; word++) {
		if (*word == '\'')
			printf("'\\''");
		else
			putchar(*word);
	}
	printf("'");
}

static void print_json_text(const char *text)
{
	json_t *string = json_string(text);
	cleanup_free char *quoted = json_dumps(string, JSON_ENCODE_ANY);

	printf("%s", quoted == NULL ? "\"\"" : quoted);
	json_decref(string);
}

/* A basic string of TOML has the same form as one of JSON. */
static void print_toml(const struct way *way, const char *program, int count, char *const options[])
{
	printf("[%s.rr]\ncommand = ", way->text);
	print_json_text(program);
	printf("\nargs = [");
	for (int i = 0; i < count; i++) {
		printf(i == 0 ? "" : ", ");
		print_json_text(options[i]);
	}
	printf("]\ntool_timeout_sec = %d\n", TOOL_TIMEOUT_S);
}

/* Whether the options say already which tools are listed. */
static bool names_tools(int count, char *const options[])
{
	for (int i = 0; i < count; i++)
		if (strncmp(options[i], "--tools", strlen("--tools")) == 0)
			return true;
	return false;
}

static void print_json(const struct way *way, const char *program, int count, char *const options[])
{
	json_t *server = json_object(), *args = json_array();
	json_t *whole = json_pack("{s:{s:O}}", way->text, "rr", server);

	if (way->typed)
		json_object_set_new(server, "type", json_string("stdio"));
	json_object_set_new(server, "command", json_string(program));
	for (int i = 0; i < count; i++)
		json_array_append_new(args, json_string(options[i]));
	if (way->short_list && !names_tools(count, options))
		json_array_append_new(args, json_string(SHORT_LIST));
	json_object_set_new(server, "args", args);
	if (way->timeout_ms > 0)
		json_object_set_new(server, "timeout", json_integer(way->timeout_ms));
	json_dumpf(whole, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(server);
	json_decref(whole);
}

/* The first way of a client begins at the top. */
static void print_way(
    const struct way *way, bool first, const char *program, int count, char *const options[])
{
	if (way->title[0] != 0)
		printf("%s%s:\n\n", first ? "" : "\n", way->title);
	switch (way->form) {
	case FORM_COMMAND:
		printf("%s", way->text);
		print_word(program);
		for (int i = 0; i < count; i++)
			print_word(options[i]);
		printf("\n");
		break;
	case FORM_TOML:
		print_toml(way, program, count, options);
		break;
	case FORM_JSON:
		print_json(way, program, count, options);
		break;
	}
}

int client_config_run(const char *program, int argc, char *const argv[], int rest)
{
	bool known = false, is_text = scrub_is_text(program);

	for (int i = 1; i < rest; i++)
		is_text &= scrub_is_text(argv[i]);
	if (!is_text) {
		fprintf(stderr,
		    "rr-warden: the options and the path of this program must be UTF-8, "
		    "because configurations are\n");
		return EXIT_UNKNOWN;
	}
	for (size_t i = 0; argc == rest + 1 && i < WAYS; i++) {
		if (strcmp(ways[i].client, argv[rest]) == 0) {
			print_way(&ways[i], !known, program, rest - 2, argv + 1);
			known = true;
		}
	}
	if (known)
		return 0;
	fprintf(stderr, "rr-warden: config takes the name of one client: ");
	print_known(stderr);
	fprintf(stderr, "\n");
	return EXIT_UNKNOWN;
}
