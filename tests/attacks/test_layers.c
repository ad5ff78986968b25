/*
 * What the processes of a session, a recording and the server are by the kernel's own word; and
 * what is done and said where the kernel does not give a layer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"

#define PROGRAM	    "many_watch"
#define WORKER	    "rr-warden-worke" /* as comm cuts it */
#define SCRIPT_MAX  4096
#define SAID_MAX    65536
#define CAP_SETFCAP (1ULL << 31) /* root's launcher needs it to map uid 0 */

/* ---- The kernel's word ---------------------------------------------------------------------- */

static char *status_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return harness_file(path);
}

/* How many filters a process has, those of who started it among them. */
static int filters_of(pid_t pid)
{
	static const char name[] = "Seccomp_filters:\t";
	char *status = status_of(pid), *line = status ? strstr(status, name) : NULL;
	int count = line ? (int)strtol(line + sizeof(name) - 1, NULL, 10) : 0;

	free(status);
	return count;
}

static void check_confined(const struct census_process *process)
{
	static const char *const lines[] = {"NoNewPrivs:\t1\n", "Seccomp:\t2\n",
	    "CapEff:\t0000000000000000\n", "CapPrm:\t0000000000000000\n",
	    "CapBnd:\t0000000000000000\n", "CapAmb:\t0000000000000000\n"};
	cleanup_free char *status = status_of(process->pid);

	ck_assert_ptr_nonnull(status);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		ck_assert_msg(strstr(status, lines[i]) != NULL, "%s (%d) is not %s%s",
		    process->name, (int)process->pid, lines[i], status);
}

/* A recording has its user's network. */
static void check_namespaces(const struct census_process *process, bool network)
{
	static const char *const names[] = {"net", "user", "pid", "mnt", "ipc", "uts"};
	char path[64], theirs[64], ours[64];

	for (size_t i = network ? 0 : 1; i < sizeof(names) / sizeof(*names); i++) {
		memset(theirs, 0, sizeof(theirs));
		memset(ours, 0, sizeof(ours));
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)process->pid, names[i]);
		ck_assert_int_gt(readlink(path, theirs, sizeof(theirs) - 1), 0);
		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		ck_assert_int_gt(readlink(path, ours, sizeof(ours) - 1), 0);
		ck_assert_msg(strcmp(theirs, ours) != 0, "%s has our %s", process->name, names[i]);
	}
}

/* The worker and all that is below it; returns how many they are. */
static size_t check_all_below(pid_t worker, bool network)
{
	struct census_process itself = {.pid = worker, .name = "the worker"};
	struct census census;
	size_t count = 0;

	census_take(worker, &census);
	check_confined(&itself);
	check_namespaces(&itself, network);
	for (size_t i = 0; i < census.count; i++) {
		if (census.processes[i].state == 'Z')
			continue;
		check_confined(&census.processes[i]);
		check_namespaces(&census.processes[i], network);
		count++;
	}
	return count;
}

START_TEST(the_kernel_confirms_the_layers_of_every_process_of_a_session)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	pid_t worker = census_find(client_pid(scene.client), WORKER, 0);

	scene_run_to(&scene, "count_up");
	ck_assert_int_gt(worker, 0);
	ck_assert_uint_ge(check_all_below(worker, true), 3); /* rr, gdb, the tracee */
	ck_assert_int_gt(census_find(worker, "rr", 0), 0);
	ck_assert_int_gt(census_find(worker, "gdb", 0), 0);
}
END_TEST

/* A process with several images has one beside its worker that can start rr again. */
START_TEST(the_kernel_confirms_the_layers_of_the_process_that_starts_rr_again)
{
	cleanup_scene struct scene scene = scene_open("exec_self", NULL);
	pid_t worker = census_find(client_pid(scene.client), WORKER, 0);

	pid_t starter = census_find(worker, "rr-starter", 0);
	pid_t launcher = census_child(census_child(client_pid(scene.client)));
	ck_assert_int_gt(starter, 0);
	ck_assert_int_gt(filters_of(starter), filters_of(launcher));
	ck_assert_uint_ge(check_all_below(worker, true), 3); /* rr, gdb, the starter */
}
END_TEST

START_TEST(the_kernel_confirms_the_layers_of_every_process_of_a_recording)
{
	cleanup_place struct place place = place_open();
	long long id = place_record_sleep(&place);
	pid_t worker = census_find(client_pid(place.client), WORKER, 0);
	ck_assert_int_gt(worker, 0);
	ck_assert_uint_ge(check_all_below(worker, false), 2); /* rr, the program */
	client_cancel(place.client, id);
}
END_TEST

static unsigned long long capabilities(const char *status, const char *set)
{
	const char *line = strstr(status, set);

	ck_assert_ptr_nonnull(line);
	return strtoull(line + strlen(set), NULL, 16);
}

START_TEST(supervisor_keeper_and_launcher_are_filtered_and_have_no_privileges)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	pid_t server = client_pid(scene.client);
	pid_t pids[] = {server, census_child(server), census_child(census_child(server))};

	for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
		/* as root the keeper and the launcher keep the one that names root in a namespace
		 */
		unsigned long long may = i > 0 && geteuid() == 0 ? CAP_SETFCAP : 0;
		cleanup_free char *status = status_of(pids[i]);
		ck_assert_ptr_nonnull(strstr(status, "NoNewPrivs:\t1\n"));
		ck_assert_ptr_nonnull(strstr(status, "Seccomp:\t2\n"));
		ck_assert_uint_eq(capabilities(status, "CapEff:\t") & ~may, 0);
		ck_assert_uint_eq(capabilities(status, "CapPrm:\t") & ~may, 0);
		ck_assert_uint_eq(capabilities(status, "CapAmb:\t"), 0);
		/* only who has privileges can take from the bounding set */
		if (geteuid() == 0)
			ck_assert_uint_eq(capabilities(status, "CapBnd:\t") & ~may, 0);
	}
}
END_TEST

/* ---- Where the kernel gives less ------------------------------------------------------------- */

/* A script that starts the server by another program. */
static char *wrapped_server(const char *folder, const char *by)
{
	char *path = harness_path(folder, "server");
	char text[SCRIPT_MAX];

	snprintf(text, sizeof(text), "#!/bin/sh\nexec %s '%s' \"$@\"\n", by, harness_server());
	harness_write_file(path, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
	return path;
}

static char *server_without_spaces(const char *folder)
{
	cleanup_free char *wrapper = harness_program("../doubles/no_spaces");
	char by[SCRIPT_MAX];

	snprintf(by, sizeof(by), "'%s'", wrapper);
	return wrapped_server(folder, by);
}

static bool spaces_can_be_taken(void)
{
	cleanup_free char *wrapper = harness_program("../doubles/no_spaces");
	char command[SCRIPT_MAX];

	snprintf(command, sizeof(command), "'%s' /bin/true", wrapper);
	if (system(command) == 0)
		return true;
	puts("skipped: this machine has no user namespaces to take away");
	return false;
}

static const char *const given_with_spaces[] = {
    "user_ns", "pid_ns", "net_ns", "mount_ns", "ipc_ns", "uts_ns"};

/* Each namespace is said to be missing, with a reason; the others are there. */
static void expect_degraded(const json_t *sandbox)
{
	char path[64];

	expect_text(sandbox, "level", "degraded");
	for (size_t i = 0; i < sizeof(given_with_spaces) / sizeof(*given_with_spaces); i++) {
		snprintf(path, sizeof(path), "layers.%s", given_with_spaces[i]);
		ck_assert_str_ne(answer_text(sandbox, path), "full");
		ck_assert_str_ne(answer_text(sandbox, path), "off");
		ck_assert_str_ne(answer_text(sandbox, path), "");
	}
	expect_text(sandbox, "layers.seccomp", "full");
	expect_text(sandbox, "layers.no_new_privs", "full");
	expect_text(sandbox, "layers.capabilities", "full");
}

START_TEST(without_namespaces_a_replay_is_refused_for_its_open_port)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *server = server_without_spaces(folder);
	cleanup_client struct client *client =
	    client_start(&(struct client_options){.server = server});
	expect_answer_within(client_tool_fails(client, "rr_replay_start", NULL, "{s:s}",
				 "trace_dir", scene_trace(PROGRAM)),
	    "message", "net_ns");
	json_t *status = client_tool(client, "rr_status", NULL); /* asks, and listens nowhere */
	expect_degraded(answer_at(status, "sandbox"));
	cleanup_free char *advice = answer_show(answer_at(status, "advice"));
	ck_assert_ptr_nonnull(strstr(advice, "net_ns"));
	json_decref(status);
}
END_TEST

/* What is left, filters and Landlock, keeps code out of the program from the outside. */
static void expect_contained(struct scene *scene)
{
	struct witness witness = witness_new();
	char text[SCRIPT_MAX];

	snprintf(text, sizeof(text), "(int)mkdir(\"%s/made\", 0777)", witness.folder);
	json_decref(client_wait(scene->client,
	    client_tool_send(scene->client, "rr_evaluate",
		json_pack("{s:s, s:b}", "expression", text, "allow_calls", 1)),
	    60));
	witness_end(&witness);
}

START_TEST(without_namespaces_the_setting_prefer_goes_on_and_says_so)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *server = server_without_spaces(folder);
	struct client *client = client_start(&(struct client_options){.server = server,
	    .args = (const char *const[]){
		"--sandbox-net_ns=prefer", "--allow-calls", "--timeout-eval=10", NULL}});
	json_auto_t *started =
	    client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	cleanup_scene struct scene scene = {client, strdup(answer_text(started, "session"))};

	expect_degraded(answer_at(started, "sandbox"));
	pid_t worker = census_find(client_pid(client), WORKER, 0);
	struct census census;
	scene_run_to(&scene, "count_up");
	census_take(worker, &census);
	ck_assert_uint_ge(census.count, 3);
	for (size_t i = 0; i < census.count; i++)
		if (census.processes[i].state != 'Z')
			check_confined(&census.processes[i]);
	expect_contained(&scene);
}
END_TEST

START_TEST(a_required_layer_that_is_missing_ends_everything_below)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *server = server_without_spaces(folder);
	cleanup_client struct client *client = client_start(&(struct client_options){
	    .server = server, .args = (const char *const[]){"--sandbox-mount_ns=require", NULL}});
	static const char *const tools[] = {"rr_replay_start", "rr_traceinfo"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		expect_answer_within(client_tool_fails(client, tools[i], NULL, "{s:s}", "trace_dir",
					 scene_trace(PROGRAM)),
		    "message", "_ns");
	}
	ck_assert_int_eq(census_find(client_pid(client), WORKER, 0), 0);
}
END_TEST

START_TEST(the_doctor_says_which_layers_are_missing)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *server = server_without_spaces(folder);
	char command[SCRIPT_MAX], said[SAID_MAX];

	snprintf(command, sizeof(command), "'%s' doctor", server);
	FILE *doctor = popen(command, "re");
	ck_assert_ptr_nonnull(doctor);
	said[fread(said, 1, sizeof(said) - 1, doctor)] = '\0';
	pclose(doctor);
	for (size_t i = 0; i < sizeof(given_with_spaces) / sizeof(*given_with_spaces); i++) {
		const char *layer = given_with_spaces[i], *without = strstr(said, "without ");
		ck_assert_msg(
		    without != NULL && strstr(without, layer) != NULL, "no %s in %s", layer, said);
	}
}
END_TEST

START_TEST(in_a_container_that_allows_them_all_layers_are_there)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *server = wrapped_server(folder, "unshare -Urmn --");
	cleanup_client struct client *client =
	    client_start(&(struct client_options){.server = server});
	expect_answer(
	    client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM)),
	    "sandbox.level", "full");
	ck_assert_uint_ge(check_all_below(census_find(client_pid(client), WORKER, 0), true), 3);
}
END_TEST

START_TEST(layers_that_are_off_are_said_to_be_off)
{
	cleanup_client struct client *client = client_start(&(struct client_options){
	    .args = (const char *const[]){"--sandbox-landlock=off", "--sandbox-uts_ns=off", NULL}});
	json_auto_t *started =
	    client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));

	expect_text(started, "sandbox.layers.landlock", "off");
	expect_text(started, "sandbox.layers.uts_ns", "off");
	expect_text(started, "sandbox.layers.seccomp", "full");
	ck_assert_str_ne(answer_text(started, "sandbox.level"), "full");
}
END_TEST

int main(void)
{
	const TTest *const with_spaces[] = {
	    the_kernel_confirms_the_layers_of_every_process_of_a_session,
	    the_kernel_confirms_the_layers_of_the_process_that_starts_rr_again,
	    the_kernel_confirms_the_layers_of_every_process_of_a_recording,
	    supervisor_keeper_and_launcher_are_filtered_and_have_no_privileges,
	    in_a_container_that_allows_them_all_layers_are_there,
	    layers_that_are_off_are_said_to_be_off, NULL};
	const TTest *const without[] = {without_namespaces_a_replay_is_refused_for_its_open_port,
	    without_namespaces_the_setting_prefer_goes_on_and_says_so,
	    a_required_layer_that_is_missing_ends_everything_below,
	    the_doctor_says_which_layers_are_missing, NULL};
	const char *const programs[] = {PROGRAM, "exec_self", NULL};
	int failed = scene_main("layers", with_spaces, programs);

	if (spaces_can_be_taken())
		failed |= scene_main("layers without namespaces", without, programs);
	return failed;
}
