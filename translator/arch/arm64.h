/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the arm64 files; struct arch in arch.h documents them. */
#ifndef USTAP_ARCH_ARM64_H
#define USTAP_ARCH_ARM64_H

#include "arch.h"

extern const struct arch_call arm64_calls[];
extern const size_t arm64_ncalls;
extern const struct convention arm64_convention;
/* struct arch.sdt_operand: parse TEXT, one operand of an SDT note in assembler syntax ("8@[sp,
 * 16]" without the size), into OUT. NULL, or the reason for a message, which follows the operand's
 * text. */
const char *arm64_sdt_operand(const char *text, struct sdt_operand *out);
/* struct arch.decode: decode the instruction at CODE (LEN bytes are readable), which runs at
 * address ADDR, into OUT. False: fewer than four bytes, or permanently undefined (UDF). */
bool arm64_decode(const unsigned char *code, size_t len, uint64_t addr, struct machine_insn *out);
bool arm64_is_breakpoint(const unsigned char *code, size_t len); /* of struct arch */
/* struct arch.text: disassembly of the instruction at CODE for listings and messages: branches and
 * hints by mnemonic, others as ".inst 0x...". Constant or in the arena; "?" if LEN is too small. */
const char *arm64_text(const unsigned char *code, size_t len, uint64_t addr);
/* The instruction at CODE, which is in little-endian order on all systems. */
uint32_t arm64_word(const unsigned char *code);
/* Where the instruction WORD at ADDR branches to; 0: it does not, or through a register. */
uint64_t arm64_branch_target(uint32_t word, uint64_t addr);

#endif
