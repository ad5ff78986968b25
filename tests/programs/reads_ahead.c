/*
 * Functions of the C library that read a string to the end of its word, its vector or its page.
 * Each string ends with its block, and what lies around the blocks is freed: nothing here is wrong.
 * Many lengths, places and contents, from a generator of its own.
 *
 *	reads_ahead [ROOM]	so many bytes of each block lie behind its string, never written
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { ROUNDS = 300 };

static unsigned state = 1;
static size_t sum, room;

static unsigned any(unsigned below)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

/* Behind freed memory, and before some. */
static char *make_string(size_t length, unsigned letters)
{
	char *before = malloc(300 + 16 * any(8)), *text = malloc(length + 1 + room),
	     *behind = malloc(300 + 16 * any(8));

	for (size_t i = 0; i < length; i++)
		text[i] = "abcde"[any(letters)];
	text[length] = '\0';
	free(before);
	free(behind);
	return text;
}

static void search(const char *text, const char *other, size_t length)
{
	sum += strstr(text, other) != NULL;
	sum += strcasestr(text, other) != NULL;
	sum += memmem(text, length, other, strlen(other)) != NULL;
	sum += strchr(text, 'q') != NULL;
	sum += strrchr(text, 'a') != NULL;
	sum += memrchr(text, 'a', length) != NULL;
	sum += (size_t)((char *)rawmemchr(text, '\0') - text);
	sum += strspn(text, other) + strcspn(text, other);
	sum += strspn(text, "abcdefghijklmnopqrstuvwxyz") + strcspn(text, "fghijklmnopqrstuvwxyz");
	sum += strpbrk(text, "qfghijklmnopqrstuvwxyzABC") != NULL;
}

static void compare(const char *text, const char *other, size_t length)
{
	sum += strcmp(text, other) > 0;
	sum += strcasecmp(text, other) > 0;
	sum += strncmp(text, other, length) > 0;
	sum += strncasecmp(text, other, length) > 0;
	sum += strcoll(text, other) > 0;
	sum += strnlen(text, length + 9);
}

static void copy(const char *text, const char *other)
{
	char *both = make_string(strlen(text) + strlen(other), 2), *copied = strdup(text);

	strcpy(both, text);
	strcat(both, other);
	sum += strlen(both);
	stpcpy(both, other);
	strncpy(both, text, strlen(text) + 1);
	strncat(copied, "", 5);
	free(both);
	free(copied);
}

static void use_wide(size_t length)
{
	wchar_t *text = malloc((length + 1) * sizeof(*text) + room);

	wmemset(text, L'a', length);
	text[length] = L'\0';
	sum += wcslen(text) + wcsnlen(text, length + 3) + (wcschr(text, L'q') != NULL);
	free(text);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		room = strtoul(argv[1], NULL, 10);
	for (int i = 0; i < ROUNDS; i++) {
		const size_t length = any(i % 5 == 0 ? 700 : 90);
		char *text = make_string(length, i % 2 ? 2 : 5);
		char *other = make_string(1 + any(i % 3 == 0 ? 40 : 6), i % 2 ? 2 : 5);
		const size_t at = any((unsigned)length + 1);

		search(text + at, other, length - at);
		compare(text + at, other, length - at);
		copy(text + at, other);
		use_wide(length % 40);
		if (any(3) > 0) {
			free(text);
			free(other);
		}
	}
	printf("%zu\n", sum);
	return 0;
}
