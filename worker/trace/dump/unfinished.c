/*
 * Ends the tasks of a trace that was cut off. Each gets the event EXIT that rr writes for a task
 * that was killed. The events are a file of blocks, {bytes, bytes when unpacked} and a Brotli
 * stream, of Cap'n Proto messages in their packed form (rr's CompressedWriter.cc and
 * rr_trace.capnp, 5.6 to 5.10). Must never change what rr has written.
 */
#include "worker/trace/dump/unfinished.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/serve/begins.h"
#include "worker/serve/capture.h"
#include "worker/serve/lookup.h"
#include "worker/trace/dump/dump_lines.h"
#include "worker/trace/dump/grow.h"

#define TASKS_MAX    20000
#define READ_MS	     60000
#define TICKS_MAX    (1LL << 62)
#define FRAME_WORDS  15
#define FRAME_PACKED (FRAME_WORDS * 10) /* bytes at most */
#define BLOCK_MAX    (1u << 16)		/* bytes of a Brotli block with a length of 16 bits */
#define STREAM_FRAME 4			/* bytes around it */

/* Parts of the message of a frame, in words. */
enum {
	WORD_SIZE,
	WORD_ROOT,
	WORD_TASK,
	WORD_TICKS,
	WORD_TIME,
	WORD_WRITES = 9,
	WORD_NO_WRITE = 14
};

#define FRAME_ROOT     0x0005000700000000u /* a struct of 7 words and 5 pointers */
#define FRAME_WRITES   0x0000000700000011u /* an empty list, of structs as in the next word */
#define FRAME_NO_WRITE 0x0001000300000000u
#define ARCH_X86_64    1u
#define EVENT_EXIT     9u

struct task {
	int tid;
	bool is_thread; /* and not the first of its process */
	bool ended;	/* its entry stays: a later task may get the number */
	long long ticks;
};

struct unfinished {
	struct dump_parser dump;
	struct task *tasks;
	size_t count;
	double time; /* of the last event */
	long long last;
	bool too_many;
};

static struct task *find(struct unfinished *unfinished, long long tid)
{
	for (size_t i = unfinished->count; i > 0; i--)
		if (unfinished->tasks[i - 1].tid == tid)
			return &unfinished->tasks[i - 1];
	return NULL;
}

static struct task *find_or_add(struct unfinished *unfinished, long long tid)
{
	struct task *task = find(unfinished, tid), *list;

	if (task)
		return task;
	list = unfinished->count < TASKS_MAX
		   ? grow_list(unfinished->tasks, unfinished->count, sizeof(*list))
		   : NULL;
	if (!list) {
		unfinished->too_many = true;
		return NULL;
	}
	unfinished->tasks = list;
	list[unfinished->count] = (struct task){.tid = (int)tid};
	return &list[unfinished->count++];
}

static void note_event(struct unfinished *unfinished, const char *line)
{
	const char *time = behind_mark(line, "real_time:");
	long long tid = dump_number(line, " tid:", INT_MAX);
	long long ticks = dump_number(line, " ticks:", TICKS_MAX);
	long long event = dump_number(line, "global_time:", DUMP_EVENT_MAX);
	struct task *task;

	if (tid <= 0 || ticks < 0 || event < 0)
		return;
	unfinished->last = event;
	unfinished->time = time ? strtod(time, NULL) : 0;
	task = find_or_add(unfinished, tid);
	if (!task)
		return;
	task->ticks = ticks;
	task->ended = strstr(line, "event:`EXIT'") != NULL;
}

static void note_clone(struct unfinished *unfinished, const char *line)
{
	long long tid = dump_number(line, " tid=", INT_MAX);
	struct task *task = tid > 0 ? find_or_add(unfinished, tid) : NULL;

	if (!task)
		return;
	*task = (struct task){
	    .tid = (int)tid, .is_thread = hex_behind(line, " clone_flags=") & CLONE_THREAD};
}

static void read_line(struct dump_parser *dump, const char *line, bool too_long)
{
	struct unfinished *unfinished = (struct unfinished *)dump;

	(void)too_long;
	if (strncmp(line, "  real_time:", 12) == 0)
		note_event(unfinished, line);
	else if (strncmp(line, "  TraceTaskEvent::CLONE ", 24) == 0)
		note_clone(unfinished, line);
}

static void take(void *owner, const char *bytes, size_t length)
{
	dump_parser_feed(owner, bytes, length);
}

/* False unless the whole trace was read. */
static bool read_trace(struct worker *worker, const char *path, struct unfinished *unfinished)
{
	const char *const arguments[] = {"dump", "-e", path, NULL};
	struct failure ignored = {0};
	struct lookup rr;
	struct capture capture;
	bool whole;

	if (lookup_prepare(&rr, &worker->config, worker->config.rr, arguments) < 0)
		return false;
	lookup_show(&rr, path, false);
	whole = capture_stream(worker, &rr.spec, READ_MS, take, unfinished, &capture, &ignored) &&
		capture_succeeded(&capture);
	capture_free(&capture);
	return whole && !unfinished->too_many;
}

/* Each word becomes a byte that tells which of its bytes are not 0, and these; a byte with the
 * number of words like it that follow unpacked is behind both extremes. */
static size_t pack(const uint64_t *words, size_t count, uint8_t *packed)
{
	size_t length = 0;

	for (size_t i = 0; i < count; i++) {
		uint8_t *tag = &packed[length++];
		*tag = 0;
		for (unsigned byte = 0; byte < 8; byte++) {
			uint8_t value = (uint8_t)(words[i] >> (8 * byte));
			if (!value)
				continue;
			*tag |= (uint8_t)(1u << byte);
			packed[length++] = value;
		}
		if (*tag == 0 || *tag == 0xff)
			packed[length++] = 0;
	}
	return length;
}

static size_t make_frame(const struct task *task, double time, uint8_t *packed)
{
	uint64_t words[FRAME_WORDS] = {
	    [WORD_SIZE] = (uint64_t)(FRAME_WORDS - 1) << 32,
	    [WORD_ROOT] = FRAME_ROOT,
	    [WORD_TASK] =
		(uint32_t)task->tid | (uint64_t)ARCH_X86_64 << 32 | (uint64_t)EVENT_EXIT << 48,
	    [WORD_TICKS] = (uint64_t)task->ticks,
	    [WORD_WRITES] = FRAME_WRITES,
	    [WORD_NO_WRITE] = FRAME_NO_WRITE,
	};

	memcpy(&words[WORD_TIME], &time, sizeof(time));
	return pack(words, FRAME_WORDS, packed);
}

/* Appends the frames as one block, in which Brotli stores them as they are: a window of 16 bits (1
 * bit, 0), not the last (1 bit, 0), a length of 16 bits (2 bits, 0), the length less 1, stored (1
 * bit, 1); then an empty last part (2 bits, 1). */
static bool append_block(int fd, const uint8_t *frames, size_t length)
{
	uint8_t block[8 + STREAM_FRAME + BLOCK_MAX];
	uint32_t sizes[2] = {(uint32_t)length + STREAM_FRAME, (uint32_t)length};
	uint32_t head = (uint32_t)(length - 1) << 4 | 1u << 20;
	size_t size = 0;

	memcpy(block, sizes, sizeof(sizes));
	size += sizeof(sizes);
	memcpy(block + size, &head, 3);
	size += 3;
	memcpy(block + size, frames, length);
	size += length;
	block[size++] = 3;
	return write(fd, block, size) == (ssize_t)size;
}

/* Threads before the first of their process, and the one of last_tid behind all. */
enum { RANK_THREAD, RANK_FIRST, RANK_LAST, RANKS };

static int rank_of(const struct task *task, int last_tid)
{
	if (task->tid == last_tid)
		return RANK_LAST;
	return task->is_thread ? RANK_THREAD : RANK_FIRST;
}

static bool append_frames(const struct unfinished *unfinished, int fd, int last_tid)
{
	static uint8_t frames[BLOCK_MAX];
	size_t length = 0;

	for (int rank = 0; rank < RANKS; rank++) {
		for (size_t i = 0; i < unfinished->count; i++) {
			const struct task *task = &unfinished->tasks[i];
			if (task->ended || rank_of(task, last_tid) != rank)
				continue;
			if (length + FRAME_PACKED > sizeof(frames)) {
				if (!append_block(fd, frames, length))
					return false;
				length = 0;
			}
			length += make_frame(task, unfinished->time, frames + length);
		}
	}
	return length == 0 || append_block(fd, frames, length);
}

/* rr's files are not writable. */
static bool append_ends(const struct unfinished *unfinished, int directory, int last_tid)
{
	cleanup_fd int file = openat(directory, "events", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	cleanup_fd int fd = -1;
	struct stat status;
	bool ok;

	if (file < 0 || fstat(file, &status) < 0 || fchmod(file, 0600) < 0)
		return false;
	fd = openat(directory, "events", O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	ok = fd >= 0 && append_frames(unfinished, fd, last_tid);
	fchmod(file, status.st_mode & 07777);
	return ok;
}

bool unfinished_end_tasks(
    struct worker *worker, const char *path, int directory, int last_tid, long long *last)
{
	struct unfinished *unfinished = calloc(1, sizeof(*unfinished));
	bool ok;

	if (!unfinished)
		return false;
	unfinished->dump.read_line = read_line;
	ok = read_trace(worker, path, unfinished) && append_ends(unfinished, directory, last_tid);
	*last = unfinished->last;
	free(unfinished->tasks);
	dump_parser_end(&unfinished->dump);
	return ok;
}
