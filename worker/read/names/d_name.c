/*
 * Reads the qualified name at the beginning of a mangled one (dlang.org/spec/abi.html). A function
 * within a function has its name behind the type of the outer one, which is not read here.
 */
#include "worker/read/names/d_name.h"

#include <ctype.h>
#include <string.h>

struct reader {
	const char *begin, *at;
	char *text;
	size_t size, used;
	bool whole; /* all of it fits, and was understood */
};

static void add(struct reader *reader, const char *part, size_t length)
{
	if (reader->used + length + 1 > reader->size) {
		reader->whole = false;
		return;
	}
	memcpy(reader->text + reader->used, part, length);
	reader->used += length;
	reader->text[reader->used] = '\0';
}

/* "6ledger" at `at`: adds the name, and returns what follows it; NULL: there is none. */
static const char *add_identifier(struct reader *reader, const char *at)
{
	size_t length = 0;

	while (isdigit((unsigned char)*at) && length < 1000)
		length = length * 10 + (size_t)(*at++ - '0');
	if (!length || strnlen(at, length) < length)
		return NULL;
	if (reader->used)
		add(reader, ".", 1);
	add(reader, at, length);
	return at + length;
}

/* "Qbc": how far back an earlier identifier begins, to the base 26, the last digit in lower case.
 */
static const char *add_earlier(struct reader *reader, const char *at)
{
	size_t back = 0;
	const char *digit = at + 1;

	while (isupper((unsigned char)*digit) && back < 10000)
		back = back * 26 + (size_t)(*digit++ - 'A');
	if (!islower((unsigned char)*digit))
		return NULL;
	back = back * 26 + (size_t)(*digit++ - 'a');
	return back && back <= (size_t)(at - reader->begin) && add_identifier(reader, at - back)
		   ? digit
		   : NULL;
}

/* Its arguments can be anything, so the name ends with it. */
static void add_template(struct reader *reader)
{
	reader->whole &= add_identifier(reader, reader->at + strlen("__T")) != NULL;
	add(reader, "!(...)", strlen("!(...)"));
}

static bool has_inner(const char *type)
{
	for (; *type; type++)
		if (*type == 'Z' && (isdigit((unsigned char)type[1]) || type[1] == '_'))
			return true;
	return false;
}

bool d_name(const char *mangled, char *text, size_t size)
{
	struct reader reader = {mangled, mangled + 2, text, size, 0, true};

	if (strncmp(mangled, "_D", 2) != 0 || !isdigit((unsigned char)mangled[2]))
		return false;
	while (reader.whole && reader.at) {
		if (strncmp(reader.at, "__T", 3) == 0 || strncmp(reader.at, "__U", 3) == 0) {
			add_template(&reader);
			return reader.whole;
		}
		if (isdigit((unsigned char)*reader.at))
			reader.at = add_identifier(&reader, reader.at);
		else if (*reader.at == 'Q')
			reader.at = add_earlier(&reader, reader.at);
		else
			break;
	}
	return reader.whole && reader.at && !has_inner(reader.at);
}
