/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Architectures: registers, calling conventions and instructions of a machine, one struct each. */
#ifndef USTAP_ARCH_H
#define USTAP_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Properties of an instruction that decide whether it can be a probe site. */
struct machine_insn {
	unsigned len;
	/* by all kernels; others single-step it, which costs far more */
	bool emulated;
	bool call_sized; /* a nop that some kernels emulate, too, and that a call can replace */
	/* changes registers and flags only, cannot fault, goes on with the next */
	bool plain;
	bool indirect;       /* jumps to where a register or memory says */
	uint64_t writes;     /* DWARF registers that it changes, if plain */
	uint64_t target;     /* of a branch; 0: not a branch, or an indirect one */
	uint64_t makes;      /* an address, or a number that may be one, that it puts into a
			      * register; 0: it does not */
	bool calls;          /* directly, or not */
	bool jumps, returns; /* a direct jump, conditional or not; a return */
	bool always_jumps;   /* a jump without a condition, also an indirect one; or a return */
	bool adds;           /* a sum of general registers or numbers */
	bool changes_sp;     /* the stack pointer, in whatever way */
	bool loads_sp;       /* sets the stack pointer to a value from elsewhere */
	/* where the stack pointer has its value of a function's entry: reads the return address;
	 * computes the stack pointer after the return */
	bool reads_return, takes_caller_sp;
	bool indexed; /* has an operand in memory whose address has an index */
	/* base register of its operand in memory, by DWARF, and the number added to it; -1: it has
	 * no such operand, or an indexed one */
	int base;
	int64_t disp;
	bool only_touches;   /* computes its address only, or leaves its value as it is */
	const char *refused; /* why kernels do not probe it; NULL: they do */
};

/* ------------------------------------------------------------- calling conventions */

enum abi_class {
	ABI_NONE,    /* nothing is passed */
	ABI_INTEGER, /* a general register */
	ABI_VECTOR,
	ABI_UNSAVED, /* as an argument in memory, as a result in a register that no hit has */
	ABI_MEMORY,
	ABI_UNKNOWN
};
enum { ABI_PARTS = 4 };
/* Passing of a value: its parts in registers of their classes, or all of it in memory (part[0]
 * is the memory class), or its address. */
struct abi {
	enum abi_class part[ABI_PARTS]; /* those that there are come first */
	unsigned part_bits;             /* of each, where there are several */
	uint64_t size;
	unsigned align; /* of the largest scalar, at most 16 bytes */
	bool reference, aggregate;
	unsigned nscalars;
	/* of the architecture, while it classifies */
	struct {
		unsigned size;
		uint64_t bytes;
		bool mixed;
	} floats;
};
/* A number in a value that is classified. */
struct abi_scalar {
	enum { SCALAR_INTEGER, SCALAR_FLOAT, SCALAR_LONG_DOUBLE, SCALAR_UNKNOWN } kind;
	uint64_t at, size;
	bool bit_field; /* its bytes need not be aligned */
};
struct convention {
	/* DWARF registers of integer arguments, in order */
	const int *arg_regs;
	int narg_regs, nvector_args;
	/* an argument that finds too few registers takes those that are left from all after it */
	bool overflow_ends_registers;
	/* a value aligned to 16 bytes begins at an even-numbered register */
	bool even_pairs;
	/* the address of a result in memory is passed as the first argument, not in a register of
	 * its own; then result_regs[0] has it at the return */
	bool result_address_is_argument;
	int result_regs[2];
	/* Called for each number of a type, then once for the whole. */
	void (*add_scalar)(struct abi *abi, const struct abi_scalar *scalar);
	void (*classify)(struct abi *abi);
	/* bytes that a call pushes on the stack: the return address, or nothing */
	unsigned call_pushes;
	/* DWARF registers that functions give back as they were */
	uint64_t saved_regs;
};

/* --------------------------------------------------------------------- SDT markers */

/* An operand of a marker, which the architecture's assembler has written. */
struct sdt_operand {
	enum { SDT_CONSTANT, SDT_REGISTER, SDT_VECTOR, SDT_MEMORY } kind;
	int64_t number;       /* the constant; of memory: the offset */
	int reg;              /* DWARF number, of SDT_VECTOR its own */
	unsigned size, shift; /* of a register: bytes, and bits that are below them */
	/* The address in memory is the sum of those that there are. */
	bool thread; /* the thread pointer */
	bool has_base, has_index;
	int base, index;
	unsigned index_size; /* bytes of the index that count */
	bool index_signed;
	int64_t scale;
	const char *symbol;
	size_t symbol_len;
	bool symbol_in_thread; /* stands for its offset from the thread pointer */
};

/* -------------------------------------------------------------------- architectures */

/* Relocation types of dynamic objects. */
struct relocations {
	uint32_t jump_slot, glob_dat; /* a function's address */
	uint32_t tls_module, tls_descriptor, tls_offset;
};

/* The rules by which stack maps for the runtime are made; NULL: none are. */
struct frame_rules {
	int fp_reg, return_reg; /* DWARF columns */
	int return_at;          /* from the frame's address on */
};

/* A system call, by name; -1: 64-bit programs, or 32-bit ones, do not have it. */
struct arch_call {
	const char *name;
	int number, number_32;
};

typedef void call_fn(uint64_t to, uint64_t ret, void *arg);

struct arch {
	const char *name, *alias; /* as -a and `%( arch == ... %)` take it */
	const char *triplet;      /* of libraries' directories */
	const char *kernel_arch;  /* its directory in the kernel's arch/ */
	const char *elf_machine;  /* in messages */
	uint16_t machine;         /* EM_ */
	bool has_runtime;
	bool has_x87; /* its long double has 80 bits in 16 bytes */
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
	const struct convention *convention;
	struct relocations relocations;
	const struct frame_rules *frames;
	/* Where the program's thread-local block begins, from the thread pointer on. */
	int64_t (*tls_block)(uint64_t size, uint64_t align);
	/* Reads TEXT, all of it; why it cannot be read, NULL: it can. */
	const char *(*sdt_operand)(const char *text, struct sdt_operand *out);
	/* The slot that the entry of a procedure linkage table at ADDR jumps through; *SKIP: bytes
	 * before what does so.  0: it is not an entry.  Entries begin at multiples of plt_align. */
	uint64_t (*plt_slot)(const unsigned char *code, size_t len, uint64_t addr, unsigned *skip);
	unsigned plt_align;
	/* Calls FN for what may be a call in CODE: direct, or through a word of memory at TO. */
	void (*calls)(const unsigned char *code, size_t len, uint64_t addr, call_fn *fn, void *arg);
	const struct arch_call *call_table;
	const size_t *ncall_table;
	/* of a system call: its number, its arguments, its result; reg_expr() takes them */
	int syscall_regs[7], syscall_result;
	/* Go's ABIInternal: DWARF registers of integers, in order, the first of floats and their
	 * number; the goroutine. */
	const int *go_regs;
	int ngo_regs, go_float, ngo_floats, go_current;
	/* Bytes from a Go function's entry to the end of its stack check; 0 if it has no stack
	 * check. */
	unsigned (*go_stack_check)(const unsigned char *code, size_t len);
	/* Bytes to skip from a function entry, see function_site(). */
	unsigned (*entry_skip)(const unsigned char *code, size_t len);
	bool (*decode)(const unsigned char *code, size_t len, uint64_t addr,
		       struct machine_insn *out);
	/* Is the instruction at CODE, of LEN bytes and more, one that debuggers write into
	 * programs? */
	bool (*is_breakpoint)(const unsigned char *code, size_t len);
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
	/* May an instruction in CODE use memory at the register REG, by DWARF the stack pointer or
	 * the frame pointer, plus DISP?  A quick search, which decode() is to confirm. */
	bool (*may_use)(const unsigned char *code, size_t len, int reg, int32_t disp);
	/* Where the file IMAGE that a kernel is booted from has vmlinux, packed, or its BTF. */
	bool (*boot_payload)(const char *image, size_t len, size_t *at, size_t *n);
};
extern const struct arch arch_arm64, arch_x86_64;
/* The architecture that ustap was built for, NULL: it is not known; that which programs and kernels
 * are of (-a). */
const struct arch *arch_host(void);
/* The architecture set by arch_set_target(), else the host's, else x86_64; never NULL. */
const struct arch *arch_target(void);
/* Select the architecture NAME, or one of its aliases, for the rest of the run. False: unknown
 * name; nothing changes. */
bool arch_set_target(const char *name);
/* That of an ELF file; NULL: it is not known. */
const struct arch *arch_of_machine(unsigned machine);
/* The name of ELF machine number MACHINE (e_machine) for messages, also of architectures that
 * ustap does not support; "machine N" if it is not listed. Constant or in the arena. */
const char *arch_machine_name(unsigned machine);
/* "arm64 and x86_64" */
const char *arch_names(void);

#endif
