/*
 * What the protocol costs, beside the same measured on a server of the TypeScript SDK that answers
 * with the same list and does nothing else, where `make deps-clients` has installed it.
 *
 * bench-protocol SERVER [NODE SDK_SERVER.mjs]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/bench/figures.h"
#include "tests/bench/peer.h"
#include "tests/e2e/harness.h"

#define STARTS	   21
#define LISTS	   501
#define ROUNDS	   5
#define PINGS	   20000
#define WINDOW	   32 /* pings in flight at once; fewer than the server refuses */
#define LONG_LINES 5
#define MEBIBYTE   (1024 * 1024)

static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}\n";
static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";

struct subject {
	const char *name;
	const char *const *argv;
	bool ours; /* held to the limits */
};

static const char *limit(const struct subject *subject, const char *text)
{
	return subject->ours ? text : "";
}

static void label(const struct subject *subject, const char *what, char *text, size_t room)
{
	snprintf(text, room, "%s: %s", subject->name, what);
}

static void measure_start(const struct subject *subject)
{
	double seconds[STARTS], kib[STARTS];
	char what[128];
	size_t length;

	for (int i = 0; i < STARTS; i++) {
		double start = harness_now();
		struct peer *peer = peer_start(subject->argv);
		seconds[i] = harness_now() - start;
		peer_send(peer, list, sizeof(list) - 1);
		peer_await(peer, 1, &length);
		kib[i] = (double)census_resident_kib(peer_pid(peer));
		peer_end(peer);
	}
	label(subject, "exec to initialize answered", what, sizeof(what));
	figure(what, limit(subject, "under 10 ms"), "%.1f ms", median(seconds, STARTS) * 1e3);
	label(subject, "resident", what, sizeof(what));
	figure(what, limit(subject, "under 3 MB"), "%.1f MB", median(kib, STARTS) / 1024);
}

static void measure_list(const struct subject *subject)
{
	double seconds[LISTS];
	char what[128];
	size_t length = 0;
	struct peer *peer = peer_start(subject->argv);

	for (int i = 0; i < LISTS; i++) {
		double start = harness_now();
		peer_send(peer, list, sizeof(list) - 1);
		peer_await(peer, 1, &length);
		seconds[i] = harness_now() - start;
	}
	peer_end(peer);
	label(subject, "tools/list", what, sizeof(what));
	figure(what, limit(subject, "under 1 ms"), "%.2f ms (%.1f KB)",
	    median(seconds, LISTS) * 1e3, (double)length / 1024);
}

static double pings_a_second(struct peer *peer, int window)
{
	size_t length;
	double start = harness_now();

	for (int i = 0; i < window; i++)
		peer_send(peer, ping, sizeof(ping) - 1);
	for (int i = window; i < PINGS; i++) {
		peer_await(peer, 1, &length);
		peer_send(peer, ping, sizeof(ping) - 1);
	}
	peer_await(peer, (size_t)window, &length);
	return PINGS / (harness_now() - start);
}

static void measure_pings(const struct subject *subject)
{
	double single[ROUNDS], many[ROUNDS];
	char what[128];
	struct peer *peer = peer_start(subject->argv);

	for (int i = 0; i < ROUNDS; i++) {
		single[i] = pings_a_second(peer, 1);
		many[i] = pings_a_second(peer, WINDOW);
	}
	peer_end(peer);
	label(subject, "pings a second, one at a time", what, sizeof(what));
	figure(what, limit(subject, "over 10,000"), "%.0f", median(single, ROUNDS));
	label(subject, "pings a second, 32 on their way", what, sizeof(what));
	figure(what, limit(subject, "over 10,000"), "%.0f", median(many, ROUNDS));
}

/* A call whose argument repeats `piece` until the line is a mebibyte long. */
static char *long_line(const char *before, const char *piece, const char *after)
{
	char *line = malloc(MEBIBYTE + 1);
	size_t at = strlen(before), tail = strlen(after), step = strlen(piece);

	if (line == NULL)
		harness_fail("out of memory");
	memcpy(line, before, at);
	for (; at + step + tail <= MEBIBYTE; at += step)
		memcpy(line + at, piece, step);
	memset(line + at, ' ', MEBIBYTE - at - tail);
	memcpy(line + MEBIBYTE - tail, after, tail + 1);
	return line;
}

static void measure_long_line(
    const struct subject *subject, const char *kind, const char *before, const char *piece)
{
	double kib[LONG_LINES];
	char what[128], told[64];
	size_t length;
	char *line = long_line(before, piece, "\"]}}}\n");

	for (int i = 0; i < LONG_LINES; i++) {
		struct peer *peer = peer_start(subject->argv);
		peer_send(peer, list, sizeof(list) - 1);
		peer_await(peer, 1, &length);
		long long resident = census_resident_kib(peer_pid(peer));
		peer_send(peer, line, MEBIBYTE);
		peer_await(peer, 1, &length);
		kib[i] = (double)(peer_peak_kib(peer) - resident);
		peer_end(peer);
	}
	free(line);
	snprintf(told, sizeof(told), "a line of 1 MiB (%s) adds", kind);
	label(subject, told, what, sizeof(what));
	figure(what, limit(subject, "4 MiB"), "%.1f MiB", median(kib, LONG_LINES) / 1024);
}

#define CALL                                                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":"            \
	"\"rr_evaluate\",\"arguments\":{\"expressions\":[\""

static void measure(const struct subject *subject)
{
	measure_start(subject);
	measure_list(subject);
	measure_pings(subject);
	measure_long_line(subject, "one string", CALL, "a");
	measure_long_line(subject, "escapes", CALL, "\\u00e4");
	measure_long_line(subject, "16,000 strings", CALL,
	    "0123456789012345678901234567890123456789012345678901234567890123\",\"");
}

/* The baseline lists the same tools: our own answer to tools/list. */
static void write_list(const char *const *argv, const char *path)
{
	size_t length;
	struct peer *peer = peer_start(argv);
	peer_send(peer, list, sizeof(list) - 1);
	const char *line = peer_await(peer, 1, &length);
	json_t *answer = json_loadb(line, length, 0, NULL);
	char *text = json_dumps(json_object_get(answer, "result"), JSON_COMPACT);
	if (text == NULL)
		harness_fail("no list of tools");
	harness_write_file(path, text);
	free(text);
	json_decref(answer);
	peer_end(peer);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		harness_fail("usage: bench-protocol SERVER [NODE SDK_SERVER.mjs]");
	char *scratch = harness_scratch(0), *tools = harness_path(scratch, "tools.json");
	struct subject ours = {"rr-warden", (const char *const[]){argv[1], NULL}, true};

	figures_head("the protocol");
	measure(&ours);
	if (argc >= 4 && access(argv[2], X_OK) == 0 && access(argv[3], R_OK) == 0) {
		write_list(ours.argv, tools);
		measure(&(struct subject){"TypeScript SDK v1",
		    (const char *const[]){argv[2], argv[3], tools, NULL}, false});
	} else {
		printf("No baseline: `make deps-clients` installs the TypeScript SDK.\n");
	}
	free(tools);
	harness_scratch_free(scratch);
	return 0;
}
