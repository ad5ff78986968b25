/*
 * See stage.h.
 */
#include "tests/attacks/stage.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/runner.h"

bool stage_can_play(int play)
{
	char *wrapper, command[TEXT];
	bool can;

	if (play & AS_USER && geteuid() != 0)
		return false;
	if (!(play & NO_NAMESPACES))
		return true;
	wrapper = harness_program("../doubles/no_spaces");
	snprintf(command, sizeof(command), "'%s' /bin/true", wrapper);
	can = system(command) == 0;
	free(wrapper);
	return can;
}

/* The server as this play needs it. */
static char *server_of(const char *folder, int play, const char *server)
{
	char *wrapper, *path, *whole, text[TEXT];

	if (!(play & NO_NAMESPACES))
		return strdup(server);
	wrapper = harness_program("../doubles/no_spaces");
	path = harness_path(folder, "server");
	whole = realpath(server, NULL);
	ck_assert_ptr_nonnull(whole);
	snprintf(text, sizeof(text), "#!/bin/sh\nexec '%s' '%s' \"$@\"\n", wrapper, whole);
	harness_write_file(path, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
	free(wrapper);
	free(whole);
	return path;
}

/* The program is built where its source lies, as a user would. */
static void furnish(struct stage *stage, int play)
{
	char *source = harness_program("../../../tests/programs/" STAGE_PROGRAM ".c");

	harness_shell("cd '%s' && mkdir real && mkdir -p real/.ssh real/work && ln -s real home",
	    stage->folder);
	harness_shell(
	    "cd '%s/real' && echo %s | tee .ssh/id_test notes.txt work/.env >.bash_history",
	    stage->folder, SECRET);
	harness_shell(
	    "cd '%s/real/work' && cp '%s' . && cc -g -O0 -o reach reach.c", stage->folder, source);
	harness_shell("chmod 755 '%s' && chown -R %u '%s'", stage->folder, (unsigned)stage->uid,
	    stage->folder);
	free(source);
	stage->home = harness_path(stage->folder, play & LINKED_HOME ? "home" : "real");
	stage->project = harness_path(stage->home, "work");
	stage->program = harness_path(stage->project, "reach");
	stage->trace = harness_path(stage->home, "trace");
}

static struct client *start_in_project(
    const struct stage *stage, int play, struct client_options options)
{
	char *server = server_of(stage->folder, play, options.server);
	struct client *client;

	options.server = server;
	options.home = stage->home;
	options.directory = stage->project;
	options.uid = play & AS_USER ? NOBODY : 0;
	client = client_start(&options);
	free(server);
	return client;
}

struct client *stage_client(
    const struct stage *stage, int play, const char *const *args, const char *const *env)
{
	return start_in_project(stage, play,
	    (struct client_options){.server = harness_server(), .args = args, .env = env});
}

struct client *stage_tree_client(
    const struct stage *stage, int play, const char *tree, const char *const *args, bool raw)
{
	char *server = harness_path(tree, "bin/rr-warden");
	struct client *client = start_in_project(
	    stage, play, (struct client_options){.server = server, .args = args, .raw = raw});

	free(server);
	return client;
}

struct stage stage_open(int play, const char *const *args, const char *const *env)
{
	struct stage stage = {.uid = play & AS_USER ? NOBODY : 0};

	stage.folder = harness_scratch(stage.uid);
	if (!stage.uid)
		stage.uid = geteuid();
	furnish(&stage, play);
	stage.client = stage_client(&stage, play, args, env);
	return stage;
}

void stage_close(struct stage *stage)
{
	client_end(stage->client);
	harness_scratch_free(stage->folder);
	free(stage->home);
	free(stage->project);
	free(stage->program);
	free(stage->trace);
	free(stage->session);
}

json_t *stage_record(struct stage *stage)
{
	return client_tool(stage->client, "rr_record", "{s:[s], s:s}", "command", stage->program,
	    "trace_dir", stage->trace);
}

void stage_replay(struct stage *stage)
{
	json_decref(stage_record(stage));
	stage->session = client_replay(stage->client, stage->trace);
	json_decref(client_tool(stage->client, "rr_continue", "{s:s}", "until", "main"));
}

/* What a function of the program gets in the replay; -1 too when the call is its end. */
long long stage_tried(struct stage *stage, const char *format, ...)
{
	char expression[TEXT];
	va_list arguments;
	long long result = -1;

	va_start(arguments, format);
	vsnprintf(expression, sizeof(expression), format, arguments);
	va_end(arguments);
	json_t *answer = client_wait(stage->client,
	    client_tool_send(stage->client, "rr_evaluate",
		json_pack("{s:s, s:b}", "expression", expression, "allow_calls", 1)),
	    60);
	const char *value = json_string_value(answer_at(answer, "result.structuredContent.value"));
	if (value)
		result = strtoll(value, NULL, 10);
	json_decref(answer);
	return result;
}

void expect_refused(const char *what, long long result)
{
	ck_assert_msg(result < 0, "%s: %lld in the replay", what, result);
}

/* What the machine gives in this play, nothing less. */
void expect_layers(const json_t *answer, int play)
{
	static const char *const always[] = {"no_new_privs", "rlimits", "landlock", "seccomp"};
	char *shown = answer_show(answer), path[64];
	bool is_full = strcmp(answer_text(answer, "sandbox.level"), "full") == 0;
	bool lists = answer_at(answer, "sandbox.layers") != NULL; /* the supervisor's need not */

	ck_assert_msg(is_full || lists, "%s", shown);
	for (size_t i = 0; lists && i < sizeof(always) / sizeof(*always); i++) {
		snprintf(path, sizeof(path), "sandbox.layers.%s", always[i]);
		ck_assert_msg(strcmp(answer_text(answer, path), "full") == 0, "%s", shown);
	}
	if (!(play & NO_NAMESPACES))
		ck_assert_msg(is_full, "%s", shown);
	free(shown);
}

static int bind_in_project(const struct stage *stage, int type, char path[TEXT])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(path, TEXT, "%s/socket%d", stage->project, type);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(chmod(path, 0777), 0);
	return fd;
}

int stage_listen(const struct stage *stage, char path[TEXT])
{
	int fd = bind_in_project(stage, SOCK_STREAM, path);

	ck_assert_int_eq(listen(fd, 1), 0);
	return fd;
}

int stage_listen_for_datagrams(const struct stage *stage, char path[TEXT])
{
	return bind_in_project(stage, SOCK_DGRAM, path);
}

/* Below the ports that the kernel gives to who names none. rr listens on one of those, in its own
 * network namespace: if this server had the same number, the replay would reach rr there.
 */
enum { FIRST_SERVER_PORT = 20000, LAST_SERVER_PORT = 29999 };

int stage_serve(int *port)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	for (*port = FIRST_SERVER_PORT;; ++*port) {
		address.sin_port = htons((in_port_t)*port);
		if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
			break;
		ck_assert_int_lt(*port, LAST_SERVER_PORT);
	}
	ck_assert_int_eq(listen(fd, 4), 0);
	return fd;
}

int stage_share(int *key)
{
	int memory = -1;

	for (*key = (int)getpid() << 8; memory < 0; ++*key)
		memory = shmget(*key, 4096, IPC_CREAT | IPC_EXCL | 0666);
	--*key;
	return memory;
}

void stage_expect_silence(int fd)
{
	struct pollfd waiting = {.fd = fd, .events = POLLIN};

	ck_assert_msg(poll(&waiting, 1, 0) == 0, "somebody has reached a socket of the machine");
	close(fd);
}

/* Owned by the caller. */
static char *status_of(pid_t pid)
{
	char path[64], *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = harness_file(path);
	ck_assert_ptr_nonnull(status);
	return status;
}

/* On a busy machine a new process may wait long for its first turn. */
static void await_sleep(pid_t pid)
{
	for (bool asleep = false; !asleep; usleep(1000)) {
		char *status = status_of(pid);

		asleep = strstr(status, "State:\tS") != NULL;
		free(status);
	}
}

pid_t stage_bystander(const struct stage *stage)
{
	uid_t uid = stage->uid;
	sigset_t all;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		if (uid != geteuid() && (setgid(uid) < 0 || setuid(uid) < 0))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* of a test that fails */
		for (;;)
			pause();
	}
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	ck_assert_int_gt(child, 0);
	setpgid(child, child);
	await_sleep(child);
	return child;
}

void stage_bystander_end(pid_t pid)
{
	char *status = status_of(pid);

	ck_assert_msg(strstr(status, "State:\tS") != NULL &&
			  strstr(status, "SigPnd:\t0000000000000000") != NULL &&
			  strstr(status, "ShdPnd:\t0000000000000000") != NULL,
	    "%s", status);
	free(status);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int stage_main(const char *name, const TTest *const *tests)
{
	TCase *plays = tcase_create(name);

	tcase_set_timeout(plays, SCENE_TEST_TIMEOUT_S);
	for (; *tests != NULL; tests++)
		tcase_add_loop_test(plays, *tests, 0, PLAYS);
	return run_case(name, plays);
}
