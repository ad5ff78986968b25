/*
 * Sources that are not where the debug information says: moved with the program, moved elsewhere,
 * or gone. The directory in which the server was started makes no difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

/* An author's tree: the program in bin/, and its sources where they were when it was built. */
struct tree {
	char *folder, *trace, *program, *elsewhere;
	struct client *client;
};

static void copy(const char *from, const char *to, mode_t mode)
{
	char command[2048];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	if (system(command) != 0)
		harness_fail("%s", command);
	chmod(to, mode);
}

static void add_source(const char *folder, const char *name)
{
	char to[1024], from[1024];

	snprintf(to, sizeof(to), "%s/tests", folder);
	mkdir(to, 0755);
	snprintf(to, sizeof(to), "%s/tests/programs", folder);
	mkdir(to, 0755);
	snprintf(to, sizeof(to), "%s/tests/programs/%s", folder, name);
	snprintf(from, sizeof(from), "tests/programs/%s", name);
	copy(from, to, 0644);
}

static struct tree tree_open(const char *program, const char *source, const char *const *args)
{
	struct tree tree = {.folder = harness_scratch(0), .elsewhere = harness_scratch(0)};
	cleanup_free char *built = harness_program(program),
			  *bin = harness_path(tree.folder, "bin");

	mkdir(bin, 0755);
	tree.program = harness_path(bin, program);
	copy(built, tree.program, 0755);
	if (source)
		add_source(tree.folder, source);
	tree.trace = harness_path(tree.folder, "trace");
	tree.client =
	    client_start(&(struct client_options){.args = args, .directory = tree.elsewhere});
	client_tool_done(tree.client, "rr_record", "{s:[s], s:s}", "command", tree.program,
	    "trace_dir", tree.trace);
	free(client_replay(tree.client, tree.trace));
	return tree;
}

static void tree_close(struct tree *tree)
{
	client_end(tree->client);
	free(tree->program);
	free(tree->trace);
	harness_scratch_free(tree->folder);
	if (tree->elsewhere)
		harness_scratch_free(tree->elsewhere);
}

static json_t *run_to(struct tree *tree, const char *function)
{
	return client_tool(tree->client, "rr_continue", "{s:s}", "until", function);
}

static void expect_source(const json_t *stop, const char *line)
{
	cleanup_free char *text = answer_show(answer_at(stop, "source"));

	ck_assert_msg(strstr(text, line) != NULL, "%s", text);
}

START_TEST(sources_that_moved_with_the_program_are_shown)
{
	struct tree tree = tree_open("moved", "moved.c", NULL);
	json_auto_t *stop = run_to(&tree, "first");

	expect_source(stop, "the line of the first stop");
	expect_within(stop, "source_warning", tree.folder);
	json_auto_t *lines = client_tool(
	    tree.client, "rr_source_lines", "{s:s, s:i}", "file", "moved.c", "line", 14);
	cleanup_free char *text = answer_show(lines);
	ck_assert_ptr_nonnull(strstr(text, "the line of the second"));
	tree_close(&tree);
}
END_TEST

START_TEST(what_is_nowhere_is_said_once_with_the_remedy)
{
	struct tree tree = tree_open("moved", NULL, NULL);
	json_auto_t *stop = run_to(&tree, "first");

	ck_assert_ptr_null(answer_at(stop, "source"));
	expect_within(stop, "source_warning", "--source-dir");
	expect_all(run_to(&tree, "second"), ABSENT("source_warning"));
	tree_close(&tree);
}
END_TEST

START_TEST(a_directory_of_sources_that_the_server_was_given_is_looked_through)
{
	cleanup_scratch char *elsewhere = harness_scratch(0);
	char *flag = NULL;

	add_source(elsewhere, "moved.c");
	if (asprintf(&flag, "--source-dir=%s", elsewhere) < 0)
		harness_fail("out of memory");
	struct tree tree = tree_open("moved", NULL, (const char *const[]){flag, NULL});
	json_auto_t *stop = run_to(&tree, "first");
	expect_source(stop, "the line of the first stop");
	tree_close(&tree);
	free(flag);
}
END_TEST

/* No option shows a replay what is not there, and none mounts what a trace names. */
START_TEST(a_trace_whose_program_is_gone_names_a_remedy_that_helps)
{
	struct tree tree = tree_open("moved", "moved.c", NULL);

	client_end(tree.client);
	/* rr may have kept a link to it */
	harness_shell("rm -f '%s' '%s'/mmap_*_moved", tree.program, tree.trace);
	tree.client = client_start(&(struct client_options){.directory = tree.elsewhere});
	json_auto_t *failure = client_tool_fails(
	    tree.client, "rr_replay_start", "rr_failed", "{s:s}", "trace_dir", tree.trace);
	expect_within(failure, "hint", "put it back");
	cleanup_free char *hint = answer_show(answer_at(failure, "hint"));
	ck_assert_ptr_null(strstr(hint, "--source-dir"));
	tree_close(&tree);
}
END_TEST

/* Another file with the same relative name in the server's directory. */
START_TEST(the_directory_of_the_server_gives_no_sources)
{
	cleanup_scratch char *decoy = harness_scratch(0);
	char *file = NULL;

	add_source(decoy, "moved_relative.cc");
	file = harness_path(decoy, "tests/programs/moved_relative.cc");
	harness_write_file(file, "decoy\ndecoy\ndecoy\ndecoy\ndecoy\ndecoy\ndecoy\ndecoy\ndecoy\n"
				 "decoy\ndecoy\ndecoy\ndecoy\ndecoy\ndecoy\ndecoy\ndecoy\n");
	for (int i = 0; i < 2; i++) {
		struct tree tree = {.folder = harness_scratch(0)};
		cleanup_free char *built = harness_program("moved_relative");
		tree.program = harness_path(tree.folder, "moved_relative");
		copy(built, tree.program, 0755);
		if (i)
			add_source(tree.folder, "moved_relative.cc");
		tree.trace = harness_path(tree.folder, "trace");
		tree.client = client_start(&(struct client_options){.directory = decoy});
		client_tool_done(tree.client, "rr_record", "{s:[s], s:s}", "command", tree.program,
		    "trace_dir", tree.trace);
		free(client_replay(tree.client, tree.trace));
		json_auto_t *stop = run_to(&tree, "counter::next");
		if (i)
			expect_source(stop, "the line of the stop");
		else
			ck_assert_ptr_null(answer_at(stop, "source"));
		tree_close(&tree);
	}
	free(file);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {sources_that_moved_with_the_program_are_shown,
	    what_is_nowhere_is_said_once_with_the_remedy,
	    a_directory_of_sources_that_the_server_was_given_is_looked_through,
	    a_trace_whose_program_is_gone_names_a_remedy_that_helps,
	    the_directory_of_the_server_gives_no_sources, NULL};
	return scene_main("sources", tests, (const char *const[]){NULL});
}
