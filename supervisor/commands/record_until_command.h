#ifndef SUPERVISOR_RECORD_UNTIL_COMMAND_H
#define SUPERVISOR_RECORD_UNTIL_COMMAND_H
/*
 * `rr-warden record-until [OPTION]... -- COMMAND...`: the tool rr_record_until for people and CI
 * jobs, without an agent.
 */

/* Exit statuses. */
#define RECORD_UNTIL_NEVER_FAILED 0
#define RECORD_UNTIL_FAILED	  1 /* the trace of the failure is kept */
#define RECORD_UNTIL_TROUBLE	  2 /* wrong arguments, or nothing could be recorded */

/*
 * `program` is the path of this one; argv as main has it. The options before `record-until` become
 * the server's; rest is the index of the first argument behind it. Prints on stdout the path of the
 * failing trace and that of its archive, if there is one, a line each; all else on stderr. Returns
 * the exit status.
 */
int record_until_command_run(const char *program, int argc, char *const argv[], int rest);

#endif
