/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the x86-64 files; struct arch in arch.h documents them. */
#ifndef USTAP_ARCH_X86_64_H
#define USTAP_ARCH_X86_64_H

#include "arch.h"

extern const struct arch_call x86_64_calls[];
extern const size_t x86_64_ncalls;
extern const struct convention x86_64_convention;
const char *x86_64_sdt_operand(const char *text, struct sdt_operand *out);
bool x86_64_is_push(const unsigned char *p, size_t len);
bool x86_64_decode(const unsigned char *code, size_t len, uint64_t addr, struct machine_insn *out);
const char *x86_64_text(const unsigned char *code, size_t len, uint64_t addr);
/* Why kernels refuse to probe the instruction CODE, or would run another one; NULL: they do not. */
const char *x86_64_refused(const unsigned char *code, size_t len);
void x86_64_far_targets(const unsigned char *code, size_t len, uint64_t addr, unsigned char *bits);
bool x86_64_may_jump_near(const unsigned char *code, size_t len, uint64_t addr, uint64_t lo,
			  uint64_t hi);

#endif
