/*
 * libFuzzer target: the line reader and the envelope alone, for many executions. However the bytes
 * are cut, the same messages must come out; and an id must be a string or an integer.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mcp/line.h"
#include "mcp/rpc.h"

struct tally {
	size_t lines, requests, others;
};

static void parse_line(const char *line, size_t length, struct tally *tally)
{
	struct rpc_message message;

	rpc_parse(line, length, &message);
	tally->lines++;
	switch (message.kind) {
	case RPC_REQUEST:
		tally->requests++;
		if (!json_is_string(message.id) && !json_is_integer(message.id))
			abort();
		break;
	case RPC_NOTIFICATION:
		if (!message.method || message.id)
			abort();
		break;
	case RPC_INVALID:
		if (!message.error || message.code >= -32019)
			abort();
		break;
	case RPC_NOTHING:
		tally->others++;
		break;
	}
	rpc_message_clear(&message);
}

static struct tally read_all(const uint8_t *data, size_t size, size_t step)
{
	struct line_reader reader = {0};
	struct tally tally = {0};
	const char *line;
	size_t length;

	for (size_t at = 0; at < size; at += step) {
		if (!line_reader_push(
			&reader, (const char *)data + at, size - at < step ? size - at : step))
			abort();
		while (line_reader_next(&reader, &line, &length) == LINE_READY)
			parse_line(line, length, &tally);
	}
	line_reader_clear(&reader);
	return tally;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct tally whole = read_all(data + 1, size - 1, size);
	struct tally cut = read_all(data + 1, size - 1, data[0] % 32 + 1);
	if (whole.lines != cut.lines || whole.requests != cut.requests ||
	    whole.others != cut.others)
		abort();
	return 0;
}
