#ifndef TESTS_BENCH_RAW_H
#define TESTS_BENCH_RAW_H
/*
 * The baseline: rr's debug server and gdb by hand, over GDB/MI, without any of our processes
 * between (but for `rr-warden rr`, which becomes rr by exec).
 */
struct raw;

/* Starts `rr replay -s` on a trace and gdb, and connects them; returns when gdb has stopped. */
struct raw *raw_start(const char *server, const char *trace, const char *program);

/* Sends one MI command and waits for its result record. */
void raw_command(struct raw *raw, const char *command);

void raw_end(struct raw *raw);

#endif
