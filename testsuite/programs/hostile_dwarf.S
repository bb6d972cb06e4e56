/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information as an attacker writes it: locations that divide by zero, shift by more than
 * a word, read the kernel, grow with each operation or never end.  The code only counts to 3.
 */
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	mov	$3, %ebx
again:
	call	victim
	dec	%ebx
	jnz	again
	xor	%eax, %eax
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	main, . - main

	.globl	victim
	.type	victim, @function
victim:
	nop
	ret
	.size	victim, . - victim
text_end:

	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x11		/* DW_TAG_compile_unit, with children */
	.byte	1
	.uleb128 0x03, 0x08, 0x13, 0x0b, 0x11, 0x01, 0x12, 0x07, 0, 0
	.uleb128 2, 0x24		/* DW_TAG_base_type */
	.byte	0
	.uleb128 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0
	.uleb128 3, 0x2e		/* DW_TAG_subprogram, with children */
	.byte	1
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x3f, 0x0c, 0x40, 0x18, 0, 0
	.uleb128 4, 0x34		/* DW_TAG_variable */
	.byte	0
	.uleb128 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0
	.uleb128 5, 0x16		/* DW_TAG_typedef */
	.byte	0
	.uleb128 0x03, 0x08, 0x49, 0x13, 0, 0
	.uleb128 6, 0x13		/* DW_TAG_structure_type, with children */
	.byte	1
	.uleb128 0x03, 0x08, 0x0b, 0x07, 0, 0
	.uleb128 7, 0x0d		/* DW_TAG_member */
	.byte	0
	.uleb128 0x03, 0x08, 0x49, 0x13, 0x38, 0x07, 0, 0
	.uleb128 8, 0x01		/* DW_TAG_array_type, with children */
	.byte	1
	.uleb128 0x49, 0x13, 0, 0
	.uleb128 10, 0x0d		/* DW_TAG_member without a name */
	.byte	0
	.uleb128 0x49, 0x13, 0x38, 0x07, 0, 0
	.uleb128 9, 0x21		/* DW_TAG_subrange_type */
	.byte	0
	.uleb128 0x2f, 0x07, 0, 0
	.byte	0

	.macro variable name, type
	.uleb128 4
	.asciz	"\name"
	.long	\type - unit
	.uleb128 expr_end_\name - expr_\name
expr_\name:
	.endm
	.macro end name
expr_end_\name:
	.endm

	.section .debug_info, "", @progbits
unit:
	.long	unit_end - 1f
1:	.value	4
	.long	.debug_abbrev
	.byte	8
	.uleb128 1
	.asciz	"hostile.c"
	.byte	12			/* DW_LANG_C99 */
	.quad	main
	.quad	text_end - main
type_long:
	.uleb128 2
	.asciz	"long"
	.byte	8, 5
type_loop:				/* a typedef of itself */
	.uleb128 5
	.asciz	"loop"
	.long	type_loop - unit
type_huge:				/* 2^63 elements */
	.uleb128 8
	.long	type_long - unit
	.uleb128 9
	.quad	0x7fffffffffffffff
	.byte	0
type_inside:				/* a structure that holds itself */
	.uleb128 6
	.asciz	"inside"
	.quad	-1
	.uleb128 7
	.asciz	"self"
	.long	type_inside - unit
	.quad	-8
	.uleb128 7
	.asciz	"huge"
	.long	type_huge - unit
	.quad	8
	.byte	0
type_tangle:				/* ten members of its own type, by name and without one */
	.uleb128 6
	.asciz	"tangle"
	.quad	8
	.rept	10
	.uleb128 7
	.asciz	"m"
	.long	type_tangle - unit
	.quad	0
	.uleb128 10
	.long	type_tangle - unit
	.quad	0
	.endr
	.uleb128 7
	.asciz	"number"
	.long	type_long - unit
	.quad	0
	.byte	0
	.uleb128 3
	.asciz	"victim"
	.quad	victim
	.quad	text_end - victim
	.byte	1
	.uleb128 1
	.byte	0x9c			/* DW_OP_call_frame_cfa */
	variable divided, type_long	/* 1 / 0 */
	.byte	0x31, 0x30, 0x1b, 0x9f
	end divided
	variable minimum, type_long	/* INT64_MIN / -1 */
	.byte	0x0e
	.quad	0x8000000000000000
	.byte	0x11, 0x7f, 0x1b, 0x9f
	end minimum
	variable rest, type_long	/* 1 % 0 */
	.byte	0x31, 0x30, 0x1d, 0x9f
	end rest
	variable shifted, type_long	/* 1 << 200 */
	.byte	0x31, 0x08, 200, 0x24, 0x9f
	end shifted
	variable null, type_long	/* *0 */
	.byte	0x30
	end null
	variable kernel, type_long	/* *0xffffffff81000000 */
	.byte	0x0e
	.quad	0xffffffff81000000
	end kernel
	variable vsyscall, type_long	/* outside of the program's half of memory */
	.byte	0x0e
	.quad	0x8000000000001000
	end vsyscall
	variable doubled, type_long	/* 48 times `dup; plus': 2^48 operands if it is written as text */
	.byte	0x31
	.rept	48
	.byte	0x12, 0x22
	.endr
	.byte	0x9f
	end doubled
	variable deep, type_long	/* 5,000 values on the stack */
	.rept	5000
	.byte	0x31
	.endr
	.byte	0x9f
	end deep
	variable chased, type_long	/* *******(stack pointer) */
	.byte	0x77, 0
	.rept	64
	.byte	0x06
	.endr
	.byte	0x9f
	end chased
	variable forever, type_long	/* a jump to itself */
	.byte	0x31, 0x2f
	.value	-3
	end forever
	variable empty, type_long	/* takes from an empty stack */
	.byte	0x22, 0x9f
	end empty
	variable picked, type_long	/* the 255th of one value */
	.byte	0x31, 0x15, 255, 0x9f
	end picked
	variable wide_read, type_long	/* DW_OP_deref_size 200 */
	.byte	0x77, 0, 0x94, 200, 0x9f
	end wide_read
	variable framed, type_long	/* DW_OP_fbreg, from a frame base that is the CFA without frame information */
	.byte	0x91, 0
	end framed
	variable looped, type_loop
	.byte	0x77, 0
	end looped
	variable array, type_huge
	.byte	0x77, 0
	end array
	variable inside, type_inside
	.byte	0x77, 0
	end inside
	variable tangled, type_tangle
	.byte	0x77, 0
	end tangled
	variable in_registers, type_tangle	/* not in memory: the handler has a copy of 8 bytes */
	.byte	0x31, 0x9f
	end in_registers
	.byte	0, 0
unit_end:
	.section .note.GNU-stack, "", @progbits
