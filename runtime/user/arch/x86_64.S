/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common code of trampolines (wire.h, "Stubs"): saves the probed code's registers in a struct
 * frame, calls hit.c, and restores them. The stack may be misaligned and the direction flag set;
 * the functions called here allow both. Vector registers are never used. Every call is paired with
 * a return, so that the processor's prediction of the probed program's returns is not disturbed.
 */

#include "probes/handler_stack.h"

/* struct frame */
#define R15 0
#define R14 8
#define R13 16
#define R12 24
#define RBP 32
#define RBX 40
#define R11 48
#define R10 56
#define R9 64
#define R8 72
#define RAX 80
#define RCX 88
#define RDX 96
#define RSI 104
#define RDI 112
#define ORIG_RAX 120
#define CS 136
#define FLAGS 144
#define SP 152
#define SS 160
#define RET 168

/* wire.h: UST_FAULTS, UST_FAULT_BYTES */
#define FAULTS 32
#define FAULT_BYTES 16

/* wire_process.h: struct ust_diversion without its first member, and UST_DIVERT_RED_ZONE */
#define DIVERSION (32 + 128)

	.text

/* The registers that a call may change, but for rax, rcx and rdx; FRAME points to the frame. */
	.macro	save_others frame
	mov	%rsi, RSI(\frame)
	mov	%rdi, RDI(\frame)
	mov	%r8, R8(\frame)
	mov	%r9, R9(\frame)
	mov	%r10, R10(\frame)
	mov	%r11, R11(\frame)
	.endm

	.macro	restore_others
	mov	RSI(%rsp), %rsi
	mov	RDI(%rsp), %rdi
	mov	R8(%rsp), %r8
	mov	R9(%rsp), %r9
	mov	R10(%rsp), %r10
	mov	R11(%rsp), %r11
	.endm

	.macro	save_clobbered
	mov	%rax, RAX(%rsp)
	mov	%rcx, RCX(%rsp)
	mov	%rdx, RDX(%rsp)
	save_others %rsp
	.endm

	.macro	restore_clobbered
	mov	RAX(%rsp), %rax
	mov	RCX(%rsp), %rcx
	mov	RDX(%rsp), %rdx
	restore_others
	.endm

/* The registers that a call keeps, and constants; changes VIA. */
	.macro	save_kept frame, via, part
	mov	%r15, R15(\frame)
	mov	%r14, R14(\frame)
	mov	%r13, R13(\frame)
	mov	%r12, R12(\frame)
	mov	%rbp, RBP(\frame)
	mov	%rbx, RBX(\frame)
	movq	$-1, ORIG_RAX(\frame)
	mov	%cs, \part
	mov	\via, CS(\frame)
	mov	%ss, \part
	mov	\via, SS(\frame)
	.endm

/* ------------------------------------------------------------------ light */

/* pushfq and popfq cost more than all the rest: seto saves the overflow flag, lahf the other
 * arithmetic flags; the direction flag and the system flags are not changed here. */
	.macro	save_light
	lea	-RET(%rsp), %rsp
	save_clobbered
	lahf
	seto	%al
	mov	%rax, FLAGS(%rsp)
	mov	%rsp, %rdi
	.endm

/* 0x7f + 1 overflows, 0x7f + 0 does not. */
	.macro	leave_light at
	mov	FLAGS(%rsp), %rax
	add	$0x7f, %al
	sahf
	restore_clobbered
	lea	\at(%rsp), %rsp
	ret
	.endm

	.macro	function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	32
\name:
	.endm

	function arch_common_entry
	save_light
	call	hit_entry
leave_entry:
	leave_light RET
	.size	arch_common_entry, . - arch_common_entry

	function arch_common_return
	save_light
	call	hit_return
	test	%al, %al
	jz	leave_entry
	leave_light (RET + 8)
	.size	arch_common_return, . - arch_common_return

	function arch_common_after
	save_light
	call	hit_after
	leave_light SS
	.size	arch_common_after, . - arch_common_after

/* --------------------------------------------------------- recorded calls */

/* hit_call_return() and hit_call_after() save what they change: only their argument, their result
 * and the flags are saved here. If they return false, nothing has changed, and the general code
 * does the work. */
	.macro	save_call words
	lea	-8*\words(%rsp), %rsp
	mov	%rax, 8(%rsp)
	mov	%rdi, 16(%rsp)
	lahf
	seto	%al
	mov	%rax, (%rsp)
	lea	8*\words(%rsp), %rdi
	.endm

	.macro	restore_call
	mov	(%rsp), %rax
	mov	16(%rsp), %rdi
	add	$0x7f, %al
	sahf
	mov	8(%rsp), %rax
	.endm

	function arch_common_call_return
	save_call 3
	call	hit_call_return
	test	%al, %al
	jz	1f
	restore_call
	lea	32(%rsp), %rsp
	ret
1:	restore_call
	lea	24(%rsp), %rsp
	jmp	arch_common_return
	.size	arch_common_call_return, . - arch_common_call_return

	function arch_common_call_after
	save_call 4
	call	hit_call_after
	test	%al, %al
	jz	1f
	restore_call
	lea	24(%rsp), %rsp
	ret
1:	restore_call
	lea	32(%rsp), %rsp
	jmp	arch_common_after
	.size	arch_common_call_after, . - arch_common_call_after

/* ------------------------------------------------------------------- full */

	.macro	save_full
	lea	-(RET - SP)(%rsp), %rsp
	pushfq
	lea	-FLAGS(%rsp), %rsp
	save_clobbered
	save_kept %rsp, %rax, %eax
	mov	%rsp, %rdi
	.endm

/* Callee-saved registers have not changed. */
	.macro	leave_full at
	restore_clobbered
	lea	FLAGS(%rsp), %rsp
	popfq
	lea	(\at - SP)(%rsp), %rsp
	ret
	.endm

	function arch_common_entry_full
	save_full
	call	hit_entry
leave_entry_full:
	leave_full RET
	.size	arch_common_entry_full, . - arch_common_entry_full

	function arch_common_return_full
	save_full
	call	hit_return
	test	%al, %al
	jz	leave_entry_full
	leave_full (RET + 8)
	.size	arch_common_return_full, . - arch_common_return_full

	function arch_common_after_full
	save_full
	call	hit_after
	leave_full SS
	.size	arch_common_after_full, . - arch_common_after_full

/* --------------------------------------------------------------- switched */

/* Code whose stack grows when it calls functions may have little of it left. 40 bytes are used,
 * with the return address; everything else is on a stack of the runtime (handler_stack.c), whose
 * top has a struct frame and: */
#define OLD_SP 176 /* the stack pointer after the four pushes */
#define NUMBER 184 /* of the handler stack */
#define SWITCHED 192
/* Offsets of what is pushed, and of the return address above it. */
#define OLD_RDX 0
#define OLD_RCX 8
#define OLD_RAX 16
#define OLD_FLAGS 24
#define OLD_RET 32
#define OLD_ABOVE 40
/* Attempts to find a stack, for about a tenth of a second. Without one the hit is skipped. */
#define ATTEMPTS (1 << 20)

	.macro	copy_word from, to, by
	mov	\from, \by
	mov	\by, \to
	.endm

	.macro	switched function
	pushfq
	push	%rax
	push	%rcx
	push	%rdx
	mov	$ATTEMPTS, %edx
1:	lea	handler_claims(%rip), %rcx
2:	cmpb	$0, (%rcx)
	jne	3f
	mov	$1, %al
	xchg	%al, (%rcx)
	test	%al, %al
	jz	4f
3:	inc	%rcx
	lea	handler_claims + HANDLER_STACKS(%rip), %rax
	cmp	%rax, %rcx
	jb	2b
	pause
	dec	%edx
	jnz	1b
	lock incq shared + SHARED_SKIPPED_CONTEXT(%rip)
	jmp	5f

4:	lea	handler_claims(%rip), %rax
	sub	%rax, %rcx
	imul	$HANDLER_STACK_SIZE, %rcx, %rdx
	lea	handler_stacks + HANDLER_STACK_SIZE - SWITCHED(%rip), %rax
	add	%rdx, %rax
	mov	%rcx, NUMBER(%rax)
	mov	%rsp, OLD_SP(%rax)
	copy_word OLD_RDX(%rsp), RDX(%rax), %rdx
	copy_word OLD_RCX(%rsp), RCX(%rax), %rdx
	copy_word OLD_RAX(%rsp), RAX(%rax), %rdx
	copy_word OLD_FLAGS(%rsp), FLAGS(%rax), %rdx
	copy_word OLD_RET(%rsp), RET(%rax), %rdx
	save_others %rax
	save_kept %rax, %rdx, %edx
	lea	OLD_ABOVE(%rsp), %rsi
	mov	%rax, %rsp
	mov	%rsp, %rdi
	call	\function

	restore_others
	mov	OLD_SP(%rsp), %rcx
	copy_word RAX(%rsp), OLD_RAX(%rcx), %rax
	copy_word RCX(%rsp), OLD_RCX(%rcx), %rax
	copy_word RDX(%rsp), OLD_RDX(%rcx), %rax
	mov	NUMBER(%rsp), %rax
	lea	handler_claims(%rip), %rdx
	mov	%rcx, %rsp
	movb	$0, (%rdx, %rax)
5:	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	.endm

	function arch_common_entry_switched
	switched hit_entry_switched
	ret
	.size	arch_common_entry_switched, . - arch_common_entry_switched

/* Entered with a struct ust_diversion on the stack, below the red zone: f->ret is its first
 * member. Returns over both. */
	function arch_divert
	switched hit_diversion
	ret	$DIVERSION
	.size	arch_divert, . - arch_divert

	function arch_leave
	ret
	.size	arch_leave, . - arch_leave

/* ----------------------------------------------------------------- stacks */

	function arch_call_on
	push	%rbp
	mov	%rsp, %rbp
	mov	%rdi, %rsp
	mov	%rdx, %rdi
	call	*%rsi
	mov	%rbp, %rsp
	pop	%rbp
	ret
	.size	arch_call_on, . - arch_call_on

/* ------------------------------------------------------------------- trap */

/* Continue in the program's handler, whose address is in RAX, with the saved arguments; 0: return
 * from the signal. */
	.macro	to_handler
	pop	%rdx
	pop	%rsi
	pop	%rdi
	mov	%rax, %r11
	xor	%eax, %eax
	test	%r11, %r11
	jz	arch_leave
	jmp	*%r11
	.endm

/* Entered as the kernel calls a handler: arguments signal, siginfo and ucontext, rax is 0, the
 * return address is on the stack. The program's own handler is called with the same state. */
	function arch_trap
	push	%rdi
	push	%rsi
	push	%rdx
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	lea	24(%rsp), %rdx
	call	trap_signal
	to_handler
	.size	arch_trap, . - arch_trap

	.balign	16
	nop
	function arch_trap_restorer
	mov	$15, %rax       /* rt_sigreturn; unwinders recognise exactly these bytes */
	syscall
	.size	arch_trap_restorer, . - arch_trap_restorer

/* ----------------------------------------------------------------- faults */

/* Like arch_trap, one entry for each number. */
	function arch_faults
	.set	number, 0
	.rept	FAULTS
	.balign	FAULT_BYTES
	mov	$number, %eax
	jmp	fault_common
	.set	number, number + 1
	.endr
	.size	arch_faults, . - arch_faults

	.balign	16
fault_common:
	push	%rdi
	push	%rsi
	push	%rdx
	mov	%rdx, %rcx
	mov	%rsi, %rdx
	mov	%edi, %esi
	mov	%eax, %edi
	call	fault_signal
	to_handler

	.section .note.GNU-stack, "", @progbits
