/*
 * Kinds: control goes where no code can run. Every shape of call, jump and return, to every kind of
 * bad target.
 */
#define FAMILY __FILE__
#include "stage.h"

#define TARGETS(X)                                                                                 \
	X(null, "xor %eax, %eax")                                                                  \
	X(low, "mov $0x10, %eax")                                                                  \
	X(high, "mov $-0x100, %rax")                                                               \
	X(vsyscall, "mov $0xffffffffff600123, %rax")                                               \
	X(non_canonical, "mov %r15, %rax")                                                         \
	X(edge, "movabs $0x0000800000000000, %rax")                                                \
	X(last_page, "movabs $0x00007ffffffff123, %rax")                                           \
	X(stack, "lea 0x40(%rsp), %rax")                                                           \
	X(data, "lea 0x123(%rsi), %rax")                                                           \
	X(read_only, "lea 0x10(%r8), %rax")                                                        \
	X(no_access, "lea 0x10(%r9), %rax")                                                        \
	X(unmapped, "mov $" STRING(STAGE_HOLE) ", %eax")                                           \
	X(above_code, "lea 0x2000(%r12), %rax")

#define SHAPES(name, load)                                                                         \
	ASSEMBLY(call_##name, load "\ncall *%rax\nud2")                                            \
	ASSEMBLY(call_through_##name, load "\nmov %rax, 8(%rsi)\ncall *8(%rsi)\nud2")              \
	ASSEMBLY(jump_##name, load "\njmp *%rax")                                                  \
	ASSEMBLY(jump_table_##name, load "\nmov $3, %ecx\nmov %rax, 24(%rsi)\njmp *(%rsi,%rcx,8)") \
	ASSEMBLY(return_##name, load "\npush %rax\n.cfi_adjust_cfa_offset 8\nret")                 \
	ASSEMBLY(return_n_##name, load "\npush %rax\n.cfi_adjust_cfa_offset 8\nret $24")           \
	ASSEMBLY(overwritten_return_##name, load "\nmov %rax, (%rsp)\nret")                        \
	ASSEMBLY(tail_call_##name, load "\nsub $24, %rsp\n.cfi_adjust_cfa_offset 24\n"             \
					"add $24, %rsp\n.cfi_adjust_cfa_offset -24\njmp *%rax")    \
	ASSEMBLY(far_return_##name,                                                                \
	    load "\nmov %cs, %ecx\npush %rcx\npush %rax\n.cfi_adjust_cfa_offset 16\nlretq")        \
	ASSEMBLY(interrupt_return_##name,                                                          \
	    load "\nmov %rsp, %rdx\nmov %ss, %ecx\npush %rcx\npush %rdx\npushfq\n"                 \
		 "mov %cs, %ecx\npush %rcx\npush %rax\n.cfi_adjust_cfa_offset 40\niretq")
TARGETS(SHAPES)

/* A function that was never linked: its address is 0. */
ASSEMBLY(call_missing, ".weak fidelity_missing\ncall fidelity_missing\nud2")
ASSEMBLY(jump_missing, ".weak fidelity_missing\njmp fidelity_missing")
ASSEMBLY(branch_missing, ".weak fidelity_missing\ntest %r14, %r14\nje fidelity_missing\nud2")
ASSEMBLY(branch_high, "mov $-1, %eax\ntest %eax, %eax\njs .+0x7f000000\nud2")

FROM_C void fidelity_missing(void) __attribute__((weak));
FROM_C int fidelity_missing_value(int) __attribute__((weak));

KIND(call_missing_in_c, 0)
{
	fidelity_missing();
	stage_say("after the call");
}

KIND(tail_call_missing_in_c, 0)
{
	fidelity_missing_value(3);
}

KIND(call_null_with_writes, 0)
{
	void (*volatile function)(void) = 0;

	stage_say("one");
	stage_say("two");
	function();
}

KIND(call_pointer_in_struct, 0)
{
	struct {
		long before;
		int (*function)(int);
	} volatile object = {1, 0};

	object.function(3);
}

KIND(long_jump_garbage, 0)
{
	void *buffer[5];

	if (__builtin_setjmp(buffer) == 0) {
		buffer[1] = AT(0x1234);
		__asm__ volatile("" ::: "memory");
		__builtin_longjmp(buffer, 1);
	}
}

/* The GOT of a function, as it is when a library is gone. */
ASSEMBLY(call_slot, ".pushsection .data\n.balign 8\n1: .quad 0x60180010\n.popsection\n"
		    "call *1b(%rip)\nud2")
ASSEMBLY(jump_slot, ".pushsection .data\n.balign 8\n1: .quad 0\n.popsection\n"
		    "call 2f\nud2\n2: endbr64\n.byte 0xf2\njmp *1b(%rip)")
ASSEMBLY(
    call_far_slot, "movq $0x60180010, (%rsi)\nmov %cs, 8(%rsi)\n.byte 0x48; lcall *(%rsi)\nud2")
ASSEMBLY(jump_far_slot, "movq $0x60180010, (%rsi)\nmov %cs, 8(%rsi)\n.byte 0x48; ljmp *(%rsi)")
ASSEMBLY(jump_far_selector, "movq $0, 8(%rsi)\n.byte 0x48; ljmp *(%rsi)")
ASSEMBLY(call_far_selector, "movq $0x1234, 8(%rsi)\n.byte 0x48; lcall *(%rsi)")
ASSEMBLY(return_far_selector, "push $0x1234\npush $0\n.cfi_adjust_cfa_offset 16\nlretq")
ASSEMBLY(interrupt_return_selector, "push $0\npush $0\npush $0\npush $0\npush $0\n"
				    ".cfi_adjust_cfa_offset 40\niretq")
ASSEMBLY(call_slot_unreadable, "call *16(%r9)\nud2")
ASSEMBLY(jump_slot_unreadable, "jmp *(%r9,%rcx,8)")
ASSEMBLY(call_slot_null, "call *(%r14)\nud2")
ASSEMBLY(call_slot_non_canonical, "call *(%r15)\nud2")
ASSEMBLY(jump_slot_non_canonical, "jmp *8(%r15)")

/* The stack is the bad place. */
#define BAD_STACKS(X)                                                                              \
	X(null, "xor %esp, %esp")                                                                  \
	X(non_canonical, "mov %r15, %rsp")                                                         \
	X(read_only, "lea 0x800(%r8), %rsp")                                                       \
	X(no_access, "lea 0x800(%r9), %rsp")                                                       \
	X(edge, "lea 4(%r9), %rsp")
#define ON_BAD_STACKS(name, load)                                                                  \
	ASSEMBLY_FLAGS(stack_call_##name, KIND_ALTSTACK, load "\ncall 1f\n1: ud2")                 \
	ASSEMBLY_FLAGS(stack_call_register_##name, KIND_ALTSTACK,                                  \
	    load "\nlea 1f(%rip), %rax\ncall *%rax\n1: ud2")                                       \
	ASSEMBLY_FLAGS(stack_call_memory_##name, KIND_ALTSTACK,                                    \
	    load "\nlea 1f(%rip), %rax\nmov %rax, (%rsi)\ncall *(%rsi)\n1: ud2")                   \
	ASSEMBLY_FLAGS(stack_return_##name, KIND_ALTSTACK, load "\nret")                           \
	ASSEMBLY_FLAGS(stack_return_n_##name, KIND_ALTSTACK, load "\nret $0x10")                   \
	ASSEMBLY_FLAGS(stack_push_##name, KIND_ALTSTACK, load "\npush %rcx\nud2")                  \
	ASSEMBLY_FLAGS(stack_push_flags_##name, KIND_ALTSTACK, load "\npushfq\nud2")               \
	ASSEMBLY_FLAGS(stack_pop_flags_##name, KIND_ALTSTACK, load "\npopfq\nud2")                 \
	ASSEMBLY_FLAGS(stack_interrupt_return_##name, KIND_ALTSTACK, load "\niretq")               \
	ASSEMBLY_FLAGS(stack_far_return_##name, KIND_ALTSTACK, load "\nlretq")                     \
	ASSEMBLY_FLAGS(stack_pop_##name, KIND_ALTSTACK, load "\npop %rcx\nud2")                    \
	ASSEMBLY_FLAGS(stack_enter_##name, KIND_ALTSTACK, load "\nenter $32, $0\nud2")             \
	ASSEMBLY_FLAGS(stack_leave_##name, KIND_ALTSTACK, load "\nmov %rsp, %rbp\nleave\nud2")
BAD_STACKS(ON_BAD_STACKS)

/* Runs off the end of code, and into the middle of it. */
ASSEMBLY(off_the_page, "lea 0x1ffd(%r12), %rax\nmovl $0x90909090, -1(%rax)\njmp *%rax")
ASSEMBLY(off_the_page_in_a_call, "lea 0x1fff(%r12), %rax\nmovb $0x90, (%rax)\ncall *%rax\nud2")
ASSEMBLY(off_the_page_cut, "lea 0x1ffd(%r12), %rax\nmovl $0xb8489090, -1(%rax)\njmp *%rax")
ASSEMBLY(off_the_page_last_branch,
    "lea 0x1ffe(%r12), %rax\nmovw $0x0074, (%rax)\ntest %r14, %r14\njmp *%rax")
ASSEMBLY(off_the_page_straight, "lea 0x1f80(%r12), %rax\nmov %rax, %rdi\nmov $0x90, %al\n"
				"mov $0x80, %ecx\nrep stosb\nlea -0x80(%rdi), %rdi\njmp *%rdi")
/* A REX prefix that another prefix follows does not count: these call rax, not r8. */
#define IGNORED(prefixes)                                                                          \
	"lea 1f(%rip), %rax\nlea 2f(%rip), %r8\n.byte " prefixes ", 0xff, 0xd0\n"                  \
	"1: mov $1, %ecx\nud2\n2: mov $2, %ecx\nud2"
ASSEMBLY(call_with_rex_before_segment, IGNORED("0x41, 0x3e"))
ASSEMBLY(call_with_rex_before_rex, IGNORED("0x41, 0x48"))
ASSEMBLY(call_with_rex_before_repeat, IGNORED("0x41, 0xf2"))
ASSEMBLY(call_with_rex_behind_repeat, IGNORED("0xf2, 0x41"))
ASSEMBLY(jump_with_rex_before_segment, "lea 1f(%rip), %rax\nlea 2f(%rip), %r8\n"
				       ".byte 0x41, 0x3e, 0xff, 0xe0\n"
				       "1: mov $1, %ecx\nud2\n2: mov $2, %ecx\nud2")
ASSEMBLY(into_an_instruction, "jmp 1f+1\n1: mov $0x0b0f0b0f, %eax\nud2")
ASSEMBLY(
    into_an_instruction_by_call, "lea 1f+2(%rip), %rax\ncall *%rax\n1: mov $0xf4f4f4f4, %eax\nud2")
ASSEMBLY(into_an_operand, "jmp 1f+2\n1: movabs $0x00000025048b4890, %rax\nud2")
