/*
 * What lists of GLib hold, for test_held.
 */
#include <glib.h>
#include <stdio.h>

int main(void)
{
	GList *numbers = NULL, *empty = NULL;
	GSList *single = NULL;
	const GList *tail;

	for (int i = 7; i < 10; i++)
		numbers = g_list_append(numbers, GINT_TO_POINTER(i));
	single = g_slist_prepend(g_slist_prepend(NULL, GINT_TO_POINTER(6)), GINT_TO_POINTER(5));
	tail = g_list_next(numbers);
	printf("%u %u %u\n", g_list_length(numbers), g_slist_length(single),
	    g_list_length(empty)); /* look */
	return tail->data == NULL;
}
