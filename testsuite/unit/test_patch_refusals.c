/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probe sites at which a patch is refused, with the reason, and the limits of patches, groups of
 * sites and puns.
 */
#include "patch_case.h"
#include "patch_test.h"
#include "inject/arch/arch.h"
#include "inject/arch/insn.h"
#include "inject/patch/patch.h"
#include "wire_process.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* functions of test_patch_cases.c */
extern const uint8_t plain[], plain_end[], plain_next[], plain_at[];
extern const uint8_t red_zone[], red_zone_end[], red_zone_next[], red_zone_at[];
extern const uint8_t jcc_local[], jcc_local_end[], jcc_local_next[], jcc_local_at[];

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
	bool ok = !patch_plan(&p, s, area_room(&near_area), (uint64_t)near_area.start);

	snprintf(what, sizeof what, "refused: %s", name);
	snprintf(why, sizeof why, "line %d: %s", line, ok ? p.why : "it was not");
	check(ok && strstr(p.why, want), what, why);
}

#define SITE(name, flags) (&(struct patch_case)CASE(name, flags))
#define REFUSED(name, flags, why)                                    \
	do {                                                         \
		struct patch_site s_ = case_site(SITE(name, flags)); \
		refused_at(#name, &s_, why, __LINE__);               \
	} while (0)

static void test_elsewhere(void)
{
	struct patch_text *all = patch_text_new(entered_near, entered_far_next + 64 - entered_near);
	struct patch_site s = case_site(SITE(entered_near, 0));
	struct patch p;

	s.next = s.end = (uint64_t)entered_near_second;
	check(patch_plan(&p, &s, area_room(&near_area), (uint64_t)near_area.start),
	      "entered from elsewhere: not seen", "refused");
	s.all = all;
	s.all_start = (uint64_t)entered_near;
	refused_at("entered by a near jump from elsewhere", &s, "branch", __LINE__);
	s = case_site(SITE(entered_far, 0));
	s.next = s.end = (uint64_t)entered_far_second;
	s.all = all;
	s.all_start = (uint64_t)entered_near;
	refused_at("entered by a far jump from elsewhere", &s, "branch", __LINE__);
	patch_text_free(all);
	all = patch_text_new(cold, cold_next - cold);
	s = case_site(SITE(cold, STATEMENT));
	s.all = all;
	s.all_start = (uint64_t)cold;
	check(patch_plan(&p, &s, area_room(&near_area), (uint64_t)near_area.start),
	      "another part that does not come back", p.why);
	patch_text_free(all);
}

/* Possible tables that overlap, which no instruction loads: the search for the targets ends. */
static void test_overlapping_tables(void)
{
	enum { TABLES = 20000, ENTRY = 4, TEXT = 0x1000, DATA = 0x1000000 };
	/* movabs, whose operand looks like lea, and two instructions without effect */
	uint8_t insn[] = {0x48, 0xb8, 0x8d, 0x05, 0, 0, 0, 0, 0x90, 0x90};
	const size_t size = sizeof insn * TABLES, room = (size_t)ENTRY * TABLES;
	uint8_t *text = malloc(size), *data = malloc(room);
	struct patch_data v[] = {{DATA, data, room}, {TEXT, text, size}};
	struct patch_text *t = patch_text_new(text, size);

	for (int32_t i = 0; i < TABLES; i++) {
		int32_t d = DATA + i * ENTRY - TEXT - i * (int32_t)sizeof insn - 8;
		int32_t entry = TEXT - DATA;

		memcpy(insn + 4, &d, sizeof d);
		memcpy(text + (size_t)i * sizeof insn, insn, sizeof insn);
		memcpy(data + (size_t)i * ENTRY, &entry, sizeof entry);
	}
	patch_text_add_data(t, TEXT, v, 2, false, false);
	check(text_is_named(t, 3) && text_is_named(t, size - 1), "overlapping tables",
	      "some code is not taken for a target");
	patch_text_free(t);
	t = patch_text_new(text, size);
	v[0].bytes = NULL;
	patch_text_add_data(t, TEXT, v, 2, false, false);
	check(text_is_named(t, 3), "data that cannot be read", "code is not taken for a target");
	patch_text_free(t);
	free(text);
	free(data);
}

static const char *group_why(const struct patch_site *s, const struct patch_site *second)
{
	const struct patch_site *const sites[] = {s, second};
	uint64_t at[] = {area_room(&near_area), area_room(&near_area) + STUB_BYTES};
	static struct patch p[2];
	struct patch *const to[] = {&p[0], &p[1]};

	return patch_plan_group(to, sites, 2, at, (uint64_t)near_area.start) ? "none" : p[0].why;
}

/* plain: push, mov of 3 bytes, lea of 5 bytes. */
static void test_group_limits(void)
{
	struct patch_site s = case_site(SITE(plain, 0)), b = s, odd;

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
	s = b = case_site(SITE(jcc_local, 0));
	b.addr += 2;
	check(strcmp(group_why(&s, &b), "none"), "group: a branch within it", "it was not refused");
}

static void test_limits(void)
{
	struct patch_site s = case_site(SITE(plain, 0));
	struct patch p, q;
	uint64_t lo, hi;

	s.limit = s.addr + 4;
	refused_at("too near to another", &s, "another probe site", __LINE__);
	check(!patch_pun_range(&s, 0, &lo, &hi), "refused: a pun over another", "it was not");
	s.limit = s.addr + 8; /* push, mov, lea: 9 bytes */
	refused_at("window goes over another", &s, "another probe site", __LINE__);
	s.limit = s.addr + 9;
	check(patch_plan(&p, &s, area_room(&near_area), (uint64_t)near_area.start) && p.len == 9,
	      "limit just behind", p.why);
	s.limit = 0;
	s.addr += 9;
	check(patch_plan_trap(&q, &s, area_room(&near_area), (uint64_t)near_area.start) &&
		      !patch_overlaps(&p, &q),
	      "neighbours", "they overlap");
	s.addr -= 5;
	check(patch_plan_trap(&q, &s, area_room(&near_area), (uint64_t)near_area.start) &&
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
	struct patch_site s = case_site(SITE(red_zone, STATEMENT));
	struct patch p;
	struct ust_point point;

	s.full = true;
	s.hook = UST_HOOK_EXEC;
	patch_plan(&p, &s, area_room(&near_area), (uint64_t)near_area.start);
	memcpy(&point, p.code, sizeof point);
	check(point.addr == s.addr && point.first == 3 && point.rfirst == 4 && point.n == 1 &&
		      !point.rn && point.hook == UST_HOOK_EXEC &&
		      point.flags == (UST_POINT_FULL | UST_POINT_RED_ZONE),
	      "point", "wrong");
	s = case_site(SITE(plain, 0));
	s.hook = UST_HOOK_PHDR;
	patch_plan_trap(&p, &s, area_room(&near_area), (uint64_t)near_area.start);
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
		patch_pun_range(&s, i % 5, &lo, &hi);
		patch_plan_punned(&p, &s, i % 5, 0x20000000, 0, 0x1ffff000);
		ok &= !patch_plan_trap(&p, &s, 0x20000000, 0x1ffff000) ||
		      (p.len == 1 && p.code_len <= STUB_BYTES);
	}
	free(text);
	check(ok && planned > 1000, "random bytes", "a plan that cannot be");
}

void test_refusals(void)
{
	struct patch_case odd = *SITE(middle, 0);

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
		struct patch_site s = case_site(&odd);

		refused_at("not at an instruction", &s, "no instruction starts", __LINE__);
	}
	case_test_jump(SITE(tight_long, 0));
	case_test_jump(SITE(tabled_long, STATEMENT));
	test_elsewhere();
	test_overlapping_tables();
	test_limits();
	test_group_limits();
	test_point();
	test_random();
}
