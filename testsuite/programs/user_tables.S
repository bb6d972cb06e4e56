/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions entered behind their first instruction through addresses in data: by a table of
 * distances, by a pointer, by a label's address in a register, by another function's pointer. Each
 * returns 100 for 0 to 99. Tables that the linker fills in are those of a program at a fixed address
 * (FIXED).
 */
	.macro function name
	.balign	32, 0x90
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro end name
	.size	\name, . - \name
	.endm

	.text
	function s_table
	mov	%rdi, %rax
1:	inc	%rax
	cmp	$100, %rax
	jae	2f
	lea	distances(%rip), %rdx
	movslq	4(%rdx), %rcx
	add	%rdx, %rcx
	jmp	*%rcx
2:	ret
	end s_table
	.pushsection .rodata
	.balign	4
distances:
	.long	2b - distances, 1b - distances
	.popsection

	function s_pointer
	mov	%rdi, %rax
1:	inc	%rax
	cmp	$100, %rax
	jae	2f
	jmp	*pointer(%rip)
2:	ret
	end s_pointer
	.pushsection .data.rel.ro, "aw"
	.balign	8
pointer:
	.quad	1b
	.popsection

	function s_label
	mov	%rdi, %rax
s_label_inside:
	inc	%rax
	cmp	$100, %rax
	jae	2f
	jmp	s_from_label
2:	ret
	end s_label
	function s_from_label
	lea	s_label_inside(%rip), %rdx
	jmp	*%rdx
	end s_from_label

	function s_fixed
	mov	%rdi, %rax
1:	inc	%rax
	cmp	$100, %rax
	jae	2f
#ifdef FIXED
	mov	$1b, %edx
	jmp	*%rdx
#else
	jmp	1b
#endif
2:	ret
	end s_fixed

	function s_short_table
	mov	%rdi, %rax
1:	inc	%rax
	cmp	$100, %rax
	jae	2f
#ifdef FIXED
	mov	$1, %ecx
	mov	short_table(,%rcx,4), %edx
	jmp	*%rdx
#else
	jmp	1b
#endif
2:	ret
	end s_short_table
	.pushsection .rodata
	.balign	4
short_table:
#ifdef FIXED
	.long	2b, 1b
#endif
	.popsection

	.section .note.GNU-stack, "", @progbits
