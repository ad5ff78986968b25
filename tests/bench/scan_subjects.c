/*
 * The programs that are asked about, and the questions. One row each; nothing here measures.
 */
#include "tests/bench/scan_subjects.h"

#define COUNT(name)                                                                                \
	"rr_trace_calls", "{'location': '" name "', 'limit': 1, 'count': true}", 1.3, 0.3
#define BY_CALLER(name) "rr_trace_calls", "{'location': '" name "', 'group_by': 'caller'}", 2, 1
#define LAST(name)	"rr_last_time", "{'location': '" name "'}", 2.5, 0
#define LINES(name)	"rr_lines_executed", "{'location': '" name "'}", 1.5, 1
#define HISTORY(of)	"rr_value_history", "{'expression': '" of "', 'limit': 50}", 2.5, 1
#define RACES		"rr_check_races", "{'limit': 1}", 60, 10
#define PRINTED(of)	"rr_who_printed", "{'pattern': '" of "'}", 2.5, 0

static const struct question of_all[] = {
    {"start at the end", OPENS, "rr_replay_start", "{'at': 'end'}", 1, 0.4},
    {"the end again, from the start", START, "rr_goto", "{'moment': 'end'}", 0, 0.6},
};

static const struct question of_loop[] = {
    {"count 10^6 calls", START, COUNT("pass")},
    {"a condition false 10^6 times", START, "rr_trace_calls",
	"{'location': 'pass', 'condition': 'nth < 0', 'limit': 1, 'count': true}", 1.3, 0.3},
    {"50 shown of 10^6, with two expressions", START, "rr_trace_calls",
	"{'location': 'pass', 'limit': 50, 'evaluate': ['nth', 'large']}", 2, 1},
    {"history of a variable written 10^6 times", START, HISTORY("nth")},
    {"last time in the middle, from the end", END, "rr_last_time",
	"{'location': 'pass', 'condition': 'nth == 500000'}", 2.5, 0},
    {"when it became so, in the middle", START, "rr_when_became", "{'predicate': 'nth == 500000'}",
	2.5, 0},
    {"lines of a function", START, LINES("pass")},
    {"lines of the whole program", START, LINES("conditional.c")},
};

static const struct question of_callers[] = {
    {"count 1.6 * 10^5 calls", START, COUNT("called")},
    {"the same grouped by caller", START, BY_CALLER("called")},
    {"the same with an argument summed", START, "rr_trace_calls",
	"{'location': 'called', 'group_by': 'caller', 'sum': 'by'}", 2, 1},
    {"lines of the whole program", START, LINES("callers.c")},
    {"history of a variable of threads", START, HISTORY("sum")},
    {"race scan of a variable", START, "rr_race_scan", "{'expression': 'sum'}", 4, 1},
    {"check of all memory for races", START, RACES},
};

static const struct question of_clerks[] = {
    {"count 16000 calls", START, COUNT("serve")},
    {"the same by caller", START, BY_CALLER("serve")},
    {"last time, from the middle", "serve if served == 8000", "rr_last_time",
	"{'location': 'serve', 'condition': 'clerk == 3'}", 2.5, 0},
    {"last time in the middle, from the end", END, "rr_last_time",
	"{'location': 'serve', 'condition': 'served == 8000'}", 2.5, 0},
    {"lines of the whole program", START, LINES("clerks.c")},
    {"history of a variable of threads", START, HISTORY("served")},
    {"history of what a pointer leads to", END, HISTORY("*ledger")},
    {"heap history of a block", END, "rr_heap_history", "{'pointer': 'ledger'}", 4, 1},
    {"race scan of a variable", START, "rr_race_scan", "{'expression': 'served'}", 4, 1},
    {"check of all memory for races", START, RACES},
};

static const struct question of_hang[] = {
    {"crash report of a hang with 8 threads", OPENS, "rr_crash_report", "{}", 2, 1},
    {"the same in a session", START, "rr_crash_report", "{}", 2, 1},
};

static const struct question of_tree[] = {
    {"count calls in the first process", START, COUNT("grow")},
    {"count calls of fork", START, COUNT("fork")},
    {"calls of waitpid by caller", START, BY_CALLER("waitpid")},
    {"last time, from the end", END, LAST("grow")},
    {"lines of the whole program", START, LINES("fork_tree.c")},
};

static const struct question of_threads[] = {
    {"check of all memory for races", START, RACES},
};

/* Of programs without lines, by the names of their library's functions. */
static const struct question of_any[] = {
    {"count calls of memcpy", START, COUNT("memcpy")},
    {"count calls of write", START, COUNT("write")},
    {"count calls of malloc", START, COUNT("malloc")},
    {"count calls of mkdir, which are none", START, COUNT("mkdir")},
    {"calls of malloc by caller", START, BY_CALLER("malloc")},
    {"last malloc, from the end", END, LAST("malloc")},
    {"heap history of a block", "free if $rdi != 0", "rr_heap_history", "{'pointer': '$rdi'}", 4,
	1},
};

static const struct question of_checked[] = {
    {"who printed the last line", END, PRINTED("done|saved")},
    {"check of the heap", START, "rr_check_memory", "{'limit': 1}", 20, 1},
    {"the same, and what was never written", START, "rr_check_memory",
	"{'limit': 1, 'uninitialised': true}", 60, 20},
};

static const struct question of_redis[] = {
    {"who printed the last line", END, PRINTED("bye bye")},
    {"count commands", START, COUNT("processCommand")},
    {"commands by caller", START, BY_CALLER("processCommand")},
    {"last command, from the end", END, LAST("processCommand")},
};

static const struct question of_pair[] = {
    {"compare two runs that part late", PAIR, "rr_compare_runs", "{'limit': 200000}", 3, 0},
};

#define QUESTIONS(list) .of = list, .count = sizeof(list) / sizeof(*(list))

const struct questions everywhere = {QUESTIONS(of_all)};

#define SQL(least)                                                                                 \
	"/usr/bin/sqlite3", ":memory:",                                                            \
	    "create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 "       \
	    "from c where x < 20000) insert into t select x, hex(x * x) from c; "                  \
	    "create index i on t(b); select count(*) from t where b > '" least "'; select 'done';"

const struct subject subjects[] = {
    {"a tight loop", .command = {"tests/programs/conditional", "1000000"},
	.questions = {QUESTIONS(of_loop)}},
    {"threads and callers", .command = {"tests/programs/callers", "20000", "quiet"},
	.questions = {QUESTIONS(of_callers)}, .yardsticks = DRD | TSAN},
    {"8 threads in chaos", .command = {"tests/programs/clerks", "2000"},
	.recorded = "{'chaos': true}", .questions = {QUESTIONS(of_clerks)}, .calls = "clerks"},
    {"a hang of 8 threads", .command = {"tests/programs/clerks", "2000", "hang"},
	.recorded = "{'timeout': 5}", .questions = {QUESTIONS(of_hang)}},
    {"a fork tree", .command = {"tests/programs/fork_tree", "6"},
	.questions = {QUESTIONS(of_tree)}},
    {"two long ways", .command = {"tests/programs/ways", "8", "3000", "2990", "0"},
	.other = {"tests/programs/ways", "8", "3000", "2990", "5"},
	.questions = {QUESTIONS(of_pair)}},
    {"xz, 2 threads", "command -v xz",
	{"/bin/sh", "-c", "exec xz -T2 -0 -c --block-size=200KiB /bin/bash >/dev/null"},
	.questions = {QUESTIONS(of_threads)}, .yardsticks = DRD},
    {"bzip2", "command -v bzip2", {"/bin/sh", "-c", "exec bzip2 -v -c -k /bin/bash >/dev/null"},
	.questions = {QUESTIONS(of_any)}, .more = {QUESTIONS(of_checked)}, .yardsticks = MEMCHECK},
    {"sqlite3", "command -v sqlite3", {SQL("3")}, .questions = {QUESTIONS(of_any)},
	.more = {QUESTIONS(of_checked)}, .yardsticks = MEMCHECK},
    {"two runs of sqlite3", "command -v sqlite3", {SQL("3")}, .other = {SQL("4")},
	.questions = {QUESTIONS(of_pair)}},
    {"python3", "command -v python3",
	{"/usr/bin/python3", "-S", "-c",
	    "d = {str(i): [i] * 3 for i in range(30000)}\nprint(len(sorted(d)))\nprint('done')"},
	.questions = {QUESTIONS(of_any)}, .more = {QUESTIONS(of_checked)}, .yardsticks = MEMCHECK,
	.calls = "python3"},
    {"cc1",
	"gcc -E -P \"$OLDPWD\"/tests/programs/raced_often.c -o text.i && "
	"ln -s \"$(gcc -print-prog-name=cc1)\" cc1",
	{"/bin/sh", "-c", "exec ./cc1 -quiet -O1 text.i -o /dev/null"},
	.questions = {QUESTIONS(of_any)}},
    {"redis", "command -v redis-server && command -v redis-cli && command -v redis-benchmark",
	{"/bin/sh", "-c",
	    "(until redis-cli -s socket ping; do sleep 0.05; done\n"
	    "redis-benchmark -s socket -n 1000 -c 2 -P 50 -q -t set,incr,lpush\n"
	    "redis-cli -s socket shutdown nosave) >/dev/null 2>&1 &\n"
	    "exec redis-server --port 0 --unixsocket socket --save ''"},
	.questions = {QUESTIONS(of_any)}, .more = {QUESTIONS(of_redis)}, .calls = "redis"},
    {.name = NULL},
};
