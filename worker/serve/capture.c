/*
 * Runs a tool to its end. Must never keep more of its output than the named limits, nor wait
 * without watching the channel.
 */
#include "worker/serve/capture.h"
#include "worker/serve/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE 16384
#define LINGER_US 200000 /* for it to exit, once its streams are closed */
#define LOOK_US	  100	 /* between looks: it takes less than a millisecond */

static void keep_output(struct capture *capture, const char *bytes, size_t length)
{
	size_t room = CAPTURE_OUTPUT_MAX - capture->output_length;
	char *grown;

	if (capture->sink) {
		capture->sink(capture->owner, bytes, length);
		return;
	}
	if (length > room) {
		capture->cut = true;
		length = room;
	}
	grown = realloc(capture->output, capture->output_length + length + 1);
	if (!grown) {
		capture->cut = true;
		return;
	}
	capture->output = grown;
	memcpy(grown + capture->output_length, bytes, length);
	capture->output_length += length;
	grown[capture->output_length] = '\0';
}

static void keep_errors(struct capture *capture, const char *bytes, size_t length)
{
	size_t room = sizeof(capture->errors) - capture->errors_length;

	if (length > room)
		length = room;
	memcpy(capture->errors + capture->errors_length, bytes, length);
	capture->errors_length += length;
}

/* Reads what has arrived. Closes the stream at its end. */
static void drain(struct capture *capture, int *fd, bool errors)
{
	char bytes[READ_SIZE];
	ssize_t got = read(*fd, bytes, sizeof(bytes));

	if (got > 0) {
		if (errors)
			keep_errors(capture, bytes, (size_t)got);
		else
			keep_output(capture, bytes, (size_t)got);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
}

static bool fail_to_wait(struct worker *worker, const char *path, struct failure *failure)
{
	switch (worker->interrupt) {
	case INTERRUPT_CANCELLED:
	case INTERRUPT_ASKED:
		failure_set(failure, ERROR_CANCELLED, NULL, "%s was stopped on request", path);
		break;
	case INTERRUPT_NONE:
	case INTERRUPT_TIMEOUT:
		failure_set(failure, ERROR_TIMEOUT, "give a longer deadline",
		    "%s did not end in time and was killed", path);
		break;
	}
	return false;
}

/* Both streams end with the tool, because no other process holds them open. */
static bool read_all(struct worker *worker, struct capture *capture, long long deadline)
{
	struct tool *tool = &capture->tool;

	while (tool->output >= 0 || tool->errors >= 0) {
		struct pollfd fds[] = {
		    {.fd = tool->output, .events = POLLIN}, {.fd = tool->errors, .events = POLLIN}};
		long long left = deadline - clock_ms();
		if (left <= 0)
			return false;
		worker_wait(worker, fds, 2, (int)left);
		if (worker->interrupt != INTERRUPT_NONE)
			return false;
		if (fds[0].revents)
			drain(capture, &tool->output, false);
		if (fds[1].revents)
			drain(capture, &tool->errors, true);
	}
	return true;
}

bool capture_run(struct worker *worker, const struct tool_spec *spec, int timeout_ms,
    struct capture *capture, struct failure *failure)
{
	return capture_stream(worker, spec, timeout_ms, NULL, NULL, capture, failure);
}

bool capture_started(struct worker *worker, const struct tool *tool, const char *name,
    int timeout_ms, capture_sink *sink, void *owner, struct capture *capture,
    struct failure *failure)
{
	bool done;

	*capture =
	    (struct capture){.tool = *tool, .sink = sink, .owner = owner, .output = calloc(1, 1)};
	if (!capture->output)
		return failure_no_memory(failure);
	done = read_all(worker, capture, clock_ms() + timeout_ms);
	if (!done)
		fail_to_wait(worker, name, failure);
	/* A tool whose streams are closed cannot print any more. If it does not exit, we kill it.
	 */
	struct tool *const tools[] = {&capture->tool};
	for (int waited = 0; done && waited < LINGER_US && capture->tool.pid; waited += LOOK_US) {
		tools_reap(tools, 1);
		if (capture->tool.pid)
			usleep(LOOK_US);
	}
	tool_end(&capture->tool);
	return done;
}

bool capture_stream(struct worker *worker, const struct tool_spec *spec, int timeout_ms,
    capture_sink *sink, void *owner, struct capture *capture, struct failure *failure)
{
	struct tool tool = TOOL_NONE;
	char why[256] = "";

	*capture = (struct capture){.tool = TOOL_NONE};
	if (tool_start(&tool, spec, why, sizeof(why)) != 0) {
		failure_set(
		    failure, ERROR_RR_FAILED, NULL, "%s did not start: %s", spec->path, why);
		return false;
	}
	return capture_started(
	    worker, &tool, spec->path, timeout_ms, sink, owner, capture, failure);
}

void capture_free(struct capture *capture)
{
	tool_end(&capture->tool);
	free(capture->output);
	capture->output = NULL;
}

bool capture_succeeded(const struct capture *capture)
{
	return WIFEXITED(capture->tool.status) && WEXITSTATUS(capture->tool.status) == 0;
}
