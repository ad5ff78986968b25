/*
 * See tool_list.h.
 */
#include "supervisor/tool_list.h"

#include <string.h>

#include "supervisor/settings.h"
#include "supervisor/tools.h"

#define PREFIX	      "rr_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Marks what one word stands for; false if it stands for nothing. */
static bool add_word(const char *text, size_t length, bool *listed)
{
	bool all = is_word(text, length, "all"), core = is_word(text, length, "core");
	bool found = all || core;

	for (int i = 0; i < TOOL_COUNT; i++) {
		const char *name = tools_shown[i].name;
		bool named =
		    is_word(text, length, name) || is_word(text, length, name + PREFIX_LENGTH);
		found |= named;
		if (listed != NULL && (all || named || (core && tools_routed[i].core)))
			listed[i] = true;
	}
	return found;
}

bool tool_list_read(const char *text, bool *listed)
{
	for (;;) {
		text += strspn(text, " ");
		size_t length = strcspn(text, ","), used = length;
		while (used > 0 && text[used - 1] == ' ')
			used--;
		if (!add_word(text, used, listed))
			return false;
		if (text[length] == 0)
			return true;
		text += length + 1;
	}
}

bool tool_list_make(const struct settings *settings, enum mcp_listing *listing)
{
	const char *ceiling = settings_ceiling_text(settings, SETTING_TOOLS);
	bool wanted[TOOL_COUNT] = {false}, granted[TOOL_COUNT] = {false};
	bool some_are_left_out = false;

	tool_list_read(settings_text(settings, SETTING_TOOLS), wanted);
	tool_list_read(ceiling == NULL ? "all" : ceiling, granted);
	for (int i = 0; i < TOOL_COUNT; i++) {
		listing[i] = !granted[i] ? MCP_UNLISTED
			     : wanted[i] ? MCP_LISTED
					 : MCP_LISTED_WHEN_NAMED;
		some_are_left_out |= listing[i] != MCP_LISTED;
	}
	return some_are_left_out;
}
