/*
 * Reads what rr and gdb say, and tells from it why one of them ended.
 */
#include "worker/session/launch/launched.h"
#include "worker/session/replay_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/wire/scrub.h"
#include "worker/session/images.h"

#define PUMP_GRACE_MS 200

struct launched *launched_new(void)
{
	struct launched *launched = calloc(1, sizeof(*launched));

	if (launched) {
		launched->rr = launched->gdb = TOOL_NONE;
		launched->starter = STARTER_NONE;
	}
	return launched;
}

void launched_end(struct launched *launched)
{
	starter_end(&launched->starter);
	tool_end(&launched->gdb);
	tool_end(&launched->rr);
	launched_forget_said(launched);
}

void launched_free(struct launched *launched)
{
	if (!launched)
		return;
	launched_end(launched);
	free(launched->choice);
	free(launched);
}

void launched_forget_said(struct launched *launched)
{
	launched->said_length = 0;
	launched->said[0] = '\0';
}

/* Keeps the end of what rr says: what the program wrote before the session begins comes first. */
static void keep_said(struct launched *launched, const char *bytes, size_t length)
{
	size_t most = sizeof(launched->said) - 1, drop;

	if (length > most) {
		bytes += length - most;
		length = most;
	}
	if (launched->said_length + length > most) {
		drop = launched->said_length + length - most;
		launched->said_length -= drop;
		memmove(launched->said, launched->said + drop, launched->said_length);
	}
	memcpy(launched->said + launched->said_length, bytes, length);
	launched->said_length += length;
	launched->said[launched->said_length] = '\0';
}

static bool read_rr_output(void *owner, int fd)
{
	struct replay *replay = owner;
	char bytes[16 * 1024];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got <= 0)
		return got < 0 && (errno == EAGAIN || errno == EINTR);
	if (!replay->launched->connected)
		keep_said(replay->launched, bytes, (size_t)got);
	live_output_add(replay->output, bytes, (size_t)got);
	return true;
}

/* Keeps the last line, which may come in pieces. Blank lines do not count. */
static void keep_gdb_words(struct launched *launched, const char *bytes, size_t count)
{
	size_t length = strlen(launched->gdb_words);

	for (size_t i = 0; i < count; i++) {
		if (bytes[i] == '\n') {
			launched->gdb_words_ended = true;
			continue;
		}
		if (launched->gdb_words_ended && strchr("\r ", bytes[i]))
			continue;
		if (launched->gdb_words_ended)
			length = 0;
		launched->gdb_words_ended = false;
		if (length < sizeof(launched->gdb_words) - 1)
			launched->gdb_words[length++] = bytes[i];
	}
	launched->gdb_words[length] = '\0';
}

/* gdb's stderr is not for the client, but the pipe must not fill up. */
static bool read_gdb_errors(void *owner, int fd)
{
	const struct replay *replay = owner;
	char bytes[4096];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got > 0)
		keep_gdb_words(replay->launched, bytes, (size_t)got);
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* rr ends the processes of each seek and of each checkpoint that it drops, but does not wait for
 * them. They become our children, and thousands of zombies would leave no room for new processes.
 */
static void reap(void *owner)
{
	const struct replay *replay = owner;
	struct launched *launched = replay->launched;
	struct launched *beside = replay->beside ? replay->beside->launched : NULL;
	struct tool *tools[] = {&launched->rr, &launched->gdb, beside ? &beside->rr : NULL,
	    beside ? &beside->gdb : NULL};

	tools_reap_all(tools, beside ? 4 : 2);
}

/* LIMIT: rr records nothing at address 0, but its replay of a deadly signal wants what it recorded
 * at the stack pointer. The words are those of rr 5.6 and 5.9; a damaged trace can bring them too.
 */
static bool may_die_without_stack(const struct replay *replay, const char *words)
{
	return replay->images && !replay->core &&
	       (strstr(words, "read_raw_data") || strstr(words, "apply_data_record_from_trace"));
}

static bool explain_loss(void *owner, char *text, size_t size)
{
	struct replay *replay = owner;
	const struct launched *launched = replay->launched;
	char end[64], words[600];

	for (int waited = 0; waited < PUMP_GRACE_MS; waited += 10) {
		reap(replay);
		if ((launched->rr.pid == 0 && !replay->core) || launched->gdb.pid == 0)
			break;
		usleep(10000);
	}
	read_rr_output(replay, launched->rr.output);
	live_output_rr_words(replay->output, words, sizeof(words));
	if (launched->rr.pid == 0 && !replay->core) {
		tool_describe_end(&launched->rr, end, sizeof(end));
		/* Where it says how to connect to it, it did not say why it ended. */
		if (strncmp(words, "Launch ", 7) == 0)
			words[0] = '\0';
		if (images_is_open(replay))
			snprintf(text, size,
			    "the recording ends at event %lld, but the program had not ended "
			    "there: "
			    "its recorder stopped, and rr cannot replay beyond it (it ended with "
			    "%s); rr_goto with moment %lld or end works",
			    images_last_event(replay), end, images_last_event(replay));
		else if (may_die_without_stack(replay, words))
			snprintf(text, size,
			    "rr ended with %s: %s\nIt does so where a program dies with a stack "
			    "pointer of 0: then rr_goto with moment %lld shows where",
			    end, words, images_last_event(replay) - 1);
		else
			snprintf(
			    text, size, "rr ended with %s%s%s", end, words[0] ? ": " : "", words);
	} else if (gdb_stepped_before_thread(replay->gdb)) {
		snprintf(text, size,
		    "gdb cannot step back from here: a thread begins on the way, and gdb failed; "
		    "rr_continue with reverse to a breakpoint or a watchpoint works");
	} else if (launched->gdb.pid == 0) {
		tool_describe_end(&launched->gdb, end, sizeof(end));
		scrub_bytes(words, sizeof(words), launched->gdb_words, strlen(launched->gdb_words));
		snprintf(text, size, "gdb ended with %s%s%s", end, words[0] ? ": " : "", words);
	} else {
		return false;
	}
	return true;
}

void launched_watch_rr(struct replay *replay)
{
	live_output_begin_rr(replay->output);
	gdb_watch(replay->gdb, replay->launched->rr.output, read_rr_output);
}

void launched_watch(struct replay *replay)
{
	gdb_on_loss(replay->gdb, explain_loss);
	gdb_on_turn(replay->gdb, reap);
	launched_watch_rr(replay);
	gdb_watch(replay->gdb, replay->launched->gdb.errors, read_gdb_errors);
}
