/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints, for sites where no jump fits: the runtime takes SIGTRAP, invisibly to the program.
 *
 * The handler only makes the thread continue in the trampoline, which does the rest, as if a jump
 * had led there. Any other SIGTRAP goes to the program's own handler, on the frame that the kernel
 * has built, or has its default action. The kernel kills a program that reaches a breakpoint with
 * SIGTRAP blocked or ignored. So hooks see all calls that block SIGTRAP or set its handler: the
 * kernel gets them without SIGTRAP, and the program gets the results that it expects.
 */
#include <asm/unistd.h>
#include <linux/errno.h>

#include "user.h"

enum { SIGTRAP = 5, MASK_SIZE = 8, SI_USER = 0, SI_KERNEL = 0x80, HARDWARE = 4 /* TRAP_HWBKPT */ };
enum { BLOCK = 0, UNBLOCK = 1, SET = 2 }; /* of rt_sigprocmask() */
#define TRAP    (1ull << (SIGTRAP - 1))
#define MARK    (1ull << 31) /* signal 32, reserved by C libraries; blocked while a handler runs */
#define DEFAULT 0ull
#define IGNORE  1ull
/* sa_flags, asm/signal.h */
#define NO_DEFER      0x40000000ull
#define RESET_HANDLER 0x80000000ull
#define WITH_INFO     4ull
#define ON_STACK      0x08000000ull
#define RESTART       0x10000000ull
#define RESTORER      0x04000000ull

static PRIVATE struct ust_trap traps[UST_TRAPS];
static PRIVATE struct ust_trap_thread threads[UST_TRAP_THREADS];

void traps_init(void)
{
	layout.traps = (u64)traps;
	layout.traps_mask = UST_TRAPS - 1;
	layout.trap_threads = (u64)threads;
	layout.trap_handler = (u64)arch_trap;
	layout.trap_restorer = (u64)arch_trap_restorer;
}

static u64 stub_of(u64 addr)
{
	u64 i = (addr * UST_TRAP_HASH) >> 32, end = i + UST_TRAP_PROBES;

	for (; i < end; i++) {
		const struct ust_trap *t = &traps[i & (UST_TRAPS - 1)];

		if (t->addr == addr)
			return t->stub;
		if (!t->addr)
			break;
	}
	return 0;
}

bool trap_at(u64 addr) { return stub_of(addr); }

/* ---------------------------------------------------------------- threads */

/* The entry of this thread; NULL if it has no entry or, with MAKE, if the table is full. */
static struct ust_trap_thread *self(bool make)
{
	u64 key = arch_thread_pointer(), first, i, none;

	if (!key)
		key = 1;
	first = (key * UST_TRAP_HASH) >> 32;
	for (i = 0; i < UST_TRAP_NEAR; i++)
		if (READ_ONCE(threads[(first + i) % UST_TRAP_THREADS].thread) == key)
			return &threads[(first + i) % UST_TRAP_THREADS];
	for (i = 0; make && i < UST_TRAP_NEAR; i++) {
		struct ust_trap_thread *t = &threads[(first + i) % UST_TRAP_THREADS];

		none = 0;
		if (!READ_ONCE(t->thread) &&
		    __atomic_compare_exchange_n(&t->thread, &none, key, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

/* True if the thread blocks SIGTRAP with this mask: while its handler runs SIGTRAP is blocked, and
 * so is MARK, which is cleared when the handler returns. */
static bool is_blocked(struct ust_trap_thread *t, u64 mask)
{
	if (t && !(mask & MARK))
		t->handling = 0;
	return t && (t->blocked || t->handling);
}

static long requeue(const void *info)
{
	return system_call(__NR_rt_tgsigqueueinfo, system_call(__NR_getpid, 0, 0, 0, 0, 0, 0),
			   system_call(__NR_gettid, 0, 0, 0, 0, 0, 0), SIGTRAP, (long)info, 0, 0);
}

static void set_blocked(bool blocked)
{
	struct ust_trap_thread *t = self(blocked);
	u64 info[16] = {0};

	/* The mask of a vfork() child does not matter to its parent. */
	if (!t || (unlikely(local.vforks) && in_vfork()))
		return;
	t->blocked = blocked;
	if (blocked)
		return;
	t->handling = 0;
	if (t->held) {
		memcpy(info, t->info, sizeof t->info);
		t->held = 0;
		requeue(info);
	} else {
		smp_store_release(&t->thread, 0);
	}
}

/* ---------------------------------------------------------- dispositions */

static long sigaction(int signal, const struct ust_disposition *to, struct ust_disposition *was)
{
	return system_call(__NR_rt_sigaction, signal, (long)to, (long)was, MASK_SIZE, 0, 0);
}

static void set_mask(u64 mask)
{
	system_call(__NR_rt_sigprocmask, SET, (long)&mask, 0, MASK_SIZE, 0, 0);
}

static bool is_function(const struct ust_disposition *d) { return d->handler > IGNORE; }

/* Use the stack of the program's handler; without one, a signal stack is the safer choice. */
static void install(const struct ust_disposition *d)
{
	const struct ust_disposition ours = {
		layout.trap_handler,
		WITH_INFO | RESTORER |
			(is_function(d) ? d->flags & (ON_STACK | RESTART) : ON_STACK | RESTART),
		layout.trap_restorer, ~0ull};

	sigaction(SIGTRAP, &ours, NULL);
}

static void give_default(void)
{
	const struct ust_disposition standard = {0};

	sigaction(SIGTRAP, &standard, NULL);
}

/* ------------------------------------------------------- the program's own */

struct info {
	int signal, error, code;
}; /* siginfo_t */

/* Length of the instruction that ends at PC, if it is a breakpoint. */
static u32 breakpoint_before(u64 pc)
{
	u8 text[2] = {0};

	if (!umem_read(text, pc - 2, sizeof text) && !umem_read(text + 1, pc - 1, 1))
		return 1;
	return arch_breakpoint_length(text);
}

/* End the process as without the runtime: at its own breakpoint, or by raising the signal once
 * more. */
static u64 die(const struct info *info, u64 *pc)
{
	give_default();
	if (info->code == SI_KERNEL)
		*pc -= breakpoint_before(*pc);
	else
		requeue(info);
	return 0;
}

static u64 call_handler(u64 mask, u64 *returns)
{
	struct ust_disposition d = process.trap;
	struct ust_trap_thread *t = d.flags & NO_DEFER || mask & MARK ? NULL : self(true);

	if (d.flags & RESET_HANDLER)
		process.trap.handler = DEFAULT;
	if (t)
		t->handling = 1;
	if (d.flags & RESTORER)
		*returns = d.restorer;
	set_mask((mask | d.mask | (t ? MARK : 0)) & ~TRAP);
	return d.handler;
}

/* A SIGTRAP sent during the program's handler does not wait until that returns, because the return
 * is not observed. */
static u64 own_signal(const struct info *info, void *context, u64 *returns)
{
	u64 mask = *arch_context_mask(context);
	struct ust_trap_thread *t = self(false);
	bool sent = info->code <= 0, blocked = is_blocked(t, mask);

	if (!sent && (blocked || !is_function(&process.trap)))
		return die(info, arch_context_pc(context));
	if (blocked && t->blocked) {
		memcpy(t->info, info, sizeof t->info);
		t->held = 1;
		return 0;
	}
	if (is_function(&process.trap))
		return call_handler(mask, returns);
	return process.trap.handler == IGNORE ? 0 : die(info, arch_context_pc(context));
}

u64 trap_signal(const void *siginfo, void *context, u64 *returns)
{
	const struct info *info = siginfo;
	u64 *pc = arch_context_pc(context), stub = 0;

	/* the tracer has ended and left debug registers set */
	if (info->code == HARDWARE && layout.watches)
		return 0;
	if (info->code == SI_KERNEL)
		stub = stub_of(*pc - 1);
	/* gdb steps back to a breakpoint, and then passes the signal on, or sends an equal one when
	 * it resumes */
	if (!stub &&
	    (info->code == SI_USER || (info->code == SI_KERNEL && !breakpoint_before(*pc))))
		stub = stub_of(*pc);
	if (!stub)
		return own_signal(info, context, returns);
	*pc = stub;
	return 0;
}

/* ------------------------------------------- what the program asks for */

/* If a sandbox forbids system calls, the program makes this one itself. */
static bool get(void *to, u64 addr, u32 size)
{
	if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		return umem_read(to, addr, size);
	memcpy(to, (const void *)addr, size);
	return true;
}

static bool put(u64 addr, const void *from, u32 size)
{
	if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		return umem_write(addr, from, size);
	memcpy((void *)addr, from, size);
	return true;
}

static void note_mask(u64 how, bool has, bool blocked)
{
	bool now = how == SET ? has : how == BLOCK ? blocked || has : blocked && !has;

	if (now != blocked)
		set_blocked(now);
}

/* Argument N of the system call that R are the registers of. */
static inline unsigned long call_arg(struct ust_regs *r, unsigned n)
{
	return *regs_call_arg(r, n);
}

/* rt_sigprocmask(how, set, was, size) */
static long change_mask(struct ust_regs *r)
{
	struct ust_trap_thread *t = self(false);
	u64 asked = 0, set, was = 0;
	bool blocked;
	long err;

	if (call_arg(r, 1) && !get(&asked, call_arg(r, 1), sizeof asked))
		return -EFAULT;
	set = call_arg(r, 0) == UNBLOCK ? asked : asked & ~TRAP;
	err = system_call(__NR_rt_sigprocmask, call_arg(r, 0), call_arg(r, 1) ? (long)&set : 0,
			  (long)&was, call_arg(r, 3), 0, 0);
	if (err)
		return err;
	blocked = is_blocked(t, was);
	if (blocked)
		was = (t->handling ? was & ~MARK : was) | TRAP;
	if (call_arg(r, 1))
		note_mask(call_arg(r, 0), asked & TRAP, blocked);
	return call_arg(r, 2) && !put(call_arg(r, 2), &was, sizeof was) ? -EFAULT : 0;
}

/* A child of vfork() has its own dispositions, and will call exec: it keeps the runtime's. */
static void change_own(const struct ust_disposition *to)
{
	if (unlikely(local.vforks) && in_vfork())
		return;
	process.trap = *to;
	install(to);
}

static long change_other(int signal, struct ust_disposition *to, struct ust_disposition *was)
{
	u64 bit = 1ull << (signal - 1);
	bool had = process.trapping && process.trap_masks & bit,
	     has = process.trapping && to && to->mask & TRAP;
	long err;

	if (has)
		to->mask &= ~TRAP;
	err = fault_is(signal) ? fault_action(signal, to, was) : sigaction(signal, to, was);
	if (err)
		return err;
	if (had)
		was->mask |= TRAP;
	if (to && has != had && !(unlikely(local.vforks) && in_vfork()))
		__atomic_fetch_xor(&process.trap_masks, bit, __ATOMIC_RELAXED);
	return 0;
}

/* rt_sigaction(signal, to, was, size). False: the program makes the call, and nothing is
 * changed. */
static bool change_action(struct ust_regs *r)
{
	struct ust_disposition to, was = {0};
	int signal = (int)call_arg(r, 0);
	long err = 0;

	if (call_arg(r, 3) != MASK_SIZE || signal < 1 || signal > 64)
		return false;
	if (call_arg(r, 1) && !get(&to, call_arg(r, 1), sizeof to)) {
		/* the kernel may find another value there a moment later */
		*regs_result(r) = -EFAULT;
		return fault_is(signal);
	}
	if (signal == SIGTRAP) {
		was = process.trap;
		if (call_arg(r, 1))
			change_own(&to);
	} else {
		err = change_other(signal, call_arg(r, 1) ? &to : NULL, &was);
	}
	*regs_result(r) = err                                                        ? err
			  : call_arg(r, 2) && !put(call_arg(r, 2), &was, sizeof was) ? -EFAULT
										     : 0;
	return true;
}

/* A system call that fails changes nothing: let the kernel return the error. */
static bool change_own_mask(struct ust_regs *r)
{
	long result = change_mask(r);

	if (result == -EFAULT || result == -EINVAL)
		return false;
	*regs_result(r) = result;
	return true;
}

bool trap_call(struct ust_regs *r)
{
	switch ((u32)*regs_call_number(r)) {
	case __NR_rt_sigprocmask:
		return process.trapping && change_own_mask(r);
	case __NR_rt_sigaction:
		return (process.trapping || faults_hooked(call_arg(r, 0))) && change_action(r);
	default:
		return false;
	}
}

void trap_mask(unsigned long *set)
{
	struct ust_trap_thread *t;
	u64 mask;

	if (!process.trapping || !*set || !get(&mask, *set, sizeof mask) || !(mask & TRAP))
		return;
	t = self(true);
	if (!t)
		return;
	t->mask = mask & ~TRAP;
	*set = (unsigned long)&t->mask;
}
