/*
 * Kinds: an instruction whose access to memory faults, in every shape that an operand has.
 */
#define FAMILY __FILE__
#include "stage.h"

/* Each shape at each bad place; the place is in rax. */
#define PLACES(X)                                                                                  \
	X(null, "xor %eax, %eax")                                                                  \
	X(no_access, "lea 0x20(%r9), %rax")                                                        \
	X(across, "lea -4(%r9), %rax")                                                             \
	X(non_canonical, "lea 8(%r15), %rax")                                                      \
	X(kernel, "mov $-0x1000, %rax")
#define SHAPES(name, load)                                                                         \
	ASSEMBLY(read_##name, load "\nmov (%rax), %rcx\nud2")                                      \
	ASSEMBLY(read_index_##name, load "\nmov $2, %ecx\nmov -16(%rax,%rcx,8), %rdx\nud2")        \
	ASSEMBLY(write_##name, load "\nmov %rcx, (%rax)\nud2")                                     \
	ASSEMBLY(write_constant_##name, load "\nmovq $0x77, (%rax)\nud2")                          \
	ASSEMBLY(add_##name, load "\nadd %rcx, (%rax)\nud2")                                       \
	ASSEMBLY(inc_##name, load "\nlock incq (%rax)\nud2")                                       \
	ASSEMBLY(compare_##name, load "\ncmpq $5, (%rax)\nud2")                                    \
	ASSEMBLY(push_memory_##name, load "\npushq (%rax)\nud2")                                   \
	ASSEMBLY(pop_memory_##name, load "\npushq $7\npopq (%rax)\nud2")                           \
	ASSEMBLY(exchange_##name, load "\nxchg %rdx, (%rax)\nud2")                                 \
	ASSEMBLY(exchange_add_##name, load "\nlock xadd %rdx, (%rax)\nud2")                        \
	ASSEMBLY(setcc_##name, load "\nlea 3(%rax), %rax\nlea 1(%rax), %rax\ncmp %rdx, %rcx\n"     \
				    "setb (%rax)\nud2")                                            \
	ASSEMBLY(cmov_##name, load "\ncmp %rax, %rax\ncmovne (%rax), %rdx\nud2")                   \
	ASSEMBLY(vector_read_##name, load "\nmovdqu (%rax), %xmm1\nud2")                           \
	ASSEMBLY(vector_write_##name, load "\nmovups %xmm2, (%rax)\nud2")                          \
	ASSEMBLY(vector_operand_##name, load "\npaddq -8(%rax), %xmm3\nud2")                       \
	ASSEMBLY(x87_read_##name, load "\nfldt (%rax)\nud2")                                       \
	ASSEMBLY(x87_write_##name, load "\nfstpt (%rax)\nud2")                                     \
	ASSEMBLY(x87_save_##name, load "\nfnsave (%rax)\nud2")                                     \
	ASSEMBLY(fx_save_##name, load "\nand $-64, %rax\nfxsave64 (%rax)\nud2")                    \
	ASSEMBLY(divide_##name, load "\nmov %rax, %r14\nxor %edx, %edx\ndivq (%r14)\nud2")
PLACES(SHAPES)

ASSEMBLY(write_read_only, "movl $1, 8(%r8)\nud2")
ASSEMBLY(write_read_only_across, "mov %rcx, 0xffe(%r8)\nud2")
ASSEMBLY(write_own_code, "lea 1f(%rip), %rax\nmovb $0x90, (%rax)\n1: ud2")
ASSEMBLY(read_absolute, "mov 0x10, %rax\nud2")
ASSEMBLY(read_segment, "mov %fs:0x7fff0000, %rax\nud2")
ASSEMBLY(write_gs, "movq $1, %gs:0x18\nud2")
ASSEMBLY(read_stack_segment, "mov %r15, %rbp\nmov 8(%rbp), %rax\nud2")
ASSEMBLY(load_flags_after, "mov $0x8d5, %eax\npush %rax\npopfq\nmov (%r14), %al\nud2")
ASSEMBLY(direction_set, "std\nmov (%r14), %al\nud2")

/* String instructions that fault part of the way; rdi and rsi come near the page without access. */
#define STRINGS(X)                                                                                 \
	X(movs_source, "lea -20(%r9), %rsi\nlea -0x1800(%r9), %rdi", "movs")                       \
	X(movs_target, "lea -20(%r9), %rdi\nlea -0x1800(%r9), %rsi", "movs")                       \
	X(stos, "lea -20(%r9), %rdi\nmov $0x4142434445464748, %rax", "stos")                       \
	X(lods, "lea -20(%r9), %rsi", "lods")
#define STRING_KINDS(name, load, op)                                                               \
	ASSEMBLY(rep_##name##b, load "\nmov $100, %ecx\nrep " op "b\nud2")                         \
	ASSEMBLY(rep_##name##w, load "\nmov $100, %ecx\nrep " op "w\nud2")                         \
	ASSEMBLY(rep_##name##q, load "\nmov $100, %ecx\nrep " op "q\nud2")                         \
	ASSEMBLY(rep_##name##_huge, load "\nmov $-1, %rcx\nrep " op "b\nud2")                      \
	ASSEMBLY(rep_##name##_none, load "\nxor %ecx, %ecx\nrep " op "b\nud2")                     \
	ASSEMBLY(one_##name, load "\nadd $17, %rsi\nadd $17, %rdi\n" op "q\nud2")
STRINGS(STRING_KINDS)

#define COMPARES(X)                                                                                \
	X(cmps, "lea -20(%r9), %rsi\nlea -0x1814(%r9), %rdi\nmov $100, %ecx", "cmps")              \
	X(cmps_other, "lea -20(%r9), %rdi\nlea -0x1814(%r9), %rsi\nmov $100, %ecx", "cmps")        \
	X(scas, "lea -20(%r9), %rdi\nxor %eax, %eax\nmov $100, %ecx", "scas")
#define COMPARE_KINDS(name, load, op)                                                              \
	ASSEMBLY(repe_##name##b, load "\nrepe " op "b\nud2")                                       \
	ASSEMBLY(repe_##name##l, load "\nrepe " op "l\nud2")                                       \
	ASSEMBLY(repe_##name##q, load "\nrepe " op "q\nud2")                                       \
	ASSEMBLY(repne_##name##b, load "\nmovq $0x0101, -8(%rsi)\nmov $1, %al\nrepne " op "b\nud"  \
				       "2")
COMPARES(COMPARE_KINDS)

ASSEMBLY(rep_movs_backward, "std\nlea 0x80(%r12), %rsi\nmov %rsi, %rdi\nsub $0x40, %rdi\n"
			    "mov $-1, %rcx\nrep movsb\nud2")
ASSEMBLY(rep_stos_backward, "std\nmov %rsi, %rdi\nadd $40, %rdi\nmov $100, %ecx\nrep stosq\nud2")
ASSEMBLY(rep_stos_read_only, "lea 0x10(%r8), %rdi\nmov $4, %ecx\nrep stosl\nud2")
ASSEMBLY(rep_movs_over_pages, "mov %rsi, %rdi\nmov $0x3000, %ecx\nmov %r8, %rsi\nrep movsb\nud2")

/* Addresses that are not simply the operand. */
ASSEMBLY(xlat, "lea -0x10(%r9), %rbx\nmov $0x20, %eax\nxlat\nud2")
ASSEMBLY(bit_test_register, "mov $0x10000, %eax\nbt %rax, (%rsi)\nud2")
ASSEMBLY(bit_test_negative, "mov $-8, %rax\nbt %rax, (%r12)\nud2")
ASSEMBLY(bit_set_register, "mov $0x10007, %eax\nbts %rax, (%rsi)\nud2")
ASSEMBLY(bit_set_32, "mov $0x10007, %eax\nlock bts %eax, 4(%rsi)\nud2")
ASSEMBLY(bit_clear_16, "mov $0x7fff, %eax\nbtr %ax, 0x1800(%rsi)\nud2")
ASSEMBLY(bit_flip_register, "mov $0x10007, %eax\nbtc %rax, (%rsi)\nud2")
ASSEMBLY(bit_test_constant, "btq $7, (%r9)\nud2")
ASSEMBLY(enter_levels, "lea 0x100(%r9), %rbp\nenter $16, $3\nud2")
ASSEMBLY_FLAGS(enter_huge, KIND_ALTSTACK,
    "lea 0x40+" STRING(STAGE_STACK) ", %rsp\nenter $0xfff8, $0\npush %rax\nud2")
ASSEMBLY_FLAGS(leave_bad, KIND_ALTSTACK, "mov %r9, %rbp\nleave\nud2")
ASSEMBLY_FLAGS(leave_non_canonical, KIND_ALTSTACK, "mov %r15, %rbp\nleave\nud2")
ASSEMBLY(cmpxchg, "lock cmpxchg %rcx, (%r9)\nud2")
ASSEMBLY(cmpxchg_read_only, "mov $0x33, %eax\nlock cmpxchg %ecx, (%r8)\nud2")
ASSEMBLY(cmpxchg8b, "lock cmpxchg8b 8(%r9)\nud2")
ASSEMBLY(cmpxchg16b, "lock cmpxchg16b 16(%r9)\nud2")
ASSEMBLY(cmpxchg16b_misaligned, "lock cmpxchg16b 8(%rsi)\nud2")
ASSEMBLY(cmpxchg16b_read_only, "cmpxchg16b (%r8)\nud2")
ASSEMBLY(maskmovdqu, "lea -8(%r9), %rdi\npcmpeqd %xmm1, %xmm1\nmaskmovdqu %xmm1, %xmm0\nud2")
ASSEMBLY(movnti, "movnti %rcx, 8(%r9)\nud2")
ASSEMBLY(movbe, "movbe 8(%r9), %rcx\nud2")
ASSEMBLY(crc32, "crc32q 8(%r9), %rcx\nud2")
ASSEMBLY(adcx_memory, "adcx 8(%r9), %rcx\nud2")
ASSEMBLY(prefetch_then_read, "prefetcht0 (%r14)\nmov (%r14), %eax\nud2")
ASSEMBLY(clflush, "clflush (%r14)\nud2")
ASSEMBLY(wide_nop, "nopl (%r14)\nud2")
ASSEMBLY(lea_only, "lea (%r14), %rax\nud2")
ASSEMBLY(read_flags_fxrstor, "fxrstor64 0x200(%r9)\nud2")

/* Alignment. */
#define ALIGNED                                                                                    \
	"pushfq\n.cfi_adjust_cfa_offset 8\norl $0x40000, (%rsp)\npopfq\n.cfi_adjust_cfa_offset "   \
	"-8\n"
ASSEMBLY(movaps_misaligned, "movaps 8(%rsi), %xmm0\nud2")
ASSEMBLY(movaps_write_misaligned, "movaps %xmm0, 1(%rsi)\nud2")
ASSEMBLY(movaps_misaligned_no_access, "movaps 8(%r9), %xmm0\nud2")
ASSEMBLY(movaps_misaligned_null, "movaps 1(%r14), %xmm0\nud2")
ASSEMBLY(sse_operand_misaligned, "paddd 4(%rsi), %xmm1\nud2")
ASSEMBLY(movntdq_misaligned, "movntdq %xmm0, 8(%rsi)\nud2")
ASSEMBLY(fxsave_misaligned, "fxsave64 8(%rsi)\nud2")
ASSEMBLY(fxrstor_misaligned, "fxrstor64 8(%rsi)\nud2")
ASSEMBLY(fxrstor_bad, "movl $-1, 24(%rsi)\nfxrstor64 (%rsi)\nud2")
ASSEMBLY(ldmxcsr_bad, "movl $0xffffffff, (%rsi)\nldmxcsr (%rsi)\nud2")
ASSEMBLY(ldmxcsr_no_access, "ldmxcsr (%r9)\nud2")
ASSEMBLY(stmxcsr_no_access, "stmxcsr 4(%r9)\nud2")
ASSEMBLY(xrstor_misaligned, "mov $7, %eax\nxor %edx, %edx\nxrstor64 8(%rsi)\nud2")
ASSEMBLY(xrstor_bad, "mov $7, %eax\nxor %edx, %edx\nmovq $-1, 0x208(%rsi)\nxrstor64 (%rsi)\nud2")
ASSEMBLY(xsave_misaligned, "mov $7, %eax\nxor %edx, %edx\nxsave64 8(%rsi)\nud2")
ASSEMBLY(xsave_no_access, "mov $7, %eax\nxor %edx, %edx\nxsave64 (%r9)\nud2")
ASSEMBLY(ac_read, ALIGNED "mov 1(%rsi), %eax\nud2")
ASSEMBLY(ac_write, ALIGNED "mov %rax, 4(%rsi)\nud2")
ASSEMBLY(ac_lock, ALIGNED "lock add %eax, 2(%rsi)\nud2")
ASSEMBLY(ac_push, ALIGNED "sub $1, %rsp\n.cfi_adjust_cfa_offset 1\npush %rax\nud2")
ASSEMBLY(ac_string, ALIGNED "inc %rsi\nmov $3, %ecx\nrep movsl\nud2")
ASSEMBLY(ac_string_bytes, ALIGNED "inc %rsi\nmov $3, %ecx\nrep movsb\nmov (%r14), %eax\nud2")
ASSEMBLY(ac_null, ALIGNED "mov 1(%r14), %eax\nud2")
ASSEMBLY(ac_call, ALIGNED "sub $1, %rsp\n.cfi_adjust_cfa_offset 1\ncall 1f\n1: ud2")
ASSEMBLY(ac_vector, ALIGNED "movups 1(%rsi), %xmm0\nmov 1(%r14), %eax\nud2")
ASSEMBLY(ac_branch_first,
    ALIGNED "mov $5, %ecx\n1: mov (%rsi), %rax\ndec %ecx\njnz 1b\nmov 1(%rsi), %ax\nud2")
ASSEMBLY(lock_across_lines, "lock addq $1, 0x3c(%rsi)\nmov (%r14), %eax\nud2")
