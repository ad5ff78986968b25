/*
 * Reads the object by the C++ ABI and by libstdc++'s layout of its own exceptions: no function of
 * the program runs. The message of a class with a what() of its own is only known if the program
 * printed it.
 */
#include "worker/investigate/report/thrown_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/symbol.h"
#include "worker/read/values/values.h"
#include "worker/serve/begins.h"
#include "worker/gdb/must.h"

#define WORD	     8
#define NAME_MAX_    2048
#define PIECE	     64 /* of a name, read at once */
#define VALUE_MAX    300
#define BASES_MAX    8	 /* of classes, one above the other, or beside it */
#define BEFORE_TYPE  112 /* from an exception's type_info in its header to the object */
#define INNER_MAX    4	 /* exceptions, each within the other */
#define LOCATION_MAX (NAME_MAX_ + 40)

static bool read_word(struct replay *replay, unsigned long long address, unsigned long long *word)
{
	return accessed_whole(replay, address, word, WORD);
}

/* The name that gdb makes of a mangled one: "std::out_of_range" of St12out_of_range. */
static void demangle(struct replay *replay, const char *mangled, char name[NAME_MAX_])
{
	/* Where gdb does not, the mangled name stands for it. */
	const char *said = behind_beginning(
	    gdb_shown(replay_gdb(replay), NULL, "demangle -l c++ -- _ZTS%s", mangled),
	    "typeinfo name for ");

	said = said ? said : mangled;
	snprintf(name, NAME_MAX_, "%.*s", (int)strcspn(said, "\n"), said);
}

/* A text with its end. False: it is not there, or longer than NAME_MAX_ - 1; half of a mangled name
 * would be the name of nothing. A page may end behind the text. */
static bool read_name(struct replay *replay, unsigned long long at, char name[NAME_MAX_])
{
	size_t length = 0, read = PIECE;

	memset(name, 0, NAME_MAX_);
	while (read == PIECE && length + PIECE <= NAME_MAX_) {
		read = accessed_bytes(replay, at + length, (uint8_t *)name + length, PIECE);
		if (memchr(name + length, '\0', read))
			return true;
		length += read;
	}
	return false;
}

/* A type_info holds its vtable's address, and then that of its mangled name. */
static bool read_type(struct replay *replay, unsigned long long type_info, char name[NAME_MAX_])
{
	char mangled[NAME_MAX_];
	unsigned long long text;

	name[0] = '\0';
	if (!read_word(replay, type_info + WORD, &text) || !read_name(replay, text, mangled))
		return false;
	demangle(replay, mangled + (mangled[0] == '*'), name);
	return name[0] != '\0';
}

/* The one base class of a class; 0: it has none, or several. */
static unsigned long long base_of(struct replay *replay, unsigned long long type_info)
{
	unsigned long long table, base;
	struct symbol symbol;

	if (!read_word(replay, type_info, &table) || !symbol_at(replay, table, &symbol) ||
	    !strstr(symbol.name, "__si_class_type_info") ||
	    !read_word(replay, type_info + 2 * WORD, &base))
		return 0;
	return base;
}

/* A class's bases by the ABI: flags and how many, then for each its type_info, and its offset above
 * 8 bits of flags. Gives the offset of std::nested_exception. */
static bool find_nested(struct replay *replay, unsigned long long type_info, long long *offset)
{
	unsigned long long table, counts, base, place;
	char name[NAME_MAX_];
	struct symbol symbol;

	if (!read_word(replay, type_info, &table) || !symbol_at(replay, table, &symbol) ||
	    !strstr(symbol.name, "__vmi_class_type_info") ||
	    !read_word(replay, type_info + 2 * WORD, &counts))
		return false;
	for (unsigned long long i = 0; i < counts >> 32 && i < BASES_MAX; i++) {
		unsigned long long row = type_info + (3 + 2 * i) * WORD;

		if (!read_word(replay, row, &base) || !read_word(replay, row + WORD, &place) ||
		    !read_type(replay, base, name))
			return false;
		if (strcmp(name, "std::nested_exception") == 0) {
			*offset = (long long)place >> 8;
			return (place & 1) == 0; /* a virtual base's is in the vtable */
		}
	}
	return false;
}

/* The first base, at the object's beginning, holds the message. */
static unsigned long long first_base_of(struct replay *replay, unsigned long long type_info)
{
	unsigned long long base;
	long long nested;

	return find_nested(replay, type_info, &nested) && nested > 0 &&
		       read_word(replay, type_info + 3 * WORD, &base)
		   ? base
		   : 0;
}

static json_t *read_text(struct replay *replay, unsigned long long at)
{
	char expression[64], why[64];
	cleanup_free char *value = NULL;
	const char *text;

	snprintf(expression, sizeof(expression), "*(char **)0x%llx", at);
	value = values_text(replay, expression, why, sizeof(why));
	text = value ? strchr(value, '"') : NULL;
	return text ? json_sprintf("%.*s", VALUE_MAX, text) : NULL;
}

/* The message that the classes of <stdexcept>, and what is derived from them, keep behind their
 * vtable's address. A what() of the class's own may say more. */
static json_t *kept_message(
    struct replay *replay, unsigned long long object, unsigned long long type_info)
{
	char name[NAME_MAX_];
	unsigned long long first;

	for (int i = 0; i < BASES_MAX && type_info; i++) {
		if (!read_type(replay, type_info, name))
			return NULL;
		if (strcmp(name, "std::logic_error") == 0 ||
		    strcmp(name, "std::runtime_error") == 0)
			return read_text(replay, object + WORD);
		first = first_base_of(replay, type_info);
		type_info = first ? first : base_of(replay, type_info);
	}
	return NULL;
}

/* What the C++ library printed of an exception of this type: that of GCC, and that of LLVM, before
 * and since version 15. */
static json_t *printed_message(const json_t *output, const char *type)
{
	static const char *const texts[][2] = {
	    {"terminate called after throwing an instance of '", "'\n  what():  "},
	    {"terminating with uncaught exception of type ", ": "},
	    {"terminating due to uncaught exception of type ", ": "}};
	const char *text = output ? json_string_value(output) : NULL, *at, *what;
	size_t length = strlen(type);

	for (size_t i = 0; text && i < sizeof(texts) / sizeof(*texts); i++) {
		for (at = strstr(text, texts[i][0]); at; at = strstr(at, texts[i][0])) {
			at += strlen(texts[i][0]);
			what = at + length;
			if (strncmp(at, type, length) != 0 ||
			    strncmp(what, texts[i][1], strlen(texts[i][1])) != 0)
				continue;
			what += strlen(texts[i][1]);
			return json_sprintf("\"%.*s\"", (int)strcspn(what, "\n"), what);
		}
	}
	return NULL;
}

/* Types whose value gdb may read without debug information. */
static json_t *plain_value(struct replay *replay, unsigned long long object, const char *type)
{
	cleanup_free char *value = NULL, *read_type_ = NULL;
	char expression[LOCATION_MAX], why[64];

	if (strcmp(type, "char const*") == 0 || strcmp(type, "char*") == 0)
		return read_text(replay, object);
	if (strncmp(type, "std::__cxx11::basic_string<char", 31) == 0)
		return read_text(replay, object);
	snprintf(expression, sizeof(expression), "*(%s *)0x%llx", type, object);
	return values_show(replay, expression, &value, &read_type_, why, sizeof(why)) == 0 &&
		       value[0]
		   ? json_sprintf("%.*s", VALUE_MAX, value)
		   : NULL;
}

static void shorten(char name[NAME_MAX_])
{
	static const char *const texts[] = {
	    "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
	    "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> "
	    ">"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(name, texts[i]) == 0)
			snprintf(name, NAME_MAX_, "std::string");
}

static json_t *value_of(struct replay *replay, unsigned long long object,
    unsigned long long type_info, const json_t *output)
{
	json_t *exception = json_object(), *what = NULL, *value = NULL;
	char type[NAME_MAX_];

	if (!type_info || !read_type(replay, type_info, type))
		return exception;
	what = printed_message(output, type);
	if (!what)
		what = kept_message(replay, object, type_info);
	if (!what)
		value = plain_value(replay, object, type);
	shorten(type);
	json_object_set_new(exception, "type", json_string(type));
	json_object_set_new(exception, "what", what);
	json_object_set_new(exception, "value", value);
	return exception;
}

/* The object that was caught when the nested one was made: std::nested_exception keeps a pointer to
 * it behind its vtable's address. */
static bool find_inner(
    struct replay *replay, unsigned long long *object, unsigned long long *type_info)
{
	long long offset;

	return find_nested(replay, *type_info, &offset) &&
	       read_word(replay, *object + (unsigned long long)offset + WORD, object) && *object &&
	       read_word(replay, *object - BEFORE_TYPE, type_info);
}

json_t *thrown_value(struct replay *replay, unsigned long long object, unsigned long long type_info,
    const json_t *output)
{
	json_t *exception = value_of(replay, object, type_info, output), *outer = exception;

	for (int i = 0; i < INNER_MAX && type_info && find_inner(replay, &object, &type_info);
	     i++) {
		json_t *inner = value_of(replay, object, type_info, NULL);

		json_object_set_new(inner, "object", json_integer((json_int_t)object));
		json_object_set_new(outer, "inner", inner);
		outer = inner;
	}
	return exception;
}
