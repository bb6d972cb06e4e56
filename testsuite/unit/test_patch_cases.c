/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with each form of instruction that is relocated, called before, while and after they
 * are patched.
 */
#include "inject/arch/insn.h"
#include "patch_test.h"
#include "inject/arch/arch.h"
#include "inject/patch/patch.h"
#include "inject/ptrace/ptrace.h"
#include "wire_process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

/* ------------------------------------------------------------------- forms */

uint64_t case_data[8], case_ptr;

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

/* Puts its own return address where the caller can compare it. */
__asm__(".pushsection .text\n"
	"case_callee: mov (%rsp), %rax; mov %rax, 8(%rsi); lea 5(%rdi), %rax; ret\n"
	".popsection");

FN(plain, AT(plain) "push %rbp; mov %rsp, %rbp; lea 9(%rdi,%rdx), %rax; pop %rbp; ret");
FN(endbr, AT(endbr) "endbr64; lea 7(%rdi), %rax; ret");
FN(behind_endbr, "endbr64;" AT(behind_endbr) "lea 7(%rdi,%rdx,2), %rax; ret");
FN(flags, "cmp %rdi, %rdx;" AT(flags) "lea 1(%rdi), %r8; mov %r8, %r9; setc %al; setg %ah; ret");
FN(rip_lea, AT(rip_lea) "lea case_data(%rip), %rax; mov %rax, (%rsi); ret");
FN(rip_load, AT(rip_load) "mov case_data+8(%rip), %rax; add %rdi, %rax; ret");
FN(rip_store, AT(rip_store) "add %rdx, case_data+16(%rip); mov case_data+16(%rip), %rax; ret");
FN(rip_imm32, AT(rip_imm32) "cmpl $0x12345678, case_data(%rip); seta %al; ret");
FN(rip_imm8, AT(rip_imm8) "addq $-3, case_data(%rip); mov case_data(%rip), %rax; ret");
FN(rip_imm16, AT(rip_imm16) "movw $0x1234, case_data+2(%rip); mov case_data(%rip), %rax; ret");
FN(rip_sse, AT(rip_sse) "movups case_data(%rip), %xmm0; movups %xmm0, (%rsi); ret");
FN(rip_two, AT(rip_two) "push case_data(%rip); pop %rax; ret");
FN(rip_push, "nop;" AT(rip_push) "pushq case_ptr(%rip); pop %rax; ret");
FN(call_rel, AT(call_rel) "call case_callee; inc %rax; ret");
FN(call_tls, AT(call_tls) ".byte 0x66, 0x66, 0x48; call case_callee; inc %rax; ret");
FN(call_next, AT(call_next) "call 1f; 1: pop %rax; ret");
FN(call_reg, "lea case_callee(%rip), %r10; push %rdi;" AT(
		     call_reg) "xor %r8d, %r8d; call *%r10; pop %rdx; ret");
FN(call_reg_rex,
   "lea case_callee(%rip), %r12; " AT(call_reg_rex) "mov %rdi, %rax; call *%r12; ret");
FN(call_rip, AT(call_rip) "call *case_ptr(%rip); inc %rax; ret");
FN(call_rsp, "push case_ptr(%rip);" AT(call_rsp) "mov %rdi, %r8; call *(%rsp); pop %rdx; ret");
FN(call_rsp8, "push case_ptr(%rip); push %rdi;" AT(
		      call_rsp8) "mov %rdi, %r8; call *8(%rsp); pop %rdx; pop %rdx; ret");
FN(call_rsp_near, "push case_ptr(%rip); lea -120(%rsp), %rsp;" AT(
			  call_rsp_near) "nop; call *120(%rsp); lea 128(%rsp), %rsp; ret");
FN(call_rsp_far, "push case_ptr(%rip); lea -512(%rsp), %rsp;" AT(
			 call_rsp_far) "call *512(%rsp); lea 520(%rsp), %rsp; ret");
FN(call_rsp_index, "push case_ptr(%rip); push %rdi; mov $1, %r9d;" AT(
			   call_rsp_index) "nop; call *(%rsp,%r9,8); pop %rdx; pop %rdx; ret");
FN(call_r12, "lea case_ptr(%rip), %r12;" AT(call_r12) "nop; call *(%r12); ret");
FN(call_r12_8, "lea case_ptr-8(%rip), %r12;" AT(call_r12_8) "call *8(%r12); ret");
FN(call_rbp, "push %rbp; push case_ptr(%rip); mov %rsp, %rbp;" AT(
		     call_rbp) "mov %edi, %eax; call *(%rbp); pop %rdx; pop %rbp; ret");
FN(call_index,
   "lea case_ptr(%rip), %r11; mov $3, %ecx;" AT(call_index) "call *-24(%r11,%rcx,8); ret");
FN(call_seg, "lea case_ptr(%rip), %r11;" AT(call_seg) "nop; ds call *(%r11); ret");
FN(call_last, "push %rbx;" AT(call_last) "mov $1, %eax; call case_callee; pop %rbx; ret");
FN(jmp_rel, AT(jmp_rel) "jmp case_callee");
FN(jmp_rel8, AT(jmp_rel8) "mov %rdi, %rax; jmp 1f; nop; nop; nop; 1: inc %rax; ret");
FN(jmp_rip, AT(jmp_rip) "jmp *case_ptr(%rip)");
FN(jmp_reg, AT(jmp_reg) "mov case_ptr(%rip), %rax; jmp *%rax");
FN(jmp_mem, AT(jmp_mem) "lea case_ptr(%rip), %rax; jmp *(%rax)");
FN(jcc_local, AT(jcc_local) "jz 1f; nop; 1: lea 1(%rdi), %rax; ret");
FN(jcc_self, "mov %rdi, %rax; and $15, %eax; inc %eax;" AT(
		     jcc_self) "dec %eax; js 2f; jnz jcc_self_at; 2: ret");
FN(jcc_far, AT(jcc_far) "jc case_callee; mov %rdx, %rax; ret");
FN(jcc_back,
   "jmp 2f; 1: mov %rdx, %rax; ret; 2: cmp %rdi, %rdx;" AT(jcc_back) "mov %rdi, %rax; jg 1b; ret");
FN(self_loop, "and $15, %ecx; inc %ecx; xor %eax, %eax;" AT(
		      self_loop) "add %rdi, %rax; loop self_loop_at; ret");
FN(loop_out, "mov $1, %eax;" AT(loop_out) "mov %rdi, %r8; loop 1f; inc %eax; 1: inc %eax; ret");
FN(loope_out, "mov $1, %eax;" AT(loope_out) "mov %rdi, %r8; loope 1f; inc %eax; 1: inc %eax; ret");
FN(loopne_out,
   "mov $1, %eax;" AT(loopne_out) "mov %rdi, %r8; loopne 1f; inc %eax; 1: inc %eax; ret");
FN(jrcxz_out, "mov $1, %eax; and $1, %ecx;" AT(
		      jrcxz_out) "mov %rdi, %r8; jrcxz 1f; inc %eax; 1: inc %eax; ret");
FN(jecxz_out, "mov $1, %eax;" AT(jecxz_out) "mov %rdi, %r8; jecxz 1f; inc %eax; 1: inc %eax; ret");
FN(jrcxz_local,
   "mov $1, %eax; and $1, %ecx;" AT(jrcxz_local) "jrcxz 1f; nop; 1: lea 1(%rax), %eax; ret");
FN(short_ret, AT(short_ret) "ret");
FN(short_two, AT(short_two) "xor %eax, %eax; ret");
FN(rep_ret, AT(rep_ret) "mov %edi, %eax; rep ret");
FN(ret_imm, "pop %rax; push %rdi; push %rax;" AT(ret_imm) "mov %rdi, %rax; ret $8");
FN(falls_through, AT(falls_through) "nop; nop; .nops 4; lea 2(%rdi), %rax; ret");
FN(push_rsp, AT(push_rsp) "push %rsp; pop %rax; sub %rsp, %rax; ret");
FN(pop_push, AT(pop_push) "pop %rax; push %rax; mov %rdi, %rax; ret");
FN(stack_args, AT(stack_args) "mov (%rsp), %rax; mov %rax, (%rsi); ret");
FN(enter_leave,
   AT(enter_leave) "enter $16, $0; mov %rdi, -8(%rbp); mov -8(%rbp), %rax; leave; ret");
FN(rep_movs, "cld; mov %rdi, %r8; lea 64(%rsi), %rdi; mov $8, %ecx; xor %eax, %eax;" AT(
		     rep_movs) "rep movsb; mov %ecx, %eax; mov $1, %edi; ret");
FN(system_call,
   AT(system_call) "push $39; pop %rax; syscall; xor %ecx, %ecx; xor %r11d, %r11d; ret");
FN(red_zone, "mov %rdi, -8(%rsp); mov %rdx, -128(%rsp);" AT(
		     red_zone) "mov -8(%rsp), %rax; mov -128(%rsp), %r9; add %r9, %rax; ret");
FN(red_zone_call, "mov %rdi, -16(%rsp); lea 3(%rdi), %eax;" AT(
			  red_zone_call) "cmp %rdi, -16(%rsp); sete %cl; ret");
FN(three_jcc, "cmp %rdi, %rdx;" AT(
		      three_jcc) "jo 1f; js 1f; jp 1f; xor %eax, %eax; ret; 1: mov $1, %eax; ret");
FN(far_jcc2, AT(far_jcc2) ".byte 0x0f, 0x82; .long case_callee - . - 4; mov %rdx, %rax; ret");
FN(atomic, AT(atomic) "lock addq $3, case_data(%rip); lock incq case_data+8(%rip); ret");

__asm__(".pushsection .patched, \"ax\"\n.balign 64\n.globl all_jcc\nall_jcc:\n"
	".irp cc, o,no,b,nb,z,nz,be,nbe,s,ns,p,np,l,nl,le,nle\n"
	"	.balign 64\n	lea 1(%rdi), %rax; j\\cc 1f; mov %rdx, %rax; ret; 1: inc %r8; ret\n"
	".endr\n.balign 64\n.popsection");
extern const uint8_t all_jcc[];

/* ------------------------------------------------------------------- cases */

enum {
	STATEMENT = 1,
	RETURNS = 2,
	PADDED = 4,
	NO_JUMP = 8,
	RIP = 16,
	LOOPS = 32,
	TAIL = 64 /* the called code stores the return address that it sees */
};

static const struct test {
	const char *name;
	const uint8_t *start, *end, *next, *at;
	unsigned flags;
} tests[] = {
#define T(name, flags)                                                 \
	{                                                              \
#name, name, name##_end, name##_next, name##_at, flags \
	}
	T(plain, RETURNS),
	T(endbr, RETURNS),
	T(behind_endbr, RETURNS),
	T(flags, STATEMENT),
	T(rip_lea, RETURNS | RIP),
	T(rip_load, RETURNS | RIP),
	T(rip_store, RETURNS | RIP),
	T(rip_imm32, RETURNS | RIP),
	T(rip_imm8, RETURNS | RIP),
	T(rip_imm16, RETURNS | RIP),
	T(rip_sse, RETURNS | RIP),
	T(rip_two, RETURNS | RIP),
	T(rip_push, RETURNS | RIP),
	T(call_rel, RETURNS),
	T(call_tls, RETURNS),
	T(call_next, RETURNS),
	T(call_reg, STATEMENT),
	T(call_reg_rex, STATEMENT),
	T(call_rip, RETURNS | RIP),
	T(call_rsp, STATEMENT),
	T(call_rsp8, STATEMENT),
	T(call_rsp_near, STATEMENT),
	T(call_rsp_far, STATEMENT),
	T(call_rsp_index, STATEMENT),
	T(call_r12, STATEMENT),
	T(call_r12_8, STATEMENT),
	T(call_rbp, STATEMENT),
	T(call_index, STATEMENT),
	T(call_seg, STATEMENT),
	T(call_last, STATEMENT),
	T(jmp_rel, RETURNS | TAIL),
	T(jmp_rel8, RETURNS),
	T(jmp_rip, RETURNS | RIP | TAIL),
	T(jmp_reg, RETURNS | RIP | TAIL),
	T(jmp_mem, RETURNS | RIP | TAIL),
	T(jcc_local, RETURNS),
	T(jcc_self, STATEMENT | LOOPS),
	T(jcc_far, RETURNS | TAIL),
	T(jcc_back, STATEMENT),
	T(self_loop, STATEMENT | LOOPS),
	T(loop_out, STATEMENT),
	T(loope_out, STATEMENT),
	T(loopne_out, STATEMENT),
	T(jrcxz_out, STATEMENT),
	T(jecxz_out, STATEMENT),
	T(jrcxz_local, STATEMENT),
	T(short_ret, RETURNS | PADDED),
	T(short_two, RETURNS | PADDED),
	T(rep_ret, RETURNS | PADDED),
	T(ret_imm, STATEMENT),
	T(falls_through, RETURNS),
	T(push_rsp, RETURNS),
	T(pop_push, RETURNS),
	T(stack_args, 0),
	T(enter_leave, RETURNS),
	T(rep_movs, STATEMENT),
	T(system_call, RETURNS),
	T(red_zone, STATEMENT),
	T(red_zone_call, STATEMENT),
	T(three_jcc, STATEMENT),
	T(far_jcc2, RETURNS | TAIL),
	T(atomic, RETURNS | RIP),
#undef T
};
enum { NTESTS = sizeof tests / sizeof tests[0], INPUTS = 100 };

static struct patch_site site_of(const struct test *t)
{
	return (struct patch_site){.addr = (uint64_t)t->at,
				   .text = t->start,
				   .start = (uint64_t)t->start,
				   .end = (uint64_t)t->end,
				   .next = (uint64_t)t->next,
				   .entry = !(t->flags & STATEMENT),
				   .n = 1,
				   .first = 3,
				   .rfirst = 4};
}

struct outcome {
	struct machine out;
	uint64_t scratch[32], data[8];
};

static void run_one(const struct test *t, unsigned i, struct outcome *o)
{
	static uint64_t scratch[32];
	struct machine in;
	unsigned k;
	uint64_t seed = i * 0x9e3779b97f4a7c15ull + 1;

	for (k = 0; k < sizeof in / 8; k++)
		((uint64_t *)&in)[k] = seed = (seed ^ seed >> 27) * 0x94d049bb133111ebull;
	for (k = 0; k < 32; k++)
		scratch[k] = seed = (seed ^ seed >> 31) * 0xbf58476d1ce4e5b9ull;
	for (k = 0; k < 8; k++)
		case_data[k] = scratch[k] ^ seed;
	in.r[15] = 0x202 | (in.r[15] & 0x8d5);
	in.r[4] = (uint64_t)scratch;
	if (i % 4 == 0)
		in.r[2] = i / 4 % 4;
	if (i % 4 == 1)
		in.r[3] = in.r[5];
	call_fn = t->start;
	call_with(&in, &o->out);
	memcpy(o->scratch, scratch, sizeof scratch);
	memcpy(o->data, case_data, sizeof case_data);
}

static struct outcome wanted[INPUTS], got[INPUTS];

static void run(const struct test *t, struct outcome *o)
{
	unsigned i;

	memset(o, 0, sizeof wanted);
	for (i = 0; i < INPUTS; i++)
		run_one(t, i, &o[i]);
}

static bool same(const struct test *t)
{
	unsigned i;

	run(t, got);
	for (i = 0; i < INPUTS && returns && t->flags & TAIL; i++)
		got[i].scratch[1] = wanted[i].scratch[1];
	return !memcmp(wanted, got, sizeof got);
}

static void verdict(const struct test *t, const char *how, bool ok, const char *why)
{
	char name[100];

	snprintf(name, sizeof name, "patch: %s, %s", t->name, how);
	check(ok, name, why ? why : "it does something else");
}

/* ----------------------------------------------------------------- by jump */

static struct test_area here, far_away;

static bool counted(const struct test *t, unsigned long n)
{
	return t->flags & LOOPS ? n > INPUTS : n == INPUTS;
}

static void with_patch(const struct test *t, const char *how, const struct patch *p,
		       struct test_area *a, bool entry)
{
	bool ok;

	patch_in(p, a);
	entries = returns = afters = 0;
	ok = same(t);
	patch_out(p);
	if (entry)
		ok &= counted(t, entries) && !returns;
	else
		ok &= returns == INPUTS && afters == INPUTS && !entries;
	verdict(t, how, ok, counted(t, entry ? entries : returns) ? NULL : "hits were not counted");
}

static void by_jump(const struct test *t, bool full)
{
	struct patch_site s = site_of(t);
	struct patch p;
	bool ok;

	s.full = full;
	ok = patch_plan(&p, &s, area_room(&here), (uint64_t)here.start);
	if (!ok || p.way != (t->flags & PADDED ? PATCH_PADDED : PATCH_JUMP))
		verdict(t, full ? "jump, all registers" : "jump", false,
			ok ? "the way is wrong" : p.why);
	else
		with_patch(t, full ? "jump, all registers" : "jump", &p, &here, true);
}

static void with_return(const struct test *t)
{
	struct patch_site s = site_of(t);
	struct patch p;

	s.rn = 1;
	if (!patch_plan(&p, &s, area_room(&here), (uint64_t)here.start))
		verdict(t, "return", false, p.why);
	else
		with_patch(t, "return", &p, &here, false);
}

/* ------------------------------------------------------------ by breakpoint */

static const struct patch *trapped;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)info;
	if (!trapped || (uint64_t)*pc != trapped->addr + 1)
		signal(sig, SIG_DFL);
	else
		*pc = trapped->stub;
}

static void by_trap(const struct test *t, struct test_area *a)
{
	const char *how = a == &here ? "breakpoint" : "breakpoint, trampoline far away";
	struct patch_site s = site_of(t);
	struct patch p;

	if (!patch_plan_trap(&p, &s, area_room(a), (uint64_t)a->start)) {
		verdict(t, how, a == &far_away && t->flags & RIP, p.why);
		return;
	}
	trapped = &p;
	with_patch(t, how, &p, a, true);
	trapped = NULL;
}

/* A pun works if the bytes after the first instruction lead to a free address range. */
static unsigned puns;

static void by_pun(const struct test *t)
{
	struct patch_site s = site_of(t);
	struct test_area a;
	struct patch p;
	uint64_t lo, hi, at;

	if (!patch_pun_range(&s, &lo, &hi))
		return;
	/* the table may precede the range */
	a = area_make(lo < 1 << 20 ? 0 : lo - 8192,
		      hi < lo + (1 << 20) ? hi + 8192 : lo + (1 << 20), 20480);
	if (!a.start)
		return;
	at = (lo - sizeof(struct ust_point) + 15) & ~15ull;
	if (at < area_room(&a))
		at = area_room(&a);
	if (!patch_plan_punned(&p, &s, at, 0, (uint64_t)a.start) || p.way != PATCH_PUNNED) {
		if (!(t->flags & RIP))
			verdict(t, "pun", false, p.why);
		return;
	}
	puns++;
	with_patch(t, "pun", &p, &a, true);
}

/* One byte: the jump can reach only one address, which needs a jump to the trampoline. */
static unsigned pads;

static void by_pad(const struct test *t)
{
	struct patch_site s = site_of(t);
	uint64_t pad = patch_pun_pad(&s), page = pad & ~4095ull;
	struct test_area a;
	struct patch p;
	int32_t d;

	if (pad < 1 << 20)
		return;
	a = area_make(page - 4096, page + 8192, 12288);
	if (!a.start ||
	    !patch_plan_punned(&p, &s, (pad + PAD_BYTES + 15) & ~15ull, pad, (uint64_t)a.start))
		return;
	d = (int32_t)(p.stub - (pad + PAD_BYTES));
	*(uint8_t *)pad = 0xe9;
	memcpy((void *)(pad + 1), &d, sizeof d);
	pads++;
	with_patch(t, "pun with a pad", &p, &a, true);
	verdict(t, "from the pad", patch_move_back(&p, pad) == p.addr, NULL);
}

/* ---------------------------------------------------------------- by group */

static unsigned groups;

/* One jump for the site and the one K bytes after it; a thread at the second site, whose bytes are
 * replaced, is moved to its trampoline. */
static void by_group(const struct test *t, unsigned k)
{
	struct patch_site s = site_of(t), second = s;
	const struct patch_site *const sites[] = {&s, &second};
	uint64_t at[] = {area_room(&here), area_room(&here) + STUB_BYTES};
	struct patch p[2], *const to[] = {&p[0], &p[1]};
	bool ok;

	second.addr += k;
	second.entry = false;
	if (!patch_plan_group(to, sites, 2, at, (uint64_t)here.start))
		return;
	groups++;
	memcpy((void *)p[1].at, p[1].code, p[1].code_len);
	here.used = p[1].at + p[1].code_len - (uint64_t)here.start;
	patch_in(&p[0], &here);
	entries = 0;
	ok = same(t);
	patch_out(&p[0]);
	verdict(t, "group", ok && entries > INPUTS, ok ? "hits were not counted" : NULL);
	verdict(t, "group, threads",
		patch_move(&p[1], second.addr) == p[1].stub &&
			patch_move_back(&p[1], p[1].stub) == second.addr,
		"a thread at the second site is not moved");
}

static void test_one(const struct test *t)
{
	run(t, wanted);
	verdict(t, "the test itself", same(t), NULL);
	by_jump(t, false);
	by_jump(t, true);
	if (t->flags & RETURNS)
		with_return(t);
	by_trap(t, &here);
	by_trap(t, &far_away);
	by_pun(t);
	by_pad(t);
	for (unsigned k = 1; k < JUMP_BYTES; k++)
		by_group(t, k);
	verdict(t, "removed", same(t), NULL);
}

static void test_jcc(void)
{
	static const char *const names[] = {"jo", "jno", "jb", "jnb", "jz", "jnz", "jbe", "jnbe",
					    "js", "jns", "jp", "jnp", "jl", "jnl", "jle", "jnle"};
	unsigned i;

	for (i = 0; i < 16; i++) {
		const uint8_t *f = all_jcc + 64 * i;
		struct test t = {names[i], f, f + 64, f + 64, f, RETURNS};

		test_one(&t);
		t.at = f + 4;
		t.flags = STATEMENT;
		run(&t, wanted);
		by_trap(&t, &here);
		by_trap(&t, &far_away);
	}
}

/* System calls that an instruction may make. */
static void test_calls(void)
{
	static const uint8_t plain_call[] = {0xb8, 14, 0, 0, 0, 0x0f, 0x05, 0xc3},
			     other[] = {0xb8, 12, 0, 0, 0, 0x89, 0xfe, 0x0f, 0x05, 0xc3},
			     by_register[] = {0xbb, 13, 0, 0, 0, 0x89, 0xd8, 0x0f, 0x05, 0xc3},
			     not_in_step[] = {0x68, 0xb8, 14, 0, 0, 0x0f, 0x05, 0xc3},
			     inside[] = {0xb8, 14, 0, 0, 0, 0x48, 0xb8, 0x0f,
					 0x05, 0,  0, 0, 0, 0,    0,    0xc3};
	static const struct {
		const char *name;
		const uint8_t *text;
		size_t size, at;
		bool may_be;
	} v[] = {{"in eax", plain_call, sizeof plain_call, 5, true},
		 {"another", other, sizeof other, 7, false},
		 {"by another register", by_register, sizeof by_register, 7, true},
		 {"no such constant", not_in_step, sizeof not_in_step, 5, false},
		 {"inside of an instruction", inside, sizeof inside, 7, false}};
	static const unsigned numbers[] = {13, 14};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		check(call_may_be(v[i].text, 0x1000, 0x1000 + v[i].size, 0x1000 + v[i].at, numbers,
				  2) == v[i].may_be,
		      "patch: system calls", v[i].name);
}

static void test_following_calls(void)
{
	/* mov $13, %eax; nop ...; syscall */
	uint8_t text[400] = {0xb8, 13, 0, 0, 0};
	/* mov $13, %eax; mov $0x50f, %ebx; ret */
	static const uint8_t inside[] = {0xb8, 13, 0, 0, 0, 0xbb, 0x0f, 0x05, 0, 0, 0xc3};

	memset(text + 5, 0x90, sizeof text - 5);
	check(!call_follows(text, sizeof text), "patch: a call follows", "none");
	text[398] = 0x0f;
	text[399] = 0x05;
	check(!call_follows(text, sizeof text), "patch: a call follows", "far away");
	check(call_follows(text + 200, sizeof text - 200), "patch: a call follows", "at the end");
	check(!call_follows(text + 200, sizeof text - 201), "patch: a call follows",
	      "behind the end");
	check(!call_follows(inside, sizeof inside), "patch: a call follows",
	      "inside of an instruction");
}

void test_cases(void)
{
	struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	uint64_t text = (uint64_t)plain & ~4095ull;
	unsigned i;

	case_ptr = (uint64_t)&case_data;
	__asm__("lea case_callee(%%rip), %0" : "=r"(case_ptr));
	sigaction(SIGTRAP, &trap, NULL);
	here = area_make(text - (1 << 28), text + (1 << 30), 1 << 20);
	far_away = area_make(0x2a0000000000, 0x2b0000000000, 1 << 20);
	if (!here.start || !far_away.start) {
		check(false, "patch: areas", "no room");
		return;
	}
	for (i = 0; i < NTESTS; i++)
		test_one(&tests[i]);
	test_jcc();
	test_calls();
	test_following_calls();
	check(puns > 5, "patch: puns were tried", "too few");
	check(pads > 2, "patch: puns with pads were tried", "too few");
	check(groups > 20, "patch: groups were tried", "too few");
}

/* ---------------------------------------------------------------- refusals */

FN(into_window, AT(into_window) "mov %rdi, %rax; 1: dec %rcx; jnz 1b; ret");
FN(tabled, "lea case_ptr(%rip), %rax;" AT(tabled) "mov %rdi, %r8; mov %rdi, %r9; jmp *(%rax)");
FN(tabled_long,
   "lea case_ptr(%rip), %rax;" AT(tabled_long) "mov $77, %r8d; mov %rdi, %r9; jmp *(%rax)");
FN(breakpoint, AT(breakpoint) "int3; mov %rdi, %rax; ret");
FN(breakpoint2, AT(breakpoint2) "mov %rdi, %rax; int3; nop; ret");
FN(damaged, AT(damaged) ".byte 0x06, 0x07; ret");
FN(damaged_later,
   "nop;" AT(damaged_later) "mov %rdi, %rax; mov %rdi, %rax; ret; .byte 0x06, 0x07, 0x06");
FN(middle, "movabs $0x9090909090909090, %rax;"
	   "ret;" AT(middle) "nop");
FN(call_inside, "lea case_callee(%rip), %rax;" AT(call_inside) "call *%rax; mov %rdi, %r8; ret");
FN(ends_inside, AT(ends_inside) "xor %eax, %eax; ret; 1: mov %rdi, %rax; ret; jmp 1b");
FN(cold, "cmp %rdi, %rdx; .byte 0x0f, 0x82; .long case_callee - . - 4;" AT(
		 cold) "mov %rdi, %rax; mov %rdi, %r8; ret");
FN(to_rsp, AT(to_rsp) "mov %rdi, %rax; call *%rsp; ret");
FN(operand16, AT(operand16) "nop; .byte 0x66, 0xe8, 0, 0; nop; nop; ret");
FN(addr32, AT(addr32) ".byte 0x67, 0x8b, 0x05; .long 0; ret");
TIGHT(tight, AT(tight) "xor %eax, %eax; ret");
TIGHT(tight_long, AT(tight_long) "lea 4(%rdi), %rax; ret");
/* the second half jumps into the first */
FN(entered_near, AT(entered_near) "mov %rdi, %rax; 1: inc %rax; ret; .balign 32; "
				  "entered_near_second: mov %rdx, %rax; jmp 1b");
FN(entered_far, AT(entered_far) "mov %rdi, %rax; 1: inc %rax; ret; .balign 32; entered_far_second: "
				"mov %rdx, %rax; .byte 0xe9; .long 1b - . - 4");
extern const uint8_t entered_near_second[], entered_far_second[];

static void refused_at(const char *name, const struct patch_site *s, const char *want, int line)
{
	char what[100], why[200];
	struct patch p;
	bool ok = !patch_plan(&p, s, area_room(&here), (uint64_t)here.start);

	snprintf(what, sizeof what, "refused: %s", name);
	snprintf(why, sizeof why, "line %d: %s", line, ok ? p.why : "it was not");
	check(ok && strstr(p.why, want), what, why);
}

#define SITE(name, flags) (&(struct test){#name, name, name##_end, name##_next, name##_at, flags})
#define REFUSED(name, flags, why)                                  \
	do {                                                       \
		struct patch_site s_ = site_of(SITE(name, flags)); \
		refused_at(#name, &s_, why, __LINE__);             \
	} while (0)

static void test_elsewhere(void)
{
	struct patch_text *all = patch_text_new(entered_near, entered_far_next + 64 - entered_near);
	struct patch_site s = site_of(SITE(entered_near, 0));
	struct patch p;

	s.next = s.end = (uint64_t)entered_near_second;
	check(patch_plan(&p, &s, area_room(&here), (uint64_t)here.start),
	      "entered from elsewhere: not seen", "refused");
	s.all = all;
	s.all_start = (uint64_t)entered_near;
	refused_at("entered by a near jump from elsewhere", &s, "branch", __LINE__);
	s = site_of(SITE(entered_far, 0));
	s.next = s.end = (uint64_t)entered_far_second;
	s.all = all;
	s.all_start = (uint64_t)entered_near;
	refused_at("entered by a far jump from elsewhere", &s, "branch", __LINE__);
	patch_text_free(all);
	all = patch_text_new(cold, cold_next - cold);
	s = site_of(SITE(cold, STATEMENT));
	s.all = all;
	s.all_start = (uint64_t)cold;
	check(patch_plan(&p, &s, area_room(&here), (uint64_t)here.start),
	      "another part that does not come back", p.why);
	patch_text_free(all);
}

static const char *group_why(const struct patch_site *s, const struct patch_site *second)
{
	const struct patch_site *const sites[] = {s, second};
	uint64_t at[] = {area_room(&here), area_room(&here) + STUB_BYTES};
	static struct patch p[2];
	struct patch *const to[] = {&p[0], &p[1]};

	return patch_plan_group(to, sites, 2, at, (uint64_t)here.start) ? "none" : p[0].why;
}

/* plain: push, mov of 3 bytes, lea of 5 bytes. */
static void test_group_limits(void)
{
	struct patch_site s = site_of(SITE(plain, 0)), b = s, odd;

	b.addr++;
	b.entry = false;
	check(!strcmp(group_why(&s, &b), "none"), "group", group_why(&s, &b));
	odd = b;
	odd.addr++;
	check(strstr(group_why(&s, &odd), "inside an instruction"),
	      "group: a site inside an instruction", group_why(&s, &odd));
	odd = b;
	odd.start = odd.addr;
	check(strstr(group_why(&s, &odd), "another probe site"), "group: another function",
	      group_why(&s, &odd));
	odd = b;
	odd.rn = 1;
	check(strstr(group_why(&s, &odd), "another probe site"), "group: a return probe",
	      group_why(&s, &odd));
	odd = b;
	odd.hook = UST_HOOK_EXEC;
	check(strstr(group_why(&s, &odd), "another probe site"), "group: a hook",
	      group_why(&s, &odd));
	odd = b;
	odd.limit = s.addr + 8;
	check(strstr(group_why(&s, &odd), "another probe site"), "group: a third site",
	      group_why(&s, &odd));
	/* the first instruction, of two bytes, jumps to another one in the window */
	s = b = site_of(SITE(jcc_local, 0));
	b.addr += 2;
	check(strcmp(group_why(&s, &b), "none"), "group: a branch within it", "it was not refused");
}

static void test_limits(void)
{
	struct patch_site s = site_of(SITE(plain, 0));
	struct patch p, q;
	uint64_t lo, hi;

	s.limit = s.addr + 4;
	refused_at("too near to another", &s, "another probe site", __LINE__);
	check(!patch_pun_range(&s, &lo, &hi), "refused: a pun over another", "it was not");
	s.limit = s.addr + 8; /* push, mov, lea: 9 bytes */
	refused_at("window goes over another", &s, "another probe site", __LINE__);
	s.limit = s.addr + 9;
	check(patch_plan(&p, &s, area_room(&here), (uint64_t)here.start) && p.len == 9,
	      "limit just behind", p.why);
	s.limit = 0;
	s.addr += 9;
	check(patch_plan_trap(&q, &s, area_room(&here), (uint64_t)here.start) &&
		      !patch_overlaps(&p, &q),
	      "neighbours", "they overlap");
	s.addr -= 5;
	check(patch_plan_trap(&q, &s, area_room(&here), (uint64_t)here.start) &&
		      patch_overlaps(&p, &q) && patch_overlaps(&q, &p),
	      "overlap", "not seen");
	check(p.nmap == 3 && patch_move(&p, p.addr + 1) == p.stub + p.map[1].to &&
		      !patch_move(&p, p.addr) && !patch_move(&p, p.addr + 2) &&
		      patch_move_back(&p, p.stub + p.map[2].to) == p.addr + 4 &&
		      patch_move_back(&p, p.stub) == p.addr && !patch_move_back(&p, p.stub + 3),
	      "threads inside move", "to elsewhere");
	s.addr -= 4;
	check(!patch_plan(&p, &s, 1ull << 45, 1ull << 45) && strstr(p.why, "out of range"),
	      "refused: trampoline too far away", "not");
}

static void test_point(void)
{
	struct patch_site s = site_of(SITE(red_zone, STATEMENT));
	struct patch p;
	struct ust_point point;

	s.full = true;
	s.hook = UST_HOOK_EXEC;
	patch_plan(&p, &s, area_room(&here), (uint64_t)here.start);
	memcpy(&point, p.code, sizeof point);
	check(point.addr == s.addr && point.first == 3 && point.rfirst == 4 && point.n == 1 &&
		      !point.rn && point.hook == UST_HOOK_EXEC &&
		      point.flags == (UST_POINT_FULL | UST_POINT_RED_ZONE),
	      "point", "wrong");
	s = site_of(SITE(plain, 0));
	s.hook = UST_HOOK_PHDR;
	patch_plan_trap(&p, &s, area_room(&here), (uint64_t)here.start);
	memcpy(&point, p.code, sizeof point);
	check(point.body == UST_STUB_AFTER + 1 && point.flags == UST_POINT_TRAP,
	      "point with returns", "wrong");
}

/* Plans are consistent for any bytes. */
static void test_random(void)
{
	uint8_t *text = malloc(64);
	unsigned i, k, planned = 0;
	bool ok = true;

	for (i = 0; i < 100000; i++) {
		struct patch_site s = {.addr = 0x10000000 + i % 3,
				       .text = text,
				       .start = 0x10000000,
				       .next = 0x10000040,
				       .end = 0x10000040 - i % 64,
				       .limit = i & 4 ? 0x10000000 + i % 70 : 0,
				       .entry = i & 8,
				       .n = 1,
				       .rn = i >> 4 & 1};
		struct patch p;
		uint64_t lo, hi;

		for (k = 0; k < 64; k++)
			text[k] = random64() >> 17;
		if (patch_plan(&p, &s, 0x20000000, 0x1ffff000)) {
			planned++;
			ok &= p.len >= 5 && p.len <= PATCH_BYTES && p.code_len <= STUB_BYTES &&
			      p.nmap <= PATCH_MAP && (!s.limit || s.addr + p.len <= s.limit);
		}
		patch_pun_range(&s, &lo, &hi);
		patch_plan_punned(&p, &s, 0x20000000, 0, 0x1ffff000);
		ok &= !patch_plan_trap(&p, &s, 0x20000000, 0x1ffff000) ||
		      (p.len == 1 && p.code_len <= STUB_BYTES);
	}
	free(text);
	check(ok && planned > 1000, "random bytes", "a plan that cannot be");
}

void test_refusals(void)
{
	struct test odd = *SITE(middle, 0);

	REFUSED(into_window, 0, "a branch targets");
	REFUSED(tabled, STATEMENT, "unknown targets");
	REFUSED(breakpoint, 0, "breakpoint");
	REFUSED(breakpoint2, 0, "breakpoint");
	REFUSED(damaged, 0, "instruction");
	REFUSED(damaged_later, STATEMENT, "cannot be decoded");
	REFUSED(call_inside, STATEMENT, "return into");
	REFUSED(ends_inside, 0, "padding");
	REFUSED(cold, STATEMENT, "cold part");
	REFUSED(to_rsp, 0, "relative to rsp");
	REFUSED(operand16, 0, "operand-size");
	REFUSED(addr32, 0, "relative to eip");
	REFUSED(tight, 0, "too short");
	odd.at = odd.start + 4;
	{
		struct patch_site s = site_of(&odd);

		refused_at("not at an instruction", &s, "no instruction starts", __LINE__);
	}
	run(SITE(tight_long, 0), wanted);
	by_jump(SITE(tight_long, 0), false);
	run(SITE(tabled_long, STATEMENT), wanted);
	by_jump(SITE(tabled_long, STATEMENT), false);
	test_elsewhere();
	test_limits();
	test_group_limits();
	test_point();
	test_random();
}
