/*
 * Knows glibc's messages, and which question finds the one who did the damage.
 */
#include "worker/investigate/report/library_said.h"

#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/report/report.h"
#include "worker/serve/begins.h"

/* glibc's messages, and what finds the one who did it. */
static const struct {
	const char *said, *hint;
} heap_damages[] = {
    {"free(): double free",
	"rr_heap_history with the pointer that this line frees says who freed it before"},
    {"double free",
	"rr_heap_history with the pointer that this line frees says who freed it before, or wrote "
	"behind its neighbour"},
    {"free(): invalid pointer",
	"rr_heap_history with the pointer that this line frees says to which block it belongs"},
    {"munmap_chunk(): invalid pointer",
	"rr_heap_history with the pointer that this line frees says to which block it belongs"},
    {"mremap_chunk(): invalid pointer",
	"rr_heap_history with the pointer that this line resizes says to which block it belongs"},
    {"invalid fastbin entry (free)",
	"a freed block was overwritten: rr_heap_history with the pointer that this line frees"},
    {"malloc(): corrupted top size",
	"the word behind the newest block was overwritten: rr_heap_history with the pointer to "
	"the block that was filled last says who wrote behind it"},
    {"free(): ",
	"the words around the block were overwritten: rr_heap_history with the pointer that this "
	"line frees says who wrote behind its neighbour"},
    {"Fatal glibc error: malloc",
	"the word behind the newest block was overwritten: rr_heap_history with the pointer to "
	"the block that was filled last says who wrote behind it"},
    {"malloc", "a block's neighbour or a freed block was overwritten: rr_heap_history with a "
	       "pointer to a block that was filled before says who wrote behind it or after its "
	       "free"},
    {"realloc(): ", "the words around the block were overwritten: rr_heap_history with its pointer "
		    "says who wrote behind it"},
    {"corrupted ", "a freed block or its neighbour was overwritten: rr_heap_history with the "
		   "pointer that this line frees says by whom"},
};

/* What it says of a stack or an array. */
static const struct {
	const char *said, *hint;
} array_damages[] = {
    {"*** stack smashing detected",
	"an array of the function that called __stack_chk_fail was written beyond its end: "
	"rr_value_history of the array in that function says by whom"},
    {"*** buffer overflow detected",
	"the call would have written beyond the end of its target, whose size the compiler knows"},
    {"*** bit out of range", "FD_SET with a descriptor that an fd_set cannot hold"},
    {"*** invalid %N$", NULL},
    {"*** %n in writable segment", NULL},
};

/* Whether the program frees or resizes something there. */
static bool frees(const json_t *report)
{
	static const char *const names[] = {"free", "realloc", "operator delete"};
	json_t *frame;
	size_t i;

	json_array_foreach(json_object_get(report, "frames"), i, frame)
	{
		const char *function = mi_text(frame, "function");

		for (size_t j = 0; function && j < sizeof(names) / sizeof(*names); j++)
			if (strstr(function, names[j]))
				return true;
	}
	return false;
}

enum library_found library_said(json_t *report, const json_t *output)
{
	json_auto_t *line = report_last_line(output);
	const char *said = line ? json_string_value(line) : "", *signal = mi_text(report, "signal"),
		   *hint = NULL;
	bool heap = false, array = false;

	if (!signal || strcmp(signal, "SIGABRT") != 0)
		said = "";
	for (size_t i = 0; !heap && i < sizeof(heap_damages) / sizeof(*heap_damages); i++)
		if ((heap = begins(said, heap_damages[i].said)))
			hint = heap_damages[i].hint;
	/* malloc finds it too, where it joins blocks that are free. */
	if (heap && begins(said, "corrupted ") && !frees(report))
		hint = "a freed block or its neighbour was overwritten, or freed twice: "
		       "rr_heap_history with a pointer to a block that was freed before says who "
		       "wrote behind it or after its free";
	for (size_t i = 0; !array && i < sizeof(array_damages) / sizeof(*array_damages); i++)
		if ((array = begins(said, array_damages[i].said)))
			hint = array_damages[i].hint;
	if (hint && !json_object_get(report, "hint"))
		json_object_set_new(report, "hint", json_string(hint));
	if (heap || array)
		report_add_cause(report, said);
	if (heap)
		return LIBRARY_HEAP;
	return array ? LIBRARY_ARRAY : LIBRARY_NOTHING;
}
