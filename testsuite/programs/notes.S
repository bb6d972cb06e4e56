/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes beside those of the linker: a build-id outside of all segments, as Go's linker makes it, a second one, a damaged one. */
	.macro build_id fill, size
	.long 4, \size, 3
	.asciz "GNU"
	.fill 20, 1, \fill
	.endm
#ifdef OUTSIDE
	.section .note.outside, "", @note
	.balign 4
	build_id 0xa1, 20
#endif
#ifdef SECOND
	.section .note.a_second, "a", @note
	.balign 4
	build_id 0xb2, 20
#endif
#ifdef DAMAGED
	.section .note.a_damaged, "a", @note
	.balign 4
	build_id 0xc3, 0x7fffffff
#endif
	.section .note.GNU-stack, "", @progbits
