/*
 * A worker that was taken over, and asks its broker for what it must not get, or signals others.
 * Each operation is one attack, and answers what came of it: {granted, refused, ended, worked: what
 * should not have}. For tests only; never installed.
 *
 *	rr_bookmark	  `note` names the attack, see `attacks`
 *	rr_type		  asks for the source that `expression` names, once
 *	rr_source_lines	  asks for `file` until the broker ends it, and reads what it gets
 *	rr_evaluate	  tries to signal the process that `expression` names
 *	rr_traceinfo, rr_pack, rr_rm
 *			  looks into `trace_dir`, and writes there
 *	rr_export	  makes and discards the archive again and again, from processes at once
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/wire/broker.h"
#include "sandbox/wire/channel.h"
#include "sandbox/wire/descriptors.h"
#include "sandbox/wire/proto.h"
#include "tests/doubles/service.h"

#define ASKED_MAX  200000 /* above what any broker stands */
#define AT_ONCE	   4
#define ROUNDS	   100
#define SECRET	   "THE-SECRET-OF-THIS-TEST"
#define LINE_SHORT "a line of the petitioner"
#define TEXT_SHORT "a report of the petitioner"

struct outcome {
	int granted, refused;
	bool ended; /* the broker gives no more answers */
	const char *worked;
};

/* Whether it was granted. */
static bool count(struct outcome *outcome, int result)
{
	outcome->granted += result >= 0;
	outcome->refused += result < 0;
	outcome->ended = outcome->ended || (result < 0 && errno == EPIPE);
	if (result > 0)
		close(result);
	return result >= 0;
}

static bool asks(struct outcome *outcome, enum broker_what what, const char *text)
{
	struct broker_reply reply;

	return count(outcome, broker_ask(WORKER_BROKER_FD, what, text, &reply));
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static void send_raw(const void *bytes, size_t size, bool with_descriptor)
{
	int descriptor = STDERR_FILENO;

	(void)descriptors_send(WORKER_BROKER_FD, bytes, size, &descriptor, with_descriptor);
}

/* None of them is a request: the next answer is that of the good one. */
static void send_bad_sizes(enum broker_what what)
{
	static const size_t sizes[] = {1, 4, 8, offsetof(struct broker_request, path),
	    sizeof(struct broker_request) - 1, sizeof(struct broker_request) + 1, 65536, 100000};
	static char bytes[100000];
	struct broker_request *request = (struct broker_request *)(void *)bytes;

	memset(bytes, 'x', sizeof(bytes));
	request->what = what;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		send_raw(bytes, sizes[i], false);
	snprintf(request->path, sizeof(request->path), "with a descriptor");
	send_raw(request, sizeof(*request), true);
}

/* ---- Bookmarks ------------------------------------------------------------------------------ */

static void bad_sizes(struct outcome *outcome)
{
	send_bad_sizes(BROKER_BOOKMARK);
	if (!asks(outcome, BROKER_BOOKMARK, LINE_SHORT))
		outcome->worked = "silences the broker";
}

static void bad_lines(struct outcome *outcome)
{
	static char unending[PATH_MAX];
	static const char *const lines[] = {
	    "", "two\nlines", "\n", "a\rreturn", "\x1b[2Jescape", "a\ttab", unending};
	char limit[BROKER_BOOKMARK_MAX + 2];

	memset(unending, 'y', sizeof(unending) - 1);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (asks(outcome, BROKER_BOOKMARK, lines[i]))
			outcome->worked = lines[i];
	memset(limit, 'z', sizeof(limit) - 1);
	limit[sizeof(limit) - 1] = '\0';
	if (asks(outcome, BROKER_BOOKMARK, limit))
		outcome->worked = "a line that is too long";
	limit[BROKER_BOOKMARK_MAX] = '\0';
	if (!asks(outcome, BROKER_BOOKMARK, limit))
		outcome->worked = "refuses the longest line";
}

/* They are lines of the session's own trace, whatever they name. */
static void names(struct outcome *outcome)
{
	static const char *const lines[] = {"/etc/passwd", "../other/rr-warden.bookmarks",
	    "rr-warden.bookmarks", "/proc/self/cwd/x", ".ssh/authorized_keys", "%s%n"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		asks(outcome, BROKER_BOOKMARK, lines[i]);
	if (asks(outcome, BROKER_READ_ARCHIVE, "/etc/passwd") ||
	    asks(outcome, BROKER_WRITE_ARCHIVE, "/tmp/x.tar") ||
	    asks(outcome, BROKER_DISCARD_ARCHIVE, "rr-warden.bookmarks"))
		outcome->worked = "an archive in a session";
}

static void flood(struct outcome *outcome, const char *line)
{
	for (int i = 0; i < ASKED_MAX && !outcome->ended; i++)
		asks(outcome, BROKER_BOOKMARK, line);
	if (!outcome->ended)
		outcome->worked = "a flood without an end";
}

static void flood_of_short_lines(struct outcome *outcome)
{
	flood(outcome, "s");
}

static void flood_of_long_lines(struct outcome *outcome)
{
	char line[BROKER_BOOKMARK_MAX + 1];

	memset(line, 'l', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	flood(outcome, line);
}

/* What no broker knows ends it. */
static void unknown(struct outcome *outcome)
{
	if (asks(outcome, (enum broker_what)(BROKER_REMOVED + 1), "x") ||
	    asks(outcome, BROKER_BOOKMARK, LINE_SHORT))
		outcome->worked = "an unknown request";
}

/* A replay records nothing, and so it adds nothing to the list of what may be read. */
static void recorded(struct outcome *outcome)
{
	if (asks(outcome, BROKER_RECORDED, "/tmp") || asks(outcome, BROKER_BOOKMARK, LINE_SHORT))
		outcome->worked = "a request of a recording";
}

/* Dies with requests on their way and answers unread. */
static void die(struct outcome *outcome)
{
	struct broker_request request = {.what = BROKER_BOOKMARK, .path = LINE_SHORT};

	(void)outcome;
	for (int i = 0; i < 8; i++)
		send_raw(&request, sizeof(request), false);
	_exit(9);
}

/* Processes with one socket: each request gets one answer, of whichever process. */
static void at_once(struct outcome *outcome, void (*act)(struct outcome *))
{
	struct outcome *parts = mmap(NULL, AT_ONCE * sizeof(*parts), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t children[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			act(&parts[i]);
			_exit(0);
		}
	}
	for (int i = 0; i < AT_ONCE; i++) {
		waitpid(children[i], NULL, 0);
		outcome->granted += parts[i].granted;
		outcome->refused += parts[i].refused;
	}
}

static void some_lines(struct outcome *outcome)
{
	for (int i = 0; i < 20; i++)
		asks(outcome, BROKER_BOOKMARK, LINE_SHORT);
}

static void lines_at_once(struct outcome *outcome)
{
	at_once(outcome, some_lines);
}

/* ---- Reports -------------------------------------------------------------------------------- */

/* Whether a report was written; its name is none of the worker's. */
static bool reports(struct outcome *outcome, const char *text, const char *name)
{
	return asks(outcome, BROKER_REPORT_PART, text) && asks(outcome, BROKER_REPORT, name);
}

/* The descriptor that is passed is dropped, and with it the packet. */
static void report_sizes(struct outcome *outcome)
{
	send_bad_sizes(BROKER_REPORT_PART);
	send_bad_sizes(BROKER_REPORT);
	if (!reports(outcome, TEXT_SHORT, NULL))
		outcome->worked = "silences the broker";
	if (asks(outcome, BROKER_REPORT, NULL) || asks(outcome, BROKER_REPORT_PART, ""))
		outcome->worked = "a report of nothing";
}

static void report_names(struct outcome *outcome)
{
	static const char *const paths[] = {"/etc/passwd", "../other/x.html", "x.html", "..",
	    "/proc/self/cwd/x", ".ssh/authorized_keys", "events", "%s%n", "a\nb"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		reports(outcome, TEXT_SHORT, paths[i]);
}

/* Sends parts until one is refused. */
static void send_too_much(struct outcome *outcome)
{
	char part[PATH_MAX];
	size_t sent = 0;

	memset(part, 'p', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	while (sent <= BROKER_REPORT_MAX && asks(outcome, BROKER_REPORT_PART, part))
		sent += sizeof(part) - 1;
	if (sent > BROKER_REPORT_MAX)
		outcome->worked = "a report that is too long";
}

/* What does not fit costs that report, and no other. */
static void report_length(struct outcome *outcome)
{
	send_too_much(outcome);
	if (asks(outcome, BROKER_REPORT, NULL))
		outcome->worked = "a report that is too long";
	send_too_much(outcome);
	if (!reports(outcome, TEXT_SHORT, NULL))
		outcome->worked = "silences the broker";
}

/* Ends of the head, marks of byte order, and what no text has. */
static void report_bytes(struct outcome *outcome)
{
	static const char *const texts[] = {"\xef\xbb\xbf<script>alert(1)</script>", "\xfe\xff",
	    "\xff\xfe<", "--></head><meta http-equiv=refresh content=0>", "\x1b[2J\x1b]0;title\a",
	    "+ADw-script+AD4-alert(1)", "<meta http-equiv=\"refresh\" content=\"0;url=//e\">",
	    "<link rel=\"dns-prefetch\" href=\"//e\">", "<p class=\"x\" onclick=\"x\">"};
	char every[256];

	for (int i = 1; i < 256; i++)
		every[i - 1] = (char)i;
	every[255] = '\0';
	reports(outcome, every, NULL);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		reports(outcome, texts[i], NULL);
}

static void flood_of_reports(struct outcome *outcome)
{
	for (int i = 0; i < ASKED_MAX && !outcome->ended; i++)
		reports(outcome, TEXT_SHORT, NULL);
	if (!outcome->ended)
		outcome->worked = "a flood without an end";
}

/* Each report of parts that fit: without a limit on them, there were no end. */
static void flood_of_parts(struct outcome *outcome)
{
	for (int i = 0; i < ASKED_MAX && !outcome->ended; i++)
		asks(outcome, BROKER_REPORT_PART, "p");
	if (!outcome->ended)
		outcome->worked = "a flood without an end";
}

static void some_reports(struct outcome *outcome)
{
	for (int i = 0; i < 5; i++)
		reports(outcome, TEXT_SHORT, NULL);
}

static void reports_at_once(struct outcome *outcome)
{
	at_once(outcome, some_reports);
}

/* A process that is to outlive the session, and then writes. */
static void outlive(struct outcome *outcome)
{
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		setsid();
		for (int wait = 0; wait < 1000 && getppid() == parent; wait++)
			usleep(10000);
		reports(outcome, TEXT_SHORT, NULL);
		asks(outcome, BROKER_BOOKMARK, LINE_SHORT);
		_exit(0);
	}
	if (child < 0)
		outcome->worked = "no child";
}

static const struct {
	const char *name;
	void (*run)(struct outcome *outcome);
} attacks[] = {{"bad sizes", bad_sizes}, {"bad lines", bad_lines}, {"names", names},
    {"short lines", flood_of_short_lines}, {"long lines", flood_of_long_lines},
    {"unknown", unknown}, {"recorded", recorded}, {"die", die}, {"lines at once", lines_at_once},
    {"report sizes", report_sizes}, {"report names", report_names},
    {"report length", report_length}, {"report bytes", report_bytes}, {"reports", flood_of_reports},
    {"parts", flood_of_parts}, {"reports at once", reports_at_once}, {"outlive", outlive}};

/* ---- Sources -------------------------------------------------------------------------------- */

static void sources(struct outcome *outcome, const char *file)
{
	struct broker_reply reply;
	char text[sizeof(SECRET)] = "";

	for (int i = 0; i < ASKED_MAX && !outcome->ended; i++) {
		int fd = broker_ask(WORKER_BROKER_FD, BROKER_SOURCE, file, &reply);
		if (fd > 0 && read(fd, text, strlen(SECRET)) > 0 && strcmp(text, SECRET) == 0)
			outcome->worked = "a secret";
		count(outcome, fd);
	}
}

/* ---- Archives ------------------------------------------------------------------------------- */

static void make_archive(struct outcome *outcome)
{
	asks(outcome, BROKER_WRITE_ARCHIVE, NULL);
}

static void archives(struct outcome *outcome)
{
	for (int i = 0; i < ROUNDS && !outcome->ended; i++) {
		struct outcome round = {0};
		at_once(&round, make_archive);
		if (round.granted > 1)
			outcome->worked = "one archive, twice";
		outcome->granted += round.granted;
		outcome->refused += round.refused;
		asks(&round, BROKER_DISCARD_ARCHIVE, NULL);
		outcome->ended = round.ended;
	}
}

/* ---- Signals -------------------------------------------------------------------------------- */

static void signals(struct outcome *outcome, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (kill(pid, SIGUSR1) == 0)
		outcome->worked = "kill";
	if (syscall(SYS_tgkill, pid, pid, SIGUSR1) == 0)
		outcome->worked = "tgkill";
	if (sigqueue(pid, SIGUSR1, (union sigval){0}) == 0)
		outcome->worked = "rt_sigqueueinfo";
	if (fd >= 0 && syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0) == 0)
		outcome->worked = "pidfd_send_signal";
}

/* ---- The view ------------------------------------------------------------------------------- */

static void look(struct outcome *outcome, const char *directory)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;
	char path[PATH_MAX];

	while (entries != NULL && (entry = readdir(entries)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "work") != 0) /* where the server started */
			outcome->worked = "sees it";
	snprintf(path, sizeof(path), "%s/petitioner-was-here", directory);
	(void)creat(path, 0600); /* the test looks for it: a view has directories of its own */
}

/* ---- The service ---------------------------------------------------------------------------- */

static const char *argument(const struct channel_packet *request, const char *name)
{
	const char *text =
	    json_string_value(json_object_get(json_object_get(request->json, "args"), name));

	return text == NULL ? "" : text;
}

static json_t *act(const struct channel_packet *request)
{
	struct outcome outcome = {0};

	if (request->type == WIRE_OP_SOURCE_LINES)
		sources(&outcome, argument(request, "file"));
	if (request->type == WIRE_OP_TYPE)
		asks(&outcome, BROKER_SOURCE, argument(request, "expression"));
	if (request->type == WIRE_OP_TRACEINFO || request->type == WIRE_OP_PACK ||
	    request->type == WIRE_OP_RM)
		look(&outcome, argument(request, "trace_dir"));
	if (request->type == WIRE_OP_EVALUATE)
		signals(&outcome, (pid_t)strtol(argument(request, "expression"), NULL, 10));
	if (request->type == WIRE_OP_EXPORT)
		archives(&outcome);
	for (size_t i = 0; i < sizeof(attacks) / sizeof(*attacks); i++)
		if (request->type == WIRE_OP_BOOKMARK &&
		    strcmp(attacks[i].name, argument(request, "note")) == 0)
			attacks[i].run(&outcome);
	return json_pack("{s:i, s:i, s:b, s:s}", "granted", outcome.granted, "refused",
	    outcome.refused, "ended", (int)outcome.ended, "worked",
	    outcome.worked ? outcome.worked : "");
}

int main(void)
{
	return service_run(act);
}
