/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with each form of instruction that is relocated, called before, while and after they
 * are patched.
 */
#include "inject/arch/insn.h"
#include "patch_case.h"
#include "patch_test.h"
#include "inject/arch/arch.h"
#include "inject/patch/arm.h"
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

/* Puts its own return address where the caller can compare it. */
__asm__(".pushsection .text\n"
	".globl case_callee; case_callee: mov (%rsp), %rax; mov %rax, 8(%rsi); lea 5(%rdi), %rax; "
	"ret\n"
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

static const struct patch_case cases[] = {
	CASE(plain, RETURNS),
	CASE(endbr, RETURNS),
	CASE(behind_endbr, RETURNS),
	CASE(flags, STATEMENT),
	CASE(rip_lea, RETURNS | RIP),
	CASE(rip_load, RETURNS | RIP),
	CASE(rip_store, RETURNS | RIP),
	CASE(rip_imm32, RETURNS | RIP),
	CASE(rip_imm8, RETURNS | RIP),
	CASE(rip_imm16, RETURNS | RIP),
	CASE(rip_sse, RETURNS | RIP),
	CASE(rip_two, RETURNS | RIP),
	CASE(rip_push, RETURNS | RIP),
	CASE(call_rel, RETURNS),
	CASE(call_tls, RETURNS),
	CASE(call_next, RETURNS),
	CASE(call_reg, STATEMENT),
	CASE(call_reg_rex, STATEMENT),
	CASE(call_rip, RETURNS | RIP),
	CASE(call_rsp, STATEMENT),
	CASE(call_rsp8, STATEMENT),
	CASE(call_rsp_near, STATEMENT),
	CASE(call_rsp_far, STATEMENT),
	CASE(call_rsp_index, STATEMENT),
	CASE(call_r12, STATEMENT),
	CASE(call_r12_8, STATEMENT),
	CASE(call_rbp, STATEMENT),
	CASE(call_index, STATEMENT),
	CASE(call_seg, STATEMENT),
	CASE(call_last, STATEMENT),
	CASE(jmp_rel, RETURNS | TAIL),
	CASE(jmp_rel8, RETURNS),
	CASE(jmp_rip, RETURNS | RIP | TAIL),
	CASE(jmp_reg, RETURNS | RIP | TAIL),
	CASE(jmp_mem, RETURNS | RIP | TAIL),
	CASE(jcc_local, RETURNS),
	CASE(jcc_self, STATEMENT | LOOPS),
	CASE(jcc_far, RETURNS | TAIL),
	CASE(jcc_back, STATEMENT),
	CASE(self_loop, STATEMENT | LOOPS),
	CASE(loop_out, STATEMENT),
	CASE(loope_out, STATEMENT),
	CASE(loopne_out, STATEMENT),
	CASE(jrcxz_out, STATEMENT),
	CASE(jecxz_out, STATEMENT),
	CASE(jrcxz_local, STATEMENT),
	CASE(short_ret, RETURNS | PADDED),
	CASE(short_two, RETURNS | PADDED),
	CASE(rep_ret, RETURNS | PADDED),
	CASE(ret_imm, STATEMENT),
	CASE(falls_through, RETURNS),
	CASE(push_rsp, RETURNS),
	CASE(pop_push, RETURNS),
	CASE(stack_args, 0),
	CASE(enter_leave, RETURNS),
	CASE(rep_movs, STATEMENT),
	CASE(system_call, RETURNS),
	CASE(red_zone, STATEMENT),
	CASE(red_zone_call, STATEMENT),
	CASE(three_jcc, STATEMENT),
	CASE(far_jcc2, RETURNS | TAIL),
	CASE(atomic, RETURNS | RIP),
};
enum { NCASES = sizeof cases / sizeof cases[0], INPUTS = 100 };

struct patch_site case_site(const struct patch_case *t)
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

static void run_one(const struct patch_case *t, unsigned i, struct outcome *o)
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

static void run(const struct patch_case *t, struct outcome *o)
{
	unsigned i;

	memset(o, 0, sizeof wanted);
	for (i = 0; i < INPUTS; i++)
		run_one(t, i, &o[i]);
}

static bool same(const struct patch_case *t)
{
	unsigned i;

	run(t, got);
	for (i = 0; i < INPUTS && returns && t->flags & TAIL; i++)
		got[i].scratch[1] = wanted[i].scratch[1];
	return !memcmp(wanted, got, sizeof got);
}

static void verdict(const struct patch_case *t, const char *how, bool ok, const char *why)
{
	char name[100];

	snprintf(name, sizeof name, "patch: %s, %s", t->name, how);
	check(ok, name, why ? why : "it does something else");
}

/* ----------------------------------------------------------------- by jump */

struct test_area near_area;
static struct test_area far_away;

static bool counted(const struct patch_case *t, unsigned long n)
{
	return t->flags & LOOPS ? n > INPUTS : n == INPUTS;
}

static void with_patch(const struct patch_case *t, const char *how, const struct patch *p,
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

static void by_jump(const struct patch_case *t, bool full)
{
	struct patch_site s = case_site(t);
	struct patch p;
	bool ok;

	s.full = full;
	ok = patch_plan(&p, &s, area_room(&near_area), (uint64_t)near_area.start);
	if (!ok || p.way != (t->flags & PADDED ? PATCH_PADDED : PATCH_JUMP))
		verdict(t, full ? "jump, all registers" : "jump", false,
			ok ? "the way is wrong" : p.why);
	else
		with_patch(t, full ? "jump, all registers" : "jump", &p, &near_area, true);
}

void case_test_jump(const struct patch_case *t)
{
	run(t, wanted);
	by_jump(t, false);
}

static void with_return(const struct patch_case *t)
{
	struct patch_site s = case_site(t);
	struct patch p;

	s.rn = 1;
	if (!patch_plan(&p, &s, area_room(&near_area), (uint64_t)near_area.start))
		verdict(t, "return", false, p.why);
	else
		with_patch(t, "return", &p, &near_area, false);
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

static void by_trap(const struct patch_case *t, struct test_area *a)
{
	const char *how = a == &near_area ? "breakpoint" : "breakpoint, trampoline far away";
	struct patch_site s = case_site(t);
	struct patch p;

	if (!patch_plan_trap(&p, &s, area_room(a), (uint64_t)a->start)) {
		verdict(t, how, a == &far_away && t->flags & RIP, p.why);
		return;
	}
	trapped = &p;
	with_patch(t, how, &p, a, true);
	trapped = NULL;
}

/* A later run knows the code from the record alone. */
static bool same_in_record(const struct patch *p)
{
	struct ust_record r;
	struct patch q;

	record_fill(&r, p);
	return record_read(&r, NULL, &q) && q.len == p->len &&
	       !memcmp(q.new_text, p->new_text, p->len) && !memcmp(q.old_text, p->old_text, p->len);
}

/* A pun works if the bytes after the first instruction lead to a free address range; prefixes make
 * it other bytes. */
static unsigned puns[JUMP_PREFIXES + 1];

static void by_pun(const struct patch_case *t, unsigned prefix)
{
	struct patch_site s = case_site(t);
	struct test_area a;
	struct patch p;
	uint64_t lo, hi, at;

	if (!patch_pun_range(&s, prefix, &lo, &hi))
		return;
	/* the table may precede the range */
	a = area_make(lo < 1 << 20 ? 0 : lo - 8192,
		      hi < lo + (1 << 20) ? hi + 8192 : lo + (1 << 20), 20480);
	if (!a.start)
		return;
	at = (lo - sizeof(struct ust_point) + 15) & ~15ull;
	if (at < area_room(&a))
		at = area_room(&a);
	if (!patch_plan_punned(&p, &s, prefix, at, 0, (uint64_t)a.start) || p.way != PATCH_PUNNED) {
		if (!(t->flags & RIP))
			verdict(t, "pun", false, p.why);
		return;
	}
	puns[prefix]++;
	with_patch(t, prefix ? "pun behind prefixes" : "pun", &p, &a, true);
	verdict(t, "pun, records", same_in_record(&p), "they differ");
}

/* The jump can reach only one address, which needs a jump to the trampoline: one byte, or prefixes
 * in all others. */
static unsigned pads[JUMP_PREFIXES + 1];

static void by_pad(const struct patch_case *t, unsigned prefix)
{
	struct patch_site s = case_site(t);
	uint64_t pad = patch_pun_pad(&s, prefix), page = pad & ~4095ull;
	struct test_area a;
	struct patch p;
	int32_t d;

	if (pad < 1 << 20)
		return;
	a = area_make(page - 4096, page + 8192, 12288);
	if (!a.start || !patch_plan_punned(&p, &s, prefix, (pad + PAD_BYTES + 15) & ~15ull, pad,
					   (uint64_t)a.start))
		return;
	d = (int32_t)(p.stub - (pad + PAD_BYTES));
	*(uint8_t *)pad = 0xe9;
	memcpy((void *)(pad + 1), &d, sizeof d);
	pads[prefix]++;
	with_patch(t, prefix ? "pun behind prefixes with a pad" : "pun with a pad", &p, &a, true);
	verdict(t, "pun with a pad, records", same_in_record(&p), "they differ");
	verdict(t, "from the pad", patch_move_back(&p, pad) == p.addr, NULL);
}

/* ---------------------------------------------------------------- by group */

static unsigned groups;

/* One jump for the site and the one K bytes after it; a thread at the second site, whose bytes are
 * replaced, is moved to its trampoline. */
static void by_group(const struct patch_case *t, unsigned k)
{
	struct patch_site s = case_site(t), second = s;
	const struct patch_site *const sites[] = {&s, &second};
	uint64_t at[] = {area_room(&near_area), area_room(&near_area) + STUB_BYTES};
	struct patch p[2], *const to[] = {&p[0], &p[1]};
	bool ok;

	second.addr += k;
	second.entry = false;
	if (!patch_plan_group(to, sites, 2, at, (uint64_t)near_area.start))
		return;
	groups++;
	memcpy((void *)p[1].at, p[1].code, p[1].code_len);
	near_area.used = p[1].at + p[1].code_len - (uint64_t)near_area.start;
	patch_in(&p[0], &near_area);
	entries = 0;
	ok = same(t);
	patch_out(&p[0]);
	verdict(t, "group", ok && entries > INPUTS, ok ? "hits were not counted" : NULL);
	verdict(t, "group, threads",
		patch_move(&p[1], second.addr) == p[1].stub &&
			patch_move_back(&p[1], p[1].stub) == second.addr,
		"a thread at the second site is not moved");
}

/* ------------------------------------------------------------ by joined jumps */

/* Joined jumps, with a trampoline and with a pad. */
static unsigned joined, joined_pads, joined_prefixes;
/* Trampolines of the second jumps: at a distance whose bytes lead the first ones to free memory. */
static struct test_area aside;

/* Plan P, punned, at S, whose text contains the jump behind it, with room in *A. */
static bool plan_before(const struct patch_site *s, unsigned prefix, struct patch *p,
			struct test_area *a)
{
	uint64_t pad = patch_pun_pad(s, prefix), lo = pad, hi = pad, at;
	int32_t d;

	if (!pad && !patch_pun_range(s, prefix, &lo, &hi))
		return false;
	if (pad && pad < 1 << 20)
		return false;
	*a = area_make(lo < 1 << 20 ? 0 : (lo - 4096) & ~4095ull,
		       hi < lo + (1 << 20) ? hi + 20480 : lo + (1 << 20), 16384);
	if (!a->start)
		return false;
	at = (pad ? pad + PAD_BYTES + 15 : lo - sizeof(struct ust_point) + 15) & ~15ull;
	if (at < area_room(a) || !patch_plan_punned(p, s, prefix, at, pad, (uint64_t)a->start))
		return false;
	d = (int32_t)(p->stub - (pad + PAD_BYTES));
	if (pad) {
		*(uint8_t *)pad = 0xe9;
		memcpy((void *)(pad + 1), &d, sizeof d);
	}
	return true;
}

/* A later run knows the code from the records alone. */
static bool same_in_records(const struct patch *p, const struct patch *q)
{
	struct ust_record r[2];
	struct patch v[2];

	record_fill(&r[0], p);
	record_fill(&r[1], q);
	return record_read(&r[0], NULL, &v[0]) && record_read(&r[1], &v[0], &v[1]) &&
	       v[0].len == p->len && v[1].len == q->len &&
	       !memcmp(v[0].new_text, p->new_text, p->len) &&
	       !memcmp(v[0].old_text, p->old_text, p->len) &&
	       !memcmp(v[1].new_text, q->new_text, q->len) &&
	       !memcmp(v[1].old_text, q->old_text, q->len);
}

static void with_joined(const struct patch_case *t, struct patch *p, struct patch *q,
			struct test_area *a)
{
	bool ok;

	patch_join(p, q);
	memcpy((void *)q->at, q->code, q->code_len);
	aside.used = q->at + q->code_len - (uint64_t)aside.start;
	patch_in(p, a);
	entries = 0;
	ok = same(t);
	patch_out(p);
	*(p->prefix ? &joined_prefixes : p->pad ? &joined_pads : &joined) += entries > INPUTS;
	verdict(t, "joined jumps", ok && entries >= INPUTS, ok ? "hits were not counted" : NULL);
	verdict(t, "joined jumps, records", same_in_records(p, q), "they differ");
	verdict(t, "joined jumps, threads",
		patch_move(q, q->addr) == q->stub && patch_move_back(q, q->stub) == q->addr &&
			patch_move_back(p, p->pad ? p->pad : p->stub) == p->addr,
		"a thread is not moved");
}

/* The jump at the site ends with the first bytes of one GAP bytes behind its instruction. */
static void by_joined_jump(const struct patch_case *t, unsigned prefix, unsigned gap)
{
	struct patch_site s = case_site(t), second = s;
	size_t size = s.next - s.start;
	struct test_area a;
	struct patch p, q;
	uint8_t *text;

	second.addr = patch_behind(&s);
	if (!second.addr)
		return;
	second.addr += gap;
	second.entry = false;
	if (second.addr + JUMP_BYTES > s.next ||
	    !patch_plan(&q, &second, area_room(&aside), (uint64_t)aside.start) ||
	    !patch_can_join(&s, &q))
		return;
	text = malloc(size);
	memcpy(text, s.text, size);
	memcpy(text + (q.addr - s.start), q.new_text, q.len);
	s.text = text;
	if (plan_before(&s, prefix, &p, &a) && q.addr < p.addr + p.span)
		with_joined(t, &p, &q, &a);
	free(text);
}

static void test_one(const struct patch_case *t)
{
	run(t, wanted);
	verdict(t, "the test itself", same(t), NULL);
	by_jump(t, false);
	by_jump(t, true);
	if (t->flags & RETURNS)
		with_return(t);
	by_trap(t, &near_area);
	by_trap(t, &far_away);
	for (unsigned k = 1; k < JUMP_BYTES; k++)
		by_group(t, k);
	for (unsigned prefix = 0; prefix <= JUMP_PREFIXES; prefix++) {
		by_pun(t, prefix);
		by_pad(t, prefix);
		for (unsigned gap = 0; gap < JUMP_BYTES; gap++)
			by_joined_jump(t, prefix, gap);
	}
	verdict(t, "removed", same(t), NULL);
}

static void test_jcc(void)
{
	static const char *const names[] = {"jo", "jno", "jb", "jnb", "jz", "jnz", "jbe", "jnbe",
					    "js", "jns", "jp", "jnp", "jl", "jnl", "jle", "jnle"};
	unsigned i;

	for (i = 0; i < 16; i++) {
		const uint8_t *f = all_jcc + 64 * i;
		struct patch_case t = {names[i], f, f + 64, f + 64, f, RETURNS};

		test_one(&t);
		t.at = f + 4;
		t.flags = STATEMENT;
		run(&t, wanted);
		by_trap(&t, &near_area);
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
	near_area = area_make(text - (1 << 28), text + (1 << 30), 1 << 20);
	far_away = area_make(0x2a0000000000, 0x2b0000000000, 1 << 20);
	aside = area_make(text - 0x18300000, text - 0x18000000, 1 << 20);
	if (!near_area.start || !far_away.start || !aside.start) {
		check(false, "patch: areas", "no room");
		return;
	}
	for (i = 0; i < NCASES; i++)
		test_one(&cases[i]);
	test_jcc();
	test_calls();
	test_following_calls();
	for (i = 0; i <= JUMP_PREFIXES; i++) {
		printf("# puns behind %u prefixes: %u, and %u with pads\n", i, puns[i], pads[i]);
		check(puns[i] + pads[i] > 1, "patch: puns were tried", "too few");
	}
	check(pads[0] > 2 && pads[1] > 2, "patch: puns with pads were tried", "too few");
	check(groups > 20, "patch: groups were tried", "too few");
	printf("# joined jumps: %u, and %u with pads, %u behind prefixes\n", joined, joined_pads,
	       joined_prefixes);
	check(joined_prefixes > 3, "patch: joined jumps behind prefixes were tried", "too few");
	check(joined > 3, "patch: joined jumps were tried", "too few");
	check(joined_pads, "patch: joined jumps with pads were tried", "none");
}
