/*
 * See page.h.
 */
#include "supervisor/page.h"

#include <stdlib.h>
#include <string.h>

#include "sandbox/cleanup.h"
#include "sandbox/wire/broker.h"
#include "supervisor/monitor/report_page.h"
#include "supervisor/redact/page.h"

bool page_add(struct page *page, const json_t *part)
{
	const char *text = json_string_value(part);
	size_t length = json_string_length(part);
	char *longer;

	if (text == NULL || length == 0 || length > BROKER_REPORT_MAX - page->length)
		return false;
	longer = realloc(page->text, page->length + length);
	if (longer == NULL)
		return false;
	memcpy(longer + page->length, text, length);
	page->text = longer;
	page->length += length;
	return true;
}

json_t *page_whole(const struct page *page, struct redactor *redactor)
{
	cleanup_free char *masked = NULL;
	const char *text = page->text;
	size_t length = page->length;

	if (length == 0 || !report_page_is_harmless(text, length))
		return NULL;
	if (redactor != NULL) {
		masked = redact_page(redactor, text, length, &length);
		text = masked;
		if (masked == NULL || !report_page_is_harmless(text, length))
			return NULL;
	}
	return json_stringn(text, length);
}

void page_free(struct page *page)
{
	free(page->text);
	*page = (struct page){0};
}
