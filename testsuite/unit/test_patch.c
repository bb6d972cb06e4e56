/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patched functions in this process, with the test's own common code behind their trampolines. */
#include "patch_test.h"
#include "inject/arch/arch.h"
#include "inject/patch/arm.h"
#include "inject/patch/patch.h"
#include "inject/ptrace/ptrace.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* ------------------------------------------------------------- common code */

unsigned long entries, returns, afters;
struct ust_layout fake;
struct ust_slot fake_slots[FAKE_SLOTS];

/* Like the runtime's common code, it may change memory below the stack pointer, and nothing
 * else. */
__asm__(".text\n"
	".macro save\n"
	"	pushfq; cld; push %rax; push %rcx; push %rdx; push %rsi; push %rdi; push %r8; push "
	"%r9; push %r10; push %r11\n"
	"	push %rbx; mov %rsp, %rbx; sub $256, %rsp; and $-16, %rsp\n"
	"	mov $-1, %rax; mov $32, %ecx; mov %rsp, %rdi; rep stosq\n"
	".endm\n"
	".macro restore\n"
	"	mov %rbx, %rsp; pop %rbx\n"
	"	pop %r11; pop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rdx; pop %rcx; pop "
	"%rax; popfq\n"
	".endm\n"
	"common_entry:\n"
	"	save\n"
	"	incq entries(%rip)\n"
	"	restore; ret\n"
	/* on_return(slot, address that CALL comes back to) */
	"common_return:\n"
	"	save\n"
	"	lea 96(%rbx), %rdi; mov 88(%rbx), %rsi\n"
	"	call on_return\n"
	"	restore; lea 8(%rsp), %rsp; ret\n"
	/* on_after(slot) */
	"common_after:\n"
	"	lea -8(%rsp), %rsp\n"
	"	save\n"
	"	mov 96(%rbx), %rax; mov %rax, 88(%rbx)\n"
	"	lea 96(%rbx), %rdi\n"
	"	call on_after\n"
	"	restore; ret\n");
void common_entry(void), common_return(void), common_after(void);

#define PLAIN __attribute__((target("general-regs-only"), used))

static struct ust_slot *find(uint64_t key, bool make)
{
	uint64_t i = key >> UST_SLOT_SHIFT;

	for (;; i++) {
		struct ust_slot *e = &fake_slots[i & (FAKE_SLOTS - 1)];

		if ((e->key & ~(uint64_t)UST_SLOT_STATES) == key)
			return e;
		if (!e->key)
			return make ? e : NULL;
	}
}

PLAIN void on_return(uint64_t *slot, uint64_t back)
{
	uint64_t key = (uint64_t)slot << UST_SLOT_CHAIN_BITS;
	struct ust_slot *first = find(key, true), *e = first;
	bool chained = first->key == key && in_areas(*slot);

	returns++;
	if (chained)
		e = find(key + first->count, true);
	else
		first->count = 0;
	e->key = key + first->count++;
	e->ret = *slot;
	*slot = back;
}

PLAIN void on_after(uint64_t *slot)
{
	uint64_t key = (uint64_t)slot << UST_SLOT_CHAIN_BITS;
	struct ust_slot *first = find(key, false), *e;

	afters++;
	if (!first)
		__builtin_trap();
	e = find(key + --first->count, false);
	*slot = e->ret;
	e->key |= UST_SLOT_DEAD;
}

/* ------------------------------------------------------------------- areas */

enum { AREAS = 1024 };
static struct test_area areas[AREAS];
static unsigned nareas;

bool in_areas(uint64_t addr)
{
	unsigned i;

	for (i = 0; i < nareas; i++)
		if (addr - (uint64_t)areas[i].start < areas[i].size)
			return true;
	return false;
}

static void *map_within(uint64_t lo, uint64_t hi, size_t size)
{
	uint64_t at;

	for (at = (lo + 4095) & ~4095ull; at + size <= hi && at >= lo; at += size) {
		void *p = mmap((void *)at, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (p == (void *)at)
			return p;
		if (p != MAP_FAILED)
			munmap(p, size);
	}
	return NULL;
}

struct test_area area_make(uint64_t lo, uint64_t hi, size_t size)
{
	struct test_area a = {.start = map_within(lo, hi, size), .size = size};
	uint8_t head[AREA_HEAD_MAX];

	if (!a.start || nareas == AREAS)
		return (struct test_area){0};
	a.used = area_head(head, (uint64_t)a.start, size, &fake);
	memcpy(a.start, head, a.used);
	areas[nareas++] = a;
	return a;
}

uint64_t area_room(const struct test_area *a)
{
	return ((uint64_t)a->start + a->used + 15) & ~15ull;
}

void make_writable(uint64_t addr, size_t size)
{
	uint64_t page = addr & ~4095ull;

	if (mprotect((void *)page, (addr + size - page + 4095) & ~4095ull,
		     PROT_READ | PROT_WRITE | PROT_EXEC))
		abort();
}

void patch_in(const struct patch *p, struct test_area *a)
{
	memcpy((void *)p->at, p->code, p->code_len);
	if (p->at + p->code_len > (uint64_t)a->start + a->used)
		a->used = p->at + p->code_len - (uint64_t)a->start;
	make_writable(p->addr, p->len);
	if (memcmp((void *)p->addr, p->old_text, p->len))
		abort();
	memcpy((void *)p->addr, p->new_text, p->len);
}

void patch_out(const struct patch *p) { memcpy((void *)p->addr, p->old_text, p->len); }

/* --------------------------------------------------------------- registers */

const void *call_fn;

__asm__(".text\n"
	".globl call_with\n"
	"call_with:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	push %rsi\n"
	"	mov %rdi, %rax\n"
	"	movups 128(%rax), %xmm0; movups 144(%rax), %xmm1\n"
	"	mov 8(%rax), %rbx; mov 16(%rax), %rcx; mov 24(%rax), %rdx\n"
	"	mov 32(%rax), %rsi; mov 40(%rax), %rdi; mov 48(%rax), %rbp; mov 56(%rax), %r8\n"
	"	mov 64(%rax), %r9; mov 72(%rax), %r10; mov 80(%rax), %r11; mov 88(%rax), %r12\n"
	"	mov 96(%rax), %r13; mov 104(%rax), %r14; mov 112(%rax), %r15\n"
	"	push 120(%rax); mov 0(%rax), %rax; popfq\n"
	"	call *call_fn(%rip)\n"
	"	pushfq; push %rax; mov 16(%rsp), %rax\n"
	"	mov %rbx, 8(%rax); mov %rcx, 16(%rax); mov %rdx, 24(%rax)\n"
	"	mov %rsi, 32(%rax); mov %rdi, 40(%rax); mov %rbp, 48(%rax); mov %r8, 56(%rax)\n"
	"	mov %r9, 64(%rax); mov %r10, 72(%rax); mov %r11, 80(%rax); mov %r12, 88(%rax)\n"
	"	mov %r13, 96(%rax); mov %r14, 104(%rax); mov %r15, 112(%rax)\n"
	"	movups %xmm0, 128(%rax); movups %xmm1, 144(%rax)\n"
	"	pop 0(%rax); pop 120(%rax); pop %rsi\n"
	"	cld; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

/* Punned jumps leave gaps between trampolines: the records must fit behind any number of them. */
static void test_records(void)
{
	enum { RECORDS = 40, GAP = 100 };
	struct maps maps = {0};
	struct area_plan a;
	bool began, full;

	began = maps_read(&maps, getpid()) &&
		area_begin(&a, &maps, &fake, 1 << 20, UINT64_MAX, 1ull << 40,
			   AREA_HEAD_MAX + RECORDS * (STUB_BYTES + sizeof(struct ust_record)));
	check(began, "area for records", "is not found");
	if (!began)
		return;
	a.reserved = records_size(RECORDS);
	while (area_fits(&a, area_next(&a, a.start + a.used + GAP)))
		a.used = area_next(&a, a.start + a.used + GAP) - a.start + STUB_BYTES;
	full = a.used + GAP + STUB_BYTES + 16 > a.limit - a.reserved;
	records_place(&a, RECORDS);
	check(full && a.used <= a.limit, "records behind trampolines with gaps",
	      "they exceed the area");
	area_free(&a);
	maps_free(&maps);
}

/* Bytes after another run's jump, whatever they are. */
static void test_foreign(void)
{
	static const struct {
		const char *name;
		uint8_t file[10], there[10];
		unsigned from;
	} cases[] = {
		{"nothing is changed",
		 {0x55, 0x48, 0x89, 0xe5, 0x53},
		 {0x55, 0x48, 0x89, 0xe5, 0x53},
		 0},
		{"a breakpoint after the site",
		 {0x55, 0x48, 0x89, 0xe5, 0x53},
		 {0x55, 0xcc, 0x89, 0xe5, 0x53},
		 1},
		{"a breakpoint that the file has",
		 {0x55, 0xcc, 0x89, 0xe5, 0x53},
		 {0x55, 0xcc, 0x89, 0xe5, 0x53},
		 0},
		{"a jump over two instructions",
		 {0x49, 0x89, 0xca, 0xb8, 1, 0, 0, 0, 0x0f, 0x05},
		 {0xe9, 1, 2, 3, 4, 0xcc, 0xcc, 0xcc, 0x0f, 0x05},
		 5},
		{"a jump with breakpoint bytes in its displacement",
		 {0x49, 0x89, 0xca, 0xb8, 1, 0, 0, 0, 0x0f, 0x05},
		 {0xe9, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0x0f, 0x05},
		 5},
		{"such a jump of five bytes",
		 {0xb8, 1, 0, 0, 0, 0x55},
		 {0xe9, 1, 0xcc, 2, 3, 0x55},
		 0},
		{"a jump that was another jump",
		 {0xe9, 1, 2, 3, 4, 0x55},
		 {0xe9, 0xcc, 2, 3, 4, 0x55},
		 0},
		{"a punned jump",
		 {0x48, 0x89, 0xca, 0xb8, 1, 0, 0, 0, 0x0f, 0x05},
		 {0xe9, 7, 0xcc, 0xb8, 1, 0, 0, 0, 0x0f, 0x05},
		 3},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		check(patch_foreign(cases[i].there, cases[i].file, 10) == cases[i].from,
		      cases[i].name, "foreign bytes begin elsewhere");
	}
}

/* Sites after another run's jump. */
static void test_covered(void)
{
	static const uint8_t file[] = {0x31, 0xc0, 0x48, 0x85, 0xff, 0x74, 0x09, 0x90},
			     pun[] = {0xe9, 7, 0x48, 0x85, 0xff, 0x74, 0x09, 0x90},
			     own[] = {0xe9, 7, 8, 9, 10, 0x55};

	check(!patch_covered(file, file, 2), "covered: original code", "it is");
	check(patch_covered(pun, file, 2), "covered: the bytes of a punned jump", "they are not");
	check(patch_covered(pun, file, 4), "covered: its last byte", "it is not");
	check(!patch_covered(pun, file, 5), "covered: behind a jump", "it is");
	check(!patch_covered(own, own, 2), "covered: a jump of the program", "it is");
	check(!patch_covered(pun, file, 0), "covered: no bytes before", "it is");
}

static void start(void)
{
	unsigned full;

	for (full = 0; full <= UST_COMMON_FULL; full += UST_COMMON_FULL) {
		fake.common[UST_COMMON_ENTRY + full] = (uint64_t)common_entry;
		fake.common[UST_COMMON_RETURN + full] = (uint64_t)common_return;
		fake.common[UST_COMMON_AFTER + full] = (uint64_t)common_after;
	}
	fake.slots = (uint64_t)fake_slots;
	fake.slots_mask = FAKE_SLOTS - 1;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	start();
	test_cases();
	test_refusals();
	test_unwinding();
	test_bulk();
	test_records();
	test_foreign();
	test_covered();
	return failed != 0;
}
