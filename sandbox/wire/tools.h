#ifndef SANDBOX_TOOLS_H
#define SANDBOX_TOOLS_H
/*
 * What the rows of tools.def use: limits that both sides enforce, and the words of each choice.
 */

#define TOOL_TEXT_MAX	4096		  /* bytes of a text argument */
#define TOOL_NUMBER_MAX 1000000		  /* of breakpoints, checkpoints and threads */
#define TOOL_LEVEL_MAX	10000000	  /* of a stack */
#define TOOL_PID_MAX	4194304		  /* the kernel's own bound */
#define TOOL_EVENT_MAX	((1LL << 53) - 1) /* clients read numbers as doubles */

#define RECORD_ATTEMPTS_DEFAULT 10
#define RECORD_ATTEMPTS_MAX	1000
#define HEAP_LIMIT_MAX		1000000000
#define RECORD_OUTPUT_DEFAULT	8192 /* bytes of each stream */
#define SOURCE_LINES_MAX	500
#define CLAIMS_MAX		50
#define SYMBOLS_MAX		8		     /* debug files that a call names */
#define SYMBOLS_DIRECTORY	"/rr-warden-symbols" /* where a worker's view has them */
#define REPORT_NARRATIVE_MAX	16384		     /* bytes */
#define OUTPUT_WRITES_DEFAULT	20
#define VALUE_ELEMENTS_DEFAULT	200 /* of an array, as in the settings of gdb */
#define VALUE_DEPTH_DEFAULT	8   /* of nested structures, as in the settings of gdb */

/* Choices: L(list); each list is X(enumerator, word), its first word the default. */
#define TOOL_CHOICES(L)                                                                            \
	L(kept_traces)                                                                             \
	L(heap_kind)                                                                               \
	L(step_unit)                                                                               \
	L(watch_access)                                                                            \
	L(change_side)                                                                             \
	L(symbol_kind)                                                                             \
	L(caught)                                                                                  \
	L(value_format)                                                                            \
	L(memory_format)                                                                           \
	L(printed_to)                                                                              \
	L(end_signal)

#define CHOICES_kept_traces(X) X(KEEP_FAILING, "failing") X(KEEP_ALL, "all")
#define CHOICES_heap_kind(X)                                                                       \
	X(HEAP_KIND_USUAL, "usual")                                                                \
	X(HEAP_KIND_GUARD, "guard") X(HEAP_KIND_GUARD_BEFORE, "guard_before")
#define CHOICES_step_unit(X) X(STEP_LINE, "line") X(STEP_INSTRUCTION, "instruction")
#define CHOICES_watch_access(X)                                                                    \
	X(WATCH_WRITE, "write") X(WATCH_READ, "read") X(WATCH_ACCESS, "access")
#define CHOICES_change_side(X) X(CHANGE_BEFORE, "before") X(CHANGE_AFTER, "after")
#define CHOICES_symbol_kind(X)                                                                     \
	X(SYMBOL_ANY, "any")                                                                       \
	X(SYMBOL_FUNCTION, "function") X(SYMBOL_VARIABLE, "variable") X(SYMBOL_TYPE, "type")
#define CHOICES_caught(X)                                                                          \
	X(CAUGHT_THROW, "throw")                                                                   \
	X(CAUGHT_RETHROW, "rethrow")                                                               \
	X(CAUGHT_CATCH, "catch")                                                                   \
	X(CAUGHT_SIGNAL, "signal")                                                                 \
	X(CAUGHT_FORK, "fork")                                                                     \
	X(CAUGHT_EXEC, "exec") X(CAUGHT_LOAD, "load") X(CAUGHT_SYSCALL, "syscall")
#define CHOICES_value_format(X)                                                                    \
	X(FORMAT_NATURAL, "natural")                                                               \
	X(FORMAT_HEX, "hex")                                                                       \
	X(FORMAT_DECIMAL, "decimal")                                                               \
	X(FORMAT_OCTAL, "octal")                                                                   \
	X(FORMAT_BINARY, "binary")
#define CHOICES_memory_format(X)                                                                   \
	X(MEMORY_HEX, "hex") X(MEMORY_DUMP, "dump") X(MEMORY_PLAIN, "plain")
/* In the order of end_signals in supervisor/recordings.c. */
#define CHOICES_end_signal(X)                                                                      \
	X(END_SIGTERM, "SIGTERM")                                                                  \
	X(END_SIGINT, "SIGINT")                                                                    \
	X(END_SIGHUP, "SIGHUP") X(END_SIGQUIT, "SIGQUIT") X(END_SIGKILL, "SIGKILL")
#define CHOICES_printed_to(X)                                                                      \
	X(PRINTED_ANY, "any") X(PRINTED_STDOUT, "stdout") X(PRINTED_STDERR, "stderr")

#define ENUMERATOR(enumerator, word) enumerator,
#define L(list)                                                                                    \
	enum list { CHOICES_##list(ENUMERATOR) };                                                  \
	extern const char *const choices_##list[]; /* NULL-terminated */
TOOL_CHOICES(L)
#undef L
#undef ENUMERATOR

#endif
