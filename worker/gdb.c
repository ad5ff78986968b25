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
#include "worker/gdb.h"
#include "worker/mi.h"
#include "worker/scrub.h"

#define GDB_SIDES_MAX 4
#define READ_CHUNK    (64 * 1024)
#define LOG_MAX	      1024
#define PATIENCE_MS   500

struct side {
	int fd;
	gdb_side_ready *ready;
};

struct text {
	char *bytes;
	size_t length, max;
};

struct gdb {
	struct worker *worker;
	struct tool *tool;
	void *owner;
	struct side sides[GDB_SIDES_MAX];
	size_t side_count;
	gdb_lost_why *lost_why;
	char *line; /* the line that is being received */
	size_t line_length, line_size;
	long long token; /* of the last command sent */
	bool answered, refused, running, lost, interrupted, interrupt_sent;
	bool patient;		  /* steps run: they end by themselves */
	bool cut_short;		  /* a command was broken off: see forget_frames */
	long long interrupt_seen; /* ms; 0: no interrupt */
	unsigned stops;		  /* how many *stopped there have been */
	json_t *results, *stop, *created;
	struct text console, log;
	char message[OP_MESSAGE_MAX];
};

static void text_append(struct text *text, const char *from)
{
	size_t length = strlen(from), room = text->max - text->length;

	if (length > room)
		length = room;
	memcpy(text->bytes + text->length, from, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

static void text_clear(struct text *text)
{
	text->length = 0;
	text->bytes[0] = '\0';
}

struct gdb *gdb_new(struct worker *worker, struct tool *tool, void *owner)
{
	struct gdb *gdb = calloc(1, sizeof(*gdb));

	if (!gdb)
		return NULL;
	gdb->worker = worker;
	gdb->tool = tool;
	gdb->owner = owner;
	gdb->console =
	    (struct text){.bytes = calloc(1, GDB_CONSOLE_MAX + 1), .max = GDB_CONSOLE_MAX};
	gdb->log = (struct text){.bytes = calloc(1, LOG_MAX + 1), .max = LOG_MAX};
	gdb->line_size = READ_CHUNK;
	gdb->line = malloc(gdb->line_size);
	if (!gdb->console.bytes || !gdb->log.bytes || !gdb->line) {
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
	free(gdb->console.bytes);
	free(gdb->log.bytes);
	free(gdb->line);
	free(gdb);
}

void gdb_watch(struct gdb *gdb, int fd, gdb_side_ready *ready)
{
	if (fd >= 0 && gdb->side_count < GDB_SIDES_MAX)
		gdb->sides[gdb->side_count++] = (struct side){fd, ready};
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
		lose(gdb, "it was cut off from rr");
	replace(&gdb->results, record->results);
}

static void take_line(struct gdb *gdb, const char *line, size_t length)
{
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
		break;
	case MI_STATUS:
	case MI_TARGET:
	case MI_PROMPT:
		break;
	}
	json_decref(record.results);
}

static void take_lines(struct gdb *gdb)
{
	size_t start = 0;
	char *newline;

	while ((newline = memchr(gdb->line + start, '\n', gdb->line_length - start))) {
		size_t end = (size_t)(newline - gdb->line);
		take_line(gdb, gdb->line + start, end - start);
		start = end + 1;
	}
	gdb->line_length -= start;
	memmove(gdb->line, gdb->line + start, gdb->line_length);
}

static bool make_room(struct gdb *gdb)
{
	char *bigger;

	if (gdb->line_size - gdb->line_length >= READ_CHUNK / 2)
		return true;
	if (gdb->line_size >= MI_LINE_MAX)
		return false;
	bigger = realloc(gdb->line, gdb->line_size * 2);
	if (!bigger)
		return false;
	gdb->line = bigger;
	gdb->line_size *= 2;
	return true;
}

static void read_gdb(struct gdb *gdb)
{
	ssize_t got;

	if (!make_room(gdb)) {
		lose(gdb, "an answer did not end");
		return;
	}
	got = read(
	    gdb->tool->output, gdb->line + gdb->line_length, gdb->line_size - gdb->line_length);
	if (got > 0) {
		gdb->line_length += (size_t)got;
		take_lines(gdb);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		lose(gdb, "it has ended");
	}
}

static void read_side(struct gdb *gdb, size_t at)
{
	if (gdb->sides[at].ready(gdb->owner, gdb->sides[at].fd))
		return;
	gdb->sides[at] = gdb->sides[--gdb->side_count];
	lose(gdb, "a tool has ended");
}

static long long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* How long an interrupt still waits for steps to end by themselves; 0: it does not. */
static int patience_left(struct gdb *gdb)
{
	long long left;

	if (!gdb->patient || gdb->worker->interrupt == INTERRUPT_NONE || gdb->interrupt_sent)
		return 0;
	if (gdb->interrupt_seen == 0)
		gdb->interrupt_seen = now_ms();
	left = gdb->interrupt_seen + PATIENCE_MS - now_ms();
	return left > 0 ? (int)left : 0;
}

/* While the program runs gdb takes the command; while gdb itself computes only a signal helps. */
static void pass_interrupt(struct gdb *gdb)
{
	static const char interrupt[] = "-exec-interrupt\n";

	if (gdb->worker->interrupt == INTERRUPT_NONE) {
		gdb->interrupt_sent = false;
		gdb->interrupt_seen = 0;
	}
	if (gdb->worker->interrupt == INTERRUPT_NONE || gdb->interrupt_sent || patience_left(gdb))
		return;
	/* Once an operation: what follows (to describe the stop) must not be interrupted as well.
	 */
	gdb->interrupt_sent = gdb->interrupted = true;
	if (gdb->running && gdb->answered)
		(void)!write(gdb->tool->input, interrupt, sizeof(interrupt) - 1);
	else if (gdb->tool->pid > 0)
		kill(gdb->tool->pid, SIGINT);
}

enum gdb_outcome gdb_pump(struct gdb *gdb, int timeout_ms)
{
	struct pollfd fds[GDB_SIDES_MAX + 1];
	size_t count = gdb->side_count;
	long long token = gdb->token;

	if (gdb->lost)
		return GDB_LOST;
	pass_interrupt(gdb);
	if (patience_left(gdb))
		timeout_ms = patience_left(gdb);
	for (size_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){.fd = gdb->sides[i].fd, .events = POLLIN};
	fds[count] = (struct pollfd){.fd = gdb->tool->output, .events = POLLIN};
	worker_wait(gdb->worker, fds, count + 1, timeout_ms);
	/* Between operations the wait itself runs them: what was ready is stale then. */
	if (gdb->token != token)
		return gdb->lost ? GDB_LOST : GDB_DONE;
	/* Sides first: what the program wrote before a stop is there before the stop is. From the
	 * last, because reading one may take it out of the list. */
	for (size_t i = count; i-- > 0;)
		if (fds[i].revents)
			read_side(gdb, i);
	if (fds[count].revents)
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

	va_start(arguments, format);
	outcome = gdb_commandv(gdb, NULL, format, arguments);
	va_end(arguments);
	while (outcome == GDB_DONE && !gdb->refused && (gdb->running || gdb->stops == stops))
		outcome = gdb_pump(gdb, -1);
	return outcome == GDB_DONE && gdb->refused ? GDB_REFUSED : outcome;
}

enum gdb_outcome gdb_run_steps(struct gdb *gdb, const char *command)
{
	enum gdb_outcome outcome;

	gdb->patient = true;
	outcome = gdb_run(gdb, "%s", command);
	gdb->patient = false;
	/* Whoever asks finds that it has ended early, as if it had been told to. */
	if (gdb->worker->interrupt != INTERRUPT_NONE)
		gdb->interrupt_sent = gdb->interrupted = true;
	return outcome;
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

bool gdb_is_running(const struct gdb *gdb)
{
	return gdb->running;
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

const char *gdb_message(const struct gdb *gdb)
{
	return gdb->message;
}

bool gdb_quote(char *to, const char *what, const char *text, struct op_reply *reply)
{
	if (mi_quote(to, GDB_QUOTED_MAX, text) >= 0)
		return true;
	op_fail(reply, ERROR_INVALID_ARGUMENT, "give it as one line of plain text",
	    "%s has control characters in it, or is longer than %d bytes", what,
	    GDB_QUOTED_MAX - 8);
	return false;
}

void gdb_fail_interrupted(const struct worker *worker, struct op_reply *reply)
{
	if (worker->interrupt == INTERRUPT_TIMEOUT)
		op_fail(reply, ERROR_TIMEOUT, "ask for less, or give it a longer timeout",
		    "the time for this command is over");
	else
		op_fail(reply, ERROR_CANCELLED, NULL, "the command was interrupted");
}

bool gdb_check(struct gdb *gdb, enum gdb_outcome outcome, enum error_code code, const char *hint,
    struct op_reply *reply)
{
	switch (outcome) {
	case GDB_DONE:
		return true;
	case GDB_REFUSED:
		if (gdb->interrupted && strcmp(gdb->message, "Quit") == 0)
			gdb_fail_interrupted(gdb->worker, reply);
		else
			op_fail(reply, code, hint, "%s", gdb->message);
		return false;
	case GDB_LOST:
		op_fail(reply,
		    strncmp(gdb->message, "rr", 2) == 0 ? ERROR_RR_FAILED : ERROR_GDB_FAILED,
		    "the session is brought back by the next call on it", "%s", gdb->message);
		return false;
	}
	return false;
}
