/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal interface of the user runtime, one section for each file.  It is freestanding code: no
 * libc, no thread-local storage, general registers only; see arch/.
 *
 *   agent.c        struct ust_agent: what the loader calls; begin, end and error probes; states
 *   context.c      contexts: take, lock, leave; errors and what they end
 *   state.c        layout and state, shared and of one process
 *   gate.c         conditions of probes
 *   port_impl.h    what runtime/common needs
 *
 *   base/          locks, cells of threads, heap and clock
 *     owner.h        ids of threads as owners of locks
 *     shared_lock.c  locks between processes, robust against the death of their owner
 *     abandon.c      locks of handlers that the program has left
 *     thread_cell.c  owners of cells that belong to one thread
 *     counter.c      numbers that many threads add to
 *     thread_stat.c  statistics that many threads add to
 *     heap.c         the heap; memcpy() and related functions
 *     clock.c        time without libc
 *
 *   probes/        from a probe site to its handlers
 *     hit.c             from a trampoline to the handlers
 *     return_slots.c    replaced return addresses
 *     handler_stack.c   stacks for handlers that need more than a few hundred bytes
 *     hook.c            sites that the runtime itself watches; requests to the loader
 *     sandbox.c         seccomp filters that the process adds
 *     trap.c            SIGTRAP, where no jump fits
 *     divert.c          calls that the tracer makes a thread do between two instructions
 *     watch.c           accesses of watched data
 *     profile.c         samples of running threads
 *     timer.c           timers, run by the script process
 *     process_events.c  process events, handled in the script process
 *     calls.c           recorded calls of functions
 *
 *   process/
 *     area.c         areas of trampolines
 *     identity.c     identity of the current process and thread; process filter
 *
 *   memory/
 *     umem.c         memory of the probed process
 *     fault.c        SIGSEGV and SIGBUS of the runtime's loads, and of the program
 *
 *   transport/
 *     ring.c         records to the loader
 *
 *   builtins/      builtins of the language that need the process
 *     task.c, tasks.c, machine.c
 *
 *   arch/          system calls, thread pointer, common code of trampolines
 */
#ifndef USTAP_USER_H
#define USTAP_USER_H

#include "common.h"
#include "wire_agent.h"
#include "wire_process.h"

/* Context of a hit: ust_hit.mode. */
enum mode {
	MODE_PROBE,              /* in the traced process */
	MODE_ALONE = PORT_ALONE, /* begin, end, error: in the script process */
	MODE_THREAD,             /* timers: in the script process */
	MODE_EVENT, /* process.begin and similar events: in the script process, about a subject */
	MODES
};

/* Memory that is copied by fork, and the page that fork clears. */
#define PRIVATE       __attribute__((section(".bss.private")))
#define PRIVATE_FIRST __attribute__((section(".bss.private.first")))
#define WIPED         __attribute__((section(".bss.wiped")))
#define WIPED_FIRST   __attribute__((section(".bss.wiped.first")))

/* -------------------------------------------------------------- agent.c */

extern const struct ust_agent agent; /* sealed; the ELF entry point is its address */
extern struct ust_layout layout;     /* shared; the loader uses its own copy */
extern struct ust_shared shared;

/* True if handlers run. */
static inline bool is_armed(void)
{
	return !(READ_ONCE(shared.owner) & (UST_DISARMED | UST_ORPHANED));
}
/* True if the tracer has ended without removing the probes. */
static inline bool is_orphaned(void) { return READ_ONCE(shared.owner) & UST_ORPHANED; }

/* Wake the loader: the status has changed or a request waits. */
void ring_doorbell(void);
/* Request that the loader traces this process, a new child, and wait for its answer. In the child,
 * after fork(). */
void request_child(void);
/* Report, once, that this process may be an untraced forked child that has reached a probe. */
void request_untraced(void);

/* ---------------------------------------------------------------- hit.c */

/* Registers that common code saved on the stack of the probed thread (arch/x86_64.S). */
struct frame {
	struct ust_regs regs; /* flags are complete in the full variant only */
	unsigned long ret;    /* return address of the trampoline's CALL; next on the stack */
};

/* Called by common code, which then continues at f->ret. */
void hit_entry(struct frame *f);
/* hit_entry() on a handler stack; SP: stack pointer of the probed code. */
void hit_entry_switched(struct frame *f, u64 sp);
/* Called at the entry of a function with a return probe. True: the return address was replaced;
 * f->ret is now also the value above it on the stack, and common code continues from there. False:
 * it was not, and f->ret is the body. */
bool hit_return(struct frame *f);
/* Sets f->ret to the return address of the probed function, and f->regs.ss, below it on the stack,
 * to the address where common code continues. */
void hit_after(struct frame *f);
/* hit_return() for a function whose calls are only recorded (calls.c). AT[0] is the return address
 * of the trampoline's CALL. True: so is AT[1] now. False: nothing was done. */
bool hit_call_return(u64 *at);
/* hit_after() for such a function. True: the return address of the trampoline's CALL is in AT[-1],
 * that of the function in AT[0]. False: nothing was done. */
bool hit_call_after(u64 *at);

/* ------------------------------------------------------- return_slots.c */

/* Save words for the function whose return address is in SLOT, until that slot is used again: as
 * ret and now, and count for the reader. False: nothing was saved. */
bool slot_note(u64 slot, u64 a, u64 b);
/* The record of slot_note() for SLOT; NULL: none. */
struct ust_slot *slot_noted(u64 slot);
/* Describe the table to the loader, in `layout'. In the agent's start, as traps_init() and
 * faults_init(). */
void slots_init(void);

/* ------------------------------------------------------------ callers.c */

/* The same for the table of known callers. */
void callers_init(void);

/* ------------------------------------------------------ handler_stack.c */

/* Run HANDLER on a stack of the runtime, with signals blocked. */
void handler_stack_run(struct ust_hit *hit, ust_handler handler);
/* True if handlers that walk stacks have called that: from now on they had better run on such a
 * stack as a whole. */
bool handler_stack_wanted(void);
/* True if this code runs on such a stack of a thread whose signal stack is in use: it must not
 * fault then. */
bool handler_stack_closed(void);
/* The thread's own signal mask, if it runs on such a stack. */
bool handler_stack_mask(u64 *mask);
/* Wait until no thread is on its way to or from such a stack, or the time is UNTIL. */
void handler_stacks_pass(u64 until);

/* --------------------------------------------------------------- hook.c */

/* Returns true if the function is complete, with f->regs.ax as its result. */
bool hook_entry(const struct ust_point *p, struct frame *f, u64 slot);
/* True if P's hook needs the return, too. */
bool hook_wants_return(const struct ust_point *p);
/* At the return of a hooked function. True: f was changed so that another function is called first,
 * which returns to the same address. */
bool hook_return(const struct ust_point *p, struct frame *f, u64 slot);

/* Request that gates whose condition is true be opened, and wait for that. */
void request_gates(void);

/* --------------------------------------------------------------- gate.c */

void gates_begin(void); /* before begin probes */

/* --------------------------------------------------------------- trap.c */

/* Describe the handler of SIGTRAP to the loader. */
void traps_init(void);
/* True if a breakpoint of the runtime is at ADDR. */
bool trap_at(u64 addr);
/* Handle SIGTRAP; RETURNS: location of its handler's return address. Returns 0: done; else the
 * program's own handler, to be called instead. */
u64 trap_signal(const void *siginfo, void *context, u64 *returns);
/* The program is about to make a system call. True: it is done, with its result in r->ax. */
bool trap_call(struct ust_regs *r);
/* The program is about to wait with this mask, which is adjusted if necessary. */
void trap_mask(unsigned long *set);

/* ------------------------------------------------------------- divert.c */

/* Describe the entry of diversions to the loader, if the script has probes that need them. */
void divert_init(void);
/* Called by common code on a handler stack; AFTER is behind d->ret of a struct ust_diversion D. */
void hit_diversion(struct frame *f, u64 after);

/* -------------------------------------------------------------- watch.c */

/* True if the script watches data. */
bool watch_is_used(void);
/* Run the handlers of accesses to watched data, with the registers of HIT. */
void watch_run(const struct ust_diversion *d, struct ust_hit *hit);

/* ------------------------------------------------------------ profile.c */

/* Describe the periods of timer.profile probes to the loader. */
void profile_init(void);
/* Run the handlers of the probes whose period has passed, with the registers of HIT. */
void profile_run(const struct ust_diversion *d, struct ust_hit *hit);

/* -------------------------------------------------------------- fault.c */

/* Describe the handlers of SIGSEGV and SIGBUS to the loader. */
void faults_init(void);
bool fault_is(u64 signal); /* true for SIGSEGV and SIGBUS */
/* True if rt_sigaction() of SIGNAL is answered by the runtime. */
bool faults_hooked(u64 signal);
/* rt_sigaction() of such a signal for the program: returns 0 or -errno as the kernel would. */
long fault_action(int signal, const struct ust_disposition *to, struct ust_disposition *was);
/* The program calls sigaction() for SIGNAL: release the signals, unless the call itself is
 * hooked. */
void fault_watch(u64 signal);
/* Stop handling faults: restore the program's own dispositions. */
void faults_release(void);
/* Entry point NUMBER was called. Returns the program's handler, to be called instead; 0: done. */
u64 fault_signal(u32 number, int signal, const void *siginfo, void *context);
extern char fault_restorer[];

/* ----------------------------------------------------------- identity.c */

/* True if hits of this process count. The fast path; everything else is in identity_slow(). */
bool identity_slow(void);
/* True if hits of this process count, and no child of vfork() uses its memory. */
static inline bool identity_plain(void)
{
	const u64 *both = (const u64 *)&local.state; /* vforks is the upper half */

	return READ_ONCE(*both) == UST_LOCAL_WANTED;
}
/* True if hits of this process count: it is traced, and its user and target are wanted. In the
 * probed thread. */
static inline bool identity_wanted(void) { return likely(identity_plain()) || identity_slow(); }
/* True if this is a child of vfork() that shares its parent's memory. */
bool in_vfork(void);
/* Process id in this process's pid namespace; also in a child of vfork(), which shares the
 * parent's memory. */
u32 identity_pid(void);
/* A call of vfork(), or of posix_spawn() or similar, begins on this thread; ends. */
void identity_vfork(bool spawn);
/* The end of such a call, in the parent. */
void identity_spawned(void);
/* From now on two threads may have the same thread pointer: only the kernel distinguishes them. */
void identity_shared(void);

/* ------------------------------------------------------------ sandbox.c */

/* The process is about to call prctl(OPTION, MODE, PROGRAM). */
void sandbox_prctl(u64 option, u64 mode, u64 program);
/* The process is about to call syscall(NUMBER, A, B, C). */
void sandbox_call(u64 number, u64 a, u64 b, u64 c);

/* -------------------------------------------------------- shared_lock.c */

/* A forked child may be in a new pid namespace. */
void lock_forked(void);
/* True if no thread of another pid namespace may be the same owner as this one. */
bool owner_is_unique(void);
/* True if the thread OWNER has ended; false if that cannot be found out. Makes system calls. */
bool owner_died(u32 owner);
/* Take the lock from an owner that has died. */
bool owner_steal(u32 *lock, u32 self);
/* Called while waiting, with TURN 0, 1, 2 ...: spins, yields, sleeps. */
void lock_rest(u32 turn);

/*
 * Waits for another thread, possibly in vain: it was stopped, or a traced process has written over
 * the memory. All waits of one kind share a budget, a struct patience in PRIVATE memory: vain waits
 * take LONGEST ns plus a third of it together, and a tenth of the elapsed time. So the end of a
 * script is not delayed for long, however much was overwritten.
 */
struct patience {
	u64 spent, at;
	u32 vain;
};
struct bounded_wait {
	struct patience *of;
	u64 began, limit; /* ns */
	u32 turn, spins;  /* turns for a process without system calls */
	u32 first;        /* turn at BEGAN */
};
/* Begin a wait with the budget P; LONGEST: ns. SPINS: turns where system calls are not allowed. */
void wait_begin(struct bounded_wait *w, struct patience *p, u64 longest, u32 spins);
/* True if the budget is used up: give up. */
bool wait_over(const struct bounded_wait *w);
/* Spins, yields or sleeps, depending on the number of calls. */
void wait_rest(struct bounded_wait *w);
/* True if the tracer is known to have ended, and if ASK is set, after asking the kernel: its id is
 * in private memory, as a traced process can overwrite shared memory. */
bool tracer_died(bool ask);
/* This handler waits for staprun: waits for what it may hold are not in vain. Called repeatedly. */
void wait_delay_others(void);
/* Begin to count the time of W anew, if a handler has called wait_delay_others() just now. */
void wait_extend(struct bounded_wait *w);
/* The wait ended without success. */
void wait_was_vain(const struct bounded_wait *w);

/* ------------------------------------------------------------ abandon.c */

/* Release all locks and cells of globals that this thread holds; data under them may be half
 * changed. */
void lock_abandon(u32 self);

/* --------------------------------------------------------------- ring.c */

/* Allocate a ring buffer for each CPU and spare ones; false if memory is exhausted. In the agent's
 * start, as contexts_init(). */
bool rings_init(void);

/* ------------------------------------------------------------ context.c */

/* Allocate the contexts of handlers; false if there is no room. */
bool contexts_init(void);
/* struct ust_layout.order_ms */
u64 contexts_time(void);
/* Wait for running handlers, at most a second, and repair data that killed ones have left. */
void contexts_settle(void);

/* Wait until the handlers that other threads run now have ended, or the time is UNTIL by
 * clock_monotonic(). */
void contexts_pass(u64 until);

/* True if this thread is on its signal stack. A system call. */
bool on_signal_stack(void);
/* True if SP is on this thread's signal stack, wherever this code runs, or if that cannot be found
 * out. A system call. */
bool is_signal_stack(u64 sp);
/* This thread is about to call longjmp(ENV). */
void context_jump(u64 env);

/* -------------------------------------------------------------- clock.c */

u64 clock_monotonic(void); /* ns */
/* Time since a reading of clock_monotonic(); 0 if that was later. */
static inline u64 clock_since(u64 time)
{
	u64 now = clock_monotonic();

	return now > time ? now - time : 0;
}
/* CLOCK_MONOTONIC when the cycle counter was TICKS, a moment ago; 0: now. */
u64 clock_monotonic_at(u64 ticks);
/* CLOCK_REALTIME in ns. */
u64 clock_realtime(void);

/* -------------------------------------------------------------- timer.c */

/* Timers of the script process: timers_init() false if out of memory; timers_start() starts their
 * periods at NOW (ns, monotonic); timers_run() runs those that are due and returns the time of the
 * next one, TIMER_QUEUE_NEVER without one. */
bool timers_init(void);
void timers_start(u64 now);
u64 timers_run(u64 now);

/* ----------------------------------------------------- process_events.c */

u32 events_probed(void); /* 1 << enum ust_event */
/* Describe probe number I to the loader: its event, or UST_EVENTS, and its process. */
void event_probe(u32 i, struct ust_event_probe *to);
/* Run the handlers for EVENT of the process S, in the script process. */
void event_run(u32 event, const struct ust_subject *s);
/* Process whose memory is read: in the script process, while a handler runs; 0: the own process. */
extern u32 event_memory;
/* The process that the hit is about; NULL in other hits. */
static inline const struct ust_subject *event_subject(const struct ust_ctx *c)
{
	return c->hit->mode == MODE_EVENT ? c->hit->subject : NULL;
}
/* Read the subject's memory, through the tracer if the kernel returns EPERM; at most a page. */
bool event_read(void *to, u64 addr, u32 size);
/* Write the subject's memory through the tracer; at most a page. Guru mode. */
bool event_write(u64 addr, const void *from, u32 size);
/* Read the file NAME, which begins with a slash, of the subject of the current event if that is
 * thread ID: /proc may hide it from the script process. Returns the number of bytes, followed by a
 * NUL; 0 if it is another thread, or cannot be read. */
u32 event_file(ust_long id, const char *name, char *to, u32 size);
/* Number N, from 0, in the line of /proc/PID/status that starts with FIELD; -1 if missing. */
ust_long event_status(const struct ust_subject *s, const char *field, u32 n);
/* Name (comm) of the process S from /proc, cut at SIZE; "" if it is gone. */
void event_name(const struct ust_subject *s, char *dst, u32 size);
/* Addresses of the command line, or of the environment, of S; false if they are not known. */
bool event_strings(const struct ust_subject *s, bool environment, u64 *start, u64 *end);

/* -------------------------------------------------------------- calls.c */

/* Allocate the buffers of a program that records calls; false if there is no room. */
bool calls_init(void);

/* --------------------------------------------------------------- umem.c */

/* Read memory of this process if it is readable; never faults. False: part of it is not
 * readable. */
bool umem_read(void *to, u64 addr, u32 size);
/* Write SIZE bytes at ADDR of this process; false: it is not writable. Guru mode. */
bool umem_write(u64 addr, const void *from, u32 size);
/* Memory may have been unmapped: forget known pages. */
void umem_flush(void);
/* This thread may have blocked SIGSEGV or SIGBUS: read its mask again before the next direct
 * read. */
void umem_blocked(void);

/* --------------------------------------------------------------- area.c */

/* The area of trampolines that contains PC, or NULL. */
const struct ust_area *area_at(u64 pc);
/* The address in the program of the instruction that a trampoline has at PC; PC itself, if that is
 * in none. */
u64 area_origin(u64 pc);

/* --------------------------------------------------------------- task.c */

/* Called in the process that the user has started: begin, end and timer probes report it as their
 * task. */
void task_init(void);

/* --------------------------------------------------------------- heap.c */

/* The heap starts after .bss; all of it is zero. */
void heap_init(void *end);
/* The end of what is allocated. */
void *heap_limit(void);
/* SIZE bytes, 64-byte aligned; NULL if there is no room. Never freed. */
void *heap_alloc(size_t size);

#endif
