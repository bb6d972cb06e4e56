/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common code of stubs, hits, replaced return addresses and hooks of the user runtime, linked
 * into this ordinary program as if it had been injected.  Probed functions begin with room for a
 * jump; their stubs are made by hand.
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

static void count(u32 i)
{
	__atomic_fetch_add(&counts[i], 1, __ATOMIC_RELAXED);
}

static void see(struct ust_hit *hit)
{
	seen = *hit;
	seen_regs = *hit->regs;
	count(SEE);
}

static void on_count(struct ust_hit *hit)
{
	count(hit->site - ust_program.sites);
}

static void clobber(struct ust_hit *hit)
{
	count(hit->site - ust_program.sites);
	__asm__ volatile("xor %%eax, %%eax; mov $1, %%ecx; mov $2, %%edx; mov $3, %%esi; mov $4, %%edi\n\t"
			 "mov $5, %%r8; mov $6, %%r9; mov $7, %%r10; mov $8, %%r11; add $-1, %%eax"
			 ::: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
}

static void empty(struct ust_hit *hit)
{
	(void)hit;
}

static void disarm(struct ust_hit *hit)
{
	(void)hit;
	agent.disarm();
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
	[SEE] = {.handler = see, .pp = "see"}, [COUNT] = {.handler = on_count, .pp = "count"},
	[CLOBBER] = {.handler = clobber}, [RCOUNT] = {.flags = UST_SITE_RETURN, .handler = on_count},
	[EMPTY] = {.handler = empty}, [DISARM] = {.handler = disarm}, [PLUS] = {.handler = plus},
	[GLOBAL] = {.handler = global_plus},
};
static void on_begin(struct ust_hit *hit);
static const struct ust_probe probes[] = {
	{UST_PROBE_BEGIN, 2, on_begin, "two"}, {UST_PROBE_BEGIN, 1, on_begin, "one"},
	{UST_PROBE_BEGIN, 2, on_begin, "too"}, {UST_PROBE_END, 0, on_begin, "end"},
};
const struct ust_program ust_program = {.abi = UST_ABI, .sites = sites, .nsites = NSITES, .probes = probes,
	.nprobes = 4, .gvars = globals, .ngvars = 1, .maxstringlen = 512, .maxaction = 1000, .maxnesting = 10, .frame_size = 64};

static char order_of_probes[64];

static void on_begin(struct ust_hit *hit)
{
	strcat(order_of_probes, hit->probe->pp);
	strcat(order_of_probes, " ");
}

char heap_start[32 << 20] __attribute__((aligned(4096)));

/* ------------------------------------------------------------------ stubs */

#define PROBED __attribute__((__noipa__, patchable_function_entry(5)))

static u8 *area, *room;
enum { AREA = 1 << 20 };

/* Of the loader (inject.h), and of libgcc. */
size_t area_head(u8 *dst, uint64_t area, uint64_t size, const struct ust_agent *agent);
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

static void code(const char *bytes, size_t n) { memcpy(room, bytes, n); room += n; }
static void jump(u8 op, const u8 *to) { room[0] = op; put32(room + 1, to, room + 5); room += 5; }
static void call_common(u32 which)
{
	code("\xff\x15", 2);
	put32(room, area + 8 * which, room + 4);
	room += 4;
}

struct spec { u16 n, rn, hook; bool full, red_zone; u32 first, rfirst; };

static void make_stub(u8 *fn, struct spec s)
{
	u32 full = s.full ? UST_COMMON_FULL : 0;
	struct ust_point *p = (void *)(room = (u8 *)(((u64)room + 15) & ~15ull));

	*p = (struct ust_point){.addr = (u64)fn, .first = s.first, .rfirst = s.rfirst, .n = s.n, .rn = s.rn,
		.hook = s.hook, .flags = (s.red_zone ? UST_POINT_RED_ZONE : 0) | (s.full ? UST_POINT_FULL : 0)};
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
	room = area + area_head(area, (u64)area, AREA, &agent);
	__register_frame(area + area_eh_frame());
}

static void start(void)
{
	u32 i;

	agent.heap_end = (u64)(heap_start + sizeof heap_start);
	agent.ncpu = sysconf(_SC_NPROCESSORS_CONF);
	agent.buffer_mb = 1;
	agent.loader = getpid();
	agent.hwcap2 = getauxval(AT_HWCAP2);
	local = (struct ust_local){.pid = getpid(), .state = UST_LOCAL_WANTED, .host_pid = getpid()};
	if (agent.init()) {
		printf("not ok init\n");
		exit(1);
	}
	for (i = 0; i < NSITES; i++)
		((u32 *)agent.order)[i] = i;
	agent.begin();
	agent.arm();
	agent.status.state = UST_RUNNING;
	make_area();
}

/* ---------------------------------------------------------- entry, return */

static PROBED long add3(long a, long b, long c) { __asm__ volatile(""); return a + b + c; }
static PROBED long twice(long a) { __asm__ volatile(""); return 2 * a; }

static void test_entry(void)
{
	STUB(add3, .n = 1, .first = SEE);
	check("entry: the function does its work", add3(1, 20, 300) == 321);
	check("entry: arguments", seen_regs.di == 1 && seen_regs.si == 20 && seen_regs.dx == 300);
	check("entry: address", seen.addr == (u64)add3 && seen_regs.ip == (u64)add3);
	check("entry: site", seen.site == &sites[SEE] && seen.mode == MODE_PROBE && !seen.probe);
	check("entry: stack", seen_regs.sp % 16 == 8 &&
	      *(u64 *)seen_regs.sp - (u64)test_entry < 4096);
	STUB(add3, .n = 2, .first = SEE, .red_zone = true);
	counts[COUNT] = 0;
	check("red zone", add3(1, 20, 300) == 321 && seen_regs.sp % 16 == 8 && counts[COUNT] == 1);
	agent.disarm();
	check("disarmed", add3(1, 2, 3) == 6 && counts[COUNT] == 1);
	agent.arm();
}

static void test_return(void)
{
	u64 sp;

	STUB(twice, .rn = 1, .rfirst = SEE);
	seen = (struct ust_hit){0};
	check("return: result", twice(21) == 42 && seen_regs.ax == 42);
	check("return: addresses", seen.addr == (u64)twice && seen_regs.ip - (u64)test_return < 4096);
	sp = seen_regs.sp;
	STUB(twice, .n = 1, .first = SEE, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	check("entry and return", twice(4) == 8 && seen_regs.di == 4 && counts[RCOUNT] == 1);
	check("return: stack", sp == seen_regs.sp + 8);
}

static PROBED long disarming(long a) { __asm__ volatile(""); return twice(a) + 1; }

static void test_disarm(void)
{
	STUB(disarming, .rn = 1, .rfirst = RCOUNT);
	STUB(twice, .n = 1, .first = DISARM, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	check("disarmed inside", disarming(3) == 7 && !counts[RCOUNT]);
	check("stays disarmed", disarming(4) == 9);
	agent.arm();
}

/* -------------------------------------------------------------- registers */

struct machine { u64 gpr[15], flags, xmm[16][2]; };
enum { ARITHMETIC = 0x8d5, DIRECTION = 0x400 };

static PROBED __attribute__((naked)) void nothing(void) { __asm__("ret"); }

/* Load all registers from IN, call nothing(), store them in OUT. */
void call_with(const struct machine *in, struct machine *out);
__asm__(".text\n"
	"call_with:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	push %rsi\n"
	"	mov %rdi, %rax\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups 128+16*\\n(%rax), %xmm\\n\n"
	".endr\n"
	"	mov 8(%rax), %rbx; mov 16(%rax), %rcx; mov 24(%rax), %rdx\n"
	"	mov 32(%rax), %rsi; mov 40(%rax), %rdi; mov 48(%rax), %rbp; mov 56(%rax), %r8\n"
	"	mov 64(%rax), %r9; mov 72(%rax), %r10; mov 80(%rax), %r11; mov 88(%rax), %r12\n"
	"	mov 96(%rax), %r13; mov 104(%rax), %r14; mov 112(%rax), %r15\n"
	"	push 120(%rax); mov 0(%rax), %rax; popfq\n"
	"	call nothing\n"
	"	pushfq; push %rax; mov 16(%rsp), %rax\n"
	"	mov %rbx, 8(%rax); mov %rcx, 16(%rax); mov %rdx, 24(%rax)\n"
	"	mov %rsi, 32(%rax); mov %rdi, 40(%rax); mov %rbp, 48(%rax); mov %r8, 56(%rax)\n"
	"	mov %r9, 64(%rax); mov %r10, 72(%rax); mov %r11, 80(%rax); mov %r12, 88(%rax)\n"
	"	mov %r13, 96(%rax); mov %r14, 104(%rax); mov %r15, 112(%rax)\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups %xmm\\n, 128+16*\\n(%rax)\n"
	".endr\n"
	"	pop 0(%rax); pop 120(%rax); pop %rsi\n"
	"	cld; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

static bool same_machine(u64 flags)
{
	struct machine in, out;
	u32 i;

	for (i = 0; i < sizeof in / 8; i++)
		((u64 *)&in)[i] = i * 0x1234567890abcdefull + 77;
	in.flags = 0x202 | flags;
	call_with(&in, &out);
	return !memcmp(&in, &out, sizeof in);
}

static bool same_machines(void)
{
	u32 bits;
	bool ok = true;

	for (bits = 0; bits < 128; bits++)
		ok &= same_machine((bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3 |
				   (bits & 16) << 3 | (bits & 32) << 5 | (bits & 64) << 5);
	return ok;
}

static void test_registers(void)
{
	check("registers: the test itself", same_machines());
	STUB(nothing, .n = 1, .first = CLOBBER);
	counts[CLOBBER] = 0;
	check("registers at entry", same_machines() && counts[CLOBBER] == 128);
	STUB(nothing, .n = 1, .first = CLOBBER, .red_zone = true);
	check("registers in a red zone", same_machines());
	STUB(nothing, .n = 1, .first = CLOBBER, .full = true);
	check("registers at entry, all saved", same_machines());
	STUB(nothing, .n = 1, .first = CLOBBER, .rn = 1, .rfirst = CLOBBER);
	counts[CLOBBER] = 0;
	check("registers at return", same_machines() && counts[CLOBBER] == 256);
	STUB(nothing, .n = 1, .first = CLOBBER, .rn = 1, .rfirst = CLOBBER, .full = true);
	check("registers at return, all saved", same_machines());
	agent.disarm();
	check("registers when disarmed", same_machines());
	agent.arm();
	STUB(nothing, .n = 1, .first = SEE, .full = true);
	same_machine(DIRECTION | 0x801);
	check("all registers seen", seen_regs.r15 == 14 * 0x1234567890abcdefull + 77 &&
	      seen_regs.bx == 0x1234567890abcdefull + 77 && seen_regs.flags == (0x202 | DIRECTION | 0x801) &&
	      seen_regs.cs == 0x33);
}

/* ---------------------------------------------------------------- returns */

static PROBED long depth(long n)
{
	long v = n ? depth(n - 1) : 0;

	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

static PROBED long chain_c(long n) { __asm__ volatile(""); return n + 1; }
static PROBED long chain_b(long n) { __asm__ volatile(""); return chain_c(n * 2); }
static PROBED long chain_a(long n) { __asm__ volatile(""); return chain_b(n + 5); }
static PROBED long odd(long n);
static PROBED long even(long n) { __asm__ volatile(""); return n ? odd(n - 1) : 1; }
static PROBED long odd(long n) { __asm__ volatile(""); return n ? even(n - 1) : 0; }

static void test_recursion(void)
{
	STUB(depth, .n = 1, .first = COUNT, .rn = 1, .rfirst = RCOUNT);
	counts[COUNT] = counts[RCOUNT] = 0;
	check("recursion", depth(99999) == 100000 && counts[COUNT] == 100000 && counts[RCOUNT] == 100000);
	check("recursion again", depth(99999) == 100000 && counts[RCOUNT] == 200000);
	check("none missed", !agent.status.missed_returns);
}

static void test_chain(void)
{
	u32 i;
	bool ok = true;

	STUB(chain_a, .rn = 1, .rfirst = RCOUNT);
	STUB(chain_b, .rn = 1, .rfirst = RCOUNT);
	STUB(chain_c, .rn = 1, .rfirst = SEE);
	counts[RCOUNT] = counts[SEE] = 0;
	for (i = 0; i < 1000; i++)
		ok &= chain_a(i) == (i + 5) * 2 + 1;
	check("tail calls", ok && counts[RCOUNT] == 2000 && counts[SEE] == 1000);
	check("tail calls: caller", seen_regs.ip - (u64)test_chain < 4096);
	STUB(even, .rn = 1, .rfirst = RCOUNT);
	STUB(odd, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	check("long tail calls", even(1000) == 1 && counts[RCOUNT] == 63 &&
	      agent.status.missed_returns == 1001 - 63);
	agent.status.missed_returns = 0;
}

static jmp_buf back;

static PROBED long jumper(long n)
{
	long v = 0;

	if (!n)
		longjmp(back, 1);
	if (n > 0)
		v = jumper(n - 1);
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

static void test_longjmp(void)
{
	volatile u32 i;
	volatile bool ok = true;

	STUB(jumper, .n = 1, .first = COUNT, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	for (i = 0; i < 100; i++)
		if (!setjmp(back)) {
			jumper(i);
			ok = false;
		} else {
			ok = ok && depth(300) == 301 && chain_a(i) == (i + 5) * 2 + 1;
		}
	check("longjmp", ok && !agent.status.missed_returns);
}

/* Over the members of a chain too. */
static PROBED long leap(long n) { __asm__ volatile(""); if (n) longjmp(back, 1); return 7; }
static PROBED long to_leap(long n) { __asm__ volatile(""); return leap(n); }

static void test_longjmp_chain(void)
{
	volatile u32 i;
	volatile bool ok = true;

	STUB(leap, .rn = 1, .rfirst = RCOUNT);
	STUB(to_leap, .rn = 1, .rfirst = RCOUNT);
	for (i = 0; i < 100; i++)
		if (!setjmp(back))
			ok = to_leap(i % 2) == 7 && ok;
	check("longjmp out of tail calls", ok && !agent.status.missed_returns);
}

static ucontext_t routines[3];
static u32 turns;

/* Deep in probed functions of one stack, go on with those of another. */
static PROBED long routine(long n, long me)
{
	long v = 0;

	if (n)
		v = routine(n - 1, me);
	swapcontext(&routines[me], &routines[me == 2 ? 1 : me + 1]);
	turns++;
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

static void run_routine(int me)
{
	if (routine(20, me) != 21)
		turns = 1000;
	swapcontext(&routines[me], &routines[0]);
}

static void test_coroutines(void)
{
	static char stacks[2][65536];
	u32 i;

	STUB(routine, .n = 1, .first = COUNT, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	for (i = 1; i <= 2; i++) {
		getcontext(&routines[i]);
		routines[i].uc_stack.ss_sp = stacks[i - 1];
		routines[i].uc_stack.ss_size = sizeof stacks[0];
		routines[i].uc_link = &routines[0];
		makecontext(&routines[i], (void (*)(void))run_routine, 1, (int)i);
	}
	swapcontext(&routines[0], &routines[1]);
	swapcontext(&routines[0], &routines[2]);
	check("coroutines", turns == 42 && counts[RCOUNT] == 42);
}

/* -------------------------------------------------------------- unwinding */

static void *frames[64];
static u32 nframes, cleaned;

static PROBED long traced(long n)
{
	long v = 0;

	if (n)
		v = traced(n - 1);
	else
		nframes = backtrace(frames, 64);
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

static PROBED long trace_tail(long n) { __asm__ volatile(""); return traced(n); }
static PROBED long trace_tail_tail(long n) { __asm__ volatile(""); return trace_tail(n); }

static void test_backtrace(void)
{
	u32 i, mine = 0;

	STUB(traced, .rn = 1, .rfirst = RCOUNT);
	STUB(trace_tail, .rn = 1, .rfirst = RCOUNT);
	STUB(trace_tail_tail, .rn = 1, .rfirst = RCOUNT);
	trace_tail_tail(5);
	for (i = 0; i < nframes; i++)
		mine += (u64)frames[i] - (u64)test_backtrace < 1024;
	check("backtrace", mine == 1 && nframes > 12);
}

static void clean(void *arg)
{
	cleaned += arg == &cleaned;
}

static PROBED long ending(long n)
{
	long v = 0;

	pthread_cleanup_push(clean, &cleaned);
	if (!n)
		pthread_exit(&cleaned);
	if (n > 0)
		v = ending(n - 1);
	pthread_cleanup_pop(0);
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

static void *end_early(void *arg)
{
	ending(9);
	return arg;
}

static void test_unwinding(void)
{
	pthread_t t;
	void *r;
	u32 i;

	STUB(ending, .n = 1, .first = COUNT, .rn = 1, .rfirst = RCOUNT);
	for (i = 0; i < 3; i++) {
		pthread_create(&t, NULL, end_early, NULL);
		pthread_join(t, &r);
	}
	check("threads that end inside", r == &cleaned && cleaned == 30);
}

/* ------------------------------------------------------- signals, threads */

static void on_alarm(int signal)
{
	(void)signal;
	depth(20);
	chain_a(1);
}

static void test_signals(void)
{
	struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	u64 calls = 0, i;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 0; i < 20000; i++)
		calls += depth(30) == 31 && chain_a(2) == 15;
	setitimer(ITIMER_REAL, &never, NULL);
	check("signals", calls == 20000 && !agent.status.missed_returns);
}

static void *thread(void *arg)
{
	u64 i, calls = 0;

	for (i = 0; i < 5000; i++)
		calls += depth(40) == 41 && chain_a(2) == 15;
	return (void *)(calls == 5000 && identity_tid() == (u32)syscall(SYS_gettid) ? NULL : arg);
}

static void test_threads(void)
{
	pthread_t t[8];
	void *r, *any = NULL;
	u32 i;

	counts[COUNT] = 0;
	for (i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, thread, &bad);
	for (i = 0; i < 8; i++) {
		pthread_join(t[i], &r);
		any = any ? any : r;
	}
	check("threads", !any && counts[COUNT] == 8 * 5000 * 41);
	check("thread id", identity_tid() == (u32)syscall(SYS_gettid) && tid_known(local.tid_offset));
}

/* -------------------------------------------------------------- processes */

static PROBED long forking(void)
{
	pid_t pid = fork();

	if (!pid)
		memset(&local, 0, sizeof local);
	return pid;
}

/* Whether a forked child returned well and was hit COUNT times. */
static bool child_is_hit(u64 hits)
{
	int status;
	pid_t pid;

	counts[RCOUNT] = 0;
	pid = forking();
	if (!pid)
		_exit(counts[RCOUNT] == hits && identity_pid() == (u32)getpid() &&
		      identity_tid() == (u32)getpid() ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && !status && counts[RCOUNT] == 1;
}

static void test_fork(void)
{
	STUB(forking, .rn = 1, .rfirst = RCOUNT);
	check("a forked child is left alone", child_is_hit(0));
	agent.children = 1;
	check("or hit", child_is_hit(1));
	agent.children = 0;
}

static PROBED void before_vfork(void) { __asm__ volatile(""); }

static void test_vfork(void)
{
	volatile u64 in_child;
	pid_t pid;

	STUB(before_vfork, .hook = UST_HOOK_VFORK);
	STUB(add3, .n = 1, .first = COUNT);
	counts[COUNT] = 0;
	before_vfork();
	pid = vfork();
	if (!pid) {
		add3(1, 2, 3);
		in_child = counts[COUNT];
		_exit(0);
	}
	check("vfork: the child is left alone", !in_child && local.vforks == 1);
	add3(1, 2, 3);
	check("vfork: over", counts[COUNT] == 1 && !local.vforks);
	waitpid(pid, NULL, 0);
}

/* ------------------------------------------------------------------ hooks */

struct info { u64 addr; const char *name; const void *phdr; u16 phnum; };
typedef int callback(struct info *, size_t, void *);

static PROBED int iterate(callback *cb, void *data)
{
	struct info i = {0};
	int r = cb(&i, sizeof i, data);

	__asm__ volatile("");
	return r;
}

static u64 visited[8];
static u32 nvisited, stop_at;

static int visit(struct info *i, size_t size, void *data)
{
	visited[nvisited++] = i->addr;
	return data == &visited && size >= sizeof *i ? nvisited == stop_at ? 9 : 0 : 1;
}

static void test_phdr(void)
{
	STUB(iterate, .hook = UST_HOOK_PHDR, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	check("dl_iterate_phdr without areas", iterate(visit, &visited) == 0 && nvisited == 1 && counts[RCOUNT] == 1);
	process.areas[3] = (struct ust_area){0x10000, 0x1000, 48};
	process.areas[9] = (struct ust_area){0x50000, 0x1000, 48};
	nvisited = 0;
	check("dl_iterate_phdr", iterate(visit, &visited) == 0 && nvisited == 3 && visited[1] == 0x10000 &&
	      visited[2] == 0x50000 && counts[RCOUNT] == 2);
	nvisited = 0;
	stop_at = 2;
	check("dl_iterate_phdr ends early", iterate(visit, &visited) == 9 && nvisited == 2);
	nvisited = 0;
	stop_at = 1;
	agent.disarm();
	check("dl_iterate_phdr, disarmed", iterate(visit, &visited) == 9 && nvisited == 1);
	agent.arm();
}

struct found { u64 flags, start, end, map, eh_frame, reserved[7]; };

static PROBED int find(u64 pc, struct found *f) { f->start = pc; __asm__ volatile(""); return -1; }

static void test_find_object(void)
{
	struct found f = {0};

	STUB(find, .hook = UST_HOOK_FIND_OBJECT);
	check("_dl_find_object elsewhere", find(0x20000, &f) == -1 && f.start == 0x20000);
	check("_dl_find_object", find(0x50fff, &f) == 0 && f.start == 0x50000 && f.end == 0x51000 &&
	      f.eh_frame == 0x50000 + 48);
	STUB(find, .hook = UST_HOOK_FIND_OBJECT, .rn = 1, .rfirst = RCOUNT);
	check("_dl_find_object with a return probe", find(0x10000, &f) == 0 && find(0x20000, &f) == -1);
	process.areas[3].start = process.areas[9].start = 0;
}

static PROBED int libraries_changed(u64 a) { __asm__ volatile(""); return a; }

static u32 answered;

static void *answer(void *arg)
{
	struct ust_request *r = &agent.requests[0];

	while (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != UST_REQ_POSTED)
		usleep(1000);
	answered = r->type == UST_REQ_MODULES && r->pid == (u32)getpid() ? 1 : 2;
	__atomic_store_n(&r->state, UST_REQ_DONE, __ATOMIC_RELEASE);
	syscall(SYS_futex, &r->state, 1, 1, NULL, NULL, 0);
	return arg;
}

static void test_requests(void)
{
	pthread_t t;
	u32 bell = agent.doorbell;

	STUB(libraries_changed, .hook = UST_HOOK_MODULES);
	pthread_create(&t, NULL, answer, NULL);
	check("a request", libraries_changed(3) == 3 && answered == 1 && agent.doorbell == bell + 1 &&
	      agent.requests[0].state == UST_REQ_FREE);
	pthread_join(t, NULL);
	agent.loader = 0x3ffffff;
	check("nobody answers", libraries_changed(4) == 4 && agent.requests[0].state == UST_REQ_FREE);
	agent.loader = getpid();
	agent.disarm();
	agent.status.state = UST_STOPPED;
	check("nobody is asked", libraries_changed(4) == 4 && agent.doorbell == bell + 2);
	agent.status.state = UST_RUNNING;
	agent.arm();
}

static PROBED int set_action(int sig, const void *act) { __asm__ volatile("" :: "r"(act)); return sig; }

static void test_sigaction(void)
{
	STUB(set_action, .hook = UST_HOOK_SIGACTION);
	process.flags = UST_PROCESS_CATCH_FAULTS;
	set_action(SIGSEGV, NULL);
	set_action(SIGINT, &bad);
	check("sigaction that matters not", process.flags & UST_PROCESS_CATCH_FAULTS);
	set_action(SIGBUS, &bad);
	check("sigaction", !(process.flags & UST_PROCESS_CATCH_FAULTS));
}

/* ---------------------------------------------------------- table of slots */

static void test_full_table(void)
{
	u64 step = (agent.slots_mask + 1) << 4, n = 128, i, caller;
	u8 *mem = mmap(NULL, step * (n + 2), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	u64 *at = (u64 *)(mem + 0x2348);
	bool ok = true;

#define AT(i) (at + (i) * step / 8)
	for (i = 0; i < n; i++) {
		ok &= slot_put((u64)AT(i), 1000 + i, 2000 + i);
		*AT(i) = 2000 + i;
	}
	check("a neighbourhood fills", ok && !agent.status.missed_returns);
	check("and is full", !slot_put((u64)AT(n), 1, 2) && agent.status.missed_returns == 1);
	*AT(5) = 0;
	munmap((void *)((u64)AT(9) & ~4095ull), 4096);
	*AT(n) = 2;
	check("the forgotten make room", slot_put((u64)AT(n), 1, 2) && slot_put((u64)AT(n + 1), 3, 4));
	check("slots are found", slot_take((u64)AT(n), &caller) == 1 && slot_take((u64)AT(77), &caller) == 1077 &&
	      !slot_take((u64)AT(77), &caller) && slot_take((u64)AT(127), &caller) == 1127);
	agent.status.missed_returns = 0;
	munmap(mem, step * (n + 2));
}

static struct ust_slot *entry_of(u64 slot)
{
	struct ust_slot *e = (struct ust_slot *)agent.slots + ((slot >> 4) & agent.slots_mask);

	while ((e->key & ~(u64)UST_SLOT_STATES) != slot << UST_SLOT_CHAIN_BITS)
		e++;
	return e;
}

/* What other threads of the parent were about to do when this child was forked. */
static void test_left_by_fork(void)
{
	u64 place, slot = (u64)&place & ~7ull, caller = 0;

	slot_put(slot, 11, 12);
	entry_of(slot)->key |= UST_SLOT_MARKED;
	check("marked for ever: taken", slot_take(slot, &caller) == 11 && caller == 11);
	check("marked for ever: put", slot_put(slot, 13, 14) && slot_take(slot, &caller) == 13);
	entry_of(slot)->key ^= UST_SLOT_DEAD | UST_SLOT_BUSY;
	check("busy for ever", slot_put(slot, 15, 16) && slot_take(slot, &caller) == 15);
	check("notes", slot_note(slot, 5, 6) && slot_noted(slot)->ret == 5 && slot_noted(slot)->now == 6 &&
	      !slot_noted(slot + 8));
}

/* ------------------------------------------------------------------- time */

static PROBED __attribute__((naked)) void timed(void) { __asm__("ret"); }

static double once(void)
{
	const u32 n = 2000000;
	struct timespec a, b;
	u32 i;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	for (i = 0; i < n; i++)
		timed();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	return ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) / n;
}

static double ns(void)
{
	double best = 1e9, v;
	u32 i;

	for (i = 0; i < 7; i++)
		if ((v = once()) < best)
			best = v;
	return best;
}

static void time_all(void)
{
	double bare = ns();

	printf("# bare call %.1f ns; above that:\n", bare);
	STUB(timed, .n = 1, .first = EMPTY);
	printf("# entry, empty handler %.1f\n", ns() - bare);
	STUB(timed, .n = 1, .first = PLUS);
	printf("# entry, plain counter %.1f\n", ns() - bare);
	STUB(timed, .n = 1, .first = GLOBAL);
	printf("# entry, global counter %.1f\n", ns() - bare);
	check("every hit was counted", ust_counter_read(&counter) == 7 * 2000000);
	STUB(timed, .n = 1, .first = EMPTY, .full = true);
	printf("# entry, all registers %.1f\n", ns() - bare);
	STUB(timed, .rn = 1, .rfirst = EMPTY);
	printf("# return %.1f\n", ns() - bare);
	STUB(timed, .n = 1, .first = EMPTY, .rn = 1, .rfirst = EMPTY);
	printf("# entry and return %.1f\n", ns() - bare);
	agent.disarm();
	printf("# entry and return, disarmed %.1f\n", ns() - bare);
	agent.arm();
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	start();
	check("begin probes by priority", !strcmp(order_of_probes, "one two too "));
	test_entry();
	test_return();
	test_disarm();
	test_registers();
	test_recursion();
	test_chain();
	test_longjmp();
	test_longjmp_chain();
	test_coroutines();
	test_backtrace();
	test_unwinding();
	test_signals();
	test_threads();
	test_fork();
	test_vfork();
	test_phdr();
	test_find_object();
	test_requests();
	test_sigaction();
	test_full_table();
	test_left_by_fork();
	time_all();
	*order_of_probes = 0;
	agent.end();
	check("end probes", !strcmp(order_of_probes, "end "));
	return bad;
}
