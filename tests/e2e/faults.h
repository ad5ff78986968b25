#ifndef TESTS_E2E_FAULTS_H
#define TESTS_E2E_FAULTS_H
/*
 * Which process fails, how and when, and what a client then sees. test_faults.c brings each of
 * these faults into the real process and holds the server to this table.
 *
 * In every cell, whatever it says: each request is answered once, and no process outlives the
 * server.
 */
#define FAULT_PROCESSES(X)                                                                         \
	X(SUPERVISOR, "supervisor")                                                                \
	X(KEEPER, "keeper")                                                                        \
	X(LAUNCHER, "launcher")                                                                    \
	X(WORKER, "worker")                                                                        \
	X(RR, "rr")                                                                                \
	X(GDB, "gdb")                                                                              \
	X(TRACEE, "tracee")

#define FAULT_KINDS(X)                                                                             \
	X(KILLED, "SIGKILL")                                                                       \
	X(STOPPED, "SIGSTOP")                                                                      \
	X(EXITED, "exit")	      /* of its own accord, with a status other than 0 */          \
	X(INPUT_ENDED, "EOF")	      /* where it listens */                                       \
	X(GARBAGE, "garbage")	      /* it says what its protocol does not know; to the           \
					 supervisor, its client does */                            \
	X(NO_MEMORY, "out of memory") /* not a page more than it has */                            \
	X(NO_DESCRIPTORS, "out of descriptors")                                                    \
	X(DISK_FULL, "disk full")

#define FAULT_PHASES(X)                                                                            \
	X(STARTING, "starting") /* rr_replay_start is in flight */                                 \
	X(READY, "ready")	/* nothing is; the next call is rr_evaluate */                     \
	X(RUNNING, "running")	/* a long rr_step is; a while later rr_interrupt is sent */        \
	X(INTERRUPTING, "interrupting") /* rr_interrupt was sent, and rr has not heeded it yet */  \
	X(STOPPING, "stopping") /* rr_replay_stop was sent, and the worker has not read it yet */

#define X(name, text) name,
enum fault_process { FAULT_PROCESSES(X) FAULT_PROCESS_COUNT };
enum fault_kind { FAULT_KINDS(X) FAULT_KIND_COUNT };
enum fault_phase { FAULT_PHASES(X) FAULT_PHASE_COUNT };
#undef X

/* What a client sees. A cell with several of them depends on what the process happens to need, and
 * when: it may also show one of them with the call in flight and another with the next. */
enum fault_outcome {
	LIVES = 1 << 0,	  /* the call in flight has its result, the session goes on */
	BACK = 1 << 1,	  /* the call in flight fails at once and says what died; the next call
			     brings the session back to its last stop */
	LATE = 1 << 2,	  /* nobody can tell a slow process from a stopped one: the call in flight
			     fails at its limit, or once it was asked to stop and did not; the next
			     call brings the session back */
	REFUSED = 1 << 3, /* rr_replay_start fails with the reason, and there is no session */
	CLOSED = 1 << 4,  /* rr_replay_stop is answered, and the session is gone */
	ENDS = 1 << 5,	  /* the server ends, and everything below it; its host starts another */
	HELD = 1 << 6,	  /* nothing is answered until the process goes on, and then all is */
	NEVER = 0,	  /* it cannot happen; the row says why */
};

/* ROW(process, kind, starting, ready, running, interrupting, stopping, remark) */
#define FAULT_TABLE(ROW)                                                                           \
	ROW(SUPERVISOR, KILLED, ENDS, ENDS, ENDS, ENDS, ENDS, "the kernel kills all below it")     \
	ROW(SUPERVISOR, STOPPED, HELD, HELD, HELD, HELD, HELD, "")                                 \
	ROW(SUPERVISOR, EXITED, ENDS, ENDS, ENDS, ENDS, ENDS, "")                                  \
	ROW(SUPERVISOR, INPUT_ENDED, ENDS, ENDS, ENDS, ENDS, ENDS,                                 \
	    "a client that closes our input wants us to end")                                      \
	ROW(SUPERVISOR, GARBAGE, LIVES, LIVES, LIVES, LIVES, CLOSED,                               \
	    "a line that is no JSON gets a parse error of its own")                                \
	ROW(SUPERVISOR, NO_MEMORY, LIVES | ENDS, LIVES | ENDS, LIVES | ENDS, LIVES | ENDS,         \
	    CLOSED | ENDS, "it works in memory it has, and ends when that does not do")            \
	ROW(SUPERVISOR, NO_DESCRIPTORS, LIVES | REFUSED, LIVES, LIVES, LIVES, CLOSED,              \
	    "a new worker's channel needs two")                                                    \
	ROW(SUPERVISOR, DISK_FULL, NEVER, NEVER, NEVER, NEVER, NEVER, "it writes no file")         \
	ROW(KEEPER, KILLED, ENDS, ENDS, ENDS, ENDS, ENDS,                                          \
	    "nobody is left to fork workers, and a locked supervisor cannot")                      \
	ROW(KEEPER, STOPPED, LIVES, LIVES, LIVES, LIVES, CLOSED,                                   \
	    "it is needed when a launcher dies, and not before")                                   \
	ROW(KEEPER, EXITED, ENDS, ENDS, ENDS, ENDS, ENDS, "as when it is killed")                  \
	ROW(KEEPER, INPUT_ENDED, NEVER, NEVER, NEVER, NEVER, NEVER, "it reads nothing")            \
	ROW(KEEPER, GARBAGE, ENDS, ENDS, ENDS, ENDS, ENDS,                                         \
	    "the launcher's channel is its own, and what breaks the protocol there is not "        \
	    "trusted again")                                                                       \
	ROW(KEEPER, NO_MEMORY, LIVES, LIVES, LIVES, LIVES, CLOSED,                                 \
	    "the launchers that it forks from then on have none either")                           \
	ROW(KEEPER, NO_DESCRIPTORS, LIVES, LIVES, LIVES, LIVES, CLOSED, "the same")                \
	ROW(KEEPER, DISK_FULL, NEVER, NEVER, NEVER, NEVER, NEVER, "it writes no file")             \
	ROW(LAUNCHER, KILLED, LIVES | REFUSED, BACK, BACK, BACK, CLOSED,                           \
	    "its workers die with it; the keeper forks another, which is asked again for "         \
	    "a worker that was never started")                                                     \
	ROW(LAUNCHER, STOPPED, LIVES | REFUSED, LIVES, LIVES, LIVES, CLOSED,                       \
	    "sessions do not need it; a new one waits for it as long as for a worker")             \
	ROW(LAUNCHER, EXITED, LIVES | REFUSED, BACK, BACK, BACK, CLOSED, "as when it is killed")   \
	ROW(LAUNCHER, INPUT_ENDED, NEVER, NEVER, NEVER, NEVER, NEVER,                              \
	    "its input ends with the supervisor, and it with both")                                \
	ROW(LAUNCHER, GARBAGE, ENDS, ENDS, ENDS, ENDS, ENDS,                                       \
	    "it holds the settings: one that breaks the protocol is not trusted again")            \
	ROW(LAUNCHER, NO_MEMORY, LIVES | REFUSED, LIVES, LIVES, LIVES, CLOSED,                     \
	    "sessions do not need it")                                                             \
	ROW(LAUNCHER, NO_DESCRIPTORS, LIVES | REFUSED, LIVES, LIVES, LIVES, CLOSED,                \
	    "sessions do not need it")                                                             \
	ROW(LAUNCHER, DISK_FULL, NEVER, NEVER, NEVER, NEVER, NEVER, "it writes no file")           \
	ROW(WORKER, KILLED, REFUSED, BACK, BACK, BACK, CLOSED, "")                                 \
	ROW(WORKER, STOPPED, REFUSED, LATE, LATE, LATE, CLOSED, "")                                \
	ROW(WORKER, EXITED, REFUSED, BACK, BACK, BACK, CLOSED, "")                                 \
	ROW(WORKER, INPUT_ENDED, NEVER, NEVER, NEVER, NEVER, NEVER,                                \
	    "its input ends with the supervisor, and it with both")                                \
	ROW(WORKER, GARBAGE, REFUSED, BACK, BACK, BACK, CLOSED,                                    \
	    "one that breaks the protocol is killed; test_doubles.c has more of it")               \
	ROW(WORKER, NO_MEMORY, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK, CLOSED,  \
	    "")                                                                                    \
	ROW(WORKER, NO_DESCRIPTORS, LIVES | REFUSED, LIVES, LIVES, LIVES, CLOSED,                  \
	    "it opens files while it starts")                                                      \
	ROW(WORKER, DISK_FULL, NEVER, NEVER, NEVER, NEVER, NEVER,                                  \
	    "a replay writes no file; what becomes of recordings is in test_disk.c")               \
	ROW(RR, KILLED, REFUSED, BACK, BACK, BACK, CLOSED, "")                                     \
	ROW(RR, STOPPED, REFUSED, LATE, LATE, LATE, CLOSED, "")                                    \
	ROW(RR, EXITED, REFUSED, BACK, BACK, LIVES | BACK, CLOSED,                                 \
	    "it must go on to exit, and may heed the interrupt before")                            \
	ROW(RR, INPUT_ENDED, NEVER, NEVER, NEVER, NEVER, NEVER,                                    \
	    "it reads nothing but gdb, whose end ends the session")                                \
	ROW(RR, GARBAGE, LIVES, LIVES, LIVES, LIVES, CLOSED,                                       \
	    "what it prints is output, no protocol")                                               \
	ROW(RR, NO_MEMORY, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK, CLOSED, "")  \
	ROW(RR, NO_DESCRIPTORS, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK, CLOSED, \
	    "")                                                                                    \
	ROW(RR, DISK_FULL, NEVER, NEVER, NEVER, NEVER, NEVER, "its /tmp is memory of its own")     \
	ROW(GDB, KILLED, REFUSED, BACK, BACK, BACK, CLOSED, "")                                    \
	ROW(GDB, STOPPED, REFUSED, LATE, LATE, LATE, CLOSED, "")                                   \
	ROW(GDB, EXITED, REFUSED, BACK, BACK, BACK, CLOSED, "")                                    \
	ROW(GDB, INPUT_ENDED, NEVER, NEVER, NEVER, NEVER, NEVER,                                   \
	    "its input ends with the worker, and it with both")                                    \
	ROW(GDB, GARBAGE, LIVES, LIVES, LIVES, LIVES, CLOSED,                                      \
	    "lines that are no MI record are passed over; test_doubles.c has worse")               \
	ROW(GDB, NO_MEMORY, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK, CLOSED, "") \
	ROW(GDB, NO_DESCRIPTORS, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK,        \
	    CLOSED, "")                                                                            \
	ROW(GDB, DISK_FULL, NEVER, NEVER, NEVER, NEVER, NEVER, "it writes no file")                \
	ROW(TRACEE, KILLED, REFUSED, LIVES, BACK, LIVES | BACK, CLOSED,                            \
	    "its memory can be read until rr runs it again, which then says that it vanished")     \
	ROW(TRACEE, STOPPED, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK, CLOSED,    \
	    "a signal that is not in the recording ends rr when it sees it")                       \
	ROW(TRACEE, EXITED, NEVER, NEVER, NEVER, NEVER, NEVER,                                     \
	    "it makes no call that rr does not make for it, and nobody but rr may trace it")       \
	ROW(TRACEE, INPUT_ENDED, NEVER, NEVER, NEVER, NEVER, NEVER, "it reads what was recorded")  \
	ROW(TRACEE, GARBAGE, NEVER, NEVER, NEVER, NEVER, NEVER,                                    \
	    "it writes what was recorded, and rr shows that")                                      \
	ROW(TRACEE, NO_MEMORY, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK, CLOSED,  \
	    "")                                                                                    \
	ROW(TRACEE, NO_DESCRIPTORS, LIVES | REFUSED, LIVES | BACK, LIVES | BACK, LIVES | BACK,     \
	    CLOSED, "")                                                                            \
	ROW(TRACEE, DISK_FULL, NEVER, NEVER, NEVER, NEVER, NEVER, "it writes what was recorded")

#endif
