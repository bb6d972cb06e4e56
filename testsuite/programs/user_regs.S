/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers and flags at entry of target() and after its return; see user_regs.c.
 * Images are 16 general registers (rsp unused), flags, mxcsr, then 16 vector registers of 32 bytes.
 */
	.set	FLAGS, 128
	.set	MXCSR, 136
	.set	VECTORS, 160

	.macro	save area
	mov	%rax, \area + 0(%rip)
	mov	%rcx, \area + 8(%rip)
	mov	%rdx, \area + 16(%rip)
	mov	%rbx, \area + 24(%rip)
	mov	%rbp, \area + 40(%rip)
	mov	%rsi, \area + 48(%rip)
	mov	%rdi, \area + 56(%rip)
	mov	%r8, \area + 64(%rip)
	mov	%r9, \area + 72(%rip)
	mov	%r10, \area + 80(%rip)
	mov	%r11, \area + 88(%rip)
	mov	%r12, \area + 96(%rip)
	mov	%r13, \area + 104(%rip)
	mov	%r14, \area + 112(%rip)
	mov	%r15, \area + 120(%rip)
	pushf
	pop	\area + FLAGS(%rip)
	stmxcsr	\area + MXCSR(%rip)
	cld
	lea	\area + VECTORS(%rip), %rdi
	call	save_vectors
	.endm

	.macro	load area
	lea	\area + VECTORS(%rip), %rdi
	call	load_vectors
	ldmxcsr	\area + MXCSR(%rip)
	push	\area + FLAGS(%rip)
	mov	\area + 0(%rip), %rax
	mov	\area + 8(%rip), %rcx
	mov	\area + 16(%rip), %rdx
	mov	\area + 24(%rip), %rbx
	mov	\area + 40(%rip), %rbp
	mov	\area + 48(%rip), %rsi
	mov	\area + 56(%rip), %rdi
	mov	\area + 64(%rip), %r8
	mov	\area + 72(%rip), %r9
	mov	\area + 80(%rip), %r10
	mov	\area + 88(%rip), %r11
	mov	\area + 96(%rip), %r12
	mov	\area + 104(%rip), %r13
	mov	\area + 112(%rip), %r14
	mov	\area + 120(%rip), %r15
	popf
	.endm

	.macro	vectors sse, avx, store
	cmpb	$0, have_avx(%rip)
	jne	1f
	i = 0
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.if	\store
	\sse	%xmm\n, 32 * \n(%rdi)
	.else
	\sse	32 * \n(%rdi), %xmm\n
	.endif
	.endr
	ret
1:
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.if	\store
	\avx	%ymm\n, 32 * \n(%rdi)
	.else
	\avx	32 * \n(%rdi), %ymm\n
	.endif
	.endr
	ret
	.endm

	.text
	.balign 16
save_vectors:
	vectors	movdqu, vmovdqu, 1
load_vectors:
	vectors	movdqu, vmovdqu, 0

	.globl	target
	.type	target, @function
	.balign 16
target:
	mov	%rax, entered + 0(%rip)
	mov	%rsp, entered_rsp(%rip)
	save	entered
	load	leaving
	ret
	.size	target, . - target

/* void call_target(long misalign): with the registers of `entering' and the stack off by MISALIGN */
	.globl	call_target
	.type	call_target, @function
call_target:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, saved_rsp(%rip)
	sub	%rdi, %rsp
	mov	%rsp, called_rsp(%rip)
	stmxcsr	saved_mxcsr(%rip)
	fld1
	load	entering
	call	target
	mov	%rsp, back_rsp(%rip)
	save	left
	fstpl	x87(%rip)
	ldmxcsr	saved_mxcsr(%rip)
	mov	saved_rsp(%rip), %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	call_target, . - call_target
	.section .note.GNU-stack, "", @progbits
