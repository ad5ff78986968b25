/*
 * Kinds: accesses of AVX, AVX2 and AVX-512 that fault, some of their elements masked. On a
 * processor without them each of these ends with SIGILL, which is a kind as well.
 */
#define FAMILY __FILE__
#include "stage.h"

ASSEMBLY(avx_read, "vmovdqu -16(%r9), %ymm1\nud2")
ASSEMBLY(avx_write, "vmovups %ymm2, -31(%r9)\nud2")
ASSEMBLY(avx_misaligned, "vmovdqa 16(%rsi), %ymm1\nud2")
ASSEMBLY(avx_null, "vaddps (%r14), %ymm1, %ymm2\nud2")
ASSEMBLY(avx_non_canonical, "vmovdqu (%r15), %ymm1\nud2")
ASSEMBLY(avx_zeroed, "vzeroupper\nvmovdqu (%r14), %xmm1\nud2")
ASSEMBLY(avx_zeroed_all, "vzeroall\nmov (%r14), %eax\nud2")
ASSEMBLY(avx_broadcast, "vbroadcastsd (%r9), %ymm1\nud2")
ASSEMBLY(avx_mask_read, "vpcmpeqd %ymm1, %ymm1, %ymm1\nvmaskmovps -8(%r9), %ymm1, %ymm2\nud2")
ASSEMBLY(avx_mask_write, "vpcmpeqd %ymm1, %ymm1, %ymm1\nvmaskmovps %ymm2, %ymm1, -8(%r9)\nud2")
/* Only the elements before the page: no fault, then one that shows the result. */
ASSEMBLY(avx_mask_within, "vpcmpeqd %xmm1, %xmm1, %xmm1\nvmaskmovps %ymm2, %ymm1, -16(%r9)\n"
			  "mov (%r14), %eax\nud2")
ASSEMBLY(avx_mask_none, "vpxor %ymm1, %ymm1, %ymm1\nvmaskmovpd (%r14), %ymm1, %ymm2\n"
			"mov (%r14), %eax\nud2")
ASSEMBLY(avx2_mask_read, "vpcmpeqd %ymm1, %ymm1, %ymm1\nvpmaskmovq -8(%r9), %ymm1, %ymm2\nud2")

/* Gathers load some elements before one faults, and clear their masks. */
#define INDEXES                                                                                    \
	"movl $0, 0x100(%rsi)\nmovl $4, 0x104(%rsi)\nmovl $8, 0x108(%rsi)\nmovl $-16, "            \
	"0x10c(%rsi)\n"                                                                            \
	"movl $0x2000, 0x110(%rsi)\nmovl $1, 0x114(%rsi)\nmovl $2, 0x118(%rsi)\n"                  \
	"movl $3, 0x11c(%rsi)\n"
ASSEMBLY(gather_4, INDEXES "vmovdqu 0x100(%rsi), %ymm3\nvpcmpeqd %ymm1, %ymm1, %ymm1\n"
			   "vpgatherdd %ymm1, (%rsi,%ymm3), %ymm2\nud2")
ASSEMBLY(gather_8, INDEXES "vmovdqu 0x108(%rsi), %xmm3\nvpcmpeqd %ymm1, %ymm1, %ymm1\n"
			   "vgatherdpd %ymm1, (%rsi,%xmm3,1), %ymm2\nud2")
ASSEMBLY(gather_first, "vpxor %ymm3, %ymm3, %ymm3\nvpcmpeqd %ymm1, %ymm1, %ymm1\n"
		       "vpgatherdd %ymm1, (%r9,%ymm3), %ymm2\nud2")
ASSEMBLY(gather_masked, INDEXES "vmovdqu 0x100(%rsi), %ymm3\nvpcmpeqd %xmm1, %xmm1, %xmm1\n"
				"vpgatherdd %ymm1, (%rsi,%ymm3), %ymm2\nmov (%r14), %eax\nud2")
ASSEMBLY(gather_512, INDEXES "vmovdqu64 0x100(%rsi), %zmm3\nkxnorw %k1, %k1, %k1\n"
			     "vpgatherdd (%rsi,%zmm3), %zmm2{%k1}\nud2")
ASSEMBLY(scatter_512, INDEXES "vmovdqu64 0x100(%rsi), %zmm3\nkxnorw %k1, %k1, %k1\n"
			      "vpscatterdd %zmm2, 0x200(%rsi,%zmm3){%k1}\nud2")
ASSEMBLY(scatter_read_only, "vpxorq %zmm3, %zmm3, %zmm3\nkxnorw %k1, %k1, %k1\n"
			    "vpscatterdd %zmm2, 0x200(%r8,%zmm3){%k1}\nud2")

ASSEMBLY(wide_read, "vmovdqu64 -32(%r9), %zmm1\nud2")
ASSEMBLY(wide_read_high, "vmovdqu64 (%r14), %zmm31\nud2")
ASSEMBLY(wide_write, "vmovdqu64 %zmm17, -63(%r9)\nud2")
ASSEMBLY(wide_misaligned, "vmovdqa64 32(%rsi), %zmm1\nud2")
ASSEMBLY(wide_mask_read, "mov $0xffff, %eax\nkmovw %eax, %k3\n"
			 "vmovdqu32 -32(%r9), %zmm4{%k3}{z}\nud2")
ASSEMBLY(wide_mask_write, "mov $0x0180, %eax\nkmovw %eax, %k3\nvmovdqu32 %zmm4, -32(%r9){%k3}\nud2")
ASSEMBLY(wide_mask_within, "mov $0x00ff, %eax\nkmovw %eax, %k3\nvmovdqu32 %zmm4, -32(%r9){%k3}\n"
			   "mov (%r14), %eax\nud2")
ASSEMBLY(wide_broadcast, "vpaddd (%r9){1to16}, %zmm1, %zmm2\nud2")
ASSEMBLY(wide_expand, "mov $0xff, %eax\nkmovw %eax, %k3\nvexpandps -16(%r9), %zmm5{%k3}\nud2")
ASSEMBLY(wide_compress, "mov $0xff, %eax\nkmovw %eax, %k3\nvcompressps %zmm5, -16(%r9){%k3}\nud2")
ASSEMBLY(mask_register_read, "kmovw (%r9), %k5\nud2")
ASSEMBLY(mask_register_write, "kmovw %k2, (%r14)\nud2")
ASSEMBLY(avx_branch_first, "mov $9, %ecx\n1: vpaddd %ymm1, %ymm2, %ymm3\ndec %ecx\njnz 1b\n"
			   "vmovdqu %ymm3, (%r14)\nud2")
