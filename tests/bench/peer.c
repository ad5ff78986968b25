/*
 * Pipes and newlines. Must never parse what comes back, because that time would count.
 */
#include "tests/bench/peer.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define ROOM (8u << 20) /* the longest answer */

static const char hello[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";
static const char initialized[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

struct peer {
	pid_t pid;
	int to, from;
	char *bytes;
	size_t start, end;
};

struct peer *peer_start(const char *const *argv)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	int in[2], out[2];
	size_t length;

	if (peer == NULL || (peer->bytes = malloc(ROOM)) == NULL || pipe2(in, O_CLOEXEC) < 0 ||
	    pipe2(out, O_CLOEXEC) < 0)
		harness_fail("peer: %m");
	peer->pid = fork();
	if (peer->pid < 0)
		harness_fail("fork: %m");
	if (peer->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	peer->to = in[1];
	peer->from = out[0];
	peer_send(peer, hello, sizeof(hello) - 1);
	peer_await(peer, 1, &length);
	peer_send(peer, initialized, sizeof(initialized) - 1);
	return peer;
}

pid_t peer_pid(const struct peer *peer)
{
	return peer->pid;
}

void peer_send(struct peer *peer, const char *bytes, size_t length)
{
	for (ssize_t sent; length > 0; bytes += sent, length -= (size_t)sent)
		if ((sent = write(peer->to, bytes, length)) <= 0)
			harness_fail("the server ended");
}

const char *peer_await(struct peer *peer, size_t count, size_t *length)
{
	size_t searched = peer->start;

	for (;;) {
		char *newline = memchr(peer->bytes + searched, '\n', peer->end - searched);
		if (newline != NULL && --count == 0) {
			const char *line = peer->bytes + peer->start;
			*length = (size_t)(newline - line);
			peer->start = (size_t)(newline - peer->bytes) + 1;
			return line;
		}
		if (newline != NULL) {
			searched = peer->start = (size_t)(newline - peer->bytes) + 1;
			continue;
		}
		searched = peer->end;
		if (peer->start > 0 && ROOM - peer->end < ROOM / 2) {
			memmove(peer->bytes, peer->bytes + peer->start, peer->end - peer->start);
			peer->end -= peer->start;
			searched -= peer->start;
			peer->start = 0;
		}
		ssize_t got = read(peer->from, peer->bytes + peer->end, ROOM - peer->end);
		if (got <= 0)
			harness_fail("the server ended");
		peer->end += (size_t)got;
	}
}

void peer_end(struct peer *peer)
{
	kill(peer->pid, SIGKILL);
	waitpid(peer->pid, NULL, 0);
	close(peer->to);
	close(peer->from);
	free(peer->bytes);
	free(peer);
}

long long peer_peak_kib(const struct peer *peer)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)peer->pid);
	char *text = harness_file(path), *line = text == NULL ? NULL : strstr(text, "\nVmHWM:");
	long long kib = line == NULL ? -1 : strtoll(line + strlen("\nVmHWM:"), NULL, 10);
	free(text);
	return kib;
}
