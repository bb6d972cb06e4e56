/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions whose first instructions are of every form that has to be changed when it runs at
 * another address, or that leaves little room; see user_forms.c, which knows what they give.
 * f_*: called with A in rdi, B in rsi, rcx 3, carry = low bit of A, 42 as argument on the stack.
 * h_*: the same; harder.  e_*: not fit for return probes.  d_*: no room at all.
 */
	.macro function name
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro end name
	.size	\name, . - \name
	.endm
	.macro form name, align=16
	.balign	\align
	function \name
	.endm

	.data
	.balign	16
number:	.quad	1000, 0
scratch: .quad	0
counter: .quad	5
helper_ptr: .quad helper
buffer:	.zero	64

	.text
/* A + 2 */
	.balign	16
helper:	lea	2(%rdi), %rax
	ret
	nop

	form f_ret
	ret
	end f_ret
	form f_rep_ret
	rep ret
	end f_rep_ret
	form f_nop
	nop
	ret
	end f_nop
	form f_short
	mov	%rdi, %rax
	ret
	end f_short
	form f_short_int3
	mov	%rdi, %rax
	ret
	end f_short_int3
	.byte	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc
	form f_short_zero
	mov	%rdi, %rax
	ret
	end f_short_zero
	.byte	0, 0, 0, 0, 0, 0, 0, 0

	form f_lea_rip
	lea	number(%rip), %rax
	mov	(%rax), %rax
	add	%rdi, %rax
	ret
	end f_lea_rip
	form f_lea_self
	lea	f_lea_self(%rip), %rax
	ret
	end f_lea_self
	form f_mov_load
	mov	number(%rip), %rax
	add	%rdi, %rax
	ret
	end f_mov_load
	form f_mov_store
	mov	%rdi, scratch(%rip)
	mov	scratch(%rip), %rax
	ret
	end f_mov_store
	form f_mov_imm
	movq	$77, scratch(%rip)
	mov	scratch(%rip), %rax
	ret
	end f_mov_imm
	form f_cmp_imm8
	cmpl	$5, counter(%rip)
	sete	%al
	movzbl	%al, %eax
	ret
	end f_cmp_imm8
	form f_cmp_imm32
	cmpl	$0x12345, counter(%rip)
	setl	%al
	movzbl	%al, %eax
	ret
	end f_cmp_imm32
	form f_cmp_reg
	cmp	%rdi, number(%rip)
	setg	%al
	movzbl	%al, %eax
	ret
	end f_cmp_reg
	form f_push_rip
	push	number(%rip)
	pop	%rax
	ret
	end f_push_rip
	form f_second_rip
	nop
	mov	number(%rip), %rax
	add	%rdi, %rax
	ret
	end f_second_rip
	form f_two_rip
	.byte	0x90, 0x90
	lea	number(%rip), %rdx
	add	scratch(%rip), %rax
	mov	(%rdx), %rax
	ret
	end f_two_rip
	form f_xadd
	lock xadd %rdi, scratch(%rip)
	sub	%rdi, scratch(%rip)
	mov	scratch(%rip), %rax
	ret
	end f_xadd
	form f_sse
	movdqu	number(%rip), %xmm0
	movq	%xmm0, %rax
	ret
	end f_sse
	form f_cvt
	cvtsi2sdq counter(%rip), %xmm1
	cvttsd2si %xmm1, %rax
	ret
	end f_cvt
	form f_fs
	mov	%fs:0, %rax
	sub	%fs:16, %rax
	ret
	end f_fs

	form f_jmp_rip
	jmp	*helper_ptr(%rip)
	end f_jmp_rip
	form f_call_rip
	call	*helper_ptr(%rip)
	inc	%rax
	ret
	end f_call_rip
	form f_call_near
	call	helper
	inc	%rax
	ret
	end f_call_near
	form f_call_second
	push	%rbx
	call	helper
	inc	%rax
	pop	%rbx
	ret
	end f_call_second
	form f_call_data16
	.byte	0x66, 0x66, 0x48
	call	helper
	inc	%rax
	ret
	end f_call_data16
	form f_call_next
	call	1f
1:	pop	%rax
2:	add	$number - 1b, %rax
	mov	(%rax), %rax
	ret
	end f_call_next
	form f_call_reg
	lea	helper(%rip), %rdx
	call	*%rdx
	inc	%rax
	ret
	end f_call_reg
	/* returns into the window */
	form h_call_window
	call	*%rsi
	inc	%rax
	ret
	end h_call_window
	form h_call_window2
	nop
	call	*%rsi
	inc	%rax
	inc	%rax
	ret
	end h_call_window2
	form h_call_stack
	push	%rsi
	call	*(%rsp)
	pop	%rdx
	ret
	end h_call_stack

	form f_jmp_near
	.byte	0xe9
	.long	helper - . - 4
	end f_jmp_near
	form f_jmp_bnd
	.byte	0xf2, 0xe9
	.long	helper - . - 4
	end f_jmp_bnd
	form f_jmp_short
	jmp	1f
	.zero	20, 0xcc
1:	lea	1(%rdi), %rax
	ret
	end f_jmp_short
	form h_jmp_inside
	jmp	1f
	.byte	0xcc
1:	nop
	nop
	lea	1(%rdi), %rax
	ret
	end h_jmp_inside
	form f_jmp_reg
	jmp	*%rsi
	end f_jmp_reg
	form f_jmp_notrack
	notrack jmp *%rsi
	end f_jmp_notrack
	form f_jcc_forward
	test	%rdi, %rdi
	js	1f
	mov	$1, %eax
	ret
1:	mov	$2, %eax
	ret
	end f_jcc_forward
	form f_jcc_far
	test	%rdi, %rdi
	js	1f
	mov	$1, %eax
	ret
	.zero	200, 0x90
1:	mov	$2, %eax
	ret
	end f_jcc_far
	.balign	16
1:	mov	$2, %eax
	ret
	function f_jcc_back
	test	%rdi, %rdi
	js	1b
	mov	$1, %eax
	ret
	end f_jcc_back
	form f_jcc_first
	jc	1f
	mov	$1, %eax
	ret
1:	mov	$2, %eax
	ret
	end f_jcc_first
	form f_jcc_two
	jc	1f
	jnc	2f
	ud2
1:	mov	$2, %eax
	ret
2:	mov	$1, %eax
	ret
	end f_jcc_two
	form f_adc
	adc	$0, %rdi
	mov	%rdi, %rax
	ret
	end f_adc
	form f_jrcxz
	xor	%ecx, %ecx
	jrcxz	1f
	ud2
	nop
1:	mov	$3, %eax
	ret
	end f_jrcxz
	form f_jrcxz_not
	jrcxz	1f
	mov	$4, %eax
	ret
1:	mov	$5, %eax
	ret
	end f_jrcxz_not
	form f_jecxz
	jecxz	1f
	mov	$4, %eax
	ret
1:	mov	$5, %eax
	ret
	end f_jecxz
	form f_loop_inside
	nop
1:	inc	%edi
	loop	1b
	movslq	%edi, %rax
	ret
	end f_loop_inside
	.balign	16
1:	mov	%rcx, %rax
	ret
	function f_loop_back
	loop	1b
	ud2
	ud2
	ud2
	ret
	end f_loop_back
	form f_loopne
	cmp	%rdi, %rdi
	loopne	1f
	mov	%rcx, %rax
	ret
1:	mov	$9, %eax
	ret
	end f_loopne
	form f_loope
	cmp	%rdi, %rdi
	loope	1f
	ud2
	nop
	ret
1:	mov	%rcx, %rax
	ret
	end f_loope
	/* a branch from behind into the first five bytes */
	form h_into
	xor	%eax, %eax
1:	inc	%eax
	dec	%ecx
	jnz	1b
	ret
	end h_into
	form h_into_late
	xor	%eax, %eax
	nop
1:	add	%edi, %eax
	nop
	nop
	nop
	nop
	dec	%ecx
	jnz	1b
	cltq
	ret
	end h_into_late

	form f_push_rsp
	push	%rsp
	pop	%rax
	sub	%rsp, %rax
	ret
	end f_push_rsp
	form f_pop_push
	push	%rdi
	push	%rsi
	pop	%rdx
	pop	%rax
	ret
	end f_pop_push
	form f_stack_argument
	mov	8(%rsp), %rax
	ret
	end f_stack_argument
	form f_sub_rsp
	sub	$24, %rsp
	mov	32(%rsp), %rax
	add	$24, %rsp
	ret
	end f_sub_rsp
	form f_enter
	enter	$16, $0
	mov	16(%rbp), %rax
	leave
	ret
	end f_enter
	form f_push_imm
	push	$1234567
	pop	%rax
	ret
	end f_push_imm
	form f_pushf
	pushf
	pop	%rax
	and	$1, %eax
	ret
	end f_pushf
	form f_red_zone
	mov	%rdi, -8(%rsp)
	mov	%rsi, -128(%rsp)
	mov	-8(%rsp), %rax
	ret
	end f_red_zone
	form f_endbr
	endbr64
	mov	%rdi, %rax
	ret
	end f_endbr
	form f_endbr_short
	endbr64
	ret
	end f_endbr_short
	form f_movabs
	movabs	$0x123456789abcdef, %rax
	ret
	end f_movabs
	form f_long_nop
	.byte	0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	mov	%rdi, %rax
	ret
	end f_long_nop
	form f_patchable
	.byte	0x90, 0x90, 0x90, 0x90, 0x90
	mov	%rdi, %rax
	ret
	end f_patchable
	form f_movs
	push	%rdi
	lea	buffer(%rip), %rdi
	lea	number(%rip), %rsi
	rep movsb
	movzwl	buffer(%rip), %eax
	pop	%rdi
	ret
	end f_movs
	form f_rep_first
	rep lodsb
	mov	%rcx, %rax
	ret
	end f_rep_first
	form f_syscall
	push	$39
	pop	%rax
	syscall
	ret
	end f_syscall
	form f_syscall_rcx
	push	$39
	pop	%rax
	syscall
1:	lea	1b(%rip), %rdx
	ret
	end f_syscall_rcx
	form f_frame
	push	%rbp
	mov	%rsp, %rbp
	mov	%rdi, -8(%rbp)
	mov	-8(%rbp), %rax
	pop	%rbp
	ret
	end f_frame
	form f_odd, 1
	lea	3(%rdi), %rax
	ret
	end f_odd
	/* five bytes, then the next function at once */
	form f_exact
	lea	1(%rdi), %rax
	ret
	end f_exact
	function f_adjacent
	lea	2(%rdi), %rax
	ret
	end f_adjacent
	function f_adjacent_too
	lea	3(%rdi), %rax
	ret
	end f_adjacent_too
	.balign 16

	/* it sees its own return address */
	form e_return_address
	mov	(%rsp), %rax
	ret
	end e_return_address
	form e_pop_return
	pop	%rdx
	lea	1(%rdi), %rax
	jmp	*%rdx
	end e_pop_return
	form e_push_ret
	push	helper_ptr(%rip)
	ret
	end e_push_ret
	form e_move_stack
	pop	%rdx
	push	%rdx
	mov	%rdi, %rax
	ret
	end e_move_stack

	/* no room: the next function follows at once, too early for a jump */
	form d_one
	ret
	end d_one
	function d_two
	ret
	end d_two
	function d_three
	ret
	end d_three
	function d_four
	nop
	ret
	end d_four
	function d_five
	mov	%edi, %eax
	ret
	end d_five
	function d_six
	mov	%rdi, %rax
	ret
	end d_six
	function d_seven
	xor	%eax, %eax
	ret
	end d_seven
	.balign	16

/* long call_form(long fn, long a, long b, long *pushed): 42 on the stack; 0 in *wrong if rsp and the
 * registers that a call keeps are as before */
	.globl	call_form
	.type	call_form, @function
call_form:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%rcx
	mov	%rsp, %rbx
	mov	$0x1313131313131313, %rbp
	mov	$0x1414141414141414, %r12
	mov	$0x1515151515151515, %r13
	lea	6f(%rip), %r14
	mov	$0x1717171717171717, %r15
	mov	%rdi, %r11
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	$3, %ecx
	sub	$8, %rsp
	push	$42
	mov	%rdi, %rax
	bt	$0, %rdi
	call	*%r11
6:	lea	16(%rsp), %rdx
	sub	%rbx, %rdx
	mov	%rbx, %rsp
	mov	$0x1313131313131313, %rcx
	sub	%rcx, %rbp
	or	%rbp, %rdx
	mov	$0x1414141414141414, %rcx
	sub	%rcx, %r12
	or	%r12, %rdx
	mov	$0x1515151515151515, %rcx
	sub	%rcx, %r13
	or	%r13, %rdx
	lea	6b(%rip), %rcx
	sub	%rcx, %r14
	or	%r14, %rdx
	mov	$0x1717171717171717, %rcx
	sub	%rcx, %r15
	or	%r15, %rdx
	pop	%rcx
	mov	%rdx, (%rcx)
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	call_form, . - call_form

	/* where every form returns to */
	.globl	form_returns_to
	.set	form_returns_to, 6b
	.globl	form_helper
	.set	form_helper, helper
	.section .note.GNU-stack, "", @progbits
