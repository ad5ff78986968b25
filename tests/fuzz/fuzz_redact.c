/*
 * libFuzzer target: what masks secrets, given what a worker could send that was taken over. The
 * memory of an answer keeps its size, whatever its dump says, and a harmless page stays harmless.
 *
 * The first byte chooses what the rest is: an answer, memory with its dump, or a page.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/monitor/report_page.h"
#include "supervisor/redact/answer.h"
#include "supervisor/redact/page.h"
#include "supervisor/redact/pattern.h"

static void mask_answer(struct redactor *redactor, const char *text, size_t size)
{
	json_t *answer = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);

	redact_answer(redactor, answer, NULL);
	json_decref(answer);
}

/* Up to the first newline the bytes of memory, and behind it the dump. */
static void mask_memory(struct redactor *redactor, const char *text, size_t size)
{
	const char *newline = memchr(text, '\n', size);
	size_t count = newline == NULL ? size : (size_t)(newline - text);
	char *contents = calloc(2, count + 1);
	json_t *answer;

	if (contents == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		sprintf(contents + 2 * i, "%02x", (unsigned char)text[i]);
	answer = json_pack("{s:s, s:o*}", "contents", contents, "dump",
	    newline == NULL ? NULL : json_stringn(newline + 1, size - count - 1));
	redact_answer(redactor, answer, NULL);
	if (answer != NULL && json_string_length(json_object_get(answer, "contents")) != 2 * count)
		abort();
	json_decref(answer);
	free(contents);
}

static void mask_page(struct redactor *redactor, const char *page, size_t size)
{
	size_t length = 0;
	char *masked;

	if (!report_page_is_harmless(page, size))
		return;
	masked = redact_page(redactor, page, size, &length);
	if (masked != NULL && !report_page_is_harmless(masked, length))
		abort();
	free(masked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const masks[])(struct redactor *, const char *, size_t) = {
	    mask_answer, mask_memory, mask_page};
	static const char *const items[] = {"secrets", NULL};
	static struct redactor *redactor;
	char why[PATTERN_WHY_MAX];

	if (redactor == NULL)
		redactor = redactor_new(items, why);
	if (redactor == NULL)
		abort();
	if (size > 0)
		masks[data[0] % 3](redactor, (const char *)data + 1, size - 1);
	return 0;
}
