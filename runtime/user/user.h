/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of the user runtime; one section for each.  It is freestanding code: no libc,
 * no thread-local storage, general registers only; see arch/.
 *
 *   agent.c        struct ust_agent: what the loader calls; begin, end and error probes; states
 *   context.c      contexts: take, lock, leave; errors and what they end
 *   gate.c         conditions of probes
 *   port_impl.h    what runtime/common needs
 *
 *   base/          what all of it uses
 *     shared_lock.c  locks that survive their owner
 *     heap.c         the heap; memcpy and its like
 *     clock.c        the time
 *
 *   probes/        from a site to the handlers
 *     hit.c             from a stub to the handlers
 *     return_slots.c    replaced return addresses
 *     handler_stack.c   stacks for handlers that need much
 *     hook.c            places that the runtime itself watches; asking the loader
 *     trap.c            SIGTRAP, where no jump fits
 *     timer.c           timers, run by the loader
 *     process_events.c  process events, run by the loader, about another process
 *
 *   process/
 *     identity.c     which process and thread is this, and is it to be hit?
 *
 *   memory/
 *     umem.c         memory of the probed process
 *     fault.c        SIGSEGV and SIGBUS: of our own loads, and the program's
 *
 *   transport/
 *     ring.c         the records' way to the loader
 *
 *   builtins/      builtins of the language that need the process
 *     task.c, tasks.c, machine.c
 *
 *   arch/          system calls, thread pointer, common code of stubs
 */
#ifndef USTAP_USER_H
#define USTAP_USER_H

#include "common.h"
#include "wire.h"

/* Where a hit runs: ust_hit.mode. */
enum mode {
	MODE_PROBE,              /* in the traced process */
	MODE_ALONE = PORT_ALONE, /* begin, end, error: in the script process */
	MODE_THREAD,             /* timers: in the script process */
	MODE_EVENT, /* process.begin and similar events: in the script process, about a subject */
	MODES
};

/* Memory that is copied by fork, and the page that is cleared by it. */
#define PRIVATE       __attribute__((section(".bss.private")))
#define PRIVATE_FIRST __attribute__((section(".bss.private.first")))
#define WIPED         __attribute__((section(".bss.wiped")))
#define WIPED_FIRST   __attribute__((section(".bss.wiped.first")))

/* -------------------------------------------------------------- agent.c */

extern const struct ust_agent agent; /* sealed; the ELF entry is its address */
extern struct ust_layout layout;     /* shared; the loader relies on its own copy */
extern struct ust_shared shared;
extern struct ust_process process; /* private, at its very beginning */
extern struct ust_local local;     /* wiped, at the beginning of that page */

/* Do handlers run? */
static inline bool is_armed(void)
{
	return !(READ_ONCE(shared.owner) & (UST_DISARMED | UST_ORPHANED));
}
/* Has the tracer ended without removing the probes? */
static inline bool is_orphaned(void) { return READ_ONCE(shared.owner) & UST_ORPHANED; }

/* The status changed or a request waits: wake the loader. */
void ring_doorbell(void);
void request_child(void);
/* This process may be a forked child that is not traced and has come to a probe: tell it, once. */
void request_untraced(void);

/* ---------------------------------------------------------------- hit.c */

/* What common code has saved on the stack of the probed thread (arch/x86_64.S). */
struct frame {
	struct ust_regs regs; /* flags are whole in the full variant only */
	unsigned long ret;    /* where the stub's CALL comes back to; next on the stack */
};

/* Called by common code, which then goes back to f->ret. */
void hit_entry(struct frame *f);
/* The return address was taken: f->ret is now also what is above it on the stack, and common code
 * goes back from there.  False: it was not, and f->ret is the body. */
bool hit_return(struct frame *f);
/* Leaves in f->ret where the probed function returns to, and in f->regs.ss, below it on the stack,
 * where common code goes. */
void hit_after(struct frame *f);

/* ------------------------------------------------------- return_slots.c */

/* Record RET for the stack slot at address SLOT, into which NOW will be put instead.  False: no
 * room (counted as a missed return).  *SAVED: room for program.saved_words. */
bool slot_put(u64 slot, u64 ret, u64 now, ust_long **saved);
/* What was recorded last for SLOT, as from slot_take(), but it stays, with what was put in its
 * *SAVED. */
u64 slot_last(u64 slot, u64 *caller, ust_long **saved);
/* What was recorded last for SLOT, and take it out; 0: nothing.  *CALLER: what was there first. */
u64 slot_take(u64 slot, u64 *caller);
/* Keep words for the function whose return address is in SLOT, until that slot is used again: as
 * ret and now, and count for whoever finds it.  NULL: nothing was noted. */
bool slot_note(u64 slot, u64 a, u64 b);
struct ust_slot *slot_noted(u64 slot);
void slots_init(void);

/* ------------------------------------------------------ handler_stack.c */

/* Run HANDLER on a stack of the runtime, with signals blocked. */
void stack_run(struct ust_hit *hit, ust_handler handler);
/* Does this code run on such a stack of a thread
 * whose signal stack is in use?  It must not fault. */
bool stack_closed(void);
/* The signals that this thread has blocked itself, if it runs on such a stack. */
bool stack_mask(u64 *mask);

/* --------------------------------------------------------------- hook.c */

/* True: the function is done, with f->regs.ax as its result. */
bool hook_entry(const struct ust_point *p, struct frame *f, u64 slot);
/* Does P's hook need to see the return, too? */
bool hook_wants_return(const struct ust_point *p);
/* At return of a hooked function; true: f is changed so that something else is called first, which
 * comes back to where the function came back to. */
bool hook_return(const struct ust_point *p, struct frame *f, u64 slot);

/* Have gates opened that are on, and wait for that. */
void request_gates(void);

/* --------------------------------------------------------------- gate.c */

void gates_begin(void); /* before begin probes */

/* --------------------------------------------------------------- trap.c */

void traps_init(void);
/* SIGTRAP has come; RETURNS: where its handler returns to is.  0: the handler is done; else the
 * program's own, to be called in its place. */
u64 trap_signal(const void *siginfo, void *context, u64 *returns);
/* The program is about to make a system call.  True: it is done, with its result in r->ax. */
bool trap_call(struct ust_regs *r);
/* It is about to wait with this mask, which becomes another where that is needed. */
void trap_mask(unsigned long *set);

/* -------------------------------------------------------------- fault.c */

void faults_init(void);
bool fault_is(u64 signal); /* SIGSEGV or SIGBUS */
/* Is rt_sigaction() of SIGNAL ours to answer? */
bool faults_hooked(u64 signal);
/* rt_sigaction() of such a signal, for the program: the same result, and 0 or -errno. */
long fault_action(int signal, const struct ust_disposition *to, struct ust_disposition *was);
/* The program calls sigaction() for SIGNAL: give the signals back, unless the call itself is
 * hooked. */
void fault_watch(u64 signal);
/* Faults are the program's own affair from now on:
 * put back the dispositions that it has asked for. */
void faults_release(void);
/* Entry point NUMBER was called.  The program's handler, to be called in its place; 0: done. */
u64 fault_signal(u32 number, int signal, const void *siginfo, void *context);
extern char fault_restorer[];

/* ----------------------------------------------------------- identity.c */

/* Is this process to be hit?  The fast answer; everything else in identity_slow(). */
bool identity_slow(void);
static inline bool identity_wanted(void)
{
	return likely(local.state == UST_LOCAL_WANTED && !local.vforks) || identity_slow();
}
/* Is this a child of vfork() that shares its parent's memory? */
bool in_vfork(void);
u32 identity_pid(void);
/* Thread id as the kernel says to this process. */
u32 identity_tid_slow(void);
#define TID_NOWHERE (~0u)
static inline bool tid_known(u32 offset) { return offset - 1 < TID_NOWHERE - 1; }
static inline u32 identity_tid(void);
/* A call of vfork() begins on this thread, or one
 * of posix_spawn() or the like, and that is over. */
void identity_vfork(bool spawn);
void identity_spawned(void);
/* From now on two threads may have one thread pointer: only the kernel tells them apart. */
void identity_shared(void);

/* -------------------------------------------------------- shared_lock.c */

/* Who holds a lock is a thread id and the number of its pid namespace, see ust_process. */
enum { OWNER_TID_BITS = 22 };
static inline u32 lock_self(void);
/* A forked child may be in a new namespace. */
void lock_forked(void);
static inline bool owner_try(u32 *lock, u32 self)
{
	u32 none = 0;

	return !READ_ONCE(*lock) && __atomic_compare_exchange_n(lock, &none, self, false,
								__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
bool owner_died(u32 owner);
/* Take it from an owner that has died. */
bool owner_steal(u32 *lock, u32 self);
/* Who waits for something calls this with TURN 0, 1, 2 ...: spins, yields, sleeps. */
void lock_rest(u32 turn);

/*
 * Waits for something that another thread is to give up, which may be in vain: it was stopped, or a
 * traced process has written over the memory. All waits of one kind share a budget, a struct
 * patience in PRIVATE memory: in vain they take LONGEST ns and a third of it together, and a tenth
 * of the time that passes. So the end of a script comes soon, however much was written over.
 */
struct patience {
	u64 spent, at;
	u32 vain;
};
struct bounded_wait {
	struct patience *of;
	u64 began, limit; /* ns */
	u32 turn, spins;  /* turns that a process without system calls may take */
};
void wait_begin(struct bounded_wait *w, struct patience *p, u64 longest, u32 spins);
bool wait_over(const struct bounded_wait *w);
/* Spins, yields or sleeps, by how often it was called. */
void wait_rest(struct bounded_wait *w);
/* It has ended without what it was for. */
void wait_was_vain(const struct bounded_wait *w);
/* Give back all locks on globals that this thread holds; what they guard may be half changed. */
void lock_abandon(u32 self);

/* --------------------------------------------------------------- ring.c */

bool rings_init(void);

/* ------------------------------------------------------------ context.c */

bool contexts_init(void);
/* struct ust_layout.order_ms */
u64 contexts_time(void);
/* Wait for the handlers that still run, a second at most, and mend what killed ones have left. */
void contexts_settle(void);

/* Is this thread on its signal stack?  A system call. */
bool on_signal_stack(void);
/* This thread is about to call longjmp(ENV). */
void context_jump(u64 env);

/* -------------------------------------------------------------- clock.c */

u64 clock_monotonic(void); /* ns */
u64 clock_realtime(void);

/* -------------------------------------------------------------- timer.c */

bool timers_init(void);
void timers_start(u64 now);
u64 timers_run(u64 now);

/* ----------------------------------------------------- process_events.c */

u32 events_probed(void); /* 1 << enum ust_event */
void event_probe(u32 i, struct ust_event_probe *to);
void event_run(u32 event, const struct ust_subject *s);
/* Whose memory is read: in the script process, while a handler runs; 0: our own. */
extern u32 event_memory;
static inline const struct ust_subject *event_subject(const struct ust_ctx *c)
{
	return c->hit->mode == MODE_EVENT ? c->hit->subject : NULL;
}
/* Its memory, by way of the tracer, where the kernel says EPERM; at most a page. */
bool event_read(void *to, u64 addr, u32 size);
bool event_write(u64 addr, const void *from, u32 size);
/* Number N, from 0, of the line of /proc that FIELD begins; -1: there is none. */
ust_long event_status(const struct ust_subject *s, const char *field, u32 n);
void event_name(const struct ust_subject *s, char *dst, u32 size);
bool event_strings(const struct ust_subject *s, bool environment, u64 *start, u64 *end);

/* --------------------------------------------------------------- umem.c */

/* Memory of this process, as far as it is readable; never faults.  False: not all of it is. */
bool umem_read(void *to, u64 addr, u32 size);
bool umem_write(u64 addr, const void *from, u32 size);
/* Something may have been unmapped. */
void umem_flush(void);
/* This thread may have blocked SIGSEGV or SIGBUS since it was last asked. */
void umem_blocked(void);

/* --------------------------------------------------------------- task.c */

/* In the process that the user has started: begin,
 * end and timer probes run as if it were that one. */
void task_init(void);

/* --------------------------------------------------------------- heap.c */

/* The heap begins behind .bss; all of it is zero. */
void heap_init(void *end);
void *heap_used_to(void);
/* SIZE bytes, 64-byte aligned; NULL: no room.  Nothing is ever given back. */
void *heap_alloc(size_t size);

/* ---------------------------------------------------------------- arch/ */

/* system_call(), arch_cpu(), arch_thread_pointer(), arch_pause() ... */
#if defined(__x86_64__)
#include "arch/x86_64.h"
#endif

static inline u32 identity_tid(void)
{
	u32 offset = local.tid_offset, tid = 0;
	unsigned long thread;

	if (likely(tid_known(offset) && !local.vforks)) {
		thread = arch_thread_pointer();
		if (likely(thread))
			tid = *(const u32 *)(thread + offset);
	}
	return likely(tid) ? tid : identity_tid_slow();
}

static inline u32 lock_self(void) { return identity_tid() | process.pid_space << OWNER_TID_BITS; }

#endif
