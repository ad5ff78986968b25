/*
 * `rr-warden config CLIENT` prints what the client's own parser accepts: JSON with this program's
 * path and the given options, and shell words that survive the shell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define COMMAND_MAX 8192
#define ODD_OPTION  "--trace-dir=/it's here/$HOME"

/* The output of a shell command; *status is its exit status. */
static const char *output_of(const char *command, int *status)
{
	static char text[COMMAND_MAX];
	FILE *pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	text[fread(text, 1, sizeof(text) - 1, pipe)] = 0;
	int ended = pclose(pipe);
	ck_assert(WIFEXITED(ended));
	*status = WEXITSTATUS(ended);
	return text;
}

static const char *config_of(const char *client, int *status)
{
	char command[COMMAND_MAX];
	snprintf(command, sizeof(command),
	    "'%s' --pmu=software \"--trace-dir=/it's here/\\$HOME\" "
	    "config %s 2>&1",
	    harness_server(), client);
	return output_of(command, status);
}

static const struct {
	const char *client, *key;
	bool short_list; /* puts every tool before its model */
} json_clients[] = {{"claude", "mcpServers", false}, {"gemini", "mcpServers", true},
    {"cursor", "mcpServers", true}, {"vscode", "servers", true}};

START_TEST(a_file_names_this_program_with_its_options)
{
	int status;
	const char *text = strchr(config_of(json_clients[_i].client, &status), '{');
	ck_assert_int_eq(status, 0);
	ck_assert_ptr_nonnull(text);
	json_auto_t *file = json_loads(text, 0, NULL);
	const json_t *server = json_object_get(json_object_get(file, json_clients[_i].key), "rr");
	ck_assert_int_eq(access(answer_text(server, "command"), X_OK), 0);
	expect_text(server, "args.0", "--pmu=software");
	expect_text(server, "args.1", ODD_OPTION);
	ck_assert_int_eq(answer_count(server, "args"), json_clients[_i].short_list ? 3 : 2);
	if (json_clients[_i].short_list)
		expect_text(server, "args.2", "--tools=core");
}
END_TEST

START_TEST(who_chooses_the_tools_is_not_overruled)
{
	char command[COMMAND_MAX];
	int status;

	snprintf(command, sizeof(command), "'%s' --tools=all config gemini", harness_server());
	const char *text = strchr(output_of(command, &status), '{');
	json_auto_t *file = json_loads(text, 0, NULL);
	expect_text(file, "mcpServers.rr.args.0", "--tools=all");
	ck_assert_int_eq(answer_count(file, "mcpServers.rr.args"), 1);
}
END_TEST

START_TEST(a_command_survives_the_shell)
{
	int status;
	char command[COMMAND_MAX];
	const char *text = config_of("codex", &status);
	snprintf(command, sizeof(command), "set -- %.*s; eval printf '%%s' '\"$'$#'\"'",
	    (int)strcspn(text, "\n"), text);
	ck_assert_str_eq(output_of(command, &status), ODD_OPTION);
}
END_TEST

START_TEST(an_unknown_client_is_refused_with_the_known_ones)
{
	int status;
	const char *text = config_of("emacs", &status);
	ck_assert_int_eq(status, 2);
	ck_assert_ptr_nonnull(strstr(text, "claude, codex, gemini, cursor, vscode"));
}
END_TEST

/* JSON cannot have it, and left out it would be another configuration. */
START_TEST(an_option_that_is_no_utf_8_is_refused)
{
	char command[COMMAND_MAX];
	int status;
	snprintf(command, sizeof(command),
	    "'%s' \"--trace-dir=/tmp/$(printf '\\377')\" config claude 2>&1", harness_server());
	const char *text = output_of(command, &status);
	ck_assert_int_eq(status, 2);
	ck_assert_msg(strstr(text, "must be UTF-8") != NULL, "%s", text);
	ck_assert_ptr_null(strchr(text, '{'));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_file_names_this_program_with_its_options, TIMES(json_clients)},
	    {who_chooses_the_tools_is_not_overruled, 1},
	    {a_command_survives_the_shell, 1},
	    {an_unknown_client_is_refused_with_the_known_ones, 1},
	    {an_option_that_is_no_utf_8_is_refused, 1},
	    {NULL, 0},
	};

	return scene_main_loops("client config", tests, (const char *const[]){NULL});
}
