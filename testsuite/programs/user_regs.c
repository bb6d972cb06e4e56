/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls target() with all registers and flags known, and with all known when it returns; says which
 * of them arrive changed.  `regs N': N rounds (300).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
	uint64_t general[16], flags, mxcsr, pad[2];
	uint8_t vectors[16][32];
};
struct image entering, entered, leaving, left;
uint64_t entered_rsp, called_rsp, back_rsp, saved_rsp;
uint32_t saved_mxcsr;
uint8_t have_avx;
double x87;
void call_target(long misalign);

enum { CARRY = 1, PARITY = 4, ADJUST = 0x10, ZERO = 0x40, SIGN = 0x80, DIRECTION = 0x400, OVERFLOW = 0x800 };
enum { FLAGS = CARRY | PARITY | ADJUST | ZERO | SIGN | DIRECTION | OVERFLOW };

static int bad;

static void fill(struct image *to, int round)
{
	uint8_t *p = (uint8_t *)to;

	for (size_t i = 0; i < sizeof *to; i++)
		p[i] = (uint8_t)rand();
	to->flags = 0x202 | ((uint64_t)rand() & FLAGS);
	/* masked exceptions, any rounding, flush to zero */
	to->mxcsr = 0x1f80 | ((unsigned)rand() & 0xe040);
}

static void compare(const char *where, const struct image *want, const struct image *got)
{
	static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9",
					    "r10", "r11", "r12", "r13", "r14", "r15"};

	for (int i = 0; i < 16; i++)
		if (i != 4 && want->general[i] != got->general[i] && ++bad < 30)
			printf("%s: %s is %#lx, not %#lx\n", where, names[i], got->general[i], want->general[i]);
	if ((want->flags ^ got->flags) & FLAGS && ++bad < 30)
		printf("%s: flags are %#lx, not %#lx\n", where, got->flags & FLAGS, want->flags & FLAGS);
	if ((uint32_t)want->mxcsr != (uint32_t)got->mxcsr && ++bad < 30)
		printf("%s: mxcsr is %#x, not %#x\n", where, (unsigned)got->mxcsr, (unsigned)want->mxcsr);
	for (int i = 0; i < 16; i++)
		if (memcmp(want->vectors[i], got->vectors[i], have_avx ? 32 : 16) && ++bad < 30)
			printf("%s: vector register %d has changed\n", where, i);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300;

	have_avx = __builtin_cpu_supports("avx") != 0;
	for (int i = 0; i < rounds; i++) {
		fill(&entering, i);
		fill(&leaving, i);
		x87 = 0;
		call_target(i % 3 * 8);
		compare("entry", &entering, &entered);
		compare("return", &leaving, &left);
		if (entered_rsp != called_rsp - 8 || back_rsp != called_rsp)
			bad++, printf("rsp: %#lx, %#lx, %#lx\n", called_rsp, entered_rsp, back_rsp);
		if (x87 != 1)
			bad++, printf("x87: %g\n", x87);
	}
	printf("%d rounds, %d wrong\n", rounds, bad);
	return bad != 0;
}
