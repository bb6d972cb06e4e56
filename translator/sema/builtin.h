/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: the functions that the runtime implements.  */
#ifndef USTAP_BUILTIN_H
#define USTAP_BUILTIN_H

#include "parse/node.h"

struct program;

enum builtin_flags {
	BF_PURE = 1,
	BF_USER_READ = 2,
	BF_SITE = 4, /* needs a site (ppfunc) */
	BF_CAN_FAIL = 8,
	BF_ALL_REGS = 16,   /* reads any register */
	BF_NO_CTX = 32,     /* leaves its context alone, which may be 0 */
	BF_STACK = 64,      /* walks the stack, or names addresses */
	BF_MATCH = 128,     /* of the last =~ */
	BF_TOKENS = 256,    /* keeps a string in the context */
	BF_REGS = 512,      /* reads registers */
	BF_GURU = 1024,     /* changes what the program does */
	BF_LINES = 2048,    /* names lines of addresses */
	BF_NAMES = 4096,    /* of probes in the script */
	BF_FRAMES = 8192,   /* shows inlined functions, too */
	BF_KERNEL = 16384,  /* only the kernel runtime has it */
	BF_READ = 32768,    /* reads registers, or memory of the kernel, and does nothing else */
	BF_FILE = 65536,    /* in procfs probes only */
	BF_PACKET = 131072, /* in netfilter probes only */
	BF_CLOCK = 524288,  /* gives the time; takes no arguments */
	BF_DEEP = 262144,   /* takes more than a kilobyte of the stack */
	BF_HIT = 2097152,   /* user runtime only: is called with the hit, without a context */
	BF_USER = 4194304,  /* only the user runtime has it */
	BF_WALK = 1048576,  /* with BF_STACK: does so only where it needs more than stack maps */
};

struct builtin {
	const char *name;
	enum type ret; /* T_UNKNOWN: no value */
	enum type args[6];
	int nargs;
	unsigned flags;
	const char *cname; /* ustap_builtins.h; called cname(c, [dst,] args...) */
};

/* The builtin NAME; NULL: none. A constant row of a table. */
const struct builtin *builtin_find(const char *name);
void builtin_names(name_vec *out); /* those that scripts may call */
/* builtin_check.c: report probes that call what is for others, once all points are resolved. */
void check_builtins(const struct program *p);

#endif
