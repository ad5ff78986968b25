#ifndef WORKER_ARGUMENTS_H
#define WORKER_ARGUMENTS_H
/*
 * Binds a tool's arguments to the fields of its struct (see handlers.h). The supervisor has
 * validated them, but a worker checks them again, because the supervisor may be compromised. Each
 * returns false with *failure filled if the argument is missing, has another type or is out of
 * bounds. Texts and JSON are borrowed from `given`.
 */
#include <jansson.h>
#include <stdbool.h>

#include "sandbox/wire/failure.h"

/* The columns of an argument's row. */
struct argument {
	const json_t *given; /* all arguments of the call */
	const char *name;
	bool required;
	long long absent, min, max;
	const char *const *choices; /* NULL-terminated, or NULL */
};

/* False with *failure filled when `given` is no object, or has a key that is not in the
 * NULL-terminated list. */
bool arguments_are_known(const json_t *given, const char *const *names, struct failure *failure);

bool argument_string(struct argument argument, const char **text, struct failure *failure);
bool argument_integer(struct argument argument, long long *integer, struct failure *failure);
bool argument_number(struct argument argument, double *number, struct failure *failure);
bool argument_flag(struct argument argument, bool *flag, struct failure *failure);
/* The index of the word in its list. */
bool argument_choice(struct argument argument, unsigned *choice, struct failure *failure);
bool argument_texts(struct argument argument, json_t **texts, struct failure *failure);
/* At most `max` objects. The tool checks their members. */
bool argument_objects(struct argument argument, json_t **objects, struct failure *failure);
bool argument_text_map(struct argument argument, json_t **map, struct failure *failure);

/* A thread's number from its text; `absent` for NULL. */
bool argument_thread(const char *name, const char *text, long long absent, long long *thread,
    struct failure *failure);

#endif
