/*
 * Reads the operand of a call as gdb's disassembly writes it.
 */
#include "worker/investigate/code/callee.h"

#include <stdio.h>
#include <string.h>
#include "worker/read/names/brief_name.h"
#include "worker/read/frames/frames.h"
#include "worker/read/names/symbol.h"

void callee_name(struct replay *replay, const char *target, char callee[FUNCTION_NAME_MAX])
{
	char expression[FUNCTION_NAME_MAX + 32];
	unsigned long long address;
	struct symbol symbol;
	char brief[BRIEF_NAME_MAX];

	snprintf(callee, FUNCTION_NAME_MAX, "%s", target);
	if (target[0] != '*')
		return;
	if (strncmp(target, "*0x", 3) == 0 && !strchr(target, '('))
		snprintf(expression, sizeof(expression), "*(unsigned long *) %s", target + 1);
	else if (target[1] == '%')
		snprintf(expression, sizeof(expression), "$%s", target + 2);
	else {
		/* *0x8(%rax), *(%rdx) */
		const char *open = strchr(target, '(');
		int shift = open ? (int)(open - target) - 1 : 0;

		snprintf(expression, sizeof(expression), "*(unsigned long *) ($%.*s + (%.*s))",
		    open ? (int)strcspn(open + 2, ",)") : 0, open ? open + 2 : "",
		    shift ? shift : 1, shift ? target + 1 : "0");
		if (!open || strchr(open, ','))
			expression[0] = '\0';
	}
	if (expression[0] && frames_number(replay, 0, expression, &address) &&
	    symbol_at(replay, address, &symbol) && symbol.offset == 0)
		snprintf(callee, FUNCTION_NAME_MAX, "%s",
		    strlen(symbol.name) < FUNCTION_NAME_MAX ? symbol.name
							    : brief_name(symbol.name, brief));
	else
		snprintf(callee, FUNCTION_NAME_MAX, "code without a name");
}
