/*
 * See outgoing.h. Must send nothing of a program that was not scrubbed and redacted before.
 */
#include "supervisor/outgoing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/cleanup.h"
#include "supervisor/answers.h"
#include "supervisor/redact/answer.h"

#define REDACTED "redacted"
#define PAGE	 "rr-warden/page" /* in _meta; supervisor/app/report.js reads it */

/* The text with its masks in place of *text, which is owned. */
static void mask_owned(struct dispatch *dispatch, char **text, size_t *count)
{
	char *masked = dispatch->redactor == NULL || *text == NULL
			   ? NULL
			   : redactor_mask_text(dispatch->redactor, *text, count);

	if (masked == NULL)
		return;
	free(*text);
	*text = masked;
}

/* The same for a text in a buffer. */
static void mask_buffer(struct dispatch *dispatch, char *text, size_t size, size_t *count)
{
	cleanup_free char *masked =
	    dispatch->redactor == NULL ? NULL : redactor_mask_text(dispatch->redactor, text, count);

	if (masked != NULL)
		strlcpy(text, masked, size);
}

/* Says in both forms how many masks there are. */
static void say_count(json_t *result, char **text, size_t count)
{
	char *more = NULL;

	if (count == 0)
		return;
	json_object_set_new(result, REDACTED, json_integer((json_int_t)count));
	if (*text == NULL || asprintf(&more, "%s\n" REDACTED ": %zu", *text, count) < 0)
		return;
	free(*text);
	*text = more;
}

/* A result, which is stolen, can share texts with what a session keeps, and needs whole. */
static json_t *parted(struct dispatch *dispatch, json_t *result)
{
	json_t *copy;

	if (dispatch->redactor == NULL || result == NULL)
		return result;
	copy = json_deep_copy(result);
	json_decref(result);
	return copy == NULL ? json_object() : copy;
}

/* The text of a result, to be freed; NULL if the JSON itself is the text. `count` masks are in it
 * already. */
static char *form(
    struct dispatch *dispatch, json_t *result, const char *main, const char *about, size_t count)
{
	char *text;

	answers_scrub(result);
	count += redact_answer(dispatch->redactor, result, about);
	answers_trim(result, main, dispatch->directory);
	text = answers_text(result);
	/* Fields that are harmless alone can be a secret on one line. */
	mask_owned(dispatch, &text, &count);
	say_count(result, &text, count);
	if (settings_number(dispatch->settings, SETTING_ANSWERS) != ANSWERS_JSON)
		return text;
	free(text);
	return NULL;
}

void outgoing_give(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *result)
{
	outgoing_give_about(dispatch, request, tool, result, NULL);
}

void outgoing_give_about(struct dispatch *dispatch, struct mcp_request *request, size_t tool,
    json_t *result, const char *about)
{
	char *text;

	result = parted(dispatch, result);
	if (tool != TOOL_STATUS)
		answers_shorten_sandbox(result);
	text = form(dispatch, result, tools_shown[tool].results[0].name, about, 0);
	mcp_request_answer_text(request, result, text);
	free(text);
}

void outgoing_page(struct dispatch *dispatch, struct mcp_request *request, const struct page *page)
{
	json_t *whole = page_whole(page, dispatch->redactor);

	if (whole != NULL)
		mcp_request_attach(request, PAGE, whole);
}

void outgoing_fail(
    struct dispatch *dispatch, struct mcp_request *request, const struct failure *failure)
{
	struct failure shown = *failure;
	size_t count = 0;
	char *text;

	shown.details = parted(dispatch, shown.details);
	mask_buffer(dispatch, shown.message, sizeof(shown.message), &count);
	mask_buffer(dispatch, shown.hint, sizeof(shown.hint), &count);
	if (shown.details == NULL && count > 0)
		shown.details = json_object();
	text = shown.details == NULL ? NULL : form(dispatch, shown.details, NULL, NULL, count);
	mcp_request_fail_text(
	    request, failure_name(shown.code), shown.message, shown.hint, shown.details, text);
	free(text);
}

void outgoing_contents(struct dispatch *dispatch, struct mcp_request *request, json_t *contents)
{
	char *text = NULL;
	size_t count;

	contents = parted(dispatch, contents);
	answers_scrub(contents);
	count = redact_answer(dispatch->redactor, contents, NULL);
	say_count(contents, &text, count);
	text = json_dumps(contents, JSON_INDENT(1));
	json_decref(contents);
	mcp_request_contents(request, "application/json", text == NULL ? "{}" : text);
	free(text);
}

void outgoing_clean(struct dispatch *dispatch, json_t *values)
{
	answers_scrub(values);
	redact_answer(dispatch->redactor, values, NULL);
}

void outgoing_progress(struct dispatch *dispatch, struct mcp_request *request, double progress,
    double total, const char *message)
{
	json_auto_t *clean = message == NULL ? NULL : json_string(message);
	const char *text;

	outgoing_clean(dispatch, clean);
	text = json_string_value(clean);
	mcp_request_progress(request, progress, total, text);
}
