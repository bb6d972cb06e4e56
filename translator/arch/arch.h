/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Architectures: registers, calling conventions and instructions of a machine, one struct each. */
#ifndef USTAP_ARCH_H
#define USTAP_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What matters of an instruction to who looks for a place to probe. */
struct machine_insn {
	unsigned len;
	/* by all kernels; others single-step it, which costs far more */
	bool emulated;
	/* changes registers and flags only, cannot fault, goes on with the next */
	bool plain;
	bool indirect;       /* jumps to where a register or memory says */
	uint64_t writes;     /* DWARF registers that it changes, if plain */
	uint64_t target;     /* of a branch; 0: not a branch, or an indirect one */
	bool jumps, returns; /* a direct jump, conditional or not; a return */
	const char *refused; /* why kernels do not probe it; NULL: they do */
};
struct arch {
	const char *name, *elf_name;
	/* C expression for DWARF register N in `hit->regs`, NULL if not saved. */
	const char *(*reg_expr)(int dwarf_reg);
	/* Number of DWARF register N among the vector registers that can be read; -1. */
	int (*vector_reg)(int dwarf_reg);
	int pc_reg, sp_reg;
	/* DWARF registers that every hit has: those that a call may change, sp and pc.  For
	 * others a site asks (UST_SITE_ALL_REGS). */
	uint64_t call_regs;
	/* of code in the traced process; NULL: no user runtime */
	const char *user_cflags;
	const int *arg_regs;
	/* DWARF registers of integer arguments, in order */
	int narg_regs;
	/* of a system call: its number, its arguments, its result; reg_expr() takes them */
	int syscall_regs[7], result_reg;
	/* Go's ABIInternal: DWARF registers of integers, in order, the first of floats and their
	 * number; the goroutine. */
	const int *go_regs;
	int ngo_regs, go_float, ngo_floats, go_current;
	/* Bytes from a Go function's entry to behind its check of the stack; 0: it has none. */
	unsigned (*go_stack_check)(const unsigned char *code, size_t len);
	/* Bytes to skip from a function entry, see function_site(). */
	unsigned (*entry_skip)(const unsigned char *code, size_t len);
	bool (*decode)(const unsigned char *code, size_t len, uint64_t addr,
		       struct machine_insn *out);
	const char *(*insn_text)(const unsigned char *code, size_t len, uint64_t addr);
	/* Sets the bit of each byte of the text CODE, which is at ADDR, that a jump or call of any
	 * distance may go to. */
	void (*far_targets)(const unsigned char *code, size_t len, uint64_t addr,
			    unsigned char *bits);
	/* May something in CODE be a short jump to (LO, HI]?  A short one goes at
	 * most near_reach bytes. */
	bool (*may_jump_near)(const unsigned char *code, size_t len, uint64_t addr, uint64_t lo,
			      uint64_t hi);
	unsigned near_reach;
};
extern const struct arch arch_x86_64;
const struct arch *arch_host(void);

#endif
