/*
 * The tables of system calls: what a group of roles may call. One row a call, with the reason
 * beside it. No code.
 *
 * A filter is inherited and can only be narrowed: what the launcher has must suit all that runs
 * below it, recorded programs included.
 */
#include "sandbox/calls.h"

#include <asm/termbits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include "sandbox/rows.h"

/* clang-format off */
/* What every C program needs to run, and nothing that reaches beyond the process. */
static const struct syscall_row life_rows[] = {
	ALLOW(brk),			/* malloc */
	ALLOW(munmap),			/* malloc */
	ALLOW(mremap),			/* malloc; keeps the protection */
	ALLOW(madvise),			/* malloc */
	ALLOW(futex),			/* locks of the C library */
	ALLOW(rt_sigaction),		/* own signals */
	ALLOW(rt_sigprocmask),		/* own signals */
	ALLOW(rt_sigreturn),		/* return from a handler */
	ALLOW(sigaltstack),		/* own signals */
	ALLOW(restart_syscall),		/* the kernel's own, after a stop */
	ALLOW(exit),			/* the end of a thread */
	ALLOW(exit_group),		/* the end */
	ALLOW(getpid),			/* log lines */
	ALLOW(getppid),			/* is the parent still alive */
	ALLOW(gettid),			/* abort() */
	ALLOW(getuid),			/* identity, own */
	ALLOW(geteuid),			/* identity, own */
	ALLOW(getgid),			/* identity, own */
	ALLOW(getegid),			/* identity, own */
	ALLOW(getrandom),		/* hash seeds */
	ALLOW(clock_gettime),		/* deadlines, where the vDSO cannot tell */
	ALLOW(clock_getres),		/* the same */
	ALLOW(clock_nanosleep),		/* a pause */
	ALLOW(nanosleep),		/* a pause */
	ALLOW(gettimeofday),		/* the time, where the vDSO cannot tell */
	ALLOW(time),			/* the same */
	ALLOW(sched_yield),		/* locks of the C library */
	ALLOW(sched_getaffinity),	/* malloc arenas, sysconf */
	ALLOW(getrusage),		/* rr_status: own memory and time */
	ALLOW(sysinfo),			/* sysconf, qsort */
	ALLOW(uname),			/* rr_status */
	ALLOW(rseq),			/* C library, new threads */
	ALLOW(set_robust_list),		/* C library, new threads */
	ALLOW(set_tid_address),		/* C library, start */
	ALLOW(membarrier),		/* C library, rseq users */
};
const struct syscall_group life_calls = GROUP(life_rows);

/* raise() and abort(), and no signal to anybody else. */
static const struct syscall_row own_signal_rows[] = {
	ALLOW_IF(tgkill, 0, UINT32_MAX, ARGUMENT_SELF), /* raise() and abort() */
};
const struct syscall_group own_signal_calls = GROUP(own_signal_rows);

/* Descriptors that are open already. */
static const struct syscall_row stream_rows[] = {
	ALLOW(read),			/* client, tools */
	ALLOW(write),			/* client, tools, log */
	ALLOW(readv),			/* stdio */
	ALLOW(writev),			/* stdio */
	ALLOW(pread64),			/* files open already */
	ALLOW(close),			/* ends of sessions */
	ALLOW(close_range),		/* the same, many */
	ALLOW(lseek),			/* stdio */
	ALLOW(fstat),			/* stdio */
	ALLOW_IF(newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH), /* fstat of newer C libraries */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_DUPFD),	/* descriptors of ours */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_DUPFD_CLOEXEC), /* the same */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_GETFD),	/* CLOEXEC */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_SETFD),	/* CLOEXEC */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_GETFL),	/* O_NONBLOCK */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_SETFL),	/* O_NONBLOCK */
	ALLOW(dup),			/* descriptors of ours */
	ALLOW(dup2),			/* descriptors of ours */
	ALLOW(dup3),			/* descriptors of ours */
	ALLOW(poll),			/* waiting */
	ALLOW(ppoll),			/* waiting */
	ALLOW(pselect6),		/* waiting */
	ALLOW(select),			/* waiting */
	ALLOW(epoll_create1),		/* waiting */
	ALLOW(epoll_ctl),		/* waiting */
	ALLOW(epoll_wait),		/* waiting */
	ALLOW(epoll_pwait),		/* waiting */
	ALLOW(timerfd_create),		/* deadlines */
	ALLOW(timerfd_settime),		/* deadlines */
	ALLOW(signalfd4),		/* signals as events */
	ALLOW(eventfd2),		/* wake-ups */
	ALLOW(recvmsg),			/* the channel */
	/* Not TCP Fast Open, which connects where Landlock does not look. */
	ALLOW_IF(sendmsg, 2, MSG_FASTOPEN, 0), /* the channel */
	ALLOW(recvfrom),		/* the channel */
	ALLOW_IF(sendto, 3, MSG_FASTOPEN, 0), /* the channel: on connected sockets, there are no others */
	ALLOW(shutdown),		/* the channel's end */
	ALLOW(getsockopt),		/* the channel's state */
	ALLOW(waitid),			/* reaping children of ours */
	ALLOW(wait4),			/* reaping children of ours */
};
const struct syscall_group stream_calls = GROUP(stream_rows);

/* Memory that cannot be executed: code of the peer's choice has nowhere to go. */
static const struct syscall_row plain_memory_rows[] = {
	ALLOW_IF(mmap, 2, PROT_EXEC, 0),	/* malloc */
	ALLOW_IF(mprotect, 2, PROT_EXEC, 0),	/* malloc arenas */
	ALLOW_IF2(prlimit64, 0, UINT32_MAX, 0, 2, UINT64_MAX, 0), /* reading own limits: sysconf */
	ALLOW(pidfd_send_signal),	/* a worker or a tool we hold a pidfd of */
};
const struct syscall_group plain_memory_calls = GROUP(plain_memory_rows);

/* The worker, beyond that: reads files, ends its tools. No write, no socket, no new process. */
static const struct syscall_row worker_rows[] = {
	ALLOW_IF(openat, 2, OPEN_WRITES, 0),	/* source lines, /proc of its tools: reading only */
	ALLOW_IF(open, 1, OPEN_WRITES, 0),	/* the same, older C libraries */
	ALLOW(getdents64),		/* the trace's directory */
	ALLOW(newfstatat),		/* is a source newer than the program */
	ALLOW(stat),			/* the same, older C libraries */
	ALLOW(lstat),			/* the same */
	ALLOW(statx),			/* the same */
	ALLOW(statfs),			/* free disk while recording */
	ALLOW(fstatfs),			/* the same */
	ALLOW(access),			/* does a file exist */
	ALLOW(faccessat),		/* the same */
	ALLOW(faccessat2),		/* the same */
	ALLOW(readlink),		/* /proc/PID/exe, latest-trace */
	ALLOW(readlinkat),		/* the same */
	ALLOW(getcwd),			/* realpath */
	ALLOW(kill),			/* rr and gdb, by process group; the pid namespace bounds it */
	ALLOW(tgkill),			/* rr, to interrupt it; the same bounds it */
	ALLOW(pidfd_open),		/* rr's tracees, to end them */
	ALLOW(pipe2),			/* wake-ups; reaches nobody */
	ALLOW(accept4),			/* gdb, once, on the one port that was made before */
	ALLOW_IF(ioctl, 1, UINT32_MAX, FIONREAD), /* bytes in a pipe */
	ALLOW_IF(ioctl, 1, UINT32_MAX, TCGETS),	  /* stdio asks whether it is a terminal */
};
const struct syscall_group worker_calls = GROUP(worker_rows);

/* Loading and reading, as rr, gdb and the query worker do it. */
static const struct syscall_row program_rows[] = {
	ALLOW(mmap),			/* loading programs and libraries: executable memory too */
	ALLOW(mprotect),		/* relocation */
	ALLOW(msync),			/* mapped files */
	ALLOW(open),			/* files: mounts, Landlock and modes say which */
	ALLOW(openat),			/* files */
	ALLOW(openat2),			/* files */
	ALLOW(preadv),			/* files */
	ALLOW(fadvise64),		/* files */
	ALLOW(getdents64),		/* directories */
	ALLOW(getdents),		/* directories */
	ALLOW(stat),			/* file status */
	ALLOW(lstat),			/* file status */
	ALLOW(newfstatat),		/* file status */
	ALLOW(statx),			/* file status */
	ALLOW(statfs),			/* file system status */
	ALLOW(fstatfs),			/* file system status */
	ALLOW(access),			/* file status */
	ALLOW(faccessat),		/* file status */
	ALLOW(faccessat2),		/* file status */
	ALLOW(readlink),		/* links */
	ALLOW(readlinkat),		/* links */
	ALLOW(getcwd),			/* paths */
	ALLOW(chdir),			/* rr: into the trace */
	ALLOW(fchdir),			/* walks of directories */
	ALLOW(pipe),			/* wake-ups */
	ALLOW(pipe2),			/* the same */
	ALLOW(eventfd),			/* wake-ups */
	ALLOW_IF(ioctl, 1, UINT32_MAX, TCGETS),	    /* whether it is a terminal */
	ALLOW_IF(ioctl, 1, UINT32_MAX, TIOCGWINSZ), /* how wide it is */
	ALLOW_IF(ioctl, 1, UINT32_MAX, FIONREAD),   /* bytes in a pipe */
	ALLOW_IF(ioctl, 1, UINT32_MAX, FIONBIO),    /* O_NONBLOCK */
	ALLOW_IF(ioctl, 1, UINT32_MAX, FIOCLEX),    /* CLOEXEC */
	ALLOW(arch_prctl),		/* thread-local storage; CPUID faulting */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_NAME),	  /* names of threads */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_GET_NAME),	  /* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_PDEATHSIG), /* dying with the parent */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_VMA),	  /* malloc names its memory */
	ALLOW_IF(prlimit64, 0, UINT32_MAX, 0), /* own limits: hard ones only sink */
	ALLOW(getrlimit),		/* own limits */
	ALLOW(setrlimit),		/* own limits */
	ALLOW(getpgrp),			/* own group */
	ALLOW(getpgid),			/* groups */
	ALLOW(setpgid),			/* groups */
	ALLOW(getsid),			/* session */
	ALLOW(getgroups),		/* identity */
	ALLOW(getresuid),		/* identity */
	ALLOW(getresgid),		/* identity */
	ALLOW(sched_getparam),		/* thread library */
	ALLOW(sched_getscheduler),	/* thread library */
	ALLOW(sched_get_priority_max),	/* thread library */
	ALLOW(sched_get_priority_min),	/* thread library */
	ALLOW(getcpu),			/* thread library */
	ALLOW(times),			/* gdb: maint time */
	ALLOW(alarm),			/* timers, own */
	ALLOW(setitimer),		/* rr: interrupts a wait */
	ALLOW(pause),			/* waiting */
	ALLOW(rt_sigpending),		/* own signals */
	ALLOW(rt_sigsuspend),		/* waiting */
	ALLOW(rt_sigtimedwait),		/* waiting */
	ALLOW(umask),			/* own */
};
const struct syscall_group program_calls = GROUP(program_rows);

/* gdb: threads but no processes, one connection, and no file but to read. */
static const struct syscall_row gdb_rows[] = {
	ONCE(execve),			/* becoming gdb */
	ONCE(execveat),			/* the same */
	ALLOW_IF(clone, 0, CLONE_THREAD | CLONE_NAMESPACES, CLONE_THREAD), /* gdb's symbol readers */
	ANSWER_ENOSYS(clone3),			/* its flags are in memory: use clone */
	ALLOW(vfork),			/* gdb starts `iconv -l`, and waits 15 s if it cannot; the child cannot
					   exec, and gdb waits for its end, so there is no fork bomb */
	ALLOW_IF3(socket, 0, AF_INET, 1, SOCK_STREAM, 2, 0),	       /* to the worker, which leads to rr */
	ALLOW_IF3(socket, 0, AF_INET, 1, SOCK_STREAM, 2, IPPROTO_TCP), /* the same */
	ALLOW(connect),			/* the same: the private network has nobody else */
	ALLOW(getpeername),		/* to the worker */
	ALLOW(getsockname),		/* to the worker */
	ALLOW(setsockopt),		/* TCP_NODELAY, SO_KEEPALIVE */
	ALLOW_IF(ioctl, 1, UINT32_MAX, TCSBRK), /* on a terminal that is a pipe */
	ALLOW(mincore),			/* gdb's allocator */
	ALLOW(timer_create),		/* timers, own */
	ALLOW(timer_settime),		/* timers, own */
	ALLOW(timer_delete),		/* timers, own */
	ALLOW(inotify_init1),		/* gdb's event loop on some builds */
	ALLOW(inotify_add_watch),	/* the same */
};
const struct syscall_group gdb_calls = GROUP(gdb_rows);

/* rr replay and its tracees: processes, tracing, one listening port. What it writes is memory. */
static const struct syscall_row replay_rows[] = {
	ALLOW(execve),			/* rr_exec_stub, for each exec of the trace */
	ALLOW(execveat),		/* the same */
	ALLOW_IF(clone, 0, CLONE_NAMESPACES, 0), /* tracees, checkpoints */
	ANSWER_ENOSYS(clone3),		/* its flags are in memory; tracees got the same answer when recorded */
	ALLOW(fork),			/* tracees */
	ALLOW(vfork),			/* tracees */
	ALLOW(ptrace),			/* the work itself, on its own children */
	ALLOW(process_vm_readv),	/* tracees' memory */
	ALLOW(process_vm_writev),	/* tracees' memory */
	ALLOW_IF(perf_event_open, 2, UINT32_MAX, UINT32_MAX), /* the counters: a task's, never a processor's */
	ALLOW(personality),		/* ASLR off in tracees */
	ALLOW(kcmp),			/* descriptors of tracees */
	ALLOW(seccomp),			/* rr's own filter on tracees; filters only narrow */
	ALLOW(modify_ldt),		/* 32-bit tracees */
	ALLOW(set_thread_area),		/* 32-bit tracees */
	ALLOW(get_thread_area),		/* 32-bit tracees */
	ALLOW(pkey_alloc),		/* tracees */
	ALLOW(pkey_free),		/* tracees */
	ALLOW(pkey_mprotect),		/* tracees */
	ALLOW(mincore),			/* tracees */
	ALLOW(mlock),			/* tracees */
	ALLOW(munlock),			/* tracees */
	ALLOW(tgkill),			/* rr ends and stops its tracees; a pid namespace and Landlock bound it */
	ALLOW_IF(kill, 1, UINT32_MAX, SIGSTOP), /* a tracee stops itself to be traced; no other signal */
	ALLOW(pwrite64),		/* /proc/PID/mem */
	ALLOW(pwritev),			/* the same */
	ALLOW(ftruncate),		/* shared memory */
	ALLOW(fallocate),		/* shared memory */
	ALLOW(mkdir),			/* in its private /tmp */
	ALLOW(rmdir),			/* the same */
	ALLOW(unlink),			/* the same: memory is a file for a moment */
	ALLOW(unlinkat),		/* the same */
	ALLOW(memfd_create),		/* rr's shared buffers */
	/* Only with a connection: other types send to every unix socket. */
	ALLOW_IF2(socketpair, 0, UINT32_MAX, AF_UNIX, 1, SOCKET_TYPE, SOCK_STREAM),    /* rr to its tracees */
	ALLOW_IF2(socketpair, 0, UINT32_MAX, AF_UNIX, 1, SOCKET_TYPE, SOCK_SEQPACKET), /* the same */
	ALLOW(capget),			/* rr asks what it has */
	ALLOW(getpriority),		/* rr */
	ALLOW(setpriority),		/* rr's scheduler: only down without a capability */
	ALLOW_IF(sched_setaffinity, 0, UINT32_MAX, 0), /* rr binds itself to one core */
	ALLOW(get_robust_list),		/* thread library */
	ALLOW(setsid),			/* tracees get a session of their own */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_SETSIG),     /* which signal a counter sends */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_SETOWN_EX),  /* to which tracee; the kernel checks as for kill */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_ADD_SEALS),  /* shared memory */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_GET_SEALS),  /* shared memory */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_SETPIPE_SZ), /* pipes to tracees */
	ALLOW_IF(ioctl, 1, 0xff00, 0x2400),	      /* perf events: the counters */
	ALLOW_IF(ioctl, 1, UINT32_MAX, (uint32_t)FICLONE), /* copies of mapped files */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_MM),	      /* tracees' brk */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_DUMPABLE),      /* tracees, to be read */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_GET_DUMPABLE),      /* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_TSC),	      /* tracees' clock is trapped */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_GET_TSC),	      /* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_NO_NEW_PRIVS),  /* only narrows */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_SECCOMP),	      /* only narrows */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_GET_SECCOMP),	      /* asks */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_PTRACER),	      /* tracees, under Yama: rr may trace them */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_TASK_PERF_EVENTS_DISABLE), /* counters while rr works */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_TASK_PERF_EVENTS_ENABLE),  /* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_SYSCALL_USER_DISPATCH), /* the software counter's tracees */
	ALLOW_IF3(socket, 0, AF_INET, 1, SOCK_STREAM, 2, 0), /* gdbserver */
	ALLOW(bind),			/* gdbserver */
	ALLOW(listen),			/* gdbserver */
	ALLOW(accept),			/* gdbserver */
	ALLOW(accept4),			/* gdbserver */
	ALLOW(getsockname),		/* gdbserver */
	ALLOW(getpeername),		/* gdbserver */
	ALLOW(setsockopt),		/* gdbserver */
};
const struct syscall_group replay_calls = GROUP(replay_rows);

/* rr's name for signals and messages on 32-bit, where the numbers differ. */
static const struct syscall_row compat_rows[] = {
	ALLOW(mmap2),			/* 32-bit tracees: loading */
	ALLOW(_llseek),			/* 32-bit tracees */
	ALLOW(fstat64),			/* 32-bit tracees */
	ALLOW(stat64),			/* 32-bit tracees */
	ALLOW(fcntl64),			/* 32-bit tracees */
	/* LIMIT: its flags lie in memory: only the private network stands against MSG_FASTOPEN. */
	ALLOW_IF(socketcall, 0, UINT32_MAX, 16), /* 32-bit tracees: sendmsg on rr's socket pair */
	ALLOW_IF(socketcall, 0, UINT32_MAX, 17), /* 32-bit tracees: recvmsg on it; no other call */
	ALLOW(sigreturn),		/* 32-bit tracees */
	ALLOW(ftruncate64),		/* 32-bit tracees */
	ALLOW(ugetrlimit),		/* 32-bit tracees */
	ALLOW(getuid32),		/* 32-bit tracees */
};
const struct syscall_group compat_calls = GROUP(compat_rows);

/* A worker or a starter confines rr once more when it starts it. */
static const struct syscall_row confine_rows[] = {
	ALLOW(kill),			/* rr, by process group; the pid namespace and Landlock bound it */
	ALLOW(seccomp),			/* its filter */
	ALLOW(memfd_create),		/* the same, as instructions */
	ALLOW(landlock_create_ruleset),	/* its files and ports */
	ALLOW(landlock_add_rule),	/* the same */
	ALLOW(landlock_restrict_self),	/* the same */
	ALLOW(capget),			/* its capabilities: none */
	ALLOW(capset),			/* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_CAPBSET_DROP),     /* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_CAP_AMBIENT),	     /* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_NO_NEW_PRIVS), /* only narrows */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_DUMPABLE),     /* nobody traces it before it is rr */
};
const struct syscall_group confine_calls = GROUP(confine_rows);

/* Starts rr again. rr and its tracees inherit this filter, so it has their rows too. */
static const struct syscall_row starter_rows[] = {
	ALLOW(connect),			/* to rr's port */
};
const struct syscall_group starter_calls = GROUP(starter_rows);

/* rr ps, traceinfo and the like, started and waited for by the query worker. */
static const struct syscall_row query_rows[] = {
	ALLOW(execve),			/* rr */
	ALLOW(execveat),		/* rr */
	ALLOW_IF(clone, 0, CLONE_NAMESPACES, 0), /* rr, and its threads */
	ANSWER_ENOSYS(clone3),			/* its flags lie in memory: use clone */
	ALLOW(fork),			/* rr */
	ALLOW(vfork),			/* rr */
	ALLOW(pidfd_open),		/* rr's end as an event */
	ALLOW(flock),			/* a trace that is in use */
	ALLOW_IF(sched_setaffinity, 0, UINT32_MAX, 0), /* rr, itself */
};
const struct syscall_group query_calls = GROUP(query_rows);

/* What changes a trace or makes one: pack, rm, import, and the recorder, which tidies up. */
static const struct syscall_row change_rows[] = {
	ALLOW(creat),			/* files of a trace */
	ALLOW(pwrite64),		/* files of a trace */
	ALLOW(pwritev),			/* the same */
	ALLOW(sendfile),		/* copying files */
	ALLOW(copy_file_range),		/* copying files */
	ALLOW_IF(ioctl, 1, UINT32_MAX, (uint32_t)FICLONE),	/* copying files */
	ALLOW_IF(ioctl, 1, UINT32_MAX, (uint32_t)FICLONERANGE), /* the same */
	/* which blocks a file shares with others: rr 5.9 packs such files once */
	ALLOW_IF(ioctl, 1, UINT32_MAX, (uint32_t)FS_IOC_FIEMAP),
	ALLOW(ftruncate),		/* files */
	ALLOW(truncate),		/* files */
	ALLOW(fallocate),		/* files */
	ALLOW(fsync),			/* files */
	ALLOW(fdatasync),		/* files */
	ALLOW(mkdir),			/* a trace */
	ALLOW(mkdirat),			/* the same */
	ALLOW(rmdir),			/* the same */
	ALLOW(unlink),			/* the same */
	ALLOW(unlinkat),		/* the same */
	ALLOW(rename),			/* the same */
	ALLOW(renameat),		/* the same */
	ALLOW(renameat2),		/* the same */
	ALLOW(link),			/* rr's hard links into the trace */
	ALLOW(linkat),			/* the same */
	ALLOW(symlink),			/* latest-trace */
	ALLOW(symlinkat),		/* the same */
	ALLOW(fchmod),			/* traces are 0700: what it has opened only */
	ALLOW(utimensat),		/* copying files */
};
const struct syscall_group change_calls = GROUP(change_rows);

/* rr_status tries the counters, and proves the software one on a child of its own. */
static const struct syscall_row status_rows[] = {
	ALLOW_IF(perf_event_open, 2, UINT32_MAX, UINT32_MAX), /* which counters there are, of a task */
	ALLOW_IF(ioctl, 1, 0xff00, 0x2400), /* the same */
	ALLOW(ptrace),			/* the software counter is proved on a child of ours */
	ALLOW(personality),		/* rr starts itself again without ASLR */
	ALLOW(process_vm_readv),	/* the software counter's proof */
	ALLOW(process_vm_writev),	/* the same */
	ALLOW_IF(prctl, 0, UINT32_MAX, PR_SET_SYSCALL_USER_DISPATCH), /* the same */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_SETSIG),    /* the counters' interrupts */
	ALLOW_IF(fcntl, 1, UINT32_MAX, F_SETOWN_EX), /* the same */
};
const struct syscall_group status_calls = GROUP(status_rows);

/* Opens files for a worker. */
static const struct syscall_row broker_rows[] = {
	ALLOW(openat2),			/* the files; Landlock says below what */
	ALLOW(newfstatat),		/* following a path */
	ALLOW(lstat),			/* the same, older C libraries */
	ALLOW(fstat),			/* what was opened */
	ALLOW(readlink),		/* following a path */
	ALLOW(fstatfs),			/* nothing of the kernel's */
	ALLOW(renameat2),		/* an archive that was not finished: out of the way */
	ALLOW(unlinkat),		/* the same: removed */
	ALLOW(recvmsg),			/* requests */
	ALLOW(sendmsg),			/* answers */
	ALLOW(sendto),			/* that it is ready */
	ALLOW(poll),			/* whether stderr takes a line */
	ALLOW(write),			/* the audit */
	ALLOW(close),			/* what was passed on */
	ALLOW(getpid),			/* log lines */
	ALLOW(geteuid),			/* whose file it is */
	ALLOW(brk),			/* malloc */
	ALLOW(munmap),			/* malloc */
	ALLOW_IF(mmap, 2, PROT_EXEC, 0), /* malloc */
	ALLOW(getrandom),		/* malloc */
	ALLOW(exit_group),		/* the end */
};
const struct syscall_group broker_calls = GROUP(broker_rows);

/* Parses an untrusted file and returns its contents. */
static const struct syscall_row inspector_rows[] = {
	ALLOW(mremap),			/* malloc; keeps the protection */
	ALLOW(read),			/* the file */
	ALLOW(write),			/* what it found */
	ALLOW(brk),			/* malloc */
	ALLOW(munmap),			/* malloc */
	ALLOW_IF(mmap, 2, PROT_EXEC, 0), /* malloc */
	ALLOW(exit_group),		/* the end */
};
const struct syscall_group inspector_calls = GROUP(inspector_rows);

/*
 * What no program under test does. Nothing here is answered with an error: rr would not see the
 * call, and the replay would diverge. The launcher has these rows too, for all that is below it.
 */
static const struct syscall_row forbidden_rows[] = {
	KILL(init_module),		/* kernel code */
	KILL(finit_module),		/* kernel code */
	KILL(delete_module),		/* kernel code */
	KILL(kexec_load),		/* another kernel */
	KILL(kexec_file_load),		/* another kernel */
	KILL(reboot),			/* the machine's end */
	KILL(swapon),			/* the machine's memory */
	KILL(swapoff),			/* the machine's memory */
};
const struct syscall_group forbidden_calls = GROUP(forbidden_rows);
/* clang-format on */
