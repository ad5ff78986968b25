/*
 * Starts and drives a twin. Every failure here is the test's and ends it.
 */
#include "tests/differ/twin.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/differ/code.h"
#include "worker/softpmu/base/memory.h"
#include "worker/x86/decode.h"
#include "worker/x86/prefixes.h"

#define RR_PAGE 0x70000000ull

static void need(bool fine, const char *what)
{
	if (fine)
		return;
	perror(what);
	exit(2);
}

static void map(uint64_t address, size_t size, int rights)
{
	void *at = mmap((void *)address, size, rights,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	need(at == (void *)address, "mmap");
}

static _Noreturn void be_a_twin(bool changes)
{
	static const uint8_t call[] = {0x0f, 0x05, 0xc3};
	uint8_t *page = (uint8_t *)RR_PAGE;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	map(CODE_BASE, CODE_SIZE, PROT_READ | PROT_EXEC | (changes ? PROT_WRITE : 0));
	map(DATA_BASE, DATA_SIZE, PROT_READ | PROT_WRITE);
	map(STACK_BASE, STACK_SIZE, PROT_READ | PROT_WRITE);
	map(RR_PAGE, 4096, PROT_READ | PROT_WRITE);
	map(RR_PAGE + 4096, 4096, PROT_READ | PROT_WRITE); /* rr's page of thread variables */
	memcpy(page + 15, call, sizeof call);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	_exit(0);
}

void twin_start(struct twin *twin, bool changes)
{
	char name[64];
	int status;

	twin->pid = fork();
	need(twin->pid >= 0, "fork");
	if (twin->pid == 0)
		be_a_twin(changes);
	need(waitpid(twin->pid, &status, 0) == twin->pid, "waitpid");
	need(ptrace(PTRACE_SETOPTIONS, twin->pid, 0, PTRACE_O_TRACESYSGOOD) == 0,
	    "PTRACE_SETOPTIONS"); /* as rr does */
	snprintf(name, sizeof name, "/proc/%d/mem", twin->pid);
	twin->memory = open(name, O_RDWR | O_CLOEXEC);
	need(twin->memory >= 0, name);
	twin->state_size = TWIN_STATE_MAX;
}

void twin_end(struct twin *twin)
{
	int status;

	kill(twin->pid, SIGKILL);
	waitpid(twin->pid, &status, 0);
	close(twin->memory);
}

void twin_write(const struct twin *twin, uint64_t address, const void *bytes, size_t size)
{
	need(pwrite(twin->memory, bytes, size, (off_t)address) == (ssize_t)size, "write");
}

void twin_read(const struct twin *twin, uint64_t address, void *bytes, size_t size)
{
	need(pread(twin->memory, bytes, size, (off_t)address) == (ssize_t)size, "read");
}

void twin_set(const struct twin *twin, const struct user_regs_struct *regs)
{
	need(ptrace(PTRACE_SETREGS, twin->pid, 0, regs) == 0, "PTRACE_SETREGS");
}

void twin_get(const struct twin *twin, struct user_regs_struct *regs)
{
	need(ptrace(PTRACE_GETREGS, twin->pid, 0, regs) == 0, "PTRACE_GETREGS");
}

void twin_get_state(struct twin *twin, uint8_t state[TWIN_STATE_MAX])
{
	struct iovec io = {state, TWIN_STATE_MAX};

	memset(state, 0, TWIN_STATE_MAX);
	need(ptrace(PTRACE_GETREGSET, twin->pid, NT_X86_XSTATE, &io) == 0, "PTRACE_GETREGSET");
	twin->state_size = io.iov_len;
}

void twin_set_state(const struct twin *twin, const uint8_t state[TWIN_STATE_MAX])
{
	struct iovec io = {(void *)state, twin->state_size};

	need(ptrace(PTRACE_SETREGSET, twin->pid, NT_X86_XSTATE, &io) == 0, "PTRACE_SETREGSET");
}

void twin_wait(const struct twin *twin, struct stop *stop)
{
	siginfo_t info = {0};

	*stop = (struct stop){0};
	need(waitpid(twin->pid, &stop->status, 0) == twin->pid && WIFSTOPPED(stop->status),
	    "a twin is gone");
	twin_get(twin, &stop->regs);
	need(ptrace(PTRACE_GETSIGINFO, twin->pid, 0, &info) == 0, "PTRACE_GETSIGINFO");
	stop->code = info.si_code;
	if (WSTOPSIG(stop->status) == SIGTRAP &&
	    (info.si_code == TRAP_TRACE || info.si_code == TRAP_HWBKPT))
		return;
	stop->signal = WSTOPSIG(stop->status);
	stop->address = (uint64_t)info.si_addr;
}

/* Whether the kernel says TRAP_BRKPT behind the instruction: int1, or a system call. */
static bool says_breakpoint(const struct twin *twin, uint64_t rip)
{
	enum { INT1 = 0xf1, INT = 0xcd, TWO_BYTES = 0x0f, SYSCALL = 0x05, SYSENTER = 0x34 };
	uint8_t bytes[DECODE_INSTRUCTION_MAX + 2] = {0};
	const size_t length = memory_read_code(twin->pid, rip, bytes, DECODE_INSTRUCTION_MAX);
	const uint8_t *code = bytes + prefixes_of(bytes, length).length;

	return code[0] == INT1 || code[0] == INT ||
	       (code[0] == TWO_BYTES && (code[1] == SYSCALL || code[1] == SYSENTER));
}

/* Some hypervisors lose what a debug trap was, see legs/trapcode.h: then it is TRAP_BRKPT. */
void twin_step(const struct twin *twin, struct stop *stop)
{
	struct user_regs_struct before;
	bool breaks;

	twin_get(twin, &before);
	breaks = says_breakpoint(twin, before.rip);
	need(ptrace(PTRACE_SINGLESTEP, twin->pid, 0, 0) == 0, "PTRACE_SINGLESTEP");
	twin_wait(twin, stop);
	if (stop->signal == SIGTRAP && stop->code == TRAP_BRKPT && !breaks)
		stop->signal = 0;
}
