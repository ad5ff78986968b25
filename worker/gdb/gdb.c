/*
 * Speaks MI with one gdb. Never blocks on a pipe and never trusts a line: a line that does not
 * parse, or does not end, costs the session and nothing else.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/uninterruptible.h"
#include "worker/gdb/exchange.h"
#include "worker/gdb/gdb.h"
#include "worker/gdb/interruption.h"
#include "worker/gdb/mi/lines.h"
#include "worker/gdb/mi/mi.h"
#include "worker/serve/clock.h"

#define GDB_SIDES_MAX 4

struct side {
	int fd;
	gdb_side_ready *ready;
};

/* Between gdb and rr. */
enum connection {
	CONNECTION_NEEDED,  /* its end is the end of the session */
	CONNECTION_MAY_END, /* rr may end, or be left, without harm */
	CONNECTION_ENDED,   /* and gdb has noticed */
	CONNECTION_LOST,    /* gdb or rr has gone, for good */
};

struct gdb {
	struct worker *worker;
	struct tool *tool;
	struct remote *remote; /* how it reaches rr; NULL before gdb_connect */
	void *owner;
	struct side sides[GDB_SIDES_MAX];
	size_t side_count;
	gdb_lost_why *lost_why;
	gdb_turned *turned;
	struct lines lines;
	struct exchange exchange;
	enum connection connection;
	struct interruption interruption;
	bool resuming;	 /* within gdb_run: the interrupt is rr's to obey */
	bool restarting; /* with -exec-run, or by gdb_seek: */
	bool seeking;
	bool uninterruptible; /* the present command is: see uninterruptible.h */
	unsigned shields;     /* of gdb_shield */
	bool frames_stale;    /* a command was interrupted: see forget_frames */
};

struct gdb *gdb_new(struct worker *worker, struct tool *tool, void *owner)
{
	struct gdb *gdb = calloc(1, sizeof(*gdb));

	if (!gdb)
		return NULL;
	gdb->worker = worker;
	gdb->tool = tool;
	gdb->owner = owner;
	if (!lines_begin(&gdb->lines) || !exchange_begin(&gdb->exchange)) {
		gdb_free(gdb);
		return NULL;
	}
	return gdb;
}

void gdb_free(struct gdb *gdb)
{
	if (!gdb)
		return;
	exchange_end(&gdb->exchange);
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
	if (gdb->connection != CONNECTION_LOST)
		gdb->connection = expected ? CONNECTION_MAY_END : CONNECTION_NEEDED;
}

bool gdb_has_lost_rr(const struct gdb *gdb)
{
	return gdb->connection == CONNECTION_ENDED;
}

void gdb_on_loss(struct gdb *gdb, gdb_lost_why *why)
{
	gdb->lost_why = why;
}

void gdb_on_turn(struct gdb *gdb, gdb_turned *turned)
{
	gdb->turned = turned;
}

void gdb_lose(struct gdb *gdb, const char *why)
{
	struct exchange *exchange = &gdb->exchange;

	if (gdb->connection == CONNECTION_LOST)
		return;
	gdb->connection = CONNECTION_LOST;
	gdb->worker->broken = true;
	if (!gdb->lost_why ||
	    !gdb->lost_why(gdb->owner, exchange->message, sizeof(exchange->message)))
		snprintf(exchange->message, sizeof(exchange->message), "gdb: %s", why);
	failure_set(&gdb->worker->loss,
	    strncmp(exchange->message, "rr", 2) == 0 ? ERROR_RR_FAILED : ERROR_GDB_FAILED,
	    worker_lost_hint(gdb->worker), "%s", exchange->message);
}

/* gdb has noticed that rr has gone. */
static void part(struct gdb *gdb)
{
	switch (gdb->connection) {
	case CONNECTION_NEEDED:
		gdb_lose(gdb, "it lost its connection to rr");
		break;
	case CONNECTION_MAY_END:
		gdb->connection = CONNECTION_ENDED;
		exchange_part(&gdb->exchange);
		break;
	case CONNECTION_ENDED:
	case CONNECTION_LOST:
		break;
	}
}

static void take_line(void *owner, const char *line, size_t length)
{
	struct gdb *gdb = owner;
	const char *why = NULL;

	switch (exchange_take(&gdb->exchange, line, length, &why)) {
	case NEWS_NONE:
		break;
	case NEWS_REFUSED_CUT_OFF:
		part(gdb);
		break;
	case NEWS_WARNED_CUT_OFF:
		if (gdb->connection != CONNECTION_NEEDED)
			part(gdb);
		break;
	case NEWS_BROKEN:
		gdb_lose(gdb, why);
		break;
	}
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
		gdb_lose(gdb, "it has ended");
		break;
	case LINES_TOO_LONG:
		gdb_lose(gdb, "an answer was incomplete");
		break;
	}
}

static void read_side(struct gdb *gdb, size_t at)
{
	if (gdb->sides[at].ready(gdb->owner, gdb->sides[at].fd))
		return;
	gdb->sides[at] = gdb->sides[--gdb->side_count];
	if (gdb->connection == CONNECTION_NEEDED)
		gdb_lose(gdb, "rr or gdb has ended");
}

void gdb_shield(struct gdb *gdb, bool shielded)
{
	if (shielded)
		gdb->shields++;
	else
		gdb->shields--;
}

bool gdb_must_stop(const struct gdb *gdb)
{
	return gdb->worker->interrupt != INTERRUPT_NONE && !gdb->shields;
}

/* Whether there is none any more. */
static bool forget_interrupt(struct gdb *gdb)
{
	if (gdb->worker->interrupt != INTERRUPT_NONE)
		return false;
	gdb->interruption = (struct interruption){0};
	return true;
}

static enum interruption_step next_step(struct gdb *gdb)
{
	const struct interrupted met = {.now = clock_ms(),
	    .worked = clock_worked_ms(gdb->tool->pid),
	    .token = gdb->exchange.token,
	    .resuming = gdb->resuming,
	    .restarting = gdb->restarting,
	    .has_rr = gdb->remote != NULL,
	    .rr_runs = gdb->remote && remote_is_running(gdb->remote)};

	/* What reads may look whether there is an interrupt, and read no more. */
	gdb->worker->half_read |= !gdb_was_interrupted(gdb) && !gdb->resuming;
	return interruption_next(&gdb->interruption, &met);
}

static void pass_interrupt(struct gdb *gdb)
{
	if (forget_interrupt(gdb) || gdb->shields || gdb->uninterruptible)
		return;
	switch (next_step(gdb)) {
	case TELL_RR:
		remote_interrupt(gdb->remote);
		break;
	case TELL_GDB:
		if (gdb->tool->pid > 0)
			kill(gdb->tool->pid, SIGINT);
		break;
	case TELL_NOBODY:
		break;
	}
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
	if (gdb->connection == CONNECTION_NEEDED) {
		gdb_lose(
		    gdb, from == RELAY_RR ? "rr has closed the connection" : "it has disconnected");
		return;
	}
	/* gdb notices it too, because its end is closed. */
	remote_free(gdb->remote);
	gdb->remote = NULL;
}

static enum gdb_outcome outcome_of(const struct gdb *gdb)
{
	return gdb->connection == CONNECTION_LOST ? GDB_LOST : GDB_DONE;
}

enum gdb_outcome gdb_wait(struct gdb *gdb, int timeout_ms)
{
	struct pollfd fds[GDB_SIDES_MAX + 3] = {0};
	size_t sides = gdb->side_count, count;
	long long token = gdb->exchange.token;

	if (gdb->connection == CONNECTION_LOST)
		return GDB_LOST;
	pass_interrupt(gdb);
	timeout_ms = interruption_wait(&gdb->interruption, timeout_ms);
	count = choose_fds(gdb, fds);
	worker_wait(gdb->worker, fds, count, timeout_ms);
	if (gdb->turned)
		gdb->turned(gdb->owner);
	/* Between operations the wait itself runs them, so what was ready is out of date. */
	if (gdb->exchange.token != token)
		return outcome_of(gdb);
	/* Sides first, so that what the program wrote before a stop arrives before the stop. From
	 * the last one, because reading a side may remove it from the list. */
	for (size_t i = sides; i-- > 0;)
		if (fds[i].revents)
			read_side(gdb, i);
	if (fds[sides].revents)
		move_packets(gdb, RELAY_GDB);
	if (fds[sides + 1].revents && gdb->remote)
		move_packets(gdb, RELAY_RR);
	if (fds[sides + 2].revents)
		read_gdb(gdb);
	return outcome_of(gdb);
}

/* A command that is not sent. */
static enum gdb_outcome refuse(struct gdb *gdb, const char *why)
{
	snprintf(gdb->exchange.message, sizeof(gdb->exchange.message), "%s", why);
	return GDB_REFUSED;
}

static enum gdb_outcome send_command(struct gdb *gdb, const char *format, va_list arguments)
{
	cleanup_free char *command = malloc(GDB_COMMAND_MAX);
	int head, body;
	size_t sent = 0, length;

	if (!command)
		return GDB_REFUSED;
	forget_interrupt(gdb);
	head = snprintf(command, GDB_COMMAND_MAX, "%lld", exchange_next(&gdb->exchange));
	body = vsnprintf(command + head, GDB_COMMAND_MAX - 1 - (size_t)head, format, arguments);
	if (body < 0 || (size_t)(head + body) >= GDB_COMMAND_MAX - 1) {
		/* cppcheck-suppress memleak; the cleanup attribute frees it */
		return refuse(gdb, "the command is too long");
	}
	gdb->uninterruptible = uninterruptible_is(command + head);
	length = (size_t)head + ways_join(&gdb->exchange.ways, command + head, (size_t)body,
				    GDB_COMMAND_MAX - 1 - (size_t)head);
	command[length++] = '\n';
	while (sent < length && gdb->connection != CONNECTION_LOST) {
		ssize_t done = lines_send(gdb->tool->input, command + sent, length - sent);
		if (done > 0)
			sent += (size_t)done;
		else if (done < 0 && errno == EAGAIN)
			gdb_wait(gdb, 50);
		else if (done < 0 && errno != EINTR)
			gdb_lose(gdb, "it does not read");
	}
	return outcome_of(gdb);
}

/* The command may have been refused after the wait. */
static enum gdb_outcome judge(const struct gdb *gdb, enum gdb_outcome outcome)
{
	return outcome == GDB_DONE && gdb->exchange.answer == ANSWER_REFUSED ? GDB_REFUSED
									     : outcome;
}

static enum gdb_outcome await_answer(struct gdb *gdb)
{
	enum gdb_outcome outcome = GDB_DONE;

	while (outcome == GDB_DONE && gdb->exchange.answer == ANSWER_AWAITED)
		outcome = gdb_wait(gdb, -1);
	return judge(gdb, outcome);
}

/* If its unwinding is interrupted, gdb takes the last frame that it reached for the outermost one,
 * until we tell it to unwind again. */
static void forget_frames(struct gdb *gdb)
{
	enum gdb_outcome ignored; /* the next command shows it too */

	gdb->frames_stale = false;
	ignored = gdb_command(
	    gdb, NULL, "-interpreter-exec console \"maintenance flush register-cache\"");
	(void)ignored;
}

void gdb_tell(struct gdb *gdb, const char *command)
{
	size_t length = strlen(command);

	/* Sends it without a token, so that its answer belongs to no command. If the pipe is full,
	 * gdb does not read, and the next command finds that out. */
	if (gdb->connection != CONNECTION_LOST &&
	    lines_send(gdb->tool->input, command, length) != (ssize_t)length)
		gdb_lose(gdb, "it does not read");
}

/* gdb_command with its arguments as a list. */
static enum gdb_outcome command_list(
    struct gdb *gdb, json_t **results, const char *format, va_list arguments)
{
	enum gdb_outcome outcome;

	if (gdb->frames_stale && gdb->worker->interrupt == INTERRUPT_NONE)
		forget_frames(gdb);
	outcome = send_command(gdb, format, arguments);
	if (results)
		*results = NULL;
	if (outcome == GDB_DONE)
		outcome = await_answer(gdb);
	gdb->frames_stale |= gdb_was_interrupted(gdb);
	if (outcome != GDB_DONE)
		return outcome;
	if (results)
		*results = json_incref(gdb->exchange.results);
	return GDB_DONE;
}

enum gdb_outcome gdb_command(struct gdb *gdb, json_t **results, const char *format, ...)
{
	enum gdb_outcome outcome;
	va_list arguments;

	va_start(arguments, format);
	outcome = command_list(gdb, results, format, arguments);
	va_end(arguments);
	return outcome;
}

enum gdb_outcome gdb_console(struct gdb *gdb, const char **text, const char *command)
{
	cleanup_free char *quoted = malloc(GDB_QUOTED_MAX);
	enum gdb_outcome outcome;

	if (!quoted || mi_quote(quoted, GDB_QUOTED_MAX, command) < 0) {
		return refuse(gdb, "the command cannot be sent");
	}
	outcome = gdb_command(gdb, NULL, "-interpreter-exec console %s", quoted);
	if (text)
		*text = gdb->exchange.console.bytes;
	return outcome;
}

const char *gdb_console_text(const struct gdb *gdb)
{
	return gdb->exchange.console.bytes;
}

const char *gdb_log_text(const struct gdb *gdb)
{
	return gdb->exchange.log.bytes;
}

struct exchange *gdb_exchange(struct gdb *gdb)
{
	return &gdb->exchange;
}

/* What a resume was to do may have been decided by an answer that an interrupt has cut short: the
 * program stays where it is, and that is the stop. A seek has its own checks. */
static bool stays(struct gdb *gdb)
{
	if (!gdb->worker->half_read || !gdb_must_stop(gdb) || gdb->restarting)
		return false;
	exchange_stay(&gdb->exchange);
	return true;
}

enum gdb_outcome gdb_run(struct gdb *gdb, const char *format, ...)
{
	enum gdb_outcome outcome;
	unsigned stops = gdb->exchange.stops;
	va_list arguments;

	gdb->restarting = gdb->seeking || strncmp(format, "-exec-run", 9) == 0;
	if (stays(gdb))
		return outcome_of(gdb);
	gdb->resuming = true;
	va_start(arguments, format);
	outcome = command_list(gdb, NULL, format, arguments);
	va_end(arguments);
	while (outcome == GDB_DONE && gdb->exchange.answer == ANSWER_DONE &&
	       gdb->connection != CONNECTION_ENDED &&
	       (gdb->exchange.running || gdb->exchange.stops == stops))
		outcome = gdb_wait(gdb, -1);
	gdb->resuming = false;
	if (gdb->remote)
		remote_permit(gdb->remote);
	return judge(gdb, outcome);
}

enum gdb_outcome gdb_seek(struct gdb *gdb, const char *target)
{
	struct relay *relay = gdb->remote ? remote_relay(gdb->remote) : NULL;
	enum gdb_outcome outcome;

	if (!relay || !relay_seek(relay, target))
		return GDB_REFUSED;
	gdb->seeking = true;
	/* Backwards, gdb takes no step of its own first to leave a breakpoint. */
	outcome = gdb_run(gdb, "-exec-continue --reverse");
	gdb->seeking = false;
	if (!gdb->remote || outcome == GDB_LOST)
		return outcome;
	if (outcome == GDB_DONE && !relay_has_sought(relay))
		outcome = GDB_REFUSED;
	relay_seek(relay, NULL);
	return outcome;
}

bool gdb_took_back(struct gdb *gdb)
{
	return gdb->remote && relay_took_back(remote_relay(gdb->remote));
}

enum gdb_outcome gdb_disconnect(struct gdb *gdb)
{
	enum gdb_outcome outcome;

	/* If rr has ended by itself, gdb has nothing to disconnect from, and says so. */
	gdb_expect_end(gdb, true);
	outcome = gdb_command(gdb, NULL, "-target-disconnect");
	gdb_expect_end(gdb, false);
	remote_free(gdb->remote);
	gdb->remote = NULL;
	exchange_forget_stop(&gdb->exchange);
	return outcome == GDB_LOST ? GDB_LOST : GDB_DONE;
}

enum gdb_outcome gdb_settle(struct gdb *gdb)
{
	enum gdb_outcome outcome = gdb_command(gdb, NULL, "-gdb-show confirm");

	while (outcome == GDB_DONE && gdb->exchange.running)
		outcome = gdb_wait(gdb, -1);
	return outcome;
}

json_t *gdb_last_stop(const struct gdb *gdb)
{
	return gdb->exchange.stop;
}

void gdb_amend_stop(struct gdb *gdb, json_t *stop)
{
	json_decref(gdb->exchange.stop);
	gdb->exchange.stop = json_incref(stop);
	ways_name(&gdb->exchange.ways, stop);
}

bool gdb_was_interrupted(const struct gdb *gdb)
{
	return gdb->interruption.state != INTERRUPTION_NONE;
}

bool gdb_stepped_before_thread(const struct gdb *gdb)
{
	return gdb->remote && relay_stepped_before_thread(remote_relay(gdb->remote));
}

void gdb_limit_back(struct gdb *gdb, unsigned times)
{
	if (gdb->remote)
		relay_limit_back(remote_relay(gdb->remote), times);
}

bool gdb_reached_limit(const struct gdb *gdb)
{
	return gdb->remote && relay_reached_limit(remote_relay(gdb->remote));
}

json_t *gdb_created_breakpoint(const struct gdb *gdb)
{
	return gdb->exchange.created;
}

void gdb_forget_created(struct gdb *gdb)
{
	exchange_forget_created(&gdb->exchange);
}

const struct worker *gdb_worker(const struct gdb *gdb)
{
	return gdb->worker;
}

const char *gdb_message(const struct gdb *gdb)
{
	return gdb->exchange.message;
}
