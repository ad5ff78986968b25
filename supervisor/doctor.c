/*
 * See doctor.h. Prints; changes nothing.
 */
#include "supervisor/doctor.h"

#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/channel.h"
#include "sandbox/cleanup.h"
#include "supervisor/launcher.h"
#include "supervisor/links.h"

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

static void print_value(const char *name, const json_t *value, int depth)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_object(value) && depth < 4) {
		printf("%*s%s:\n", depth * 2, "", name);
		json_object_foreach((json_t *)value, key, member)
		    print_value(key, member, depth + 1);
	} else if (json_is_array(value) && depth < 4) {
		json_array_foreach(value, i, member) print_value(i == 0 ? name : "", member, depth);
	} else if (json_is_string(value)) {
		printf("%*s%-16s %s\n", depth * 2, "", name, json_string_value(value));
	} else {
		char text[64];
		size_t length = json_dumpb(value, text, sizeof(text) - 1, JSON_ENCODE_ANY);
		text[length < sizeof(text) ? length : 0] = 0;
		printf("%*s%-16s %s\n", depth * 2, "", name, text);
	}
}

static int examine(const struct policy *policy, const struct paths *paths, int channel,
    const struct launch_notice *notice)
{
	const char *why = "";
	json_t *facts, *started = ask(channel, WIRE_OP_START,
			   start_message_json(policy, paths->softpmu, WORKER_QUERY,
			       sandbox_report_json(&notice->report), NULL),
			   &why);

	if (started == NULL) {
		printf("worker: %s\n", why);
		return 1;
	}
	print_value("sandbox", json_object_get(started, "sandbox"), 0);
	json_decref(started);
	facts = ask(channel, WIRE_OP_STATUS, json_pack("{s:{}}", "args"), &why);
	if (facts == NULL) {
		printf("status: %s\n", why);
		return 1;
	}
	print_value("machine", facts, 0);
	json_decref(facts);
	return 0;
}

int doctor_run(const struct policy *policy, const struct paths *paths)
{
	static struct visible visible[1];
	struct launch_notice notice;
	cleanup_fd int launcher = -1;
	cleanup_fd int channel = -1;
	cleanup_fd int pidfd = -1;
	int fds[2] = {-1, -1};

	printf("rr-warden %s\n", RR_WARDEN_VERSION);
	printf("policy: %s\n", policy_has_ceiling(policy) ? POLICY_FILE : "none (" POLICY_FILE ")");
	fflush(stdout);
	visible->here = paths->here;
	visible_for(visible, policy, WORKER_QUERY, NULL);
	launcher = launcher_start(paths->worker, policy);
	if (launcher < 0 || launcher_request(launcher, DOCTOR_TAG, WORKER_QUERY, visible) < 0 ||
	    await_worker(launcher, &notice, fds) < 0) {
		printf("launcher: it does not start\n");
		return 1;
	}
	if (notice.what != LAUNCH_STARTED) {
		printf("worker: %s\n",
		    notice.what == LAUNCH_FAILED ? notice.why : "it ended before it began");
		return 1;
	}
	channel = fds[0];
	pidfd = fds[1];
	return examine(policy, paths, channel, &notice);
}
