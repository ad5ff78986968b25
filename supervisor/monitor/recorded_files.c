/*
 * See recorded_files.h. A trace's `mmaps` is a row of blocks {u32 compressed, u32 uncompressed,
 * brotli}; unpacked they are Cap'n Proto messages in the packed encoding, one a mapping. Of these
 * only the byte strings are taken, so that no version of rr's schema matters here. Must never read
 * a trace outside of the confined child.
 */
#include "supervisor/monitor/recorded_files.h"

#include <brotli/decode.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define PACKED_MAX   (8u << 20)	 /* bytes of the list as messages in the packed encoding */
#define WORDS_MAX    (4u << 20)	 /* of the same as words */
#define FILE_MAX     (16u << 20) /* bytes of the file */
#define SEGMENTS_MAX 16
#define POINTERS_MAX 64 /* of one message's root */

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

static size_t read_all(int fd, void *buffer, size_t size)
{
	size_t length = 0;
	ssize_t got;

	while (length < size && (got = read(fd, (char *)buffer + length, size - length)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		length += got > 0 ? (size_t)got : 0;
	}
	return length;
}

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

static _Noreturn void inspect(int file, int out, const struct sandbox_policy *policy)
{
	const int keep[] = {file, out};
	struct sandbox_policy own = {.parent = getppid()};
	struct sandbox_report report = {0};
	unsigned char *bytes, *unpacked;
	char why[SANDBOX_WHY_MAX], *names;
	size_t length;

	memcpy(own.requested, policy->requested, sizeof(own.requested));
	if (sandbox_enter(ROLE_INSPECTOR, &own, keep, 2, &report, why, sizeof(why)) < 0)
		_exit(1);
	bytes = malloc(FILE_MAX);
	unpacked = malloc(PACKED_MAX);
	names = malloc(RECORDED_FILES_BYTES_MAX);
	if (!bytes || !unpacked || !names)
		_exit(1);
	length = read_all(file, bytes, FILE_MAX);
	length = inflate(bytes, length, unpacked, PACKED_MAX);
	length = recorded_files_parse(unpacked, length, names, RECORDED_FILES_BYTES_MAX);
	for (size_t given = 0; given < length;) {
		ssize_t wrote = write(out, names + given, length - given);
		if (wrote <= 0)
			_exit(1);
		given += (size_t)wrote;
	}
	_exit(0);
}

size_t recorded_files_list(int trace, const struct sandbox_policy *policy, char *names, size_t size)
{
	cleanup_fd int file =
	    openat(trace, "mmaps", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	size_t length;
	int ends[2];
	pid_t child;

	if (file < 0 || fstat(file, &status) < 0 || !S_ISREG(status.st_mode) ||
	    pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	child = fork();
	if (child == 0)
		inspect(file, ends[1], policy);
	close(ends[1]);
	length = child > 0 ? read_all(ends[0], names, size) : 0;
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	/* An incomplete name was cut off. */
	while (length > 0 && names[length - 1] != '\0')
		length--;
	return length;
}
