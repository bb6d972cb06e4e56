/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common code of trampolines, hits and replaced return addresses of the user runtime; their
 * cost. */
#include "user_check.h"

/* ---------------------------------------------------------- entry, return */

static PROBED long add3(long a, long b, long c)
{
	__asm__ volatile("");
	return a + b + c;
}
static PROBED long twice(long a)
{
	__asm__ volatile("");
	return 2 * a;
}

static void test_entry(void)
{
	STUB(add3, .n = 1, .first = SEE);
	check("entry: the function does its work", add3(1, 20, 300) == 321);
	check("entry: arguments", seen_regs.di == 1 && seen_regs.si == 20 && seen_regs.dx == 300);
	check("entry: address", seen.addr == (u64)add3 && seen_regs.ip == (u64)add3);
	check("entry: site", seen.site == &sites[SEE] && seen.mode == MODE_PROBE && !seen.probe);
	check("entry: stack",
	      seen_regs.sp % 16 == 8 && *(u64 *)seen_regs.sp - (u64)test_entry < 4096);
	STUB(add3, .n = 2, .first = SEE, .red_zone = true);
	counts[COUNT] = 0;
	check("red zone", add3(1, 20, 300) == 321 && seen_regs.sp % 16 == 8 && counts[COUNT] == 1);
	WRITE_ONCE(shared.owner, UST_DISARMED);
	check("disarmed", add3(1, 2, 3) == 6 && counts[COUNT] == 1);
	agent.arm();
}

static void test_return(void)
{
	u64 sp;

	STUB(twice, .rn = 1, .rfirst = SEE);
	seen = (struct ust_hit){0};
	check("return: result", twice(21) == 42 && seen_regs.ax == 42);
	check("return: addresses",
	      seen.addr == (u64)twice && seen_regs.ip - (u64)test_return < 4096);
	sp = seen_regs.sp;
	STUB(twice, .n = 1, .first = SEE, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	check("entry and return", twice(4) == 8 && seen_regs.di == 4 && counts[RCOUNT] == 1);
	check("return: stack", sp == seen_regs.sp + 8);
}

static PROBED long disarming(long a)
{
	__asm__ volatile("");
	return twice(a) + 1;
}

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

struct machine {
	u64 gpr[15], flags, xmm[16][2];
};
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
		ok &= same_machine((bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 |
				   (bits & 8) << 3 | (bits & 16) << 3 | (bits & 32) << 5 |
				   (bits & 64) << 5);
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
	WRITE_ONCE(shared.owner, UST_DISARMED);
	check("registers when disarmed", same_machines());
	agent.arm();
	STUB(nothing, .n = 1, .first = SEE, .full = true);
	same_machine(DIRECTION | 0x801);
	check("all registers seen", seen_regs.r15 == 14 * 0x1234567890abcdefull + 77 &&
					    seen_regs.bx == 0x1234567890abcdefull + 77 &&
					    seen_regs.flags == (0x202 | DIRECTION | 0x801) &&
					    seen_regs.cs == 0x33);
}

/* ---------------------------------------------------------------- returns */

static PROBED long depth(long n)
{
	long v = n ? depth(n - 1) : 0;

	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

static PROBED long chain_c(long n)
{
	__asm__ volatile("");
	return n + 1;
}
static PROBED long chain_b(long n)
{
	__asm__ volatile("");
	return chain_c(n * 2);
}
static PROBED long chain_a(long n)
{
	__asm__ volatile("");
	return chain_b(n + 5);
}
static PROBED long odd(long n);
static PROBED long even(long n)
{
	__asm__ volatile("");
	return n ? odd(n - 1) : 1;
}
static PROBED long odd(long n)
{
	__asm__ volatile("");
	return n ? even(n - 1) : 0;
}

static void test_recursion(void)
{
	STUB(depth, .n = 1, .first = COUNT, .rn = 1, .rfirst = RCOUNT);
	counts[COUNT] = counts[RCOUNT] = 0;
	check("recursion",
	      depth(99999) == 100000 && counts[COUNT] == 100000 && counts[RCOUNT] == 100000);
	check("recursion again", depth(99999) == 100000 && counts[RCOUNT] == 200000);
	check("none missed", !shared.status.missed_returns);
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
	check("long tail calls",
	      even(1000) == 1 && counts[RCOUNT] == 63 && shared.status.missed_returns == 1001 - 63);
	shared.status.missed_returns = 0;
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
	check("longjmp", ok && !shared.status.missed_returns);
}

/* Also leaps over the members of a chain. */
static PROBED long leap(long n)
{
	__asm__ volatile("");
	if (n)
		longjmp(back, 1);
	return 7;
}
static PROBED long to_leap(long n)
{
	__asm__ volatile("");
	return leap(n);
}

static void test_longjmp_chain(void)
{
	volatile u32 i;
	volatile bool ok = true;

	STUB(leap, .rn = 1, .rfirst = RCOUNT);
	STUB(to_leap, .rn = 1, .rfirst = RCOUNT);
	for (i = 0; i < 100; i++)
		if (!setjmp(back))
			ok = to_leap(i % 2) == 7 && ok;
	check("longjmp out of tail calls", ok && !shared.status.missed_returns);
}

static ucontext_t routines[3];
static u32 turns;

/* Deep in probed functions on one stack, continue with those of another. */
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

static PROBED long trace_tail(long n)
{
	__asm__ volatile("");
	return traced(n);
}
static PROBED long trace_tail_tail(long n)
{
	__asm__ volatile("");
	return trace_tail(n);
}

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

static void clean(void *arg) { cleaned += arg == &cleaned; }

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
	check("signals", calls == 20000 && !shared.status.missed_returns);
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
	check("thread id",
	      identity_tid() == (u32)syscall(SYS_gettid) && tid_known(local.tid_offset));
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
	WRITE_ONCE(shared.owner, UST_DISARMED);
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
	time_all();
	*order_of_probes = 0;
	agent.end(0);
	check("end probes", !strcmp(order_of_probes, "end "));
	return bad;
}
