/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions whose call frame information is not what compilers write; each calls ask(). */
	.text
	.macro begin name
	.globl \name
	.type \name, @function
	.balign 16
\name:
	.cfi_startproc
	.endm
	.macro end name
	.cfi_endproc
	.size \name, . - \name
	.endm

/* the frame by rbx, which a callee keeps */
	begin by_rbx
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov %rsp, %rbx
	.cfi_def_cfa_register %rbx
	sub $40, %rsp
	and $-64, %rsp
	call ask
	mov %rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	end by_rbx

/* the frame by r12, in the middle of other pushes */
	begin by_r12
	push %r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	push %r13
	.cfi_def_cfa_offset 24
	.cfi_offset %r13, -24
	lea 8(%rsp), %r12
	.cfi_def_cfa %r12, 16
	sub $48, %rsp
	call ask
	mov %r12, %r13
	lea -8(%r13), %rsp
	.cfi_def_cfa %rsp, 24
	pop %r13
	.cfi_def_cfa_offset 16
	.cfi_restore %r13
	pop %r12
	.cfi_def_cfa_offset 8
	.cfi_restore %r12
	ret
	end by_r12

/* the frame by an expression: its address is on the stack, as in OpenSSL's hash functions */
	begin by_expression
	mov %rsp, %rax
	.cfi_def_cfa_register %rax
	push %rbx
	.cfi_offset %rbx, -16
	push %rbp
	.cfi_offset %rbp, -24
	sub $64, %rsp
	and $-64, %rsp
	mov %rax, 40(%rsp)
	/* DW_CFA_def_cfa_expression: DW_OP_breg7 40, DW_OP_deref, DW_OP_plus_uconst 8 */
	.cfi_escape 0x0f, 0x05, 0x77, 40, 0x06, 0x23, 0x08
	call ask
	xor %ebp, %ebp
	mov 40(%rsp), %rsi
	.cfi_def_cfa %rsi, 8
	mov -16(%rsi), %rbp
	.cfi_restore %rbp
	mov -8(%rsi), %rbx
	.cfi_restore %rbx
	lea (%rsi), %rsp
	.cfi_def_cfa_register %rsp
	ret
	end by_expression

/* the return address in a register meanwhile */
	begin in_register
	pop %r10
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %r10
	nop
	nop
	nop
	nop
	nop
	push %r10
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rip, 0
	nop
	nop
	nop
	nop
	ret
	end in_register

/* registers at what expressions say, and two states that are remembered */
	begin by_states
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	push %rbx
	.cfi_def_cfa_offset 24
	/* DW_CFA_expression rbx: DW_OP_lit24, DW_OP_minus (of the frame's address) */
	.cfi_escape 0x10, 3, 2, 0x48, 0x1c
	sub $16, %rsp
	.cfi_def_cfa_offset 40
	.cfi_remember_state
	test %edi, %edi
	js 1f
	call ask
	add $16, %rsp
	.cfi_def_cfa_offset 24
	.cfi_remember_state
	pop %rbx
	.cfi_def_cfa_offset 16
	.cfi_restore %rbx
	pop %rbp
	.cfi_def_cfa_offset 8
	.cfi_restore %rbp
	ret
	.cfi_restore_state
	nop
	.cfi_restore_state
1:	call ask
	add $16, %rsp
	.cfi_def_cfa_offset 24
	pop %rbx
	.cfi_def_cfa_offset 16
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	end by_states

/* another stack for the call */
	begin other_stack
	push %r14
	.cfi_def_cfa_offset 16
	.cfi_offset %r14, -16
	mov %rsp, %r14
	.cfi_def_cfa_register %r14
	mov %rsi, %rsp
	call ask
	mov %r14, %rsp
	.cfi_def_cfa_register %rsp
	pop %r14
	.cfi_def_cfa_offset 8
	.cfi_restore %r14
	ret
	end other_stack

	.section .note.GNU-stack, "", @progbits
