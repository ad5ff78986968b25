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
#define OPEN_MAX     8 /* with more claims, the source of those that held is folded */

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

/* Folded, because they are many and few matter. */
static void write_locals(FILE *out, const json_t *locals)
{
	size_t i, count = json_array_size(locals);
	json_t *line;

	if (!count)
		return;
	fprintf(
	    out, "<details class=\"locals\"><summary>local variables (%zu)</summary><pre>", count);
	json_array_foreach((json_t *)locals, i, line)
	{
		page_text(out, json_string_value(line));
		fputc('\n', out);
	}
	fputs("</pre></details>\n", out);
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

static bool is_same_view(const json_t *one, const json_t *other)
{
	static const char *const same[] = {"source", "frames", "locals"};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		json_t *a = json_object_get(one, same[i]), *b = json_object_get(other, same[i]);
		if (a != b && !(a && b && json_equal(a, b)))
			return false;
	}
	return true;
}

/* The first of those that held, or did not, with the same source, stack and variables. 0: none. */
static size_t first_like(const json_t *claims, const json_t *claim, bool held)
{
	json_t *that;
	size_t i;

	json_array_foreach((json_t *)claims, i, that)
	{
		if (claims_has_held(that) == held && json_object_get(that, "stood") &&
		    is_same_view(that, claim))
			return i + 1;
	}
	return 0;
}

/* The claim above this one that shows the same; 0: none. What did not hold stands above the rest.
 */
static size_t shown_above(const json_t *claims, const json_t *claim, size_t number)
{
	size_t first = first_like(claims, claim, false);

	if (!first)
		first = first_like(claims, claim, true);
	return first == number ? 0 : first;
}

/* Source, stack and variables; only once if several claims share them. */
static void write_view(
    FILE *out, const struct claims_page *page, const json_t *claim, size_t number)
{
	bool folded = claims_has_held(claim) && json_array_size(page->claims) > OPEN_MAX;
	size_t above = shown_above(page->claims, claim, number);

	if (!json_object_get(claim, "stood"))
		return;
	if (above) {
		fprintf(out,
		    "<p class=\"soft\">Source and stack are those of "
		    "<a href=\"#claim-%zu\">claim %zu</a>.</p>\n",
		    above, above);
		return;
	}
	fprintf(
	    out, "<details%s><summary>source and stack</summary>\n", folded ? "" : " open=\"\"");
	write_source(out, mi_text(claim, "source"));
	write_stack(out, page, json_object_get(claim, "frames"));
	fputs("</details>\n", out);
	write_locals(out, json_object_get(claim, "locals"));
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

static void write_quoted(FILE *out, const char *before, const char *text)
{
	fprintf(out, "%s<code>", before);
	page_text(out, text);
	fputs("</code>", out);
}

/* What a claim that does not hold found in its place. */
static void write_instead(FILE *out, const json_t *claim)
{
	const char *found = mi_text(claim, "found");

	fputs("<p class=\"instead\">", out);
	if (found) {
		write_quoted(out, "Found ", found);
		write_quoted(out, " instead of ", mi_text(claim, "value"));
	} else {
		write_quoted(out, "Not checked whether it is ", mi_text(claim, "value"));
		write_quoted(out, ", because: ", mi_text(claim, "error"));
	}
	fputs("</p>\n", out);
}

static void write_facts(FILE *out, const json_t *claim)
{
	const char *claimed = mi_text(claim, "value"), *found = mi_text(claim, "found");
	bool held = claims_has_held(claim);

	if (!held)
		write_instead(out, claim);
	fputs("<table>\n", out);
	write_row(out, "expression", mi_text(claim, "expression"));
	if (held) {
		write_row(out, "value", found);
		write_row(out, "claimed as",
		    found && claimed && strcmp(found, claimed) != 0 ? claimed : NULL);
	}
	write_row(out, "warning", mi_text(claim, "warning"));
	fputs("</table>\n", out);
}

static void write_claim(
    FILE *out, const struct claims_page *page, const json_t *claim, size_t number)
{
	fprintf(out, "<article id=\"claim-%zu\" class=\"%s\"><div class=\"top\"><h3>%zu. ", number,
	    timeline_class(claim), number);
	write_title(out, claim);
	fprintf(out, "</h3><span class=\"word\">%s</span></div>\n", mi_text(claim, "verdict"));
	write_facts(out, claim);
	write_when(out, page, claim);
	write_view(out, page, claim, number);
	fputs("</article>\n", out);
}

/* The claims that held, or those that did not, below a heading; nothing if there are none. */
static void write_claims(FILE *out, const struct claims_page *page, bool held, const char *heading)
{
	json_t *claim;
	bool any = false;
	size_t i;

	json_array_foreach((json_t *)page->claims, i, claim)
	{
		if (claims_has_held(claim) != held)
			continue;
		if (!any)
			fprintf(out, "<section><h2>%s</h2>\n", heading);
		any = true;
		write_claim(out, page, claim, i + 1);
	}
	if (any)
		fputs("</section>\n", out);
}

/* ---- The page -------------------------------------------------------------------------------- */

static void write_header(FILE *out, const struct claims_page *page)
{
	json_auto_t *conclusion = claims_conclusion(page->claims);
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
}

static void write_footer(FILE *out, const struct claims_page *page)
{
	fputs(
	    "<footer><p>The narrative is its author's. The claims were checked: rr-warden went to "
	    "each moment of the recording and evaluated the expression there. The recording is "
	    "one exact run, so anyone who has it finds the same values: "
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
	/* What does not hold is what a reader has to know before the narrative. */
	write_claims(out, page, false, "What does not hold");
	write_narrative(out, page);
	fputs("<section><h2>Timeline</h2>\n", out);
	timeline_write(out, page->claims, page->last_event);
	fputs("</section>\n", out);
	write_claims(out, page, true, "What holds");
	write_footer(out, page);
	fputs("</main></body></html>\n", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
