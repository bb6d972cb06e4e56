/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGSEGV and SIGBUS: a fault in one of the runtime's loads ends that load, any other one belongs
 * to the program.
 *
 * If the program has a handler, the kernel is given one of UST_FAULTS entry points of the runtime
 * instead, with the program's own flags, mask and restorer. The number of the entry point
 * identifies the entry of process.faults[] with the program's handler. So the kernel alone holds
 * the current disposition: a change is as atomic as without the runtime, and a child that shares
 * memory but not handlers has its own. An entry of process.faults[] does not change once an entry
 * point of its number is in use.
 *
 * The program's handler is called by a jump, on the frame that the kernel has built: it sees the
 * same arguments, stack, mask and return address as without the runtime.
 */
#include <asm/unistd.h>

#include "user.h"

enum { SIGBUS = 7, SIGSEGV = 11, MASK_SIZE = 8 };
enum { FREE, BUSY, READY }; /* process.fault_states[] */
#define DEFAULT 0ull
#define IGNORE  1ull
/* sa_flags, asm/signal.h */
#define NO_DEFER      0x40000000ull
#define RESET_HANDLER 0x80000000ull
#define RESTORER      0x04000000ull

static long sigaction(int signal, const struct ust_disposition *to, struct ust_disposition *was)
{
	return system_call(__NR_rt_sigaction, signal, (long)to, (long)was, MASK_SIZE, 0, 0);
}

bool fault_is(u64 signal) { return (u32)signal == SIGSEGV || (u32)signal == SIGBUS; }

void faults_init(void)
{
	layout.fault_handlers = (u64)arch_faults;
	layout.fault_restorer = (u64)fault_restorer;
}

/* ------------------------------------------------------------- entry points */

/* Number of the entry point at HANDLER; UST_FAULTS if it is not one. */
static u32 number_of(u64 handler)
{
	u64 n = (handler - (u64)arch_faults) / UST_FAULT_BYTES;

	return n < UST_FAULTS ? (u32)n : UST_FAULTS;
}

static bool is_same(const struct ust_disposition *a, const struct ust_disposition *b)
{
	return a->handler == b->handler && a->flags == b->flags && a->restorer == b->restorer;
}

/* Number of an entry of process.faults[] equal to D except for the mask, which the kernel keeps.
 * UST_FAULTS if all are in use. */
static u32 number_for(const struct ust_disposition *d)
{
	u32 i, none;

	for (i = 0; i < UST_FAULTS; i++)
		if (smp_load_acquire(&process.fault_states[i]) == READY &&
		    is_same(&process.faults[i], d))
			return i;
	for (i = 0; i < UST_FAULTS; i++) {
		none = FREE;
		if (!__atomic_compare_exchange_n(&process.fault_states[i], &none, BUSY, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		process.faults[i] = *d;
		smp_store_release(&process.fault_states[i], READY);
		return i;
	}
	return UST_FAULTS;
}

/* Replace the kernel's view in D by the program's own disposition. */
static void show_own(struct ust_disposition *d)
{
	u32 i = number_of(d->handler);

	if (i < UST_FAULTS)
		ust_fault_own(d, &process.faults[i]);
}

static bool is_ignored(const struct ust_disposition *d) { return d->handler == IGNORE; }
static bool is_function(const struct ust_disposition *d) { return d->handler > IGNORE; }

/* The kernel kills a program instead of calling a handler without a restorer. */
static bool can_stand_for(const struct ust_disposition *d)
{
	return !is_ignored(d) && (!is_function(d) || d->flags & RESTORER);
}

/* ------------------------------------------------------------- dispositions */

static void give_back(int signal)
{
	struct ust_disposition now;

	if (sigaction(signal, NULL, &now) || number_of(now.handler) == UST_FAULTS)
		return;
	show_own(&now);
	sigaction(signal, &now, NULL);
}

/* Restore the program's dispositions; returns the previous flags. A child of vfork() shares the
 * flags, but not the dispositions. */
static u32 release(void)
{
	u32 was = __atomic_fetch_and(&process.flags,
				     ~(u32)(UST_PROCESS_CATCH_FAULTS | UST_PROCESS_CHAIN_FAULTS),
				     __ATOMIC_RELAXED);

	if (was & UST_PROCESS_NO_SYSCALLS)
		return was;
	give_back(SIGSEGV);
	give_back(SIGBUS);
	return was;
}

void faults_release(void)
{
	if (release() & UST_PROCESS_CATCH_FAULTS)
		__atomic_fetch_add(&shared.status.slow_reads, 1, __ATOMIC_RELAXED);
}

/* A thread's call may have begun before the signals were released. */
bool faults_hooked(u64 signal)
{
	return fault_is(signal) && READ_ONCE(process.fault_states[0]) == READY;
}

static bool is_chained(void) { return READ_ONCE(process.flags) & UST_PROCESS_CHAIN_FAULTS; }

long fault_action(int signal, const struct ust_disposition *to, struct ust_disposition *was)
{
	struct ust_disposition ours;
	u32 i = UST_FAULTS;
	long err;

	if (to && is_chained()) {
		if (can_stand_for(to))
			i = number_for(to);
		if (i == UST_FAULTS && !(unlikely(local.vforks) && in_vfork()))
			faults_release();
	}
	if (i < UST_FAULTS) {
		ust_fault_ours(&ours, to, layout.fault_handlers + i * UST_FAULT_BYTES,
			       layout.fault_restorer);
		to = &ours;
	}
	err = sigaction(signal, to, was);
	if (!err)
		show_own(was);
	return err;
}

void fault_watch(u64 signal)
{
	if (fault_is(signal) && !is_chained())
		faults_release();
}

/* ------------------------------------------------------------------ signals */

struct info {
	int signal, error, code;
}; /* siginfo_t */
enum { BUS_MCEERR_AO = 5 };

/* A signal that was sent is not raised again when the instruction is retried. */
static bool was_sent(const struct info *info)
{
	return info->code <= 0 || (info->signal == SIGBUS && info->code == BUS_MCEERR_AO);
}

/* The program has no handler. A fault is raised again when the thread continues; a sent signal is
 * sent again. */
static void die(int signal, const struct info *info)
{
	const struct ust_disposition standard = {0};

	release();
	sigaction(signal, &standard, NULL);
	if (was_sent(info))
		system_call(__NR_rt_tgsigqueueinfo, system_call(__NR_getpid, 0, 0, 0, 0, 0, 0),
			    system_call(__NR_gettid, 0, 0, 0, 0, 0, 0), signal, (long)info, 0, 0);
}

/*
 * The program's handler of entry point NUMBER is for one signal only: reset it to the default, with
 * all else unchanged. False: another thread was faster.
 */
static bool reset_handler(int signal, u32 number)
{
	struct ust_disposition now, was, own;

	if (sigaction(signal, NULL, &now) || number_of(now.handler) != number)
		return true;
	own = now;
	show_own(&own);
	own.handler = DEFAULT;
	if (fault_action(signal, &own, &was))
		return true;
	return was.handler != DEFAULT;
}

/* The code of the runtime; blob.lds. */
extern char text_begin[] __attribute__((weak)), text_end[] __attribute__((weak));

/* True if the fault at PC is that of arch_ticks() in a process that may not read the cycle counter.
 * Skips the instruction; it is not executed again. */
static bool is_forbidden_ticks(u64 pc, void *context)
{
	if (pc < (u64)text_begin || pc >= (u64)text_end || !arch_skip_ticks(context))
		return false;
	__atomic_fetch_or(&process.flags, UST_PROCESS_NO_TICKS, __ATOMIC_RELAXED);
	return true;
}

u64 fault_signal(u32 number, int signal, const void *siginfo, void *context)
{
	const struct ust_disposition *d = &process.faults[number];
	const struct info *info = siginfo;
	u64 *pc = arch_context_pc(context);

	if (*pc >= (u64)arch_load_begin && *pc < (u64)arch_load_end && !was_sent(info)) {
		*pc = (u64)arch_load_failed;
		return 0;
	}
	if (!was_sent(info) && is_forbidden_ticks(*pc, context))
		return 0;
	if (process.flags & UST_PROCESS_LOOKS_UP && !was_sent(info))
		*pc = area_origin(*pc);
	if (is_function(d) && (!(d->flags & RESET_HANDLER) || reset_handler(signal, number))) {
		if (!(d->flags & NO_DEFER))
			umem_blocked();
		return d->handler;
	}
	die(signal, info);
	return 0;
}
