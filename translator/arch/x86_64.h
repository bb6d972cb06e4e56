/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the x86-64 files; struct arch in arch.h documents them. */
#ifndef USTAP_ARCH_X86_64_H
#define USTAP_ARCH_X86_64_H

#include "arch.h"

extern const struct arch_call x86_64_calls[];
extern const size_t x86_64_ncalls;
extern const struct convention x86_64_convention;
/* struct arch.sdt_operand: parse TEXT, one operand of an SDT note in AT&T syntax without its size
 * ("-8(%rbp)", "%fs:16"), into OUT. NULL, or the reason for a message, which follows the operand's
 * text. */
const char *x86_64_sdt_operand(const char *text, struct sdt_operand *out);
/* True if the LEN bytes at P begin with PUSH of a general register (50+r, or 41 50+r). */
bool x86_64_is_push(const unsigned char *p, size_t len);
/* struct arch.decode: decode the instruction at CODE (LEN bytes are readable), which runs at
 * address ADDR, into OUT. False: not a valid instruction, or it does not fit into LEN. */
bool x86_64_decode(const unsigned char *code, size_t len, uint64_t addr, struct machine_insn *out);
bool x86_64_is_breakpoint(const unsigned char *code, size_t len); /* of struct arch */
/* struct arch.text: the instruction at CODE in AT&T syntax, in the arena; "?" if it is invalid. */
const char *x86_64_text(const unsigned char *code, size_t len, uint64_t addr);
/* Why kernels refuse to probe the instruction CODE, or would run another one; NULL: they do not. */
const char *x86_64_refused(const unsigned char *code, size_t len);
/* struct arch.far_targets: set bit N of BITS if a branch in CODE, which is loaded at ADDR, may go
 * to ADDR + N. Any byte that could begin a branch counts, so a set bit may be wrong; a clear one
 * is right. */
void x86_64_far_targets(const unsigned char *code, size_t len, uint64_t addr, unsigned char *bits);
/* struct arch.may_jump_near: true if a byte of CODE may begin a branch with an 8-bit displacement
 * (EB, 70-7F, E0-E3) to an address above LO and up to HI. May be true wrongly, never false
 * wrongly. */
bool x86_64_may_jump_near(const unsigned char *code, size_t len, uint64_t addr, uint64_t lo,
			  uint64_t hi);
/* struct arch.may_use. May be true wrongly, but false only for operands whose displacement is
 * scaled (EVEX). */
bool x86_64_may_use(const unsigned char *code, size_t len, int reg, int32_t disp);

#endif
