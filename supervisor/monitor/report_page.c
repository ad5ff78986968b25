/*
 * See report_page.h. Takes only markup of one strict form, which every browser reads alike; what is
 * written otherwise is refused, not repaired.
 */
#include "supervisor/monitor/report_page.h"

#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS	"0123456789"
#define NAME	LETTERS DIGITS

static const char *const tags[] = {"a", "article", "body", "br", "circle", "code", "details", "div",
    "figcaption", "figure", "footer", "h1", "h2", "h3", "header", "html", "main", "p", "path",
    "pre", "rect", "section", "span", "summary", "svg", "table", "td", "text", "th", "title", "tr",
    NULL};

/* What a value may consist of. None of them is an address of anything outside of the page. */
static const struct attribute {
	const char *name, *begins, *of;
} attributes[] = {
    {"aria-label", "", LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ "},
    {"class", "", NAME "- "},
    {"cx", "", DIGITS "-."},
    {"cy", "", DIGITS "-."},
    {"d", "M", DIGITS "MLHV-. "},
    {"height", "", DIGITS "-."},
    {"href", "#", NAME "-"},
    {"id", "", NAME "-"},
    {"open", "", ""},
    {"r", "", DIGITS "-."},
    {"role", "", LETTERS},
    {"scope", "", LETTERS},
    {"style", "font-size:", DIGITS "px"},
    {"text-anchor", "", LETTERS},
    {"transform", "translate(", DIGITS "rotate()- "},
    {"viewBox", "", DIGITS "-. "},
    {"width", "", DIGITS "-."},
    {"x", "", DIGITS "-."},
    {"y", "", DIGITS "-."},
};

/* The rest of the page. */
struct rest {
	const char *at, *end;
};

static bool take(struct rest *rest, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(rest->end - rest->at) < length || memcmp(rest->at, text, length) != 0)
		return false;
	rest->at += length;
	return true;
}

/* As many bytes as there are of a set. */
static size_t take_all(struct rest *rest, const char *set)
{
	const char *begin = rest->at;

	while (rest->at < rest->end && *rest->at && strchr(set, *rest->at))
		rest->at++;
	return (size_t)(rest->at - begin);
}

static bool take_tag_name(struct rest *rest)
{
	const char *begin = rest->at;
	size_t length = take_all(rest, NAME);

	for (size_t i = 0; tags[i]; i++)
		if (strlen(tags[i]) == length && memcmp(tags[i], begin, length) == 0)
			return true;
	return false;
}

/* name="value" */
static bool take_attribute(struct rest *rest)
{
	const char *begin = rest->at;
	size_t length = take_all(rest, LETTERS "B-");

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		const struct attribute *attribute = &attributes[i];
		if (strlen(attribute->name) != length ||
		    memcmp(attribute->name, begin, length) != 0)
			continue;
		if (!take(rest, "=\"") || !take(rest, attribute->begins))
			return false;
		take_all(rest, attribute->of);
		return take(rest, "\"");
	}
	return false;
}

/* A browser reads these up to their end, whatever is in between. */
static bool take_until(struct rest *rest, const char *end)
{
	while (rest->at < rest->end && *rest->at != '<')
		rest->at++;
	return take(rest, end);
}

/* Behind a "<". */
static bool take_markup(struct rest *rest)
{
	if (take(rest, "/"))
		return take_tag_name(rest) && take(rest, ">");
	if (take(rest, "meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"))
		return true;
	if (take(rest, "style>"))
		return take_until(rest, "</style>");
	if (take(rest, "title>"))
		return take_until(rest, "</title>");
	if (!take_tag_name(rest))
		return false;
	while (take(rest, " "))
		if (!take_attribute(rest))
			return false;
	(void)take(rest, "/");
	return take(rest, ">");
}

bool report_page_is_harmless(const char *page, size_t length)
{
	struct rest rest = {page, page + length};

	while (rest.at < rest.end)
		if (*rest.at++ == '<' && !take_markup(&rest))
			return false;
	return true;
}
