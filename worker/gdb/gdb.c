/*
 * Speaks MI with one gdb. Never blocks on a pipe and never trusts a line: what does not parse, or
 * does not end, loses the session and nothing else.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/gdb.h"
#include "worker/gdb/lines.h"
#include "worker/gdb/mi.h"
#include "worker/gdb/text.h"

#define GDB_SIDES_MAX 4
#define LOG_MAX	      1024
#define PATIENCE_MS   1000 /* for a run to end after rr was told to stop */

struct side {
	int fd;
	gdb_side_ready *ready;
};

struct gdb {
	struct worker *worker;
	struct tool *tool;
	struct remote *remote; /* how it reaches rr; NULL before gdb_connect */
	void *owner;
	struct side sides[GDB_SIDES_MAX];
	size_t side_count;
	gdb_lost_why *lost_why;
	struct lines lines;
	long long token; /* of the last command sent */
	bool answered, refused, running, lost, interrupted, interrupt_sent;
	bool end_expected;	  /* rr may end, or be left, without harm */
	bool parted;		  /* and gdb has noticed */
	bool resuming;		  /* within gdb_run: the interrupt is rr's to obey */
	bool signalled;		  /* gdb itself was told to give up what it computes */
	bool cut_short;		  /* a command was broken off: see forget_frames */
	long long interrupt_seen; /* ms */
	unsigned stops;		  /* how many *stopped there have been */
	json_t *results, *stop, *created;
	struct text console, log;
	char message[FAILURE_MESSAGE_MAX];
};

struct gdb *gdb_new(struct worker *worker, struct tool *tool, void *owner)
{
	struct gdb *gdb = calloc(1, sizeof(*gdb));

	if (!gdb)
		return NULL;
	gdb->worker = worker;
	gdb->tool = tool;
	gdb->owner = owner;
	if (!lines_begin(&gdb->lines) || !text_begin(&gdb->console, GDB_CONSOLE_MAX) ||
	    !text_begin(&gdb->log, LOG_MAX)) {
		gdb_free(gdb);
		return NULL;
	}
	return gdb;
}

void gdb_free(struct gdb *gdb)
{
	if (!gdb)
		return;
	json_decref(gdb->results);
	json_decref(gdb->stop);
	json_decref(gdb->created);
	text_end(&gdb->console);
	text_end(&gdb->log);
	lines_end(&gdb->lines);
	remote_free(gdb->remote);
	free(gdb);
}

void gdb_connect(struct gdb *gdb, struct remote *remote)
{
	gdb->remote = remote;
}

void gdb_watch(struct gdb *gdb, int fd, gdb_side_ready *ready)
{
	if (fd >= 0 && gdb->side_count < GDB_SIDES_MAX)
		gdb->sides[gdb->side_count++] = (struct side){fd, ready};
}

void gdb_unwatch(struct gdb *gdb, int fd)
{
	for (size_t i = 0; i < gdb->side_count; i++)
		if (gdb->sides[i].fd == fd)
			gdb->sides[i--] = gdb->sides[--gdb->side_count];
}

void gdb_expect_end(struct gdb *gdb, bool expected)
{
	gdb->end_expected = expected;
	gdb->parted = false;
}

bool gdb_has_lost_rr(const struct gdb *gdb)
{
	return gdb->parted;
}

void gdb_on_loss(struct gdb *gdb, gdb_lost_why *why)
{
	gdb->lost_why = why;
}

static void lose(struct gdb *gdb, const char *why)
{
	if (gdb->lost)
		return;
	gdb->lost = true;
	gdb->worker->broken = true;
	if (!gdb->lost_why || !gdb->lost_why(gdb->owner, gdb->message, sizeof(gdb->message)))
		snprintf(gdb->message, sizeof(gdb->message), "gdb: %s", why);
}

static void part(struct gdb *gdb, const char *why)
{
	if (!gdb->end_expected) {
		lose(gdb, why);
		return;
	}
	gdb->parted = true;
	gdb->running = false;
}

static void replace(json_t **place, json_t *with)
{
	json_decref(*place);
	*place = json_incref(with);
}

static void take_exec(struct gdb *gdb, struct mi_record *record)
{
	if (strcmp(record->name, "running") == 0) {
		gdb->running = true;
	} else if (strcmp(record->name, "stopped") == 0) {
		gdb->running = false;
		gdb->stops++;
		replace(&gdb->stop, record->results);
	}
}

static bool is_disconnection(const char *message)
{
	return strncmp(message, "Remote connection closed", 24) == 0 ||
	       strncmp(message, "Remote communication error", 26) == 0;
}

/* gdb has said that it runs and then finds that it cannot: why is in its log only. */
static void take_failed_start(struct gdb *gdb)
{
	static const char heading[] = "Warning:\n";
	const char *why = gdb->log.bytes;

	gdb->running = false;
	if (strncmp(why, heading, sizeof(heading) - 1) == 0)
		why += sizeof(heading) - 1;
	if (!*why)
		return;
	snprintf(gdb->message, sizeof(gdb->message), "%s", why);
	for (char *end = gdb->message; (end = strchr(end, '\n')); end++)
		*end = ' ';
}

static void take_result(struct gdb *gdb, struct mi_record *record)
{
	const char *message = mi_text(record->results, "msg");
	bool started = gdb->answered;

	if (record->token != gdb->token)
		return;
	gdb->answered = true;
	gdb->refused = strcmp(record->name, "error") == 0;
	if (strcmp(record->name, "running") == 0)
		gdb->running = true;
	if (gdb->refused)
		snprintf(gdb->message, sizeof(gdb->message), "%s", message ? message : "error");
	if (gdb->refused && started)
		take_failed_start(gdb);
	if (gdb->refused && is_disconnection(gdb->message))
		part(gdb, "it was cut off from rr");
	replace(&gdb->results, record->results);
}

static void take_line(void *owner, const char *line, size_t length)
{
	struct gdb *gdb = owner;
	struct mi_record record;
	const char *why;

	/* gdb's own warnings (BFD's) come between the records, on the same pipe. */
	if (mi_parse(line, length, &record, &why) != 0) {
		if (length && line[0] >= '0' && line[0] <= '9')
			lose(gdb, why);
		return;
	}
	switch (record.kind) {
	case MI_RESULT:
		take_result(gdb, &record);
		break;
	case MI_EXEC:
		take_exec(gdb, &record);
		break;
	case MI_NOTIFY:
		if (strcmp(record.name, "breakpoint-created") == 0)
			replace(&gdb->created, json_object_get(record.results, "bkpt"));
		break;
	case MI_CONSOLE:
		text_append(&gdb->console, json_string_value(record.results));
		break;
	case MI_LOG:
		text_append(&gdb->log, json_string_value(record.results));
		/* It says so here, and nowhere else, when it happens while the program runs. */
		if (gdb->end_expected && is_disconnection(json_string_value(record.results)))
			part(gdb, NULL);
		break;
	case MI_STATUS:
	case MI_TARGET:
	case MI_PROMPT:
		break;
	}
	json_decref(record.results);
}

static void read_gdb(struct gdb *gdb)
{
	switch (lines_read(&gdb->lines, gdb->tool->output)) {
	case LINES_READ:
		lines_take(&gdb->lines, take_line, gdb);
		break;
	case LINES_LATER:
		break;
	case LINES_ENDED:
		lose(gdb, "it has ended");
		break;
	case LINES_TOO_LONG:
		lose(gdb, "an answer did not end");
		break;
	}
}

static void read_side(struct gdb *gdb, size_t at)
{
	if (gdb->sides[at].ready(gdb->owner, gdb->sides[at].fd))
		return;
	gdb->sides[at] = gdb->sides[--gdb->side_count];
	if (!gdb->end_expected)
		lose(gdb, "a tool has ended");
}

static long long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* A command that gdb computes by itself ends by a signal only. */
static void signal_gdb(struct gdb *gdb)
{
	gdb->signalled = true;
	if (gdb->tool->pid > 0)
		kill(gdb->tool->pid, SIGINT);
}

/* rr was told; what takes long now is either rr, which cannot be hurried, or gdb itself. */
static void insist(struct gdb *gdb)
{
	if (gdb->resuming && !gdb->signalled && gdb->remote && !remote_is_running(gdb->remote) &&
	    now_ms() - gdb->interrupt_seen >= PATIENCE_MS)
		signal_gdb(gdb);
}

/* Once an operation: what follows, to describe the stop, must not be interrupted as well. */
static void pass_interrupt(struct gdb *gdb)
{
	if (gdb->worker->interrupt == INTERRUPT_NONE) {
		gdb->interrupt_sent = gdb->signalled = false;
		return;
	}
	if (gdb->interrupt_sent) {
		insist(gdb);
		return;
	}
	gdb->interrupt_sent = gdb->interrupted = true;
	gdb->interrupt_seen = now_ms();
	if (gdb->resuming && gdb->remote)
		remote_interrupt(gdb->remote);
	else
		signal_gdb(gdb);
}

/* What is polled: the sides, the two ends of the connection to rr, gdb's own output. */
static size_t choose_fds(const struct gdb *gdb, struct pollfd fds[GDB_SIDES_MAX + 3])
{
	size_t count = 0;

	for (; count < gdb->side_count; count++)
		fds[count].fd = gdb->sides[count].fd;
	fds[count++].fd = gdb->remote ? remote_gdb_fd(gdb->remote) : -1;
	fds[count++].fd = gdb->remote ? remote_rr_fd(gdb->remote) : -1;
	fds[count++].fd = gdb->tool->output;
	for (size_t i = 0; i < count; i++)
		fds[i].events = POLLIN;
	return count;
}

static void move_packets(struct gdb *gdb, enum relay_end from)
{
	if (remote_move(gdb->remote, from))
		return;
	if (!gdb->end_expected) {
		lose(
		    gdb, from == RELAY_RR ? "rr has closed the connection" : "it has disconnected");
		return;
	}
	/* With its end closed, gdb notices too. */
	remote_free(gdb->remote);
	gdb->remote = NULL;
}

enum gdb_outcome gdb_pump(struct gdb *gdb, int timeout_ms)
{
	struct pollfd fds[GDB_SIDES_MAX + 3] = {0};
	size_t sides = gdb->side_count, count;
	long long token = gdb->token;

	if (gdb->lost)
		return GDB_LOST;
	pass_interrupt(gdb);
	if (gdb->interrupt_sent && !gdb->signalled)
		timeout_ms = PATIENCE_MS;
	count = choose_fds(gdb, fds);
	worker_wait(gdb->worker, fds, count, timeout_ms);
	/* Between operations the wait itself runs them: what was ready is stale then. */
	if (gdb->token != token)
		return gdb->lost ? GDB_LOST : GDB_DONE;
	/* Sides first: what the program wrote before a stop is there before the stop is. From the
	 * last, because reading one may take it out of the list. */
	for (size_t i = sides; i-- > 0;)
		if (fds[i].revents)
			read_side(gdb, i);
	if (fds[sides].revents)
		move_packets(gdb, RELAY_GDB);
	if (fds[sides + 1].revents && gdb->remote)
		move_packets(gdb, RELAY_RR);
	if (fds[sides + 2].revents)
		read_gdb(gdb);
	return gdb->lost ? GDB_LOST : GDB_DONE;
}

static enum gdb_outcome send_command(struct gdb *gdb, const char *format, va_list arguments)
{
	cleanup_free char *command = malloc(GDB_COMMAND_MAX);
	int head, body;
	size_t sent = 0, length;

	if (!command)
		return GDB_REFUSED;
	gdb->answered = gdb->refused = false;
	if (gdb->worker->interrupt == INTERRUPT_NONE)
		gdb->interrupted = false;
	text_clear(&gdb->console);
	text_clear(&gdb->log);
	head = snprintf(command, GDB_COMMAND_MAX, "%lld", ++gdb->token);
	body = vsnprintf(command + head, GDB_COMMAND_MAX - 1 - (size_t)head, format, arguments);
	if (body < 0 || (size_t)(head + body) >= GDB_COMMAND_MAX - 1) {
		snprintf(gdb->message, sizeof(gdb->message), "the command is too long");
		return GDB_REFUSED; /* cppcheck-suppress memleak; the cleanup attribute frees it */
	}
	length = (size_t)(head + body);
	command[length++] = '\n';
	while (sent < length && !gdb->lost) {
		ssize_t done = write(gdb->tool->input, command + sent, length - sent);
		if (done > 0)
			sent += (size_t)done;
		else if (done < 0 && errno == EAGAIN)
			gdb_pump(gdb, 50);
		else if (done < 0 && errno != EINTR)
			lose(gdb, "it does not read");
	}
	return gdb->lost ? GDB_LOST : GDB_DONE;
}

static enum gdb_outcome await_answer(struct gdb *gdb)
{
	enum gdb_outcome outcome = GDB_DONE;

	while (outcome == GDB_DONE && !gdb->answered)
		outcome = gdb_pump(gdb, -1);
	if (outcome == GDB_DONE && gdb->refused)
		return GDB_REFUSED;
	return outcome;
}

static enum gdb_outcome send_plain(struct gdb *gdb, const char *format, ...)
{
	enum gdb_outcome outcome;
	va_list arguments;

	va_start(arguments, format);
	outcome = send_command(gdb, format, arguments);
	va_end(arguments);
	return outcome;
}

/* gdb takes the frame at which its unwinding was broken off for the outermost, until it is told to
 * look again. */
static void forget_frames(struct gdb *gdb)
{
	gdb->cut_short = false;
	if (send_plain(gdb, "-interpreter-exec console \"maintenance flush register-cache\"") ==
	    GDB_DONE)
		await_answer(gdb);
}

void gdb_tell(struct gdb *gdb, const char *command)
{
	size_t length = strlen(command);

	/* Without a token: whatever it answers is nobody's. A pipe this full has a gdb behind it
	 * that does not read, which the next command finds out. */
	if (!gdb->lost && write(gdb->tool->input, command, length) != (ssize_t)length)
		lose(gdb, "it does not read");
}

enum gdb_outcome gdb_commandv(
    struct gdb *gdb, json_t **results, const char *format, va_list arguments)
{
	enum gdb_outcome outcome;

	if (gdb->cut_short && gdb->worker->interrupt == INTERRUPT_NONE)
		forget_frames(gdb);
	outcome = send_command(gdb, format, arguments);
	if (results)
		*results = NULL;
	if (outcome == GDB_DONE)
		outcome = await_answer(gdb);
	gdb->cut_short |= gdb->interrupted;
	if (outcome != GDB_DONE)
		return outcome;
	if (results)
		*results = json_incref(gdb->results);
	return GDB_DONE;
}

enum gdb_outcome gdb_command(struct gdb *gdb, json_t **results, const char *format, ...)
{
	enum gdb_outcome outcome;
	va_list arguments;

	va_start(arguments, format);
	outcome = gdb_commandv(gdb, results, format, arguments);
	va_end(arguments);
	return outcome;
}

enum gdb_outcome gdb_console(struct gdb *gdb, const char **text, const char *command)
{
	cleanup_free char *quoted = malloc(GDB_QUOTED_MAX);
	enum gdb_outcome outcome;

	if (!quoted || mi_quote(quoted, GDB_QUOTED_MAX, command) < 0) {
		snprintf(gdb->message, sizeof(gdb->message), "the command cannot be sent");
		return GDB_REFUSED;
	}
	outcome = gdb_command(gdb, NULL, "-interpreter-exec console %s", quoted);
	if (text)
		*text = gdb->console.bytes;
	return outcome;
}

const char *gdb_console_text(const struct gdb *gdb)
{
	return gdb->console.bytes;
}

enum gdb_outcome gdb_run(struct gdb *gdb, const char *format, ...)
{
	enum gdb_outcome outcome;
	unsigned stops = gdb->stops;
	va_list arguments;

	gdb->resuming = true;
	va_start(arguments, format);
	outcome = gdb_commandv(gdb, NULL, format, arguments);
	va_end(arguments);
	while (outcome == GDB_DONE && !gdb->refused && !gdb->parted &&
	       (gdb->running || gdb->stops == stops))
		outcome = gdb_pump(gdb, -1);
	gdb->resuming = false;
	if (gdb->remote)
		remote_permit(gdb->remote);
	return outcome == GDB_DONE && gdb->refused ? GDB_REFUSED : outcome;
}

enum gdb_outcome gdb_disconnect(struct gdb *gdb)
{
	enum gdb_outcome outcome;

	/* Where rr has ended by itself, gdb has nothing to part from and says so. */
	gdb_expect_end(gdb, true);
	outcome = gdb_command(gdb, NULL, "-target-disconnect");
	gdb_expect_end(gdb, false);
	remote_free(gdb->remote);
	gdb->remote = NULL;
	json_decref(gdb->stop);
	gdb->stop = NULL;
	return outcome == GDB_LOST ? GDB_LOST : GDB_DONE;
}

enum gdb_outcome gdb_settle(struct gdb *gdb)
{
	enum gdb_outcome outcome = gdb_command(gdb, NULL, "-gdb-show confirm");

	while (outcome == GDB_DONE && gdb->running)
		outcome = gdb_pump(gdb, -1);
	return outcome;
}

json_t *gdb_last_stop(const struct gdb *gdb)
{
	return gdb->stop;
}

bool gdb_was_interrupted(const struct gdb *gdb)
{
	return gdb->interrupted;
}

json_t *gdb_created_breakpoint(const struct gdb *gdb)
{
	return gdb->created;
}

void gdb_forget_created(struct gdb *gdb)
{
	json_decref(gdb->created);
	gdb->created = NULL;
}

const struct worker *gdb_worker(const struct gdb *gdb)
{
	return gdb->worker;
}

const char *gdb_message(const struct gdb *gdb)
{
	return gdb->message;
}
