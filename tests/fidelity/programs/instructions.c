/*
 * Kinds: instructions that fault by themselves: arithmetic, what only a kernel may do, what does
 * not exist, and traps on purpose.
 */
#define FAMILY __FILE__
#include "stage.h"

/* Division. */
#define DIVISIONS(X)                                                                               \
	X(register32, "xor %ecx, %ecx", "divl %ecx")                                               \
	X(register64, "xor %ecx, %ecx", "divq %rcx")                                               \
	X(register8, "xor %ecx, %ecx", "divb %cl")                                                 \
	X(register16, "xor %ecx, %ecx", "divw %cx")                                                \
	X(memory32, "movl $0, 0x20(%rsi)", "divl 0x20(%rsi)")                                      \
	X(memory64, "movq $0, 0x20(%rsi)", "divq 0x20(%rsi)")                                      \
	X(memory8, "movq $0, 0x20(%rsi)", "idivb 0x20(%rsi)")                                      \
	X(too_large, "mov $1, %ecx", "divl %ecx")                                                  \
	X(signed_zero, "xor %ecx, %ecx", "idivl %ecx")                                             \
	X(signed_memory, "movl $0, 4(%rsi)", "idivl 4(%rsi)")
#define DIVISION(name, load, op) ASSEMBLY(division_##name, load "\n" op "\nud2")
DIVISIONS(DIVISION)
ASSEMBLY(division_min, "mov $0x80000000, %eax\ncltd\nmov $-1, %ecx\nidivl %ecx\nud2")
ASSEMBLY(
    division_min64, "movabs $0x8000000000000000, %rax\ncqto\nmovq $-1, (%rsi)\nidivq (%rsi)\nud2")
ASSEMBLY(division_after_branches, "mov $7, %ecx\n1: dec %ecx\njnz 1b\ndivl %ecx\nud2")

KIND(division_in_c, 0)
{
	volatile int zero = 0;
	volatile int result = 100 / zero;

	(void)result;
}

KIND(division_min_in_c, 0)
{
	volatile int least = -2147483647 - 1, minus_one = -1;
	volatile int result = least % minus_one;

	(void)result;
}

/* Floating point. */
#define UNMASK	   "movl $0, (%rsi)\nldmxcsr (%rsi)\n"
#define UNMASK_X87 "movw $0x300, (%rsi)\nfldcw (%rsi)\n"
ASSEMBLY(sse_divide, UNMASK "xorps %xmm1, %xmm1\nmov $0x3f800000, %eax\nmovd %eax, %xmm0\n"
			    "divss %xmm1, %xmm0\nud2")
ASSEMBLY(sse_invalid, UNMASK "xorps %xmm1, %xmm1\ndivss %xmm1, %xmm1\nud2")
ASSEMBLY(sse_inexact, UNMASK "movl $0x3f800000, (%rsi)\nmovl $0x40400000, 4(%rsi)\n"
			     "movss (%rsi), %xmm0\ndivss 4(%rsi), %xmm0\nud2")
ASSEMBLY(sse_overflow, UNMASK "mov $0x7f7fffff, %eax\nmovd %eax, %xmm0\nmulss %xmm0, %xmm0\nud2")
ASSEMBLY(sse_denormal, UNMASK "mov $1, %eax\nmovd %eax, %xmm0\naddss %xmm0, %xmm0\nud2")
ASSEMBLY(
    sse_square_root, UNMASK "mov $0xbf800000, %eax\nmovd %eax, %xmm0\nsqrtss %xmm0, %xmm0\nud2")
ASSEMBLY(sse_convert, UNMASK "mov $0x7f7fffff, %eax\nmovd %eax, %xmm0\ncvtss2si %xmm0, %eax\nud2")
ASSEMBLY(avx_divide, UNMASK "vxorps %ymm1, %ymm1, %ymm1\nvdivps %ymm1, %ymm1, %ymm2\nud2")
ASSEMBLY(x87_divide, UNMASK_X87 "fld1\nfldz\nfdivrp\nfwait\nud2")
ASSEMBLY(x87_invalid, UNMASK_X87 "fldz\nfldz\nfdivp\nnop\nnop\nfld1\nud2")
ASSEMBLY(x87_overflow_stack, UNMASK_X87 "fld1\nfld1\nfld1\nfld1\nfld1\nfld1\nfwait\nud2")
ASSEMBLY(x87_inexact_store, UNMASK_X87 "fldpi\nfstps 8(%rsi)\nfwait\nud2")
ASSEMBLY(x87_unmasked_late, "fld1\nfldz\nfdivrp\n" UNMASK_X87 "fwait\nud2")
ASSEMBLY(x87_pending_sse, UNMASK_X87 "fld1\nfldz\nfdivrp\nmovaps %xmm0, %xmm1\nemms\nud2")

/* They store the address of the last x87 instruction, which the program then looks at. */
#define PENDING UNMASK_X87 "fld1\nfldz\nfdivrp\n"
ASSEMBLY(x87_environment, PENDING "fnstenv 0x40(%rsi)\nmov 0x4c(%rsi), %eax\nud2")
ASSEMBLY(x87_saved, PENDING "fnsave 0x80(%rsi)\nmov 0x8c(%rsi), %eax\nud2")
ASSEMBLY(x87_fx_saved, PENDING "fxsave64 0x100(%rsi)\nmov 0x108(%rsi), %rax\nud2")
#define PENDING_ALL PENDING "mov $7, %eax\nxor %edx, %edx\n"
ASSEMBLY(x87_x_saved, PENDING_ALL "xsave64 0x200(%rsi)\nmov 0x208(%rsi), %rax\nud2")
ASSEMBLY(x87_x_saved_short, PENDING_ALL "xsavec 0x200(%rsi)\nmov 0x208(%rsi), %eax\nud2")
ASSEMBLY(x87_saved_after_branches,
    "mov $9, %ebp\n1: " PENDING "fnsave 0x80(%rsi)\nmov 0x8c(%rsi), %eax\ndec %ebp\njnz 1b\nud2")

/* On purpose. */
ASSEMBLY(ud2, "ud2")
ASSEMBLY(ud1, "ud1 %eax, %ecx")
ASSEMBLY(ud0, ".byte 0x0f, 0xff, 0xc0")
ASSEMBLY(ud1_memory, "ud1 (%r14), %ecx")
ASSEMBLY(breakpoint, "int3\nud2")
ASSEMBLY(breakpoint_after_branches, "mov $7, %ecx\n1: dec %ecx\njnz 1b\nint3\nud2")
ASSEMBLY(breakpoints, "nop\nint3\nint3\nud2")
ASSEMBLY(prefixed_breakpoint, ".byte 0x66, 0xcc\nud2")
ASSEMBLY_FLAGS(breakpoint_long, KIND_REFUSED, ".byte 0xcd, 0x03\nud2")
ASSEMBLY_FLAGS(int1, KIND_REFUSED, ".byte 0xf1\nud2")
ASSEMBLY_FLAGS(trap_flag, KIND_REFUSED, "pushfq\norl $0x100, (%rsp)\npopfq\nnop\nud2")
/* Prefixes that it ignores; a step by the trap flag must not show in what is pushed. */
ASSEMBLY(pushed_flags,
    ".byte 0xf3, 0x9c\npop %rax\n.byte 0x2e, 0x9c\npop %rcx\n.byte 0x41, 0x67, 0x9c\npop %rdx\n"
    ".byte 0x64, 0x66, 0x40, 0x9c\npopw %bx\nud2")
ASSEMBLY_FLAGS(trap_flag_with_prefixes, KIND_REFUSED,
    ".byte 0xf2, 0x9c\norl $0x100, (%rsp)\n.byte 0x3e, 0x9d\nnop\nud2")
ASSEMBLY(interrupt_1, "int $1\nud2")
ASSEMBLY(interrupt_4, "int $4\nud2")
ASSEMBLY(interrupt_13, "int $13\nud2")
ASSEMBLY(interrupt_255, "int $255\nud2")

/* Only a kernel's. */
#define FORBIDDEN(X)                                                                               \
	X(hlt, "hlt")                                                                              \
	X(cli, "cli")                                                                              \
	X(sti, "sti")                                                                              \
	X(in, "in $0x60, %al")                                                                     \
	X(in_dx, "in %dx, %eax")                                                                   \
	X(out, "out %al, $0x80")                                                                   \
	X(ins, "insb")                                                                             \
	X(rep_outs, "rep outsb")                                                                   \
	X(rdpmc, "xor %ecx, %ecx\nrdpmc")                                                          \
	X(rdmsr, "rdmsr")                                                                          \
	X(wrmsr, "wrmsr")                                                                          \
	X(read_cr0, "mov %cr0, %rax")                                                              \
	X(write_cr3, "mov %rax, %cr3")                                                             \
	X(read_dr7, "mov %dr7, %rax")                                                              \
	X(lgdt, "lgdt (%rsi)")                                                                     \
	X(sgdt, "sgdt (%rsi)")                                                                     \
	X(sidt_null, "sidt (%r14)")                                                                \
	X(ltr, "ltr %ax")                                                                          \
	X(invlpg, "invlpg (%rsi)")                                                                 \
	X(wbinvd, "wbinvd")                                                                        \
	X(swapgs, "swapgs")                                                                        \
	X(sysret, "sysretq")                                                                       \
	X(clts, "clts")                                                                            \
	X(xsetbv, "xor %ecx, %ecx\nxsetbv")                                                        \
	X(monitor, "monitor")                                                                      \
	X(vmcall, "vmrun")                                                                         \
	X(load_ds, "mov $0x1234, %eax\nmov %eax, %ds")                                             \
	X(load_ss, "mov $0x1234, %eax\nmov %eax, %ss")                                             \
	X(load_fs, "mov $0x1234, %eax\nmov %eax, %fs")                                             \
	X(pop_gs, "push $0x1234\npop %gs")                                                         \
	X(lss, "movl $0x1234, 8(%rsi)\nlss (%rsi), %eax")
#define FORBIDDEN_KIND(name, op) ASSEMBLY(forbidden_##name, op "\nud2")
FORBIDDEN(FORBIDDEN_KIND)

/* Not in 64 bits, or not at all. */
#define INVALID(X)                                                                                 \
	X(into, "0xce")                                                                            \
	X(bound, "0x62, 0x06")                                                                     \
	X(push_es, "0x06")                                                                         \
	X(daa, "0x27")                                                                             \
	X(aam, "0xd4, 0x00")                                                                       \
	X(salc, "0xd6")                                                                            \
	X(far_call, "0x9a, 0, 0, 0, 0, 0, 0")                                                      \
	X(lock_nop, "0xf0, 0x90")                                                                  \
	X(lock_register, "0xf0, 0x01, 0xc8")                                                       \
	X(lock_compare, "0xf0, 0x39, 0x06")                                                        \
	X(too_long,                                                                                \
	    "0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x66,0x90")     \
	X(group_ff7, "0xff, 0xf8")                                                                 \
	X(fe_call, "0xfe, 0xd0")                                                                   \
	X(c6_other, "0xc6, 0xc8, 0x00")                                                            \
	X(lea_register, "0x8d, 0xc0")                                                              \
	X(cmpxchg8b_register, "0x0f, 0xc7, 0xc8")                                                  \
	X(bad_vex, "0xc5, 0xf8, 0xff, 0xc0, 0xc4, 0xff, 0xff, 0xff")                               \
	X(rex_then_nothing, "0x48, 0x0f, 0x0b")                                                    \
	X(x87_undefined, "0xd9, 0xd1")
#define INVALID_KIND(name, bytes) ASSEMBLY(invalid_##name, ".byte " bytes "\nud2")
INVALID(INVALID_KIND)

/* After straight code, after a branch, and where a call has just come back. */
ASSEMBLY(ud2_after_straight, ".rept 300\nlea 1(%rax), %rax\n.endr\nud2")
ASSEMBLY(ud2_taken, "test %r14, %r14\nje 1f\nnop\n1: ud2")
ASSEMBLY(ud2_not_taken, "test %r14, %r14\njne 1f\nud2\n1: nop\nud2")
ASSEMBLY(ud2_after_loop, "mov $3, %ecx\n1: loop 1b\nud2")
ASSEMBLY(ud2_after_jrcxz, "xor %ecx, %ecx\njrcxz 1f\nnop\n1: ud2")
ASSEMBLY(ud2_after_call, "call 1f\nud2\n1: ret")
ASSEMBLY(ud2_below_calls, "call 1f\nnop\n1: call 2f\nnop\n2: call *3f(%rip)\nnop\n"
			  ".pushsection .data\n.balign 8\n3: .quad 4f\n.popsection\n4: ud2")
