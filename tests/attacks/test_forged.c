/*
 * The ledger of sources, which a recorded program can write, since it can write in the home: what
 * somebody adds to it uncovers nothing that a recording could not have added, and it is about one
 * trace only. Nor does a setting that names a tree uncover what is hidden in it. As ourselves and,
 * where we are root, as an ordinary user.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/attacks/stage.h"
#include "tests/runner.h"

static const int users[] = {0, AS_USER};

/* A program that says that its sources are these: what may be shown, and what may not. */
struct forgery {
	struct stage stage;
	char program[TEXT], plain[TEXT], key[TEXT], ledger[TEXT];
};

static const char shadow[] = "/etc/shadow";

static void build(struct forgery *forgery)
{
	const struct stage *stage = &forgery->stage;

	snprintf(forgery->program, TEXT, "%s/lures", stage->project);
	snprintf(forgery->plain, TEXT, "%s/plain.c", stage->project);
	snprintf(forgery->key, TEXT, "%s/.ssh/id_test", stage->home);
	snprintf(forgery->ledger, TEXT, "%s/.local/state/rr-warden", stage->home);
	harness_shell("cd '%s' && echo 'the plain line' >plain.c && "
		      "printf '#line 1 \"%%s\"\\nint plain(void) { return 0; }\\n"
		      "#line 1 \"%%s\"\\nint key(void) { return 0; }\\n"
		      "#line 1 \"%%s\"\\nint shadow(void) { return 0; }\\n"
		      "int main(void) { return plain() + key() + shadow(); }\\n' "
		      "'%s' '%s' '%s' >lures.c && cc -g -O0 -o lures lures.c && chown %u *",
	    stage->project, forgery->plain, forgery->key, shadow, (unsigned)stage->uid);
}

static struct forgery begin(int play)
{
	struct forgery forgery = {.stage = stage_open(play, NULL, NULL)};

	build(&forgery);
	/* another directory than that of the sources, which would be shown as the server's */
	client_end(forgery.stage.client);
	forgery.stage.client = client_start(&(struct client_options){
	    .uid = play & AS_USER ? NOBODY : 0, .home = forgery.stage.home, .directory = "/tmp"});
	client_tool_done(forgery.stage.client, "rr_record", "{s:[s], s:s}", "command",
	    forgery.program, "trace_dir", forgery.stage.trace);
	return forgery;
}

/* The sources that a replay of the trace shows. */
static void expect_shown(const struct forgery *forgery, const char *trace, bool plain)
{
	struct client *client = forgery->stage.client;
	static const char *const functions[] = {"plain", "key", "shadow"};

	json_decref(client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", trace));
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		json_auto_t *stop =
		    client_tool(client, "rr_continue", "{s:s}", "until", functions[i]);
		cleanup_free char *text = answer_show(stop);
		bool shown = answer_at(stop, "source") != NULL;
		ck_assert_msg(shown == (plain && i == 0), "%s: %s", functions[i], text);
	}
	client_tool_done(client, "rr_replay_stop", NULL);
}

static void expect_no_source(const struct forgery *forgery, const char *trace, const char *function)
{
	struct client *client = forgery->stage.client;

	json_decref(client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", trace));
	json_auto_t *stop = client_tool(client, "rr_continue", "{s:s}", "until", function);
	cleanup_free char *text = answer_show(stop);
	ck_assert_msg(strstr(text, function) != NULL && !answer_at(stop, "source"), "%s", text);
	client_tool_done(client, "rr_replay_stop", NULL);
}

static void forge(const struct forgery *forgery, const char *place)
{
	struct stat status;

	ck_assert_int_eq(stat(place, &status), 0);
	harness_shell("for f in '%s'/*; do printf 'S\\t%lld\\t%lld\\t%s\\t\\n' >>\"$f\"; done",
	    forgery->ledger, status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec,
	    (long long)status.st_size, place);
}

START_TEST(lines_added_to_the_ledger_uncover_nothing_hidden)
{
	if (!stage_can_play(users[_i]))
		return;
	struct forgery forgery = begin(users[_i]);

	expect_shown(&forgery, forgery.stage.trace, true);
	forge(&forgery, forgery.key);
	forge(&forgery, shadow);
	expect_shown(&forgery, forgery.stage.trace, true);
	stage_close(&forgery.stage);
}
END_TEST

START_TEST(a_ledger_is_about_one_directory_and_only_where_nobody_else_writes)
{
	if (!stage_can_play(users[_i]))
		return;
	struct forgery forgery = begin(users[_i]);
	cleanup_free char *moved = harness_path(forgery.stage.home, "moved");
	const char *trace = forgery.stage.trace;

	/* the same trace elsewhere, and a copy with its uuid in its place */
	harness_shell("mv '%s' '%s' && cp -a '%s' '%s'", trace, moved, moved, trace);
	expect_shown(&forgery, trace, false);
	expect_shown(&forgery, moved, true);
	/* the ledger of another trace under this one's name */
	harness_shell("cd '%s' && cp -p * \"$(stat -c '%%D-%%i' '%s' | tr -d ' ' | "
		      "sed 's/^\\(.*\\)-\\(.*\\)$/\\1 \\2/' | "
		      "while read d i; do printf '%%s-%%x' $d $i; done)\"",
	    forgery.ledger, trace);
	expect_shown(&forgery, trace, false);
	harness_shell("chmod 777 '%s'", forgery.ledger);
	expect_shown(&forgery, moved, false);
	harness_shell("chmod 700 '%s' && mv '%s' '%s/other' && ln -s '%s/other' '%s'",
	    forgery.ledger, forgery.ledger, forgery.stage.home, forgery.stage.home, forgery.ledger);
	expect_shown(&forgery, moved, false);
	stage_close(&forgery.stage);
}
END_TEST

START_TEST(a_directory_of_sources_uncovers_nothing_hidden_in_it)
{
	static const char *const trees[] = {"/", "/etc", "/etc/shadow"};

	if (!stage_can_play(users[_i]))
		return;
	struct forgery forgery = begin(users[_i]);

	for (size_t i = 0; i < sizeof(trees) / sizeof(*trees); i++) {
		char option[TEXT];
		snprintf(option, sizeof(option), "--source-dir=%s", trees[i]);
		client_end(forgery.stage.client);
		forgery.stage.client = client_start(
		    &(struct client_options){.args = (const char *const[]){option, NULL},
			.uid = users[_i] & AS_USER ? NOBODY : 0,
			.home = forgery.stage.home,
			.directory = "/tmp"});
		expect_shown(&forgery, forgery.stage.trace, true);
	}
	stage_close(&forgery.stage);
}
END_TEST

/* A trace that names a program of ~/.docker, as an import can: nothing beside it is a source, with
 * the ledger of the trace's own recording and without, wherever the server was started. */
START_TEST(a_program_below_a_dotted_name_makes_nothing_there_a_source)
{
	char plugins[TEXT], config[TEXT], copy[TEXT];

	if (!stage_can_play(users[_i]))
		return;
	struct forgery forgery = begin(users[_i]);
	struct stage *stage = &forgery.stage;
	snprintf(plugins, sizeof(plugins), "%s/.docker/cli-plugins", stage->home);
	snprintf(config, sizeof(config), "%s/.docker/config.json", stage->home);
	snprintf(copy, sizeof(copy), "%s/copy", stage->home);
	harness_shell("mkdir -p '%s' && cd '%s' && echo %s >../config.json && "
		      "printf '#line 1 \"%%s\"\nint key(void) { return 0; }\n"
		      "int main(void) { return key(); }\n' '%s' >x.c && cc -g -O0 -o x x.c && "
		      "chown -R %u ..",
	    plugins, plugins, SECRET, config, (unsigned)stage->uid);
	snprintf(forgery.program, TEXT, "%s/.docker/cli-plugins/x", stage->home);
	client_tool_done(stage->client, "rr_rm", "{s:s}", "trace_dir", stage->trace);
	client_tool_done(stage->client, "rr_record", "{s:[s], s:s}", "command", forgery.program,
	    "trace_dir", stage->trace);
	harness_shell("cp -a '%s' '%s'", stage->trace, copy);
	expect_no_source(&forgery, stage->trace, "key");
	expect_no_source(&forgery, copy, "key");
	client_end(stage->client);
	stage->client = client_start(&(struct client_options){
	    .uid = users[_i] & AS_USER ? NOBODY : 0, .home = stage->home, .directory = plugins});
	expect_no_source(&forgery, copy, "key");
	stage_close(stage);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {lines_added_to_the_ledger_uncover_nothing_hidden, TIMES(users)},
	    {a_ledger_is_about_one_directory_and_only_where_nobody_else_writes, TIMES(users)},
	    {a_directory_of_sources_uncovers_nothing_hidden_in_it, TIMES(users)},
	    {a_program_below_a_dotted_name_makes_nothing_there_a_source, TIMES(users)},
	    {NULL, 0},
	};

	return scene_main_loops("forged", tests, (const char *const[]){NULL});
}
