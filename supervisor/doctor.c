/*
 * See doctor.h. Prints; changes nothing.
 */
#include "supervisor/doctor.h"

#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sandbox/channel.h"
#include "sandbox/cleanup.h"
#include "supervisor/launcher.h"
#include "supervisor/links.h"
#include "supervisor/status.h"

#define DOCTOR_WAIT_MS 30000
#define DOCTOR_TAG     1

static bool wait_for(int fd)
{
	struct pollfd in = {.fd = fd, .events = POLLIN};
	return poll(&in, 1, DOCTOR_WAIT_MS) > 0;
}

/* The launcher's word on our worker; fds as launcher_receive has them. */
static int await_worker(int launcher, struct launch_notice *notice, int fds[2])
{
	int got = 0;

	do {
		if (!wait_for(launcher))
			return -1;
		got = launcher_receive(launcher, notice, fds);
	} while (got == 0 || (got > 0 && notice->what == LAUNCH_HELLO));
	return got < 0 ? -1 : 0;
}

/* One operation and its answer; json is stolen. NULL with why. */
static json_t *ask(int channel, uint32_t type, json_t *json, const char **why)
{
	struct channel_packet packet = {0};
	enum channel_result result = channel_send(channel, type, type, 0, json);

	json_decref(json);
	*why = "the worker does not listen";
	while (result == CHANNEL_OK || result == CHANNEL_AGAIN) {
		*why = "the worker did not answer";
		if (!wait_for(channel))
			return NULL;
		result = channel_receive(channel, &packet, why);
		if (result == CHANNEL_OK && packet.type == type + 1)
			return packet.json;
		if (result == CHANNEL_OK)
			json_decref(packet.json);
	}
	return NULL;
}

static const char *text_of(const json_t *facts, const char *object, const char *key)
{
	const json_t *holder = object == NULL ? facts : json_object_get(facts, object);
	const char *text = json_string_value(json_object_get(holder, key));

	return text == NULL ? "" : text;
}

static void print_sandbox(const json_t *sandbox)
{
	const json_t *layers = json_object_get(sandbox, "layers");
	json_t *got;
	const char *layer;

	printf("sandbox   %s\n", text_of(sandbox, NULL, "level"));
	json_object_foreach((json_t *)layers, layer, got)
	{
		if (strcmp(json_string_value(got), "full") != 0)
			printf("          %s: %s\n", layer, json_string_value(got));
	}
}

static void print_facts(const json_t *facts)
{
	struct utsname kernel;
	json_t *advice = status_advice(facts), *line;
	size_t i;

	if (uname(&kernel) == 0)
		printf("kernel    %s %s, %s\n", kernel.sysname, kernel.release, kernel.machine);
	printf(
	    "rr        %s (%s)\n", text_of(facts, "rr", "version"), text_of(facts, "rr", "path"));
	printf(
	    "gdb       %s (%s)\n", text_of(facts, "gdb", "version"), text_of(facts, "gdb", "path"));
	printf("counters  %s: %s\n", text_of(facts, "pmu", "kind"), text_of(facts, "pmu", "why"));
	printf("traces    %s\n", text_of(facts, NULL, "trace_base_dir"));
	print_sandbox(json_object_get(facts, "sandbox"));
	if (json_array_size(advice) > 0)
		printf("\nTo mend:\n");
	json_array_foreach(advice, i, line)
	{
		printf("- %s\n", json_string_value(line));
	}
	json_decref(advice);
	printf("\n%s\n", status_is_usable(facts) ? "Recording and replaying can work here."
						 : "Recording and replaying cannot work here.");
}

static int examine(const struct policy *policy, const struct paths *paths, int channel,
    const struct launch_notice *notice)
{
	const char *why = "";
	int result;
	json_t *facts, *started = ask(channel, WIRE_OP_START,
			   start_message_json(policy, paths->softpmu, WORKER_QUERY,
			       sandbox_report_json(&notice->report), NULL),
			   &why);

	facts = started == NULL ? NULL
				: ask(channel, WIRE_OP_STATUS, json_pack("{s:{}}", "args"), &why);
	if (facts == NULL) {
		printf("worker    %s\n", why);
		json_decref(started);
		return 1;
	}
	json_object_set(facts, "sandbox", json_object_get(started, "sandbox"));
	json_decref(started);
	print_facts(facts);
	result = status_is_usable(facts) ? 0 : 1;
	json_decref(facts);
	return result;
}

int doctor_run(const struct policy *policy, const struct paths *paths)
{
	static struct visible visible[1];
	struct launch_notice notice;
	cleanup_fd int launcher = -1;
	cleanup_fd int channel = -1;
	int fds[2] = {-1, -1};

	printf("rr-warden %s\n\n", RR_WARDEN_VERSION);
	printf("policy    %s\n", policy_has_ceiling(policy) ? POLICY_FILE : "no " POLICY_FILE);
	fflush(stdout);
	visible->here = paths->here;
	visible_for(visible, policy, WORKER_QUERY, NULL);
	launcher = launcher_start(paths->worker, policy);
	if (launcher < 0 || launcher_request(launcher, DOCTOR_TAG, WORKER_QUERY, visible) < 0 ||
	    await_worker(launcher, &notice, fds) < 0) {
		printf("launcher  it does not start\n");
		return 1;
	}
	if (notice.what != LAUNCH_STARTED) {
		printf("worker    %s\n",
		    notice.what == LAUNCH_FAILED ? notice.why : "it ended before it began");
		return 1;
	}
	channel = fds[0];
	close(fds[1]); /* the channel's end tells of the worker's */
	return examine(policy, paths, channel, &notice);
}
