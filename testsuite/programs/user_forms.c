/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls the functions of user_forms.S, each three times, and counts those that did not what they
 * should.  `forms PREFIX [all]' calls those whose names begin so (and names each).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

long call_form(long fn, long a, long b, long *wrong);
extern char form_returns_to[], form_helper[];

struct form {
	const char *name;
	long fn;
	long (*want)(long a, long b);
};

static long same(long a, long b) { return a; }
static long plus1(long a, long b) { return a + 1; }
static long plus2(long a, long b) { return a + 2; }
static long plus3(long a, long b) { return a + 3; }
static long plus4(long a, long b) { return a + 4; }
static long plus1000(long a, long b) { return a + 1000; }
static long w0(long a, long b) { return 0; }
static long w1(long a, long b) { return 1; }
static long w2(long a, long b) { return 2; }
static long w3(long a, long b) { return 3; }
static long w4(long a, long b) { return 4; }
static long w5(long a, long b) { return 5; }
static long w42(long a, long b) { return 42; }
static long w77(long a, long b) { return 77; }
static long w1000(long a, long b) { return 1000; }
static long w1234567(long a, long b) { return 1234567; }
static long big(long a, long b) { return 0x123456789abcdef; }
static long less(long a, long b) { return a < 1000; }
static long sign(long a, long b) { return a < 0 ? 2 : 1; }
static long carry(long a, long b) { return a & 1; }
static long carry2(long a, long b) { return a & 1 ? 2 : 1; }
static long adc(long a, long b) { return a + (a & 1); }
static long times3(long a, long b) { return 3 * a; }
static long pid(long a, long b) { return getpid(); }
static long back(long a, long b) { return (long)form_returns_to; }

#define FORMS(F) \
	F(f_ret, same) F(f_rep_ret, same) F(f_nop, same) F(f_short, same) F(f_short_int3, same) \
	F(f_short_zero, same) F(f_lea_rip, plus1000) F(f_lea_self, self) F(f_mov_load, plus1000) \
	F(f_mov_store, same) F(f_mov_imm, w77) F(f_cmp_imm8, w1) F(f_cmp_imm32, w1) F(f_cmp_reg, less) \
	F(f_push_rip, w1000) F(f_second_rip, plus1000) F(f_two_rip, w1000) F(f_xadd, same) F(f_sse, w1000) \
	F(f_cvt, w5) F(f_fs, w0) F(f_jmp_rip, plus2) F(f_call_rip, plus3) F(f_call_near, plus3) \
	F(f_call_second, plus3) F(f_call_data16, plus3) F(f_call_next, w1000) F(f_call_reg, plus3) \
	F(h_call_window, plus3) F(h_call_window2, plus4) F(h_call_stack, plus2) F(f_jmp_near, plus2) \
	F(f_jmp_bnd, plus2) F(f_jmp_short, plus1) F(h_jmp_inside, plus1) F(f_jmp_reg, plus2) \
	F(f_jmp_notrack, plus2) F(f_jcc_forward, sign) F(f_jcc_far, sign) F(f_jcc_back, sign) \
	F(f_jcc_first, carry2) F(f_jcc_two, carry2) F(f_adc, adc) F(f_jrcxz, w3) F(f_jrcxz_not, w4) \
	F(f_jecxz, w4) F(f_loop_inside, plus3) F(f_loop_back, w2) F(f_loopne, w2) F(f_loope, w2) \
	F(h_into, w3) F(h_into_late, times3) F(f_push_rsp, w0) F(f_pop_push, same) \
	F(f_stack_argument, w42) F(f_sub_rsp, w42) F(f_enter, w42) F(f_push_imm, w1234567) F(f_pushf, carry) \
	F(f_red_zone, same) F(f_endbr, same) F(f_endbr_short, same) F(f_movabs, big) F(f_long_nop, same) \
	F(f_patchable, same) F(f_movs, w1000) F(f_rep_first, w0) F(f_syscall, pid) F(f_syscall_rcx, pid) \
	F(f_frame, same) F(f_odd, plus3) F(f_exact, plus1) F(f_adjacent, plus2) F(f_adjacent_too, plus3) \
	F(e_return_address, back) F(e_pop_return, plus1) F(e_push_ret, plus2) F(e_move_stack, same) \
	F(d_one, same) F(d_two, same) F(d_three, same) F(d_four, same) F(d_five, same) F(d_six, same) F(d_seven, w0)

#define DECLARE(name, want) extern char name[];
#define ROW(name, want) {#name, (long)name, want},
FORMS(DECLARE)

static long self(long a, long b) { return (long)f_lea_self; }

int main(int argc, char **argv)
{
	static const long values[] = {7, 0x7ffffff0, -12};
	struct form forms[] = {FORMS(ROW)};
	const char *prefix = argc > 1 ? argv[1] : "";
	int n = 0, bad = 0;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct form *f = &forms[i];
		int right = 0;

		if (strncmp(f->name, prefix, strlen(prefix)))
			continue;
		for (int k = 0; k < 3; k++) {
			long a = k == 1 && *prefix == 'd' ? 8 : values[k], b = (long)form_helper, wrong;
			long got, want = f->want(a, b);

			got = call_form(f->fn, a, b, &wrong);
			/* instructions on 32 bits */
			if (f->want == times3 || !strcmp(f->name, "f_loop_inside"))
				got = (int)got, want = (int)want;
			if (!strcmp(f->name, "d_five"))
				want = (unsigned)want;
			if (got == want && !wrong)
				right++;
			else
				printf("%s(%ld): %#lx instead of %#lx, registers %#lx\n", f->name, a, got, want, wrong);
		}
		n++;
		bad += right != 3;
		if (argc > 2)
			printf("%s %s\n", right == 3 ? "ok" : "wrong", f->name);
	}
	printf("%d forms, %d wrong\n", n, bad);
	return bad != 0;
}
