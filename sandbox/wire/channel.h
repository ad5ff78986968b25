#ifndef SANDBOX_CHANNEL_H
#define SANDBOX_CHANNEL_H
/*
 * One end of the wire (see proto.h): sends and receives whole packets, and trusts no peer.
 *
 * A receiver rejects truncation, any passed descriptor (closed at once), a length that does not
 * match, JSON that is not an object, has duplicate keys or nests deeper than WIRE_DEPTH_MAX.
 */
#include <jansson.h>
#include <stdint.h>

enum channel_result {
	CHANNEL_OK,
	CHANNEL_AGAIN,	  /* nothing to read, or the peer does not read: try after poll */
	CHANNEL_CLOSED,	  /* the peer is gone */
	CHANNEL_REJECTED, /* the peer broke the protocol: end the session; why tells */
	CHANNEL_TOO_LONG, /* send only: the JSON exceeds WIRE_JSON_MAX; nothing was sent */
};

struct channel_packet {
	uint32_t type;
	uint32_t id;
	uint32_t flags;
	json_t *json; /* owned by the receiver of the packet: json_decref */
};

/* A SEQPACKET pair, CLOEXEC and NONBLOCK. Returns 0, or -1 with errno. */
int channel_pair(int ends[2]);

/* Sends one packet; json is borrowed and must be an object. Never blocks. */
enum channel_result channel_send(
    int fd, uint32_t type, uint32_t id, uint32_t flags, const json_t *json);

/* Receives one packet. Never blocks. On CHANNEL_REJECTED *why (static text) says what was wrong. */
enum channel_result channel_receive(int fd, struct channel_packet *packet, const char **why);

#endif
