/*
 * The connections to workers: messages from launchers and workers, correct and malformed. The test
 * plays the launcher and the worker's end of the channel; the process is a real one.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/connections.h"
#include "tests/unit/supervisor/world.h"

static struct loop *loop;
static struct connections *connections;
static int launcher; /* our end */
static struct launch_request request;

/* A worker: a process that does nothing, and our end of its channel. */
static pid_t process;
static int channel;

static int64_t clock_now(void)
{
	return deadline_now();
}

static void begin(void)
{
	struct session_ports ports = {.launch = connections_launch,
	    .send = connection_send,
	    .drop = connection_drop,
	    .answer = answer,
	    .progress = progress,
	    .now = clock_now};
	int ends[2];

	memset(&world, 0, sizeof(world));
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	launcher = ends[0];
	loop = loop_new();
	connections = connections_new(loop, ends[1]);
	ports.workers = connections;
	ports.settings = world.settings = settings_new();
	world.table = session_table_new(&ports);
	process = 0;
}

static void end(void)
{
	end_table(world.table);
	settings_free(world.settings);
	close(launcher);
	free(connections);
	free(loop);
}

/* Lets the supervisor read what has arrived. */
static void turn(void)
{
	ck_assert_int_eq(loop_turn(loop), 0);
}

static void send_notice(struct launch_notice notice, const int fds[2])
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = &notice, .iov_len = sizeof(notice)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fds != NULL) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		*CMSG_FIRSTHDR(&message) = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
		    .cmsg_type = SCM_RIGHTS,
		    .cmsg_len = CMSG_LEN(2 * sizeof(int))};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), fds, 2 * sizeof(int));
	}
	ck_assert_int_eq(sendmsg(launcher, &message, 0), sizeof(notice));
}

/* Reports that a worker has started, for the launch with this tag. */
static void start_worker(uint32_t tag)
{
	int ends[2], fds[2];

	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	process = fork();
	ck_assert_int_ge(process, 0);
	if (process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	fds[0] = ends[0];
	fds[1] = (int)syscall(SYS_pidfd_open, process, 0);
	ck_assert_int_ge(fds[1], 0);
	send_notice((struct launch_notice){.what = LAUNCH_STARTED, .tag = tag}, fds);
	close(fds[0]);
	close(fds[1]);
	channel = ends[1];
	turn();
}

static void open_and_receive_request(void)
{
	ck_assert_ptr_nonnull(open_session("open"));
	ck_assert_int_gt(recv(launcher, &request, sizeof(request), 0), 0);
}

static void worker_says(uint32_t type, uint32_t id)
{
	json_auto_t *json =
	    type == WIRE_PROGRESS ? json_pack("{s:f}", "progress", 1.0) : json_object();

	ck_assert_int_eq(channel_send(channel, type, id, 0, json), CHANNEL_OK);
}

/* A worker that has started and got its first call; returns that call's id. */
static uint32_t begin_session(void)
{
	struct channel_packet packet = {0};
	const char *why;

	open_and_receive_request();
	start_worker(request.tag);
	worker_says(WIRE_OP_START + 1, WIRE_START_ID);
	turn();
	ck_assert_int_eq(channel_receive(channel, &packet, &why), CHANNEL_OK);
	ck_assert_uint_eq(packet.type, WIRE_OP_REPLAY_START);
	json_decref(packet.json);
	return packet.id;
}

/* Waits for the end of the worker's process, which was killed. */
static void expect_killed(void)
{
	int status;

	ck_assert_int_eq(waitpid(process, &status, 0), process);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(channel);
}

START_TEST(a_call_reaches_its_worker_and_the_answer_the_client)
{
	uint32_t id = begin_session();

	ck_assert_uint_eq(request.kind, WORKER_REPLAY);
	worker_says(WIRE_OP_REPLAY_START + 1, id);
	turn();
	expect_notes("answer:open");
}
END_TEST

START_TEST(a_launch_that_failed_is_told_with_its_reason)
{
	struct launch_notice notice = {.what = LAUNCH_FAILED, .code = ERROR_NOT_FOUND};

	open_and_receive_request();
	notice.tag = request.tag;
	send_notice(notice, NULL);
	turn();
	expect_notes("error:open,not_found,over");
}
END_TEST

START_TEST(what_a_worker_said_before_it_died_still_counts)
{
	uint32_t id = begin_session();
	const char *last;

	/* More than is read at once. */
	for (int i = 0; i < 20; i++)
		worker_says(WIRE_PROGRESS, id);
	worker_says(WIRE_OP_REPLAY_START + 1, id);
	send_notice((struct launch_notice){.what = LAUNCH_EXITED, .tag = request.tag}, NULL);
	turn();
	last = strrchr(world.notes, ' ');
	ck_assert_str_eq(last ? last + 1 : "", "answer:open");
}
END_TEST

START_TEST(a_worker_that_sends_garbage_is_killed)
{
	begin_session();
	ck_assert_int_eq(send(channel, "garbage", 7, 0), 7);
	turn();
	expect_killed();
}
END_TEST

START_TEST(a_worker_that_closes_its_channel_is_killed)
{
	begin_session();
	ck_assert_int_eq(shutdown(channel, SHUT_RDWR), 0);
	turn();
	expect_killed();
}
END_TEST

START_TEST(a_worker_that_nobody_asked_for_is_killed)
{
	start_worker(12345);
	expect_killed();
}
END_TEST

START_TEST(a_second_worker_for_one_launch_is_killed)
{
	pid_t first;

	begin_session();
	first = process;
	start_worker(request.tag);
	expect_killed();
	ck_assert_int_eq(waitpid(first, NULL, WNOHANG), 0);
}
END_TEST

START_TEST(another_launcher_means_that_the_workers_are_dead)
{
	send_notice((struct launch_notice){.what = LAUNCH_HELLO}, NULL);
	turn();
	begin_session();
	send_notice((struct launch_notice){.what = LAUNCH_HELLO}, NULL);
	turn();
	expect_killed();
	expect_notes("error:open,worker_died,over");
}
END_TEST

START_TEST(without_a_launcher_no_worker_can_be_had)
{
	struct call *call = make_call("open", WIRE_OP_REPLAY_START, 0);

	ck_assert(connections_have_launcher(connections));
	shutdown(launcher, SHUT_RDWR);
	turn();
	ck_assert(!connections_have_launcher(connections));
	session_open(world.table, WORKER_REPLAY, json_object(), call);
	ck_assert_ptr_nonnull(strstr(world.notes, "error:open,"));
}
END_TEST

START_TEST(each_end_of_a_worker_has_its_reason)
{
	static const struct {
		int status;
		enum error_code code;
		const char *says;
	} ends[] = {
	    {SIGSYS, ERROR_SANDBOX_VIOLATION, "which is not allowed"},
	    {SIGSEGV, ERROR_WORKER_DIED, "signal 11"},
	    {127 << 8, ERROR_WORKER_DIED, "could not be started"},
	    {WORKER_EXIT_LOST << 8, ERROR_WORKER_DIED, "rr or gdb ended"},
	    {1 << 8, ERROR_WORKER_DIED, "status 1"},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct failure failure = {0};

		connection_describe_end(&failure, ends[i].status, -1);
		ck_assert_int_eq(failure.code, ends[i].code);
		ck_assert_ptr_nonnull(strstr(failure.message, ends[i].says));
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_call_reaches_its_worker_and_the_answer_the_client,
	    a_launch_that_failed_is_told_with_its_reason,
	    what_a_worker_said_before_it_died_still_counts, a_worker_that_sends_garbage_is_killed,
	    a_worker_that_closes_its_channel_is_killed, a_worker_that_nobody_asked_for_is_killed,
	    a_second_worker_for_one_launch_is_killed,
	    another_launcher_means_that_the_workers_are_dead,
	    without_a_launcher_no_worker_can_be_had, each_end_of_a_worker_has_its_reason, NULL};

	return run_tests("connections", tests, begin, end);
}
