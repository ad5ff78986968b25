/*
 * Crafted traces: a real one, damaged in hundreds of ways. The server lives and answers clearly and
 * in time, nothing escapes, and a session on a sound trace does not notice.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"

#define PROGRAM	   "exit_code"
#define MUTATIONS  500
#define REPLAYED   9 /* every ninth is replayed too; all of them by `make check-attacks` */
#define LOOK_EVERY 50
#define BOUND_S	   60.0 /* far above the limits given to the server, for slow machines */
#define FILES_MAX  16
#define FILE_MAX   (1 << 20)
#define RUBBISH	   65536

struct file {
	char name[64];
	unsigned char *bytes;
	size_t size;
};

struct trace {
	struct file files[FILES_MAX];
	size_t count;
};

/* The same damage in every run, so that findings can be repeated. */
static unsigned long long state;

static size_t below(size_t bound)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return bound == 0 ? 0 : (size_t)(state % bound);
}

/* ---- Kinds of damage ------------------------------------------------------------------------ */

static void flip_bit(struct trace *trace, struct file *file)
{
	(void)trace;
	if (file->size > 0)
		file->bytes[below(file->size)] ^= (unsigned char)(1u << below(8));
}

static void scatter(struct trace *trace, struct file *file)
{
	(void)trace;
	for (int i = 0; i < 16 && file->size > 0; i++)
		file->bytes[below(file->size)] = (unsigned char)below(256);
}

static void truncate_file(struct trace *trace, struct file *file)
{
	(void)trace;
	file->size = below(file->size);
}

/* A block begins with its compressed and its uncompressed length. */
static void claim_huge_block(struct trace *trace, struct file *file)
{
	(void)trace;
	if (file->size >= 8)
		memset(file->bytes + 4 * below(2), below(2) ? 0xff : 0x7f, 4);
}

static void claim_huge_length(struct trace *trace, struct file *file)
{
	(void)trace;
	if (file->size >= 8)
		memset(file->bytes + below(file->size - 7), 0xff, 8);
}

static void clear_run(struct trace *trace, struct file *file)
{
	size_t from = below(file->size);

	(void)trace;
	for (size_t i = from; i < file->size && i < from + 64; i++)
		file->bytes[i] = 0;
}

static void repeat_run(struct trace *trace, struct file *file)
{
	size_t from = below(file->size);

	(void)trace;
	memmove(file->bytes + from / 2, file->bytes + from, file->size - from);
}

static void append_rubbish(struct trace *trace, struct file *file)
{
	(void)trace;
	for (int i = 0; i < RUBBISH && file->size < FILE_MAX; i++)
		file->bytes[file->size++] = (unsigned char)below(256);
}

static void swap_with_another(struct trace *trace, struct file *file)
{
	struct file *other = &trace->files[below(trace->count)];
	struct file kept = *file;

	file->bytes = other->bytes;
	file->size = other->size;
	other->bytes = kept.bytes;
	other->size = kept.size;
}

static void leave_out(struct trace *trace, struct file *file)
{
	(void)trace;
	file->name[0] = '\0';
}

static const struct {
	const char *name;
	void (*damage)(struct trace *, struct file *);
} kinds[] = {
    {"a bit flipped", flip_bit},
    {"bytes scattered", scatter},
    {"truncated", truncate_file},
    {"a huge block", claim_huge_block},
    {"a huge length", claim_huge_length},
    {"a run of zeros", clear_run},
    {"a run repeated", repeat_run},
    {"rubbish behind the end", append_rubbish},
    {"two files swapped", swap_with_another},
    {"a file missing", leave_out},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* ---- The trace as files --------------------------------------------------------------------- */

static void read_file(const char *folder, struct file *file)
{
	cleanup_free char *path = harness_path(folder, file->name);
	FILE *opened = fopen(path, "re");

	file->bytes = malloc(FILE_MAX + RUBBISH);
	ck_assert(opened != NULL && file->bytes != NULL);
	file->size = fread(file->bytes, 1, FILE_MAX, opened);
	fclose(opened);
}

static void read_trace(const char *folder, struct trace *trace)
{
	DIR *opened = opendir(folder);

	ck_assert_ptr_nonnull(opened);
	trace->count = 0;
	for (struct dirent *entry; (entry = readdir(opened)) != NULL;) {
		if (entry->d_name[0] == '.' || trace->count == FILES_MAX)
			continue;
		struct file *file = &trace->files[trace->count++];
		snprintf(file->name, sizeof(file->name), "%.60s", entry->d_name);
		read_file(folder, file);
	}
	closedir(opened);
	ck_assert_uint_ge(trace->count, 5);
}

static void free_trace(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++)
		free(trace->files[i].bytes);
}

/* Writes the trace with the damage of that number: one kind in one file. Returns the kind's name.
 */
static const char *write_damaged(struct trace *trace, size_t number, const char *folder)
{
	size_t kind = number % KINDS;

	mkdir(folder, 0700);
	kinds[kind].damage(trace, &trace->files[number / KINDS % trace->count]);
	for (size_t i = 0; i < trace->count; i++) {
		const struct file *file = &trace->files[i];
		cleanup_free char *path = harness_path(folder, file->name);
		FILE *opened = file->name[0] == '\0' ? NULL : fopen(path, "we");
		if (opened != NULL) {
			fwrite(file->bytes, 1, file->size, opened);
			fclose(opened);
		}
	}
	return kinds[kind].name;
}

/* ---- The attack ----------------------------------------------------------------------------- */

struct attack {
	struct client *client;
	const char *kind;
	size_t number, answered, refused;
};

/* A result, or an error with a code and a message. Returns whether it was a result. */
static bool expect_clear_answer(struct attack *attack, long long id, const char *tool)
{
	json_auto_t *answer = client_wait(attack->client, id, BOUND_S);
	json_t *content = answer_at(answer, "result.structuredContent");
	bool failed = json_is_true(answer_at(answer, "result.isError"));

	if (answer == NULL)
		harness_fail(
		    "mutation %zu (%s): %s was not answered", attack->number, attack->kind, tool);
	if (content == NULL || (failed && (strcmp(answer_text(content, "code"), "internal") == 0 ||
					      answer_text(content, "message")[0] == '\0'))) {
		char *shown = answer_show(answer);
		harness_fail("mutation %zu (%s): %s is not clear: %s", attack->number, attack->kind,
		    tool, shown);
	}
	attack->answered++;
	attack->refused += failed;
	return !failed;
}

static void ask(struct attack *attack, const char *folder)
{
	long long info = client_tool_send(
	    attack->client, "rr_traceinfo", json_pack("{s:s}", "trace_dir", folder));
	long long ps =
	    client_tool_send(attack->client, "rr_ps", json_pack("{s:s}", "trace_dir", folder));

	expect_clear_answer(attack, info, "rr_traceinfo");
	expect_clear_answer(attack, ps, "rr_ps");
}

static void replay(struct attack *attack, const char *folder)
{
	json_t *args = json_pack("{s:s}", "trace_dir", folder);
	json_auto_t *answer = client_wait(
	    attack->client, client_tool_send(attack->client, "rr_replay_start", args), BOUND_S);
	const char *session =
	    json_string_value(answer_at(answer, "result.structuredContent.session"));

	if (answer == NULL)
		harness_fail("mutation %zu (%s): rr_replay_start was not answered", attack->number,
		    attack->kind);
	if (session != NULL && !json_is_true(answer_at(answer, "result.isError"))) {
		json_t *run = json_pack("{s:s}", "session", session);
		expect_clear_answer(attack,
		    client_tool_send(attack->client, "rr_continue", json_incref(run)),
		    "rr_continue");
		expect_clear_answer(attack, client_tool_send(attack->client, "rr_replay_stop", run),
		    "rr_replay_stop");
	}
}

static void attack_once(struct attack *attack, const char *sound, const char *folder)
{
	struct trace trace;

	state = 0x9e3779b97f4a7c15ULL * (attack->number + 1);
	read_trace(sound, &trace);
	attack->kind = write_damaged(&trace, attack->number, folder);
	ask(attack, folder);
	if (getenv("ATTACKS") != NULL || attack->number % REPLAYED == 0)
		replay(attack, folder);
	free_trace(&trace);
}

START_TEST(a_crafted_trace_is_answered_clearly_and_in_time_and_nothing_else)
{
	static const char *const args[] = {"--timeout-startup=5", "--timeout-connect=5",
	    "--timeout-forward=5", "--memory=8G", NULL};
	struct witness witness = witness_new();
	struct scene scene = scene_open(PROGRAM, &(struct client_options){.args = args});
	struct attack attack = {.client = scene.client};
	cleanup_scratch char *scratch = harness_scratch(0);
	char name[32];

	witness_count(&witness, client_pid(scene.client));
	for (; attack.number < MUTATIONS; attack.number++) {
		snprintf(name, sizeof(name), "m%zu", attack.number);
		cleanup_free char *folder = harness_path(scratch, name);
		attack_once(&attack, scene_trace(PROGRAM), folder);
		if (attack.number % LOOK_EVERY == 0) {
			witness_look(&witness, client_pid(scene.client));
			expect_alive(scene.client, scene.session);
		}
	}
	fprintf(stderr, "%zu answers, %zu of them errors\n", attack.answered, attack.refused);
	ck_assert_uint_gt(attack.refused, 100); /* or the damage was none */
	witness_look(&witness, client_pid(scene.client));
	expect_alive(scene.client, scene.session);
	scene_close(&scene);
	witness_end(&witness);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_crafted_trace_is_answered_clearly_and_in_time_and_nothing_else, NULL};

	witness_alone();
	return scene_main("crafted traces", tests, (const char *const[]){PROGRAM, NULL});
}
