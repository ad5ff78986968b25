/*
 * See secrets.h. A pattern finds a secret as a program prints it and as gdb shows it: the value of
 * a variable is 0x55e0 "text", and a newline in it is a backslash and an n.
 *
 * A text that takes too many steps is masked as a whole. So what repeats is possessive (*+, ++: it
 * is not tried again with less), and what can begin at any character has a bound, or ends with
 * (*SKIP): nothing begins within what was run over in vain.
 */
#include "supervisor/redact/secrets.h"

#include <stddef.h>

/* Names whose value is a secret. */
#define SECRET_NAME                                                                                \
	"(?:pass(?:word|wd|phrase)|secret|(?:api|access|private|auth|encryption|signing)[_-]?key|" \
	"(?:access|auth|refresh|bearer|api|session)[_-]?token)"

/* gdb goes on like this behind a letter that is repeated. */
#define REPEATS "\", '[^']{1,8}+' <repeats [0-9]++ times>(?:, \")?+"

/* The lines of a key, and how it begins and ends. */
#define KEY_LINES "(?:[A-Za-z0-9+/=:, \t\r\n\\\\]++|-[A-Za-z0-9]|" REPEATS ")*+"
#define KEY_KIND  "(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
#define NEWLINES  "(?:\r?\n|\\\\r|\\\\n)"

/* What stands between a name and its value: an address and a symbol too. */
#define IS "\\\\?[\"']?[ \t]*+[:=][ \t]*+(?:0x[0-9a-f]{1,16}+ )?+(?:<[^>\n]{0,400}+> )?+"

/* A text up to its last quote, or to the end of the line; in memory, a text ends with a NUL. */
#define QUOTED "(?:[^\\x00\r\n\"\\\\]++|\\\\.|" REPEATS ")++"
#define PLAIN  "[^\\x00\r\n\"\\\\]*+"

#define HEADER                                                                                     \
	"(?i)\\b(?:(?:proxy-)?authorization|x-[a-z-]{0,30}(?:key|token)|private-token|"            \
	"(?:set-)?cookie)\\\\?[\"']?[ \t]*+:[ \t]*+\\\\?[\"']?"

/* clang-format off */
const struct secret secrets[] = {
    {"private key", CUT_ANYWHERE, "-----BEGIN " KEY_KIND KEY_LINES "(?:-----END " KEY_KIND ")?"},
    /* the end of one whose beginning is not there */
    {"private key", CUT_NOWHERE, "(?:[A-Za-z0-9+/=]{16,}+" NEWLINES "++)*+[A-Za-z0-9+/=]*+" NEWLINES "*+(*SKIP)-----END " KEY_KIND},
    {"AWS key", CUT_ANYWHERE, "\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"},
    {"AWS key", CUT_MARKED, "(?i)aws_?secret(?:_?access)?_?key" IS "\\\\?[\"']?\\K[a-z0-9/+]{30,}+"},
    {"GitHub token", CUT_ANYWHERE, "\\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,}+"},
    {"GitLab token", CUT_ANYWHERE, "\\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[A-Za-z0-9_-]{20,}+"},
    {"Slack token", CUT_ANYWHERE, "\\bxox[a-z]-[A-Za-z0-9-]{10,}+"},
    {"Google key", CUT_ANYWHERE, "\\bAIza[A-Za-z0-9_-]{35}"},
    {"API key", CUT_ANYWHERE, "\\b(?:sk-[A-Za-z0-9_-]{20,}+|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+)"},
    {"registry token", CUT_ANYWHERE, "\\b(?:npm_[A-Za-z0-9]{30,}+|pypi-[A-Za-z0-9_-]{50,}+)"},
    {"JWT", CUT_ANYWHERE, "\\beyJ[A-Za-z0-9_-]{8,}+(*SKIP)\\.[A-Za-z0-9_-]{2,}+(?:\\.[A-Za-z0-9_-]*+){0,3}"},
    /* the first two have quotes inside */
    {"authorization", CUT_MARKED, HEADER "\\K(?:(?:digest|oauth) [^\\x00\r\n]*+|[^\\x00 \t\r\n\"'\\\\]" PLAIN ")"},
    {"authorization", CUT_MARKED, "(?i)\\bbearer[ \t]++\\K[a-z0-9._~+/=-]{8,}+"},
    {"password", CUT_MARKED, "(?i)\\b[a-z][a-z0-9+.-]{0,30}+://[^\\x00 \t\r\n\"'@:/<>]*+:\\K[^\\x00 \t\r\n\"/<>]+@"},
    {"password", CUT_MARKED, "(?i)[?&](?:password|passwd|pwd|secret|sig|signature|token|key|api_?key|client_secret|(?:access|refresh|id)_token)=\\K[^\\x00 \t\r\n\"'&#;\\\\<>]++"},
    {"password", CUT_MARKED, "(?i)" SECRET_NAME "[a-z0-9_]{0,64}+(?:\\[[0-9]{0,20}+\\])?+" IS "\\\\?(?:\"\\K" QUOTED "|'\\K[^\\x00\r\n']{2,}+)"},
    /* as programs print it: no pointer, no word of gdb, no comparison */
    {"password", CUT_MARKED, "(?i)pass(?:word|wd|phrase)=\\K(?:[^]\\x00 \t\r\n\"'=<.0\\\\]|0[^]\\x00 \t\r\n\"'x])[^\\x00 \t\r\n\"\\\\]*+"},
    {"password", CUT_MARKED, "\\b[A-Z0-9_]{0,64}?(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|[A-Z0-9]_TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)[A-Z0-9_]{0,64}+=[\"']?\\K[^\\x00\r\n\"'\\\\]" PLAIN},
    /* the rest of what may have been a secret */
    {"behind a cut", CUT_MARKED, "left out \\.\\.\\.\\]\n\\K[A-Za-z0-9+/=_.~-]{8,}+(?:\n[A-Za-z0-9+/=]{40,}+)*+(?:\n[A-Za-z0-9+/=]++\n)?+"},
    {NULL, CUT_NOWHERE, NULL},
};
/* clang-format on */
