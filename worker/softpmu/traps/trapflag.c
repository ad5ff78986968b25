/*
 * Finds the trap flag where a program can take it from: the stack, for popf, iret and the return
 * from a signal handler. Must never change the tracee.
 */
#include "worker/softpmu/traps/trapflag.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "worker/x86/eflags.h"
#include "worker/x86/prefixes.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/message.h"

enum { POPF = 0x9d, IRET = 0xcf, REX_W = 8 };

static _Noreturn void refuse(pid_t tid)
{
	message_fatal("process %d sets the trap flag to step itself, which rr cannot record: "
		      "record it on a path where it does not do that",
	    tid);
}

/* The flags at this address have the trap flag. Its bit is in the lower half of any size of them.
 */
static bool has_flag(pid_t tid, uint64_t address)
{
	uint16_t flags = 0;

	return memory_read(tid, address, &flags, sizeof flags) && (flags & FLAG_TRAP);
}

void trapflag_check_instruction(
    pid_t tid, const uint8_t *bytes, size_t length, const struct user_regs_struct *regs)
{
	const struct prefixes prefixes = prefixes_of(bytes, length);
	const uint64_t size = prefixes.rex & REX_W ? 8 : prefixes.short_operand ? 2 : 4; /* iret */
	uint8_t opcode;

	if (prefixes.length == length)
		return;
	opcode = bytes[prefixes.length];
	if (opcode != POPF && opcode != IRET)
		return;
	/* iret pops the address and the code segment before the flags */
	if (has_flag(tid, regs->rsp + (opcode == IRET ? 2 * size : 0)))
		refuse(tid);
}

void trapflag_check_call(pid_t tid, const struct user_regs_struct *regs)
{
	/* The return address of the handler is popped already. */
	if (regs->orig_rax == SYS_rt_sigreturn &&
	    has_flag(tid, regs->rsp + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL])))
		refuse(tid);
}
