/*
 * See log_writer.h. Must never wait for one source while another has something to say, and never
 * write anything but printable lines to the file: workers may have been taken over.
 */
#include "supervisor/monitor/log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/log.h"
#include "sandbox/sandbox.h"
#include "sandbox/wire/descriptors.h"
#include "supervisor/monitor/launcher.h"
#include "supervisor/monitor/write_whole.h"
#include "supervisor/session.h"

#define SOURCES_MAX (2 * SESSION_SLOTS + 1) /* workers, those that end too, and the supervisor */
#define PIPE_BYTES  (256 * 1024)	    /* of lines that wait, where the user's limit allows */
#define FINISH_MS   1000

/* Bytes in the file of one worker, which may have been taken over. With --log-level=gdb, a long
 * session has much to say. */
#define WORKER_BYTES_MAX     (16L << 20)
#define WORKER_BYTES_MAX_GDB (1L << 30)

static const char prefix[] = "worker: ";

/* A part of a line of one source, which waits for its end. */
struct source {
	int fd; /* -1: a free slot */
	enum log_source kind;
	size_t used, written;
	char line[LOG_LINE_MAX];
};

struct writer {
	int file, socket, finished; /* -1: closed */
	bool last_round;	    /* the supervisor has ended */
	size_t worker_max;	    /* bytes */
	struct source sources[SOURCES_MAX];
};

/* In a process that log_writer_start gave the socket as its stderr, and in its children. */
static bool has_writer;

/* One write for each line, because lines of other servers may go to the same file. Returns its
 * length. */
static size_t put_line(int file, const char *before, const char *line)
{
	char text[sizeof(prefix) + 4 * LOG_LINE_MAX];
	size_t used = strlen(before);

	memcpy(text, before, used);
	log_escape(text + used, sizeof(text) - used - 1, line);
	used = strlen(text);
	text[used++] = '\n';
	(void)write_whole(file, text, used); /* a full disk loses lines, as it would without us */
	return used;
}

/* What is left out of a worker's lines is read all the same, so that it does not wait. */
static void end_worker_line(const struct writer *writer, struct source *source)
{
	if (source->written >= writer->worker_max)
		return;
	source->written += put_line(writer->file, prefix, source->line);
	if (source->written >= writer->worker_max)
		put_line(writer->file, "rr-warden: error: this worker has written too much; ",
		    "its further lines are left out");
}

static void end_line(const struct writer *writer, struct source *source)
{
	source->line[source->used] = '\0';
	source->used = 0;
	if (source->kind == LOG_SOURCE_WORKER)
		end_worker_line(writer, source);
	else
		put_line(writer->file, "", source->line);
}

static void take(const struct writer *writer, struct source *source, const char *bytes, size_t got)
{
	for (size_t i = 0; i < got; i++) {
		if (bytes[i] == '\n' || source->used == sizeof(source->line) - 1)
			end_line(writer, source);
		if (bytes[i] != '\n')
			source->line[source->used++] = bytes[i] == '\0' ? '?' : bytes[i];
	}
}

static void read_source(struct writer *writer, struct source *source)
{
	static char bytes[PIPE_BYTES]; /* all that an honest source can have waiting */
	ssize_t got = read(source->fd, bytes, sizeof(bytes));

	if (got > 0)
		take(writer, source, bytes, (size_t)got);
	if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)))
		return;
	if (source->used > 0)
		end_line(writer, source);
	close(source->fd);
	source->fd = -1;
	writer->last_round |= source->kind == LOG_SOURCE_SUPERVISOR;
}

static void add_source(struct writer *writer, int fd, enum log_source kind)
{
	for (size_t i = 0; i < SOURCES_MAX; i++)
		if (writer->sources[i].fd < 0) {
			writer->sources[i] = (struct source){.fd = fd, .kind = kind};
			return;
		}
	close(fd); /* its writer is told by EPIPE */
}

/* A line of the monitor's, or a source: then the packet is its kind. */
static void read_socket(struct writer *writer)
{
	char packet[LOG_LINE_MAX + 1];
	int fd;
	ssize_t got =
	    descriptors_receive(writer->socket, packet, sizeof(packet) - 1, MSG_DONTWAIT, &fd, 1);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		close(steal_fd(&writer->socket));
	} else if (fd >= 0) {
		add_source(writer, fd, (enum log_source)packet[0]);
	} else {
		if (packet[got - 1] == '\n')
			got--;
		packet[got] = '\0';
		put_line(writer->file, "", packet);
	}
}

/* Whether anybody is left who could write. */
static bool serve(struct writer *writer)
{
	struct pollfd polls[SOURCES_MAX + 1];
	bool last = writer->last_round, any = writer->socket >= 0;

	for (size_t i = 0; i < SOURCES_MAX; i++) {
		polls[i] = (struct pollfd){.fd = writer->sources[i].fd, .events = POLLIN};
		any |= polls[i].fd >= 0;
	}
	polls[SOURCES_MAX] = (struct pollfd){.fd = writer->socket, .events = POLLIN};
	if (!any || (poll(polls, SOURCES_MAX + 1, last ? 0 : -1) < 0 && errno != EINTR))
		return false;
	for (size_t i = 0; i < SOURCES_MAX; i++)
		if (polls[i].revents != 0)
			read_source(writer, &writer->sources[i]);
	if (polls[SOURCES_MAX].revents != 0)
		read_socket(writer);
	if (last) {
		close(steal_fd(&writer->finished));
		writer->last_round = false;
	}
	return true;
}

/* Outlives the supervisor, for the last words of the others. A key that a terminal sends to all of
 * them must not end it first. */
static _Noreturn void run(struct writer *writer, const struct settings *settings)
{
	const int keep[] = {writer->file, writer->socket, writer->finished};
	struct sandbox_policy policy;
	struct sandbox_report report = {0};
	char why[SANDBOX_WHY_MAX];

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	launcher_layers(&policy, settings);
	/* it needs what the supervisor needs: open descriptors, and nothing else */
	if (sandbox_enter(ROLE_SUPERVISOR, &policy, keep, 3, &report, why, sizeof(why)) < 0) {
		put_line(writer->file, "rr-warden: error: no log: ", why);
		_exit(1);
	}
	while (serve(writer))
		continue;
	_exit(0);
}

/* The child. Stdin and stdout are the client's, and it waits for the end of stdout. */
static _Noreturn void become_writer(
    int file, int socket, int finished, const struct settings *settings)
{
	static struct writer writer;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	writer = (struct writer){.file = file,
	    .socket = socket,
	    .finished = finished,
	    .worker_max = settings_number(settings, SETTING_LOG_LEVEL) == LOG_LEVEL_GDB
			      ? WORKER_BYTES_MAX_GDB
			      : WORKER_BYTES_MAX};
	for (size_t i = 0; i < SOURCES_MAX; i++)
		writer.sources[i].fd = -1;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) < 0)
			_exit(1);
	run(&writer, settings);
}

int log_writer_start(const char *path, const struct settings *settings)
{
	cleanup_fd int file =
	    open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	int ends[2] = {-1, -1}, finished[2] = {-1, -1};
	pid_t child = -1;

	if (file >= 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 &&
	    pipe2(finished, O_CLOEXEC) == 0)
		child = fork();
	if (child == 0) {
		close(ends[0]);
		close(finished[0]);
		become_writer(file, ends[1], finished[1], settings);
	}
	if (child > 0 && dup2(ends[0], STDERR_FILENO) >= 0)
		has_writer = true;
	cleanup_close(&ends[0]);
	cleanup_close(&ends[1]);
	cleanup_close(&finished[1]);
	if (has_writer)
		return finished[0];
	cleanup_close(&finished[0]);
	return -1;
}

void log_writer_finish(int finished)
{
	struct pollfd end = {.fd = finished, .events = POLLIN};

	close(STDERR_FILENO);
	(void)poll(&end, 1, FINISH_MS);
}

int log_writer_join(enum log_source source)
{
	char kind = (char)source;
	cleanup_fd int from = -1;
	cleanup_fd int to = -1;
	int ends[2];

	if (!has_writer)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	from = ends[0];
	to = ends[1];
	(void)fcntl(to, F_SETPIPE_SZ, PIPE_BYTES);
	if (descriptors_send(STDERR_FILENO, &kind, 1, &from, 1) < 0)
		return -1;
	return dup2(to, STDERR_FILENO) < 0 ? -1 : 0;
}
