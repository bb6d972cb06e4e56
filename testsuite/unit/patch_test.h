/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between the files of test_patch. */
#ifndef PATCH_TEST_H
#define PATCH_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/patch/patch.h"
#include "staprun_check.h"
#include "wire_agent.h"
#include "wire_process.h"

/* An area of trampolines in this process. */
struct test_area {
	uint8_t *start;
	size_t size, used;
};
/* Map one within [LO, HI]; start is NULL if there is no room. */
struct test_area area_make(uint64_t lo, uint64_t hi, size_t size);
/* Address for the next trampoline in it, 16-byte aligned. */
uint64_t area_room(const struct test_area *a);
/* Write P's trampoline and code, or restore the original code. */
void patch_in(const struct patch *p, struct test_area *a);
void patch_out(const struct patch *p);
void make_writable(uint64_t addr, size_t size);

/* Counts of the common code. */
extern unsigned long entries, returns, afters;
/* The table of slots. */
extern struct ust_layout fake;
enum { FAKE_SLOTS = 1 << 18 };
extern struct ust_slot fake_slots[FAKE_SLOTS];
/* True for addresses in the areas, to which returns lead. */
bool in_areas(uint64_t addr);

/* Call FN with registers IN, and store the registers after it in OUT; 0 rax, 1 rbx, 2 rcx, 3 rdx, 4
 * rsi, 5 rdi, 6 rbp, 7 to 14 r8 to r15, 15 flags. */
struct machine {
	uint64_t r[16], xmm[2][2];
};
void call_with(const struct machine *in, struct machine *out);
extern const void *call_fn;

void test_cases(void);
void test_refusals(void);
void test_unwinding(void);
void test_bulk(void);

#endif
