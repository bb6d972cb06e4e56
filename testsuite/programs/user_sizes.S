/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions whose symbols have wrong sizes, as those of assembler code may, and jumps to code that no
 * branch names. Each returns 100 for 0 to 99.
 */
#include <sys/sdt.h>

	.macro function name
	.balign	32, 0x90
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
/* A branch behind the symbol's end leads into the bytes of a jump at the entry. */
	function s_small
	mov	%rdi, %rax
	.size	s_small, . - s_small
1:	inc	%rax
	cmp	$100, %rax
	jb	1b
	ret

	function s_none
	mov	%rdi, %rax
	.size	s_none, 0
1:	inc	%rax
	cmp	$100, %rax
	jb	1b
	ret

/* A marker behind the symbol's end, while the red zone is in use. */
	function s_red_zone
	movq	$60, -8(%rsp)
	.size	s_red_zone, . - s_red_zone
	movq	$30, -16(%rsp)
	movq	$10, -24(%rsp)
	STAP_PROBE(sizes, red_zone)
	mov	-8(%rsp), %rax
	add	-16(%rsp), %rax
	add	-24(%rsp), %rax
	ret

/* The computed jump is behind the symbol's end, and leads to what follows the marker. */
	function s_computed
	mov	%rdi, %rax
	lea	s_computed(%rip), %rdx
	add	$computed_target - s_computed, %rdx
	STAP_PROBE(sizes, computed)
computed_target:
	inc	%rax
	.size	s_computed, . - s_computed
	cmp	$100, %rax
	jae	1f
	jmp	*%rdx
1:	ret

/* The same where the computed jump is behind the label of a nested function. */
	function s_outer
	mov	%rdi, %rax
	lea	s_outer(%rip), %rdx
	add	$outer_target - s_outer, %rdx
	STAP_PROBE(sizes, outer)
outer_target:
	inc	%rax
	cmp	$100, %rax
	jae	s_nested
	nop
	jmp	1f
	.balign	32, 0x90
	.globl	s_nested
	.type	s_nested, @function
s_nested:
	mov	$100, %eax
	ret
	.size	s_nested, . - s_nested
	.balign	16, 0x90
1:	jmp	*%rdx
	.size	s_outer, . - s_outer

/* Zeros behind a short function are a constant. */
	function s_short
	push	$100
	pop	%rax
	ret
	.size	s_short, . - s_short
zeros:	.long	0, 0

	function s_reads
	mov	$100, %eax
	add	zeros(%rip), %rax
	ret
	.size	s_reads, . - s_reads

	.section .note.GNU-stack, "", @progbits
