/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the arm64 files; struct arch in arch.h documents them. */
#ifndef USTAP_ARCH_ARM64_H
#define USTAP_ARCH_ARM64_H

#include "arch.h"

extern const struct arch_call arm64_calls[];
extern const size_t arm64_ncalls;
extern const struct convention arm64_convention;
const char *arm64_sdt_operand(const char *text, struct sdt_operand *out);
bool arm64_decode(const unsigned char *code, size_t len, uint64_t addr, struct machine_insn *out);
const char *arm64_text(const unsigned char *code, size_t len, uint64_t addr);
/* The instruction at CODE, which is in little-endian order on all systems. */
uint32_t arm64_word(const unsigned char *code);
/* Where the instruction WORD at ADDR branches to; 0: it does not, or through a register. */
uint64_t arm64_branch_target(uint32_t word, uint64_t addr);

#endif
