/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call of a clock of the vDSO: void arch_call_clock(int clock, void *to, void *fn). */
	.text
	.globl	arch_call_clock, arch_clock_return
	.hidden	arch_call_clock, arch_clock_return
	.type	arch_call_clock, @function
arch_call_clock:
	sub	$8, %rsp
	call	*%rdx
arch_clock_return:
	movq	$0, -8(%rsp)
	add	$8, %rsp
	ret
	.size	arch_call_clock, . - arch_call_clock

	.section .note.GNU-stack, "", @progbits
