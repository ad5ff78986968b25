/*
 * See recorded_files.h. A trace's `mmaps` is a row of blocks {u32 compressed, u32 uncompressed,
 * brotli}; unpacked they are Cap'n Proto messages in the packed encoding, one a mapping. Of these
 * only the byte strings are taken, so that no version of rr's schema matters here. Must never read
 * a trace outside of the confined child.
 */
#include "supervisor/monitor/recorded_files.h"

#include <brotli/decode.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "supervisor/monitor/inspector.h"

#define PACKED_MAX   (8u << 20)	 /* bytes of the list as messages in the packed encoding */
#define WORDS_MAX    (4u << 20)	 /* of the same as words */
#define FILE_MAX     (16u << 20) /* bytes of the file */
#define SEGMENTS_MAX 16
#define POINTERS_MAX 64 /* of one message's root */
#define DEADLINE_MS  2000

struct names {
	char *text;
	size_t length, size;
};

/* ---- Cap'n Proto ------------------------------------------------------------------------------
 */

static void add_name(struct names *names, const unsigned char *bytes, size_t length)
{
	while (length > 0 && bytes[length - 1] == '\0')
		length--;
	if (length == 0 || length >= PATH_MAX || memchr(bytes, '\0', length) ||
	    length + 1 > names->size - names->length)
		return;
	memcpy(names->text + names->length, bytes, length);
	names->text[names->length + length] = '\0';
	names->length += length + 1;
}

/* A list pointer to bytes, at word `at` of a segment of `count` words. */
static void add_string(const uint64_t *segment, size_t count, size_t at, struct names *names)
{
	uint64_t pointer = segment[at];
	int64_t offset = (int32_t)(uint32_t)pointer >> 2;
	uint64_t bytes = pointer >> 35;
	int64_t first = (int64_t)at + 1 + offset;

	if ((pointer & 3) != 1 || (pointer >> 32 & 7) != 2 || first < 0 ||
	    (uint64_t)first > count || bytes > (count - (uint64_t)first) * 8)
		return;
	add_name(names, (const unsigned char *)(segment + first), (size_t)bytes);
}

/* The strings that the root struct of a message points to. */
static void add_root(const uint64_t *segment, size_t count, struct names *names)
{
	uint64_t pointer = count ? segment[0] : 0;
	int64_t offset = (int32_t)(uint32_t)pointer >> 2;
	size_t data = pointer >> 32 & 0xffff, pointers = pointer >> 48;
	int64_t first = 1 + offset + (int64_t)data;

	if ((pointer & 3) != 0 || first < 1 || pointers > POINTERS_MAX ||
	    (uint64_t)first + pointers > count)
		return;
	for (size_t i = 0; i < pointers; i++)
		add_string(segment, count, (size_t)first + i, names);
}

/* One message: u32 segments - 1, u32 words of each, padded to a word; then the segments. Returns
 * the words it takes, 0 when there is none. */
static size_t add_message(const uint64_t *words, size_t count, struct names *names)
{
	uint32_t table[SEGMENTS_MAX + 2] = {0};
	size_t segments, header, total;

	if (count == 0)
		return 0;
	memcpy(table, words, 8);
	segments = (size_t)table[0] + 1;
	header = (segments + 2) / 2;
	if (segments > SEGMENTS_MAX || header > count)
		return 0;
	memcpy(table, words, header * 8);
	total = header;
	for (size_t i = 0; i < segments; i++)
		total += table[1 + i];
	if (total > count)
		return 0;
	add_root(words + header, table[1], names);
	return total;
}

/* The packed encoding: a tag byte says which bytes of a word are not zero. Returns words. */
static size_t unpack(const unsigned char *from, size_t length, uint64_t *words, size_t max)
{
	size_t in = 0, out = 0;

	while (in < length && out < max) {
		unsigned char tag = from[in++], word[8] = {0};
		for (int bit = 0; bit < 8; bit++)
			if (tag & 1 << bit) {
				if (in == length)
					return out;
				word[bit] = from[in++];
			}
		memcpy(&words[out++], word, 8);
		if (tag != 0 && tag != 0xff)
			continue;
		size_t run = in < length ? from[in++] : 0;
		if (run > max - out || (tag == 0xff && run * 8 > length - in))
			return out;
		if (tag == 0)
			memset(&words[out], 0, run * 8);
		else
			memcpy(&words[out], from + in, run * 8);
		in += tag == 0 ? 0 : run * 8;
		out += run;
	}
	return out;
}

size_t recorded_files_parse(const unsigned char *bytes, size_t length, char *text, size_t size)
{
	cleanup_free uint64_t *words = malloc(WORDS_MAX * sizeof(*words));
	struct names names = {.text = text, .size = size};
	size_t count = words ? unpack(bytes, length, words, WORDS_MAX) : 0;

	for (size_t at = 0, took; at < count; at += took) {
		took = add_message(words + at, count - at, &names);
		if (took == 0)
			break;
	}
	return names.length;
}

/* ---- The file ---------------------------------------------------------------------------------
 */

/* All blocks, one after the other. */
static size_t inflate(const unsigned char *file, size_t length, unsigned char *to, size_t max)
{
	size_t in = 0, out = 0;

	while (length - in >= 8) {
		uint32_t sizes[2];
		size_t room;

		memcpy(sizes, file + in, sizeof(sizes));
		in += sizeof(sizes);
		room = sizes[1];
		if (sizes[0] > length - in || room > max - out ||
		    BrotliDecoderDecompress(sizes[0], file + in, &room, to + out) !=
			BROTLI_DECODER_RESULT_SUCCESS)
			break;
		in += sizes[0];
		out += room;
	}
	return out;
}

static size_t read_list(unsigned char *file, size_t length, unsigned char *names, size_t size)
{
	cleanup_free unsigned char *unpacked = malloc(PACKED_MAX);

	if (!unpacked || length > FILE_MAX)
		return 0;
	length = inflate(file, length, unpacked, PACKED_MAX);
	return recorded_files_parse(unpacked, length, (char *)names, size);
}

size_t recorded_files_list(int trace, const struct sandbox_policy *policy, char *names, size_t size)
{
	cleanup_fd int file =
	    openat(trace, "mmaps", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	size_t length =
	    file < 0 ? 0 : inspector_run(file, read_list, policy, DEADLINE_MS, names, size);

	/* Whatever the child answered, the last name ends. */
	while (length > 0 && names[length - 1] != '\0')
		length--;
	return length;
}
