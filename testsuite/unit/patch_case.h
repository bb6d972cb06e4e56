/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions in assembler with a probe site each, for the files of test_patch. */
#ifndef PATCH_CASE_H
#define PATCH_CASE_H

#include <stdint.h>

#include "inject/patch/patch.h"
#include "patch_test.h"

/* A function has NAME, NAME_end, NAME_next; NAME_at is the probe site. */
#define FN(name, body)                                                                          \
	extern const uint8_t name[], name##_end[], name##_next[], name##_at[];                  \
	__asm__(".pushsection .patched, \"ax\"\n\t.balign 64, 0x90\n\t.globl " #name ", " #name \
		"_end, " #name "_next, " #name "_at\n" #name ":\n" body "\n" #name              \
		"_end:\n\t.balign 64\n" #name "_next:\n.popsection")
#define AT(name) #name "_at: "
/* The same, directly followed by another function. */
#define TIGHT(name, body)                                                                         \
	extern const uint8_t name[], name##_end[], name##_next[], name##_at[];                    \
	__asm__(".pushsection .patched, \"ax\"\n\t.balign 64, 0x90\n\t.globl " #name ", " #name   \
		"_end, " #name "_next, " #name "_at\n" #name ":\n" body "\n" #name "_end: " #name \
		"_next: push %rbx; mov %rdi, %rbx; pop %rbx; ret; .balign 64\n.popsection")

/* Properties of a function, which decide how it is tested. */
enum {
	STATEMENT = 1,
	RETURNS = 2,
	PADDED = 4,
	NO_JUMP = 8,
	RIP = 16,
	LOOPS = 32,
	TAIL = 64 /* the called code stores the return address that it sees */
};

struct patch_case {
	const char *name;
	const uint8_t *start, *end, *next, *at;
	unsigned flags;
};
#define CASE(name, flags)                                              \
	{                                                              \
#name, name, name##_end, name##_next, name##_at, flags \
	}

/* Room for trampolines near the functions; test_cases() makes it. */
extern struct test_area near_area;
/* The probe site of T. */
struct patch_site case_site(const struct patch_case *t);
/* Check that T takes a jump, and does the same with it as without. */
void case_test_jump(const struct patch_case *t);

#endif
