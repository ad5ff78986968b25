/*
 * See claims_page.h. The page needs no script and no other file. It shows the recording and the
 * claims, but adds nothing about the machine, its user or its directories.
 */
#include "worker/investigate/report/claims_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/report/claims.h"
#include "worker/investigate/search/page.h"
#include "worker/investigate/report/timeline.h"

#define FRAMES_SHOWN 8

static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* Leaves out the directory in which the server was started, as other answers do. */
static void write_place(FILE *out, const struct claims_page *page, const char *text)
{
	size_t length = strlen(page->directory);
	const char *at = text;

	while (length > 1 && at && (at = strstr(text, page->directory)) != NULL) {
		if (at[length] != '/')
			break;
		page_bytes(out, text, (size_t)(at - text));
		text = at + length + 1;
	}
	page_text(out, text);
}

/* ---- The narrative ------------------------------------------------------------------ */

/* If `text` begins with the moment of a claim: the claim's number, and the moment's length. Else 0.
 */
static size_t claim_of_moment(const json_t *claims, const char *text, size_t *length)
{
	static const char parts[] = "0123456789abcdef:@.";
	json_t *claim;
	size_t i;

	*length = strspn(text, parts);
	while (*length && !strchr("0123456789abcdef", text[*length - 1]))
		--*length;
	json_array_foreach((json_t *)claims, i, claim)
	{
		const char *moment = mi_text(claim, "moment");
		if (strlen(moment) == *length && strncmp(moment, text, *length) == 0 &&
		    strchr(moment, ':'))
			return i + 1;
	}
	return 0;
}

/* Writes the moment of a claim as a link to the claim. */
static void write_line(FILE *out, const struct claims_page *page, const char *text, size_t length)
{
	size_t told = 0, at = 0, span, number;

	while (at < length) {
		span = 0;
		number = text[at] >= '0' && text[at] <= '9'
			     ? claim_of_moment(page->claims, text + at, &span)
			     : 0;
		if (number && at + span <= length) {
			page_bytes(out, text + told, at - told);
			fprintf(out, "<a href=\"#claim-%zu\">", number);
			page_bytes(out, text + at, span);
			fputs("</a>", out);
			told = at + span;
		}
		at += span ? span : 1;
	}
	page_bytes(out, text + told, length - told);
}

static void write_paragraph(
    FILE *out, const struct claims_page *page, const char *text, size_t length)
{
	fputs("<p>", out);
	while (length > 0) {
		const char *newline = memchr(text, '\n', length);
		size_t line = newline ? (size_t)(newline - text) : length;
		write_line(out, page, text, line && text[line - 1] == '\r' ? line - 1 : line);
		if (newline)
			fputs("<br>\n", out);
		line += newline != NULL;
		text += line;
		length -= line;
	}
	fputs("</p>\n", out);
}

/* Empty lines separate paragraphs. */
static void write_narrative(FILE *out, const struct claims_page *page)
{
	const char *at = page->narrative ? page->narrative : "", *end;

	fputs("<section>\n", out);
	while (*(at += strspn(at, "\r\n"))) {
		end = strstr(at, "\n\n");
		if (!end)
			end = at + strlen(at);
		write_paragraph(out, page, at, (size_t)(end - at));
		at = end;
	}
	fputs("</section>\n", out);
}

/* ---- The claims ------------------------------------------------------------------------------ */

static void write_row(FILE *out, const char *what, const char *text)
{
	if (!text)
		return;
	fprintf(out, "<tr><th scope=\"row\">%s</th><td><code>", what);
	page_text(out, text);
	fputs("</code></td></tr>\n", out);
}

/* Expands tabs, because the line number before them shifts the tab stops. */
static void write_code(FILE *out, const char *line, size_t length)
{
	for (size_t part; length; line += part, length -= part) {
		const char *tab = memchr(line, '\t', length);
		part = tab ? (size_t)(tab - line) : length;
		page_bytes(out, line, part);
		fputs(tab ? "    " : "", out);
		part += tab != NULL;
	}
}

/* Highlights the current line, which begins with "=>". */
static void write_source(FILE *out, const char *source)
{
	size_t length;

	if (!source)
		return;
	fputs("<pre>", out);
	for (; *source; source += length) {
		bool here = strncmp(source, "=>", 2) == 0;
		length = strcspn(source, "\n");
		fputs(here ? "<span class=\"here\">" : "", out);
		write_code(out, source, length);
		fputs(here ? "</span>" : "", out);
		if (source[length]) {
			fputc('\n', out);
			length++;
		}
	}
	fputs("</pre>\n", out);
}

static void write_frame(FILE *out, const struct claims_page *page, const json_t *frame)
{
	const char *function = mi_text(frame, "function"), *args = mi_text(frame, "args");
	const char *at = mi_text(frame, "at");

	if (json_object_get(frame, "folded")) {
		fprintf(out, "    %lld frames of ",
		    (long long)json_integer_value(json_object_get(frame, "folded")));
		page_text(out, mi_text(frame, "what") ? mi_text(frame, "what") : "the same");
	} else {
		fprintf(out, "#%-2lld ",
		    (long long)json_integer_value(json_object_get(frame, "level")));
		page_text(out, function ? function : "??");
		fputc('(', out);
		page_text(out, args);
		fputs(at ? ") at " : ")", out);
		if (at)
			write_place(out, page, at);
	}
	fputc('\n', out);
}

static void write_stack(FILE *out, const struct claims_page *page, const json_t *frames)
{
	size_t i, count = json_array_size(frames);
	json_t *frame;

	if (!count)
		return;
	fputs("<div><p class=\"label\">stack</p><pre>", out);
	json_array_foreach((json_t *)frames, i, frame)
	{
		if (i == FRAMES_SHOWN)
			break;
		write_frame(out, page, frame);
	}
	if (count > FRAMES_SHOWN)
		fprintf(out, "    and %zu more\n", count - FRAMES_SHOWN);
	fputs("</pre></div>\n", out);
}

static void write_locals(FILE *out, const json_t *locals)
{
	json_t *line;
	size_t i;

	if (!json_array_size(locals))
		return;
	fputs("<div><p class=\"label\">local variables</p><pre>", out);
	json_array_foreach((json_t *)locals, i, line)
	{
		page_text(out, json_string_value(line));
		fputc('\n', out);
	}
	fputs("</pre></div>\n", out);
}

static void write_when(FILE *out, const struct claims_page *page, const json_t *claim)
{
	const json_t *stood = json_object_get(claim, "stood");
	const char *moment = mi_text(stood ? stood : claim, "moment");
	const char *name = mi_text(stood, "thread"), *where = mi_text(claim, "where");

	fputs("<p class=\"soft\">moment <span class=\"mono\">", out);
	page_text(out, moment);
	fputs("</span>", out);
	if (stood) {
		fprintf(out, ", thread %lld%s",
		    (long long)json_integer_value(json_object_get(claim, "tid")),
		    name && *name ? " " : "");
		page_text(out, name);
		fputs(", in ", out);
		write_place(out, page, where ? where : "??");
	}
	fputs("</p>\n", out);
}

/* The first claim before this one that shows the same source, stack and variables; 0: none. */
static size_t shown_before(const json_t *claims, const json_t *claim, size_t number)
{
	static const char *const same[] = {"source", "frames", "locals"};

	for (size_t i = 1; i < number; i++) {
		const json_t *other = json_array_get(claims, i - 1);
		size_t equal = 0;
		for (size_t k = 0; k < sizeof(same) / sizeof(*same); k++) {
			json_t *a = json_object_get(claim, same[k]),
			       *b = json_object_get(other, same[k]);
			equal += a == b || (a && b && json_equal(a, b));
		}
		if (equal == sizeof(same) / sizeof(*same) && json_object_get(other, "stood"))
			return i;
	}
	return 0;
}

/* Source, stack and variables; only once if several claims share them. */
static void write_view(
    FILE *out, const struct claims_page *page, const json_t *claim, size_t number)
{
	size_t before = shown_before(page->claims, claim, number);

	if (!json_object_get(claim, "stood"))
		return;
	if (before) {
		fprintf(out,
		    "<p class=\"soft\">Source and stack are those of "
		    "<a href=\"#claim-%zu\">claim %zu</a>.</p>\n",
		    before, before);
		return;
	}
	write_source(out, mi_text(claim, "source"));
	fputs("<div class=\"two\">\n", out);
	write_stack(out, page, json_object_get(claim, "frames"));
	write_locals(out, json_object_get(claim, "locals"));
	fputs("</div>", out);
}

static void write_title(FILE *out, const json_t *claim)
{
	const char *note = mi_text(claim, "note");

	if (note && *note) {
		page_text(out, note);
		return;
	}
	fputs("<code>", out);
	page_text(out, mi_text(claim, "expression"));
	fputs("</code>", out);
}

static void write_claim(
    FILE *out, const struct claims_page *page, const json_t *claim, size_t number)
{
	fprintf(out, "<article id=\"claim-%zu\" class=\"%s\"><div class=\"top\"><h3>%zu. ", number,
	    timeline_class(claim), number);
	write_title(out, claim);
	fprintf(out, "</h3><span class=\"word\">%s</span></div>\n", mi_text(claim, "verdict"));
	write_when(out, page, claim);
	fputs("<table>\n", out);
	write_row(out, "expression", mi_text(claim, "expression"));
	write_row(out, "claimed", mi_text(claim, "value"));
	write_row(out, "found", mi_text(claim, "found"));
	write_row(out, "not checked, because", mi_text(claim, "error"));
	write_row(out, "warning", mi_text(claim, "warning"));
	fputs("</table>\n", out);
	write_view(out, page, claim, number);
	fputs("</article>\n", out);
}

static void write_claims(FILE *out, const struct claims_page *page, bool held)
{
	json_t *claim;
	size_t i;

	json_array_foreach((json_t *)page->claims, i, claim)
	{
		if ((strcmp(timeline_class(claim), "held") == 0) == held)
			write_claim(out, page, claim, i + 1);
	}
}

/* ---- The page -------------------------------------------------------------------------------- */

static void write_header(FILE *out, const struct claims_page *page)
{
	json_t *conclusion = claims_conclusion(page->claims);
	bool all = claims_held(page->claims) == json_array_size(page->claims);
	char date[64] = "";
	struct timespec now;
	struct tm parts;

	if (clock_gettime(CLOCK_REALTIME, &now) == 0 && gmtime_r(&now.tv_sec, &parts))
		strftime(date, sizeof(date), "%Y-%m-%d, %H:%M UTC", &parts);
	fputs("<header><p class=\"kind\">rr-warden report</p><h1>", out);
	page_text(out, page->title);
	fprintf(out, "</h1><p class=\"sum %s\">", all ? "held" : "not");
	page_text(out, json_string_value(conclusion));
	fputs("</p><p class=\"facts\">", out);
	page_text(out, last_part(page->program));
	fprintf(out, ", process %lld, in the recording ", page->pid);
	page_text(out, last_part(page->recording));
	fprintf(out, ". Checked %s.</p></header>\n", date);
	json_decref(conclusion);
}

static void write_footer(FILE *out, const struct claims_page *page)
{
	fputs(
	    "<footer><p>The narrative is its author's. The claims were checked: rr-warden went to "
	    "each moment of the recording and evaluated the expression there. The recording is "
	    "one exact run, so everybody who has it finds the same values: "
	    "<code>rr_verify_claims</code> checks them again, and <code>rr replay -g EVENT ",
	    out);
	page_text(out, last_part(page->recording));
	fputs("</code> goes to the event of a moment, which is the part before its colon.</p>"
	      "</footer>\n",
	    out);
}

char *claims_page_text(const struct claims_page *page)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
	    out);
	page_text(out, page->title);
	fprintf(out, "</title>\n<style>%s</style>\n<body><main>\n", page_style);
	write_header(out, page);
	write_narrative(out, page);
	fputs("<section><h2>Timeline</h2>\n", out);
	timeline_write(out, page->claims, page->last_event);
	fputs("</section>\n<section><h2>Claims</h2>\n", out);
	/* What does not hold is what a reader has to know first. */
	write_claims(out, page, false);
	write_claims(out, page, true);
	fputs("</section>\n", out);
	write_footer(out, page);
	fputs("</main></body></html>\n", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
