/*
 * A recording while it runs. rr is never asked to end: on SIGTERM it waits for a program that
 * ignores it, then aborts and leaves half a trace (rr 5.6). The program is ended instead, upon
 * which rr ends whatever else it traces and closes the trace. Must always read what the program
 * prints.
 */
#include "worker/record/plan/guard_heap.h"
#include "worker/record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/serve/confine.h"
#include "worker/trace/listing.h"
#include "worker/serve/places.h"
#include "worker/trace/removal.h"
#include "worker/serve/tool.h"
#include "worker/record/plan/program.h"
#include "worker/record/plan/room.h"
#include "worker/record/tracee.h"
#include "worker/serve/clock.h"

#define READ_SIZE     65536
#define FIRST_LOOK_MS 20	   /* until the trace directory and the program are there */
#define DRAIN_MAX     (256u << 20) /* bytes read after rr's end: what the pipes can hold, and more */
#define NAME_TRIES    20 /* an rr by hand, which knows no claims, may be quicker each time */

static void close_end(int *fd)
{
	cleanup_close(fd);
	*fd = -1;
}

/* Reads once. Returns false when there is nothing more for now. */
static bool read_output(int *fd, struct stream *stream)
{
	static char bytes[READ_SIZE];
	ssize_t got = read(*fd, bytes, sizeof(bytes));

	if (got > 0) {
		stream_add(stream, bytes, (size_t)got);
		return true;
	}
	if (got == 0 || (errno != EAGAIN && errno != EINTR))
		close_end(fd);
	return false;
}

/* Grows as long as rr or the first process does anything. */
static uint64_t work_done(const struct recording *recording)
{
	uint64_t written = recording->trace < 0 ? 0 : listing_trace_bytes(recording->trace);
	pid_t rr = recording->rr.pid, first = tracee_first(rr);

	return written + tracee_cpu_time(rr) + (first > 0 ? tracee_cpu_time(first) : 0);
}

/* Whether they did anything since this was asked last, and may go on: the program cleans up, or rr
 * ends hundreds of processes, perhaps on a machine that has much else to do. Without rr's end, the
 * whole trace is lost. */
static bool is_at_work(struct recording *recording)
{
	uint64_t before = recording->work;

	recording->work = work_done(recording);
	return recording->work != before && clock_ms() < recording->work_until;
}

/* How long who is at work may go on. A full disk does not wait for a program. */
static long long work_ms(const struct recording *recording, enum ending step)
{
	enum end_reason reason = recording->reason;

	if (step == ENDING_KILLED)
		return reason == END_TRACER ? 0 : RECORD_CLOSE_MAX_MS;
	return reason == END_TIMEOUT || reason == END_ASKED ? RECORD_STOP_GRACE_MS : 0;
}

/* Sends the first process the signal of a step; rr ends when it has ended. */
static void end_first(struct recording *recording, int signal, enum ending step, long long wait_ms)
{
	pid_t first = tracee_first(recording->rr.pid);

	if (first > 0)
		kill(first, signal);
	/* It has ended by itself, and rr closes the trace. */
	if (first == 0 && recording->begun) {
		step = ENDING_KILLED;
		wait_ms = RECORD_CLOSE_MS;
	}
	recording->work_until = recording->begun ? clock_ms() + work_ms(recording, step) : 0;
	recording->work = work_done(recording);
	recording->ending = step;
	recording->next_step = clock_ms() + (first > 0 || recording->begun ? wait_ms : 0);
}

/* The steps that end a recording; `next_step` is the time of the next one. */
static void end_further(struct recording *recording)
{
	switch (recording->ending) {
	case ENDING_NOT:
		end_first(recording, recording->end_signal ? recording->end_signal : SIGTERM,
		    ENDING_TERMINATED,
		    recording->end_signal ? RECORD_STOP_GRACE_MS : RECORD_GRACE_MS);
		break;
	case ENDING_TERMINATED:
		if (is_at_work(recording)) {
			recording->next_step = clock_ms() + RECORD_GRACE_MS;
			break;
		}
		end_first(recording, SIGKILL, ENDING_KILLED, RECORD_CLOSE_MS);
		break;
	case ENDING_KILLED:
	case ENDING_ABANDONED:
		if (recording->ending == ENDING_ABANDONED || !is_at_work(recording)) {
			kill(recording->rr.pid, SIGKILL);
			recording->ending = ENDING_ABANDONED;
		}
		recording->next_step = clock_ms() + RECORD_CLOSE_MS;
		break;
	}
}

static void end_because(struct recording *recording, enum end_reason reason)
{
	if (recording->reason != END_ITSELF)
		return;
	recording->reason = reason;
	/* Nobody needs the rest of the output of a cancelled call, and a tracer may wait for ever.
	 */
	if (reason == END_CANCELLED || reason == END_TRACER)
		recording->ending = ENDING_TERMINATED;
	/* So far there is only rr, which ignores the signal. */
	if (!recording->begun)
		recording->ending = ENDING_KILLED;
	end_further(recording);
}

/* As its user would end it. A second signal may be what a program waits for that is ending. */
static void end_asked(struct recording *recording, int signal)
{
	pid_t first;

	if (recording->reason == END_ITSELF)
		recording->end_signal = signal;
	else if (signal && (first = tracee_first(recording->rr.pid)) > 0)
		kill(first, signal);
	end_because(recording, END_ASKED);
}

static uint64_t limit_of(const struct recording *recording, const char *name)
{
	json_int_t value =
	    json_integer_value(json_object_get(recording->worker->config.limits, name));

	return value > 0 ? (uint64_t)value : 0;
}

/* The trace's name is ours, so that no further rr record is to come where this run is the only one:
 * what is left to do needs little. A filter set up before would be the recorded program's too. */
static void confine(struct recording *recording)
{
	struct tool *const tools[] = {&recording->rr, NULL};
	const int more[] = {
	    recording->trace, recording->pidfd, recording->plan.destination.claims, -1};

	if (!worker_confine(recording->worker, ROLE_RECORDER, tools, more, &recording->unconfined))
		tool_end(&recording->rr);
}

/* True when rr found that somebody else had taken the trace's name after it was looked for: what is
 * there is not ours. */
static bool name_was_taken(const struct recording *recording)
{
	char words[512];
	size_t length = stream_tail(recording->errors, words, sizeof(words));

	return recording->output->total == 0 && recording->errors->total < sizeof(words) &&
	       memmem(words, length, "make_trace_dir", 14) &&
	       memmem(words, length, "already exists", 14);
}

/*
 * rr gives the group of the user a look into the trace: nobody but the user gets one. While rr
 * runs, the directory is ours once rr has files open in it: somebody else may have been quicker,
 * and then rr is about to end and another name to be tried.
 */
static void look_at_trace(struct recording *recording)
{
	bool runs = recording->rr.pid != 0;

	if (recording->trace >= 0 ||
	    (runs && !tracee_rr_writes_in(recording->rr.pid, recording->plan.destination.trace)) ||
	    (!runs && name_was_taken(recording)))
		return;
	recording->trace = open(
	    recording->plan.destination.trace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (recording->trace < 0)
		return;
	fchmod(recording->trace, 0700);
	if (recording->attempt == recording->attempts)
		confine(recording);
}

static void check_beginning(struct recording *recording, long long now)
{
	double most =
	    json_number_value(json_object_get(recording->worker->config.timeouts, "startup"));

	if (!recording->begun)
		recording->begun = tracee_has_begun(recording->rr.pid);
	if (!recording->begun && most > 0 && now - recording->started >= (long long)(most * 1000))
		end_because(recording, END_STARTUP);
}

static void check_disk(struct recording *recording)
{
	uint64_t trace_max = limit_of(recording, "trace_bytes");
	uint64_t keep_free = room_to_keep(recording->worker);

	if (recording->trace < 0)
		return;
	if (trace_max && listing_trace_bytes(recording->trace) > trace_max)
		end_because(recording, END_TRACE_SIZE);
	if (room_left(recording->trace) < keep_free)
		end_because(recording, END_DISK);
}

/* The command itself was checked before; this finds what a shell or a script starts. */
static void check_tracer(struct recording *recording)
{
	if (recording->begun && recording->reason == END_ITSELF &&
	    tracee_find(recording->rr.pid, program_is_tracer, recording->tracer))
		end_because(recording, END_TRACER);
}

static bool fail_traced(struct recording *recording, struct failure *failure)
{
	recording_remove(recording);
	return trace_fail_path(failure, ERROR_UNSUPPORTED, PROGRAM_TRACER_HINT,
	    "the program was ended, and its trace removed, because it started one that traces "
	    "others, which cannot be recorded:",
	    recording->tracer, 0);
}

/* "attempt 2 of 5, recording for 3 s: last line". Progress is in seconds; over several attempts in
 * attempts, of which a running one comes ever nearer to a whole. */
static void report_progress(struct recording *recording)
{
	char message[STREAM_LINE_MAX * 4 + 128], line[STREAM_LINE_MAX * 4], attempt[64] = "";
	double seconds = recording_seconds(recording);
	double progress = seconds, total = recording->plan.timeout;
	const struct stream *last = recording->errors->total > recording->errors_seen
					? recording->errors
					: recording->output;

	if (recording->told) {
		stream_last_line(last, line, sizeof(line));
		worker_recorded(
		    recording->worker, seconds, listing_trace_bytes(recording->trace), line);
		return;
	}
	recording->errors_seen = recording->errors->total;
	if (recording->attempts) {
		snprintf(attempt, sizeof(attempt), "attempt %d of %d, ", recording->attempt,
		    recording->attempts);
		progress = recording->attempt - 1 + seconds / (seconds + 1);
		total = recording->attempts;
	}
	stream_last_line(last, line, sizeof(line));
	snprintf(message, sizeof(message), "%srecording for %.0f s%s%s", attempt, seconds,
	    *line ? ": " : "", line);
	worker_progress(recording->worker, progress, total > 0 ? total : -1, message);
}

static void tick(struct recording *recording)
{
	long long now = clock_ms();

	look_at_trace(recording);
	check_beginning(recording, now);
	if (recording->on_tick)
		recording->on_tick(recording);
	if (recording->plan.timeout > 0 &&
	    now - recording->started >= (long long)(recording->plan.timeout * 1000))
		end_because(recording, END_TIMEOUT);
	if (recording->reason != END_ITSELF && now >= recording->next_step)
		end_further(recording);
	if (now < recording->next_tick)
		return;
	recording->next_tick = now + RECORD_TICK_MS;
	check_disk(recording);
	check_tracer(recording);
	/* Where nothing goes on, the supervisor's patience ends. */
	if (recording->ending != ENDING_ABANDONED)
		report_progress(recording);
}

/* The latest time to wake up. */
static int pause_ms(const struct recording *recording)
{
	long long now = clock_ms(), until = recording->next_tick;
	long long timeout = recording->started + (long long)(recording->plan.timeout * 1000);

	if ((recording->trace < 0 || !recording->begun) && until > now + FIRST_LOOK_MS)
		until = now + FIRST_LOOK_MS;
	if (recording->plan.timeout > 0 && recording->reason == END_ITSELF && timeout < until)
		until = timeout;
	if (recording->reason != END_ITSELF && recording->next_step < until)
		until = recording->next_step;
	return until > now ? (int)(until - now) : 0;
}

/* Takes the interrupt and clears it, so that it does not interrupt what runs after the recording.
 */
static void heed_interrupt(struct recording *recording)
{
	enum interrupt_reason reason = recording->worker->interrupt;

	recording->worker->interrupt = INTERRUPT_NONE;
	recording->interrupted |= reason != INTERRUPT_NONE;
	switch (reason) {
	case INTERRUPT_NONE:
		break;
	case INTERRUPT_TIMEOUT:
		end_because(recording, END_TIMEOUT);
		break;
	case INTERRUPT_CANCELLED:
		end_because(recording, END_CANCELLED);
		break;
	case INTERRUPT_ASKED:
		end_asked(recording, recording->worker->interrupt_signal);
		break;
	}
}

static void follow(struct recording *recording)
{
	struct tool *rr = &recording->rr;
	struct tool *const tools[] = {rr};

	while (rr->pid) {
		struct pollfd fds[] = {{.fd = recording->pidfd, .events = POLLIN},
		    {.fd = rr->output, .events = POLLIN}, {.fd = rr->errors, .events = POLLIN},
		    {.fd = input_waits(&recording->input) ? rr->input : -1, .events = POLLOUT}};
		worker_wait(recording->worker, fds, 4, pause_ms(recording));
		heed_interrupt(recording);
		if (fds[1].revents)
			read_output(&rr->output, recording->output);
		if (fds[2].revents)
			read_output(&rr->errors, recording->errors);
		if (fds[3].revents)
			input_give(&recording->input, &rr->input);
		tick(recording);
		tools_reap_all(tools, 1);
	}
	look_at_trace(recording);
	for (size_t taken = 0; rr->output >= 0 && taken < DRAIN_MAX; taken += READ_SIZE)
		if (!read_output(&rr->output, recording->output))
			break;
	for (size_t taken = 0; rr->errors >= 0 && taken < DRAIN_MAX; taken += READ_SIZE)
		if (!read_output(&rr->errors, recording->errors))
			break;
}

static bool start_rr(struct recording *recording, struct failure *failure)
{
	struct sandbox_policy policy;
	struct places places;
	char why[256];
	struct tool_spec spec = {.path = recording->plan.argv[0],
	    .argv = (char *const *)recording->plan.argv,
	    .environment = recording->plan.environment,
	    .role = ROLE_RECORD,
	    .policy = &policy,
	    .directory = recording->plan.directory,
	    .wants_input = recording->plan.input != NULL || recording->plan.background,
	    .output = -1,
	    .extra = -1};

	if (recording->worker->config.confined) {
		failure_set(failure, ERROR_INTERNAL, NULL,
		    "a confined worker cannot record, because the program would inherit its "
		    "filter");
		return false;
	}
	if (!record_plan_place_temporary(&recording->plan) ||
	    !guard_heap_place_count(
		&recording->plan.heap, recording->plan.argv, recording->plan.destination.trace))
		return failure_no_memory(failure);
	input_begin(&recording->input, recording->plan.input, !recording->plan.background);
	tool_policy(&recording->worker->config, &policy);
	places_begin(&places, &recording->worker->config);
	places_apply(&places, &policy);
	recording->started = clock_ms();
	recording->next_tick = recording->started + RECORD_TICK_MS;
	json_decref(recording->sandbox);
	recording->sandbox = worker_tool_report(&recording->worker->config, &policy);
	if (tool_start(&recording->rr, &spec, why, sizeof(why)) != 0) {
		failure_set(failure, ERROR_RR_FAILED, NULL, "rr did not start: %s", why);
		return false;
	}
	recording->pidfd = pidfd_open(recording->rr.pid, 0);
	if (recording->pidfd < 0)
		failure_set(failure, ERROR_INTERNAL, NULL, "no pidfd for rr: %s", strerror(errno));
	return recording->pidfd >= 0;
}

void recording_forget(struct recording *recording)
{
	tool_end(&recording->rr);
	close_end(&recording->pidfd);
	close_end(&recording->trace);
	stream_begin_again(recording->output);
	stream_begin_again(recording->errors);
	recording->begun = false;
	recording->errors_seen = 0;
	recording->reason = END_ITSELF;
	recording->ending = ENDING_NOT;
	recording->work_until = 0;
}

void recording_remove(struct recording *recording)
{
	if (recording->trace >= 0)
		removal_remove_recorded(recording->worker, recording->plan.destination.trace);
}

bool recording_open(struct recording *recording, struct worker *worker)
{
	recording->worker = worker;
	recording->rr = TOOL_NONE;
	recording->pidfd = recording->trace = -1;
	recording->output = calloc(1, sizeof(*recording->output));
	recording->errors = calloc(1, sizeof(*recording->errors));
	return recording->output && recording->errors;
}

void recording_close(struct recording *recording)
{
	tool_end(&recording->rr);
	close_end(&recording->pidfd);
	close_end(&recording->trace);
	json_decref(recording->sandbox);
	free(recording->output);
	free(recording->errors);
	record_plan_free(&recording->plan);
}

bool recording_run(struct recording *recording, struct failure *failure)
{
	for (int tries = 0; tries < NAME_TRIES; tries++) {
		if (!room_check(recording->worker, &recording->plan, failure) ||
		    !start_rr(recording, failure))
			return false;
		follow(recording);
		if (recording->unconfined.message[0]) {
			*failure = recording->unconfined;
			return false;
		}
		if (recording->reason == END_TRACER)
			return fail_traced(recording, failure);
		/* Where rr has written, the name is ours, whatever the program printed. */
		if (recording->trace >= 0 || !name_was_taken(recording))
			return true;
		if (recording->worker->config.confined ||
		    !destination_next(&recording->plan.destination))
			break;
		recording_forget(recording);
	}
	failure_set(failure, ERROR_INVALID_ARGUMENT, "give a directory that does not exist yet",
	    "somebody else has made %s in the meantime", recording->plan.destination.trace);
	return false;
}

double recording_seconds(const struct recording *recording)
{
	return (double)(clock_ms() - recording->started) / 1000;
}
