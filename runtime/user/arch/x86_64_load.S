/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that may fault: struct loaded arch_load_SIZE(u64 addr) returns the value in rax and a
 * success flag in rdx. After a fault between arch_load_begin and _end, fault_signal() continues at
 * arch_load_failed.
 */
	.text

	.macro	function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	.endm

	.macro	done
	mov	$1, %edx
	ret
	.endm

	function arch_load_begin
	function arch_load_8
	mov	(%rdi), %rax
	done
	function arch_load_4
	mov	(%rdi), %eax
	done
	function arch_load_2
	movzwl	(%rdi), %eax
	done
	function arch_load_1
	movzbl	(%rdi), %eax
	done
	function arch_load_thread
	mov	%fs:0, %rax
	test	%rax, %rax
	jz	1f
	cmp	%rax, (%rax)
	je	1f
	xor	%eax, %eax
1:	done
	function arch_load_end

	function arch_load_failed
	xor	%eax, %eax
	xor	%edx, %edx
	ret

/* Restorer for signal handlers that were not installed by a C library. */
	function fault_restorer
	mov	$15, %eax       /* rt_sigreturn */
	syscall

	.section .note.GNU-stack, "", @progbits
