/*
 * Compares the streams byte by byte, and shows the line in which the first byte differs.
 */
#include "worker/investigate/printed/outputs.h"

#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/session/launch/trace_output.h"

#define LINE_SHOWN 200

static const struct printed_stream *stream_of(const struct printed *printed, int fd)
{
	for (size_t i = 0; i < printed->stream_count; i++)
		if (printed->streams[i].fd == fd)
			return &printed->streams[i];
	return NULL;
}

/* The line around a byte. */
static json_t *line_at(const struct printed_stream *stream, size_t at)
{
	size_t from = at, to = at;

	if (!stream || at >= stream->length)
		return json_string("<nothing more>");
	while (from > 0 && stream->text[from - 1] != '\n')
		from--;
	while (to < stream->length && stream->text[to] != '\n')
		to++;
	return scrub_json_middle(stream->text + from, to - from, LINE_SHOWN, NULL);
}

/* NULL: they are the same. */
static json_t *compare_stream(
    const struct printed_stream *good, const struct printed_stream *bad, int fd)
{
	size_t good_length = good ? good->length : 0, bad_length = bad ? bad->length : 0, at = 0;
	char name[16];

	while (at < good_length && at < bad_length && good->text[at] == bad->text[at])
		at++;
	if (at == good_length && at == bad_length)
		return NULL;
	return json_pack("{s:s, s:o, s:o}", "stream", printed_stream_name(fd, name, sizeof(name)),
	    "good", line_at(good, at), "bad", line_at(bad, at));
}

void outputs_compare(struct replay *const replays[2], json_t *answer)
{
	cleanup_failure struct failure ignored = {0};
	const struct trace_output *good = trace_output_learn(replays[0], &ignored);
	const struct trace_output *bad = good ? trace_output_learn(replays[1], &ignored) : NULL;
	json_t *rows = json_array(), *row;

	for (size_t side = 0; bad && side < 2; side++) {
		const struct printed *printed = side ? &bad->printed : &good->printed;

		for (size_t i = 0; i < printed->stream_count; i++) {
			int fd = printed->streams[i].fd;

			if (side && stream_of(&good->printed, fd))
				continue;
			row = compare_stream(
			    stream_of(&good->printed, fd), stream_of(&bad->printed, fd), fd);
			if (row)
				json_array_append_new(rows, row);
		}
	}
	if (!bad)
		json_object_set_new(answer, "output", json_string("not known"));
	else if (json_array_size(rows))
		json_object_set(answer, "output", rows);
	else
		json_object_set_new(answer, "output", json_string("the same in both"));
	json_decref(rows);
}
