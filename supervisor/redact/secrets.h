#ifndef SUPERVISOR_REDACT_SECRETS_H
#define SUPERVISOR_REDACT_SECRETS_H
/*
 * What --redact=secrets stands for: the forms of keys, tokens and passwords that can be told by
 * their form.
 */
#define SECRETS_NAME "secrets"

/* Where the beginning of a match, without its end, counts as one. */
enum secret_cut {
	CUT_NOWHERE,  /* the beginning tells nothing */
	CUT_MARKED,   /* where a mark says that the text was cut */
	CUT_ANYWHERE, /* at the end of any text: nothing else begins so */
};

struct secret {
	const char *name; /* in "[redacted: NAME]" */
	enum secret_cut cut;
	const char *pattern;
};

/* Ends with a row without a name. */
extern const struct secret secrets[];

#endif
