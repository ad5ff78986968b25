/*
 * See service.h.
 */
#include "tests/doubles/service.h"

#include <poll.h>
#include <unistd.h>

static json_t *introduce(void)
{
	return json_pack(
	    "{s:i, s:{s:s, s:{}}}", "pid", (int)getpid(), "sandbox", "level", "off", "layers");
}

int service_run(json_t *(*act)(const struct channel_packet *request))
{
	struct pollfd ready = {.fd = WORKER_CHANNEL_FD, .events = POLLIN};

	for (;;) {
		struct channel_packet packet;
		const char *why;
		poll(&ready, 1, -1);
		enum channel_result got = channel_receive(WORKER_CHANNEL_FD, &packet, &why);
		if (got == CHANNEL_AGAIN)
			continue;
		if (got != CHANNEL_OK || packet.type == WIRE_STOP)
			return 0;
		json_t *json = packet.type == WIRE_OP_START ? introduce() : act(&packet);
		channel_send(WORKER_CHANNEL_FD, packet.type + 1, packet.id, 0, json);
		json_decref(json);
		json_decref(packet.json);
	}
}
