/*
 * Parser of rr's last words. A program may print the same: that is why recorder.c also asks whether
 * the program has ended in the trace. Must never trust a number.
 */
#include "worker/record/last_words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/trace/dump/dump_lines.h"

#define FATAL	  "[FATAL "
#define SECOND	  "(session doesn't look interactive" /* rr's second message after the first */
#define ASSERTION "-> Assertion `"
#define FAILED	  "' failed to hold. "
#define CALL_LINE 512

/* Natively the program goes on. LIMIT: only unreadable names of files are carried over
 * (badpaths.c); the other calls would have to fail in the same way in each replay, too. */
#define BAD_POINTER                                                                                \
	"rr could not reach memory that the program passed to the kernel, which itself answers a " \
	"bad pointer with EFAULT: the last frames of the trace show which one it is"

/* Remedies for the failures that ordinary programs bring about. */
static const struct {
	const char *said, *remedy;
} remedies[] = {
    {"unsupported ptrace(",
	"a program that traces others (a debugger, strace) cannot be recorded: record the traced "
	"program itself"},
    {"Should have read", BAD_POINTER},
    {"Should have written", BAD_POINTER},
    {"Can't defer deterministic or internal signal", BAD_POINTER},
    {"Expected EFAULT for", BAD_POINTER},
    /* LIMIT: a full table of descriptors is not carried over. Room for rr's own would have to be
     * made by raising the program's limit, which an ordinary user cannot above the hard limit. */
    {"Syscall mmap failed",
	"rr needs free file descriptors in the program for each new process or thread: raise "
	"ulimit -n, or look for a leak of descriptors at the end of the trace"},
    {"EMFILE", "raise the limit of open files, ulimit -n"},
    {"ENFILE", "the machine has too many open files"},
    {"ENOMEM", "give rr more memory: --memory, or a larger machine"},
};

const char *last_words_remedy(const struct last_words *words)
{
	for (size_t i = 0; i < sizeof(remedies) / sizeof(*remedies); i++)
		if (strstr(words->why, remedies[i].said))
			return remedies[i].remedy;
	return NULL;
}

/* The last message that rr begins with, not the one that only says that nobody can debug rr. */
static const char *find_message(const char *text, size_t length)
{
	const char *at = text, *found = NULL, *end = text + length;

	while ((at = memmem(at, (size_t)(end - at), FATAL, strlen(FATAL)))) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t line = (size_t)((newline ? newline : end) - at);
		/* rr names its source file, line and function. */
		if (memmem(at, line, ".cc:", 4) && memmem(at, line, "()", 2) &&
		    !memmem(at, line, SECOND, strlen(SECOND)))
			found = at;
		at += strlen(FATAL);
	}
	return found;
}

/* The words behind the assertion, or else the assertion, or else those behind the first "] ". */
static void read_why(struct last_words *words, const char *text)
{
	const char *assertion = strstr(text, ASSERTION), *from, *to;

	if (assertion) {
		from = assertion + strlen(ASSERTION);
		to = strstr(from, FAILED);
		if (to && to[strlen(FAILED)] != '\n' && to[strlen(FAILED)] != '\0') {
			from = to + strlen(FAILED);
			to = NULL;
		}
	} else {
		from = strstr(text, "] ");
		from = from ? from + 2 : text;
		to = NULL;
	}
	from += strspn(from, " ");
	scrub_bytes(
	    words->why, sizeof(words->why), from, to ? (size_t)(to - from) : strcspn(from, "\n"));
}

static void read_task(struct last_words *words, const char *text)
{
	const char *task = strstr(text, "(task "), *record = task ? strstr(task, "(rec:") : NULL;
	long long tid = record ? dump_number(record, "(rec:", INT_MAX) : -1;

	words->event = record ? dump_number(record, " at time ", DUMP_EVENT_MAX) : -1;
	words->tid = tid > 0 ? (int)tid : 0;
}

/* The call that the task's last event in the dump has entered. */
static void read_call(struct last_words *words, const char *text)
{
	static const char event[] = "event:`", call[] = "SYSCALL: ";

	for (const char *at = text; (at = strstr(at, event)); at++) {
		char line[CALL_LINE];
		size_t length = strcspn(at, "\n");
		const char *name = at + sizeof(event) - 1;

		snprintf(line, sizeof(line), "%.*s", (int)length, at);
		if (dump_number(line, " tid:", INT_MAX) != words->tid)
			continue;
		words->call[0] = '\0';
		if (strstr(line, "ENTERING_SYSCALL") && strncmp(name, call, strlen(call)) == 0)
			scrub_bytes(words->call, sizeof(words->call), name + strlen(call),
			    strcspn(name + strlen(call), "'\n"));
	}
}

bool last_words_take(struct stream *errors, struct last_words *words)
{
	char *kept = malloc(LAST_WORDS_MAX);
	size_t length = kept ? stream_tail(errors, kept, LAST_WORDS_MAX) : 0;
	const char *message = kept ? find_message(kept, length) : NULL;

	*words = (struct last_words){.event = -1};
	if (!message) {
		free(kept);
		return false;
	}
	words->length = length - (size_t)(message - kept);
	memmove(kept, message, words->length + 1);
	words->text = kept;
	stream_cut(errors, words->length);
	for (size_t i = 0; i < words->length; i++)
		if (!kept[i])
			kept[i] = '?';
	read_why(words, kept);
	read_task(words, kept);
	read_call(words, kept);
	return true;
}

void last_words_free(struct last_words *words)
{
	free(words->text);
	*words = (struct last_words){.event = -1};
}
