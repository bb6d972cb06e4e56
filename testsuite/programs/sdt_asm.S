/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Markers in assembly, whose arguments are texts with macros. */
#include <sys/sdt.h>
#define SIZE 8
	.text
	.globl asm_marks
	.type asm_marks, @function
asm_marks:
	mov %edi, %esi
	neg %esi
	STAP_PROBE2(assembly, two, SIZE@%rdi, -4@%esi)
	STAP_PROBE(assembly, none)
	STAP_PROBE1(assembly, memory, SIZE@(%rsp))
	ret
	.size asm_marks, . - asm_marks
	.section .note.GNU-stack, "", @progbits
