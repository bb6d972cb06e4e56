/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user runtime linked into an ordinary program as if it had been injected: a script, probed
 * functions, which begin with room for a jump, and hand-made trampolines for them.
 */
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "user.h"

static int bad;

static void check_at(int line, const char *name, bool ok)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: line %d\n", name, line);
	bad |= !ok;
}
#define check(name, cond) check_at(__LINE__, name, cond)

/* ------------------------------------------------------------- the script */

enum { SEE, COUNT, CLOBBER, RCOUNT, EMPTY, DISARM, PLUS, GLOBAL, NSITES };

static u64 counts[NSITES];
static struct ust_hit seen;
static struct ust_regs seen_regs;

static void count(u32 i) { __atomic_fetch_add(&counts[i], 1, __ATOMIC_RELAXED); }

static void see(struct ust_hit *hit)
{
	seen = *hit;
	seen_regs = *hit->regs;
	count(SEE);
}

static void on_count(struct ust_hit *hit) { count(hit->site - ust_program.sites); }

static void clobber(struct ust_hit *hit)
{
	count(hit->site - ust_program.sites);
	__asm__ volatile(
		"xor %%eax, %%eax; mov $1, %%ecx; mov $2, %%edx; mov $3, %%esi; mov $4, %%edi\n\t"
		"mov $5, %%r8; mov $6, %%r9; mov $7, %%r10; mov $8, %%r11; add $-1, %%eax" ::
			: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
}

static void empty(struct ust_hit *hit) { (void)hit; }

static void disarm(struct ust_hit *hit)
{
	(void)hit;
	WRITE_ONCE(shared.owner, UST_DISARMED);
}

static u64 plain_counter;

static void plus(struct ust_hit *hit)
{
	(void)hit;
	plain_counter++;
}

static struct ust_gvar counter = {.name = "counter", .storage = UST_COUNTER, .type = UST_LONG};
static struct ust_gvar *const globals[] = {&counter};

static void global_plus(struct ust_hit *hit)
{
	(void)hit;
	ust_counter_add(&counter, 1);
}

static const struct ust_site sites[NSITES] = {
	[SEE] = {.handler = see, .pp = "see"},
	[COUNT] = {.handler = on_count, .pp = "count"},
	[CLOBBER] = {.handler = clobber},
	[RCOUNT] = {.flags = UST_SITE_RETURN, .handler = on_count},
	[EMPTY] = {.handler = empty},
	[DISARM] = {.handler = disarm},
	[PLUS] = {.handler = plus},
	[GLOBAL] = {.handler = global_plus},
};
static void on_begin(struct ust_hit *hit);
static const struct ust_probe probes[] = {
	{UST_PROBE_BEGIN, on_begin, "two", 0, 0, .life = {2, 0}},
	{UST_PROBE_BEGIN, on_begin, "one", 0, 0, .life = {1, 0}},
	{UST_PROBE_BEGIN, on_begin, "too", 0, 0, .life = {2, 0}},
	{UST_PROBE_END, on_begin, "end", 0, 0, .life = {0, 0}},
};
const struct ust_program ust_program = {.abi = UST_ABI,
					.sites = sites,
					.nsites = NSITES,
					.probes = probes,
					.nprobes = 4,
					.gvars = globals,
					.ngvars = 1,
					.maxstringlen = 512,
					.maxaction = 1000,
					.maxnesting = 10,
					.frame_size = 64};

static char order_of_probes[64];

static void on_begin(struct ust_hit *hit)
{
	strcat(order_of_probes, hit->probe->pp);
	strcat(order_of_probes, " ");
}

char heap_start[32 << 20] __attribute__((aligned(4096)));

/* ------------------------------------------------------------ trampolines */

#define PROBED __attribute__((__noipa__, patchable_function_entry(5)))

static u8 *area, *room;
enum { AREA = 1 << 20 };

/* From the loader (inject.h), and from libgcc. */
size_t area_head(u8 *dst, uint64_t area, uint64_t size, const struct ust_layout *layout);
size_t area_eh_frame(void);
void __register_frame(void *eh_frame);

static void put32(u8 *at, const u8 *to, const u8 *next)
{
	s64 d = to - next;
	int v = d;

	if (v != d)
		abort();
	__builtin_memcpy(at, &v, 4);
}

static void code(const char *bytes, size_t n)
{
	memcpy(room, bytes, n);
	room += n;
}
static void jump(u8 op, const u8 *to)
{
	room[0] = op;
	put32(room + 1, to, room + 5);
	room += 5;
}
static void call_common(u32 which)
{
	code("\xff\x15", 2);
	put32(room, area + 8 * which, room + 4);
	room += 4;
}

struct spec {
	u16 n, rn, hook;
	bool full, red_zone;
	u32 first, rfirst;
};

static void make_stub(u8 *fn, struct spec s)
{
	u32 full = s.full ? UST_COMMON_FULL : 0;
	struct ust_point *p = (void *)(room = (u8 *)(((u64)room + 15) & ~15ull));

	*p = (struct ust_point){.addr = (u64)fn,
				.first = s.first,
				.rfirst = s.rfirst,
				.n = s.n,
				.rn = s.rn,
				.hook = s.hook,
				.flags = (s.red_zone ? UST_POINT_RED_ZONE : 0) |
					 (s.full ? UST_POINT_FULL : 0)};
	room += sizeof *p;
	if (s.rn || s.hook == UST_HOOK_PHDR) {
		call_common(UST_COMMON_RETURN + full);
		p->body = UST_STUB_AFTER + 1;
		jump(0xe8, (u8 *)(p + 1) + p->body);
		call_common(UST_COMMON_AFTER + full);
		code("\xc3", 1);
	} else {
		if (s.red_zone)
			code("\x48\x8d\x64\x24\x80", 5);
		call_common(UST_COMMON_ENTRY + full);
		if (s.red_zone)
			code("\x48\x8d\xa4\x24\x80\x00\x00\x00", 8);
	}
	jump(0xe9, fn + 5);
	mprotect((void *)((u64)fn & ~4095ull), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	fn[0] = 0xe9;
	put32(fn + 1, (u8 *)(p + 1), fn + 5);
}
#define STUB(fn, ...) make_stub((u8 *)(fn), (struct spec){__VA_ARGS__})

static void make_area(void)
{
	u64 at = ((u64)make_area & ~0xfffull) - (1 << 28);

	for (; !area; at -= AREA) {
		area = mmap((void *)at, AREA, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (area == MAP_FAILED)
			area = NULL;
	}
	room = area + area_head(area, (u64)area, AREA, &layout);
	__register_frame(area + area_eh_frame());
}

static void start(void)
{
	u32 i;

	layout.heap_end = (u64)(heap_start + sizeof heap_start);
	layout.ncpu = sysconf(_SC_NPROCESSORS_CONF);
	layout.buffer_mb = 1;
	shared.loader = getpid();
	layout.hwcap2 = getauxval(AT_HWCAP2);
	local = (struct ust_local){
		.pid = getpid(), .state = UST_LOCAL_WANTED, .host_pid = getpid()};
	process.phdrs = getauxval(AT_PHDR);
	process.nphdrs = getauxval(AT_PHNUM);
	if (agent.init(&layout)) {
		printf("not ok init\n");
		exit(1);
	}
	for (i = 0; i < NSITES; i++)
		((u32 *)layout.order)[i] = i;
	agent.begin();
	agent.arm();
	shared.status.state = UST_RUNNING;
	make_area();
}
