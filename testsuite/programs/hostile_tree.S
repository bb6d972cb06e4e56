/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information that is small and takes for ever to read: one of the attacks below, chosen by -D.  Lists of
 * ranges and tables of abbreviations that thousands of entries share, entries that refer to themselves, units that
 * import each other, nesting without end.  The code only returns.
 */
	.text
	.globl	main
	.type	main, @function
main:
	call	victim
	xor	%eax, %eax
	ret
	.size	main, . - main

	.globl	victim
	.type	victim, @function
victim:
	nop
	ret
	.size	victim, . - victim
text_end:
	.section .note.GNU-stack, "", @progbits

	.macro	abbrev code, tag, children, attributes:vararg
	.uleb128 \code, \tag
	.byte	\children
	.uleb128 \attributes
	.endm
	.macro	unit version
	.long	2f - 1f
1:	.value	\version
	.if \version == 5
	.byte	1, 8
	.long	.debug_abbrev
	.else
	.long	.debug_abbrev
	.byte	8
	.endif
	.endm
	.macro	compile_unit
	.uleb128 1
	.asciz	"hostile.c"
	.byte	12			/* DW_LANG_C99 */
	.quad	main
	.quad	text_end - main
	.endm

	.section .debug_abbrev, "", @progbits
	abbrev	1, 0x11, 1, 0x03, 0x08, 0x13, 0x0b, 0x11, 0x01, 0x12, 0x07, 0, 0
	abbrev	2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0	/* base type */
	abbrev	3, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x3f, 0x0c, 0x40, 0x18, 0, 0
	abbrev	4, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0	/* variable */
	abbrev	5, 0x2e, 0, 0x03, 0x08, 0x55, 0x17, 0, 0		/* subprogram with ranges */
	abbrev	6, 0x3c, 1, 0, 0					/* partial unit */
	abbrev	7, 0x3d, 0, 0x18, 0x10, 0, 0				/* imported unit */
	abbrev	8, 0x0b, 1, 0x11, 0x01, 0x12, 0x0b, 0, 0		/* block */
	abbrev	9, 0x2e, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0x40, 0x18, 0, 0	/* an instance */
	abbrev	10, 0x2e, 0, 0x31, 0x13, 0, 0				/* with an origin alone */
	abbrev	11, 0x2e, 0, 0x47, 0x13, 0, 0				/* with a specification alone */
	abbrev	12, 0x34, 0, 0x03, 0x08, 0x47, 0x13, 0, 0		/* variable of a specification */
	abbrev	13, 0x0f, 0, 0x49, 0x13, 0, 0				/* pointer */
	abbrev	14, 0x26, 0, 0x49, 0x13, 0, 0				/* const */
	abbrev	15, 0x15, 1, 0x49, 0x13, 0, 0				/* function type */
	abbrev	16, 0x05, 0, 0x49, 0x13, 0, 0				/* its parameter */
	abbrev	17, 0x01, 1, 0x49, 0x13, 0, 0				/* array */
	abbrev	18, 0x21, 0, 0x2f, 0x0b, 0, 0
	abbrev	19, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0		/* structure */
	abbrev	20, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0, 0
	abbrev	21, 0x1c, 0, 0x49, 0x13, 0x38, 0x0b, 0, 0		/* inheritance */
	abbrev	22, 0x16, 0, 0x03, 0x08, 0x49, 0x13, 0, 0		/* typedef */
	abbrev	23, 0x34, 0, 0x03, 0x08, 0x01, 0x13, 0, 0		/* variable with a sibling */
	abbrev	24, 0x34, 0, 0x03, 0x08, 0x31, 0x13, 0, 0		/* variable with an origin */
	abbrev	25, 0x1d, 0, 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0, 0	/* inlined function */
	abbrev	26, 0x04, 0, 0x03, 0x08, 0x0b, 0x0b, 0x49, 0x13, 0, 0	/* enumeration */
	abbrev	27, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x17, 0, 0	/* variable with a list of locations */
	abbrev	28, 0x0b, 1, 0x55, 0x17, 0, 0				/* block with ranges */
	abbrev	29, 0x3d, 0, 0x18, 0x1f20, 0, 0				/* imported unit of the shared file */
	abbrev	30, 0x34, 0, 0x03, 0x08, 0x31, 0x1f20, 0, 0		/* variable of the shared file */
#ifdef ABBREVS
	.set	code, 100
	.rept	90000
	abbrev	code, 0x34, 0, 0, 0
	.set	code, code + 1
	.endr
#endif
	.byte	0

	.section .debug_info, "", @progbits
info:
#ifdef ABBREVS					/* 80,000 units with the table above, all of which is read for the last entry */
	.rept	80000
	unit	4
	.uleb128 90099
2:
	.endr
#endif
#ifdef IMPORTS					/* each of 60 units imports the next one twice */
	.set	next, 11		/* entries of a unit begin behind its header */
	.rept	60
	.set	next, next + 23
	unit	4
	.uleb128 6
	.uleb128 7
	.long	next
	.uleb128 7
	.long	next
	.byte	0
2:
	.endr

	unit	4
	.uleb128 6
	.byte	0
2:
#endif
#ifdef ALT					/* a unit imports that of the shared file at the same offset */
	unit	4
	.uleb128 6
	.uleb128 29
	.long	11
	.byte	0
2:
#endif
#ifdef SELF_IMPORTS				/* a unit imports itself 5,000 times */
self:
	unit	4
	.uleb128 6
	.rept	5000
	.uleb128 7
	.long	11
	.endr
	.byte	0
2:
#endif
the_unit:
#ifdef RANGES
	unit	5
#else
	unit	4
#endif
	compile_unit
#if defined IMPORTS || defined SELF_IMPORTS
	.uleb128 7
	.long	11
#endif
#ifdef ALT
	.uleb128 29
	.long	11
#endif
type_long:
	.uleb128 2
	.asciz	"long"
	.byte	8, 5
#if defined RANGES || defined OLD_RANGES	/* 160,000 functions with one list */
	.rept	160000
	.uleb128 5
	.asciz	"f"
	.long	0
	.endr
#endif
#ifdef ORIGINS
origin_a:
	.uleb128 10
	.long	origin_b - the_unit
origin_b:
	.uleb128 10
	.long	origin_a - the_unit
	.uleb128 11
	.long	. - 1 - the_unit
instance:
	.uleb128 9
	.long	origin_a - the_unit
	.quad	victim
	.quad	text_end - victim
	.byte	1, 0x9c
	.uleb128 24
	.asciz	"looped"
	.long	. - 8 - the_unit
	.uleb128 25
	.long	. - 1 - the_unit
	.quad	victim
	.quad	text_end - victim
	.byte	0
	.uleb128 12
	.asciz	"space"
	.long	. - 7 - the_unit
#elif !defined IMPORTS && !defined SELF_IMPORTS
	.uleb128 3
	.asciz	"victim"
	.quad	victim
	.quad	text_end - victim
	.byte	1
	.byte	1, 0x9c
#ifdef ALT
	.uleb128 30
	.asciz	"shared"
	.long	. - 8 - info
#endif
#ifdef TYPES
	.macro	variable name, type
	.uleb128 4
	.asciz	"\name"
	.long	\type - the_unit
	.byte	2, 0x91, 0		/* DW_OP_fbreg 0 */
	.endm
	variable pointer, type_pointer
	variable constant, type_const
	variable function, type_pointed
	variable array, type_array
	variable inside, type_inside
	variable derived, type_derived
	variable named, type_named
	variable counted, type_enum
#endif
#ifdef LOCATIONS				/* 20,000 blocks with 20,000 ranges, one with a variable of 20,000 places */
	.uleb128 28
	.long	0
	.uleb128 27
	.asciz	"moved"
	.long	type_long - the_unit
	.long	0
	.byte	0
#endif
#ifdef BLOCKS					/* blocks in blocks */
	.rept	20000
	.uleb128 8
	.quad	victim
	.byte	text_end - victim
	.endr
	.rept	20000
	.byte	0
	.endr
#endif
	.byte	0
#endif
#ifdef TYPES
type_pointer:					/* pointer to itself */
	.uleb128 13
	.long	type_pointer - the_unit
type_const:
	.uleb128 14
	.long	type_const - the_unit
type_pointed:
	.uleb128 13
	.long	type_function - the_unit
type_function:					/* returns and takes pointers to functions of its own type */
	.uleb128 15
	.long	type_pointed - the_unit
	.uleb128 16
	.long	type_pointed - the_unit
	.uleb128 16
	.long	type_function - the_unit
	.byte	0
type_array:
	.uleb128 17
	.long	type_array - the_unit
	.uleb128 18
	.byte	10
	.byte	0
type_inside:
	.uleb128 19
	.asciz	"inside"
	.byte	8
	.uleb128 20
	.asciz	"self"
	.long	type_inside - the_unit
	.byte	0
	.byte	0
type_derived:					/* derived from itself, twice */
	.uleb128 19
	.asciz	"derived"
	.byte	8
	.uleb128 21
	.long	type_derived - the_unit
	.byte	0
	.uleb128 21
	.long	type_derived - the_unit
	.byte	0
	.byte	0
type_named:
	.uleb128 22
	.asciz	"named"
	.long	type_other - the_unit
type_other:
	.uleb128 22
	.asciz	"other"
	.long	type_named - the_unit
type_enum:
	.uleb128 26
	.asciz	"counted"
	.byte	8
	.long	type_enum - the_unit
#endif
#ifdef SIBLING					/* the entry behind it is it, or one before it */
	.uleb128 23
	.asciz	"sibling"
	.long	. - 9 - the_unit
	.uleb128 23
	.asciz	"back"
	.long	type_long - the_unit
#endif
	.byte	0
2:

#ifdef RANGES
	.section .debug_rnglists, "", @progbits
	.byte	5			/* DW_RLE_base_address */
	.quad	main
	.rept	100000
	.byte	4, 1, 2			/* DW_RLE_offset_pair */
	.endr
	.byte	0
#endif
#ifdef OLD_RANGES
	.section .debug_ranges, "", @progbits
	.rept	100000
	.quad	1, 2
	.endr
	.quad	0, 0
#endif
#ifdef LOCATIONS
	.section .debug_ranges, "", @progbits
	.rept	20000
	.quad	1, 2
	.endr
	.quad	0, 0
	.section .debug_loc, "", @progbits
	.rept	20000
	.quad	1, 2
	.value	2
	.byte	0x91, 0
	.endr
	.quad	0, 0
#endif
#ifdef ALT					/* section written by dwz: the name of the shared file, and its build-id */
	.section .gnu_debugaltlink, "", @progbits
	.asciz	ALT
	.quad	0xefcdab8967452301
#endif
