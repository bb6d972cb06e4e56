/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All differences between kernel versions. The HAVE_ macros come from features.mk, which tests the
 * kernel's headers.
 */
#ifndef USTAP_COMPAT_H
#define USTAP_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/uprobes.h>

/* linux/kernel.h no longer declares bin2hex() */
#if __has_include(<linux/hex.h>)
#include <linux/hex.h>
#else
#include <linux/kernel.h>
#endif

/* ------------------------------------------------------------- uprobes */

/* Newer kernels pass consumers a word from entry to return. */
#ifdef HAVE_UPROBE_COOKIE
#define COMPAT_COOKIE , __u64 *cookie
#else
#define COMPAT_COOKIE
#endif

#ifdef HAVE_UPROBE_FILTER_CTX
#define COMPAT_FILTER_CTX , enum uprobe_filter_ctx ctx
#else
#define COMPAT_FILTER_CTX
#endif

/* Return value for an entry whose return probe is not wanted; 0: the kernel knows none. */
#ifdef UPROBE_HANDLER_IGNORE
#define COMPAT_IGNORE_RETURN UPROBE_HANDLER_IGNORE
#else
#define COMPAT_IGNORE_RETURN 0
#endif

#ifdef HAVE_UPROBE_HANDLE
typedef struct uprobe *compat_uprobe;

/* REF_CTR: file offset of a 16-bit counter that the kernel increments while the probe is armed; 0
 * for none. */
static inline int compat_register(compat_uprobe *u, struct inode *inode, loff_t offset,
				  loff_t ref_ctr, struct uprobe_consumer *uc)
{
	*u = uprobe_register(inode, offset, ref_ctr, uc);
	return PTR_ERR_OR_ZERO(*u);
}

/* Unregister UC at OFFSET of INODE; handlers may still run until compat_unregister_done(). May
 * sleep. */
static inline void compat_unregister(compat_uprobe u, struct inode *inode, loff_t offset,
				     struct uprobe_consumer *uc)
{
	uprobe_unregister_nosync(u, uc);
}

/* Wait until no handler of an unregistered probe runs. May sleep. Older kernels have waited
 * already. */
static inline void compat_unregister_done(void) { uprobe_unregister_sync(); }
#else
typedef struct {
} compat_uprobe;

static inline int compat_register(compat_uprobe *u, struct inode *inode, loff_t offset,
				  loff_t ref_ctr, struct uprobe_consumer *uc)
{
	return ref_ctr ? uprobe_register_refctr(inode, offset, ref_ctr, uc)
		       : uprobe_register(inode, offset, uc);
}

/* Unregister UC at OFFSET of INODE; handlers may still run until compat_unregister_done(). May
 * sleep. */
static inline void compat_unregister(compat_uprobe u, struct inode *inode, loff_t offset,
				     struct uprobe_consumer *uc)
{
	uprobe_unregister(inode, offset, uc);
}

/* Wait until no handler of an unregistered probe runs. May sleep. Older kernels have waited
 * already. */
static inline void compat_unregister_done(void) {}
#endif

/* True if the kernel will refuse another return probe of this task. For handlers of uprobes, whose
 * task the kernel has given an utask (since Linux 3.14, for handlers like this). */
static inline bool compat_returns_full(void)
{
	return current->utask->depth >= MAX_URETPROBE_DEPTH;
}

/* Have the kernel refuse return probes of this task, or, if not ON, no longer: it counts those that
 * are pending. */
static inline void compat_returns_fill(bool on)
{
	if (current->utask)
		current->utask->depth += on ? MAX_URETPROBE_DEPTH : -MAX_URETPROBE_DEPTH;
}

/* -------------------------------------------------------------- memory */

/* The page at ADDR of MM, whose map is locked, with a reference; returns 1 if it was found. */
#ifdef HAVE_GUP_VMAS
#define compat_get_page(mm, addr, page) get_user_pages_remote(mm, addr, 1, 0, page, NULL, NULL)
#else
#define compat_get_page(mm, addr, page) get_user_pages_remote(mm, addr, 1, 0, page, NULL)
#endif

/* ------------------------------------------------------------- kprobes */

#ifdef HAVE_GET_KRETPROBE
#define compat_kretprobe(ri) get_kretprobe(ri)
#else
#define compat_kretprobe(ri) ((ri)->rp)
#endif

/* Return address of a kretprobe's hit: kernels before 5.16 have their own trampoline in REGS. */
#ifdef HAVE_KRETPROBE_IP
#define compat_returned_to(ri, regs) ((void)(ri), (void)(regs))
#else
#define compat_returned_to(ri, regs) ((void)((regs)->ip = (unsigned long)(ri)->ret_addr))
#endif

/* --------------------------------------------------------------- tracing */

#if __has_include(<linux/trace_printk.h>)
#include <linux/trace_printk.h>
#endif
#ifdef HAVE_TRACE_PUTS_SIZE
#define compat_trace_puts(text) __trace_puts(_THIS_IP_, text, strlen(text))
#else
#define compat_trace_puts(text) __trace_puts(_THIS_IP_, text)
#endif

/* ---------------------------------------------------------------- ftrace */

#ifdef HAVE_FTRACE_REGS
typedef struct ftrace_regs compat_ftrace_regs;
#define COMPAT_FTRACE_FLAGS         0
#define compat_ftrace_pt_regs(regs) ftrace_get_regs(regs)
#else
typedef struct pt_regs compat_ftrace_regs;
#define COMPAT_FTRACE_FLAGS         FTRACE_OPS_FL_RECURSION_SAFE /* see reentry_guard.h */
#define compat_ftrace_pt_regs(regs) (regs)
#endif

/* ------------------------------------------------- floating-point registers */

/* Saved floating-point registers of TASK. With CONFIG_X86_DEBUG_FPU x86_task_fpu() is a function
 * that is not exported; this is the address that it computes. */
#if defined(HAVE_TASK_FPU)
#define compat_fpregs(task) (&((struct fpu *)((void *)(task) + sizeof(*(task))))->fpstate->regs)
#elif defined(HAVE_FPSTATE)
#define compat_fpregs(task) (&(task)->thread.fpu.fpstate->regs)
#else
#define compat_fpregs(task) (&(task)->thread.fpu.state)
#endif

/* ---------------------------------------------------------------- timers */

#ifdef HAVE_HRTIMER_SETUP
#define compat_hrtimer_setup(t, fn, mode) hrtimer_setup(t, fn, CLOCK_MONOTONIC, mode)
#else
#define compat_hrtimer_setup(t, fn, mode)               \
	do {                                            \
		hrtimer_init(t, CLOCK_MONOTONIC, mode); \
		(t)->function = fn;                     \
	} while (0)
#endif

/* ------------------------------------------------------------ tracepoints */

/* On some kernels the probes of system call tracepoints may sleep. */
#ifdef HAVE_SYSCALL_TRACEPOINTS_FAULT
#define COMPAT_SYSCALL_MODE RT_PROBE
#else
#define COMPAT_SYSCALL_MODE RT_ATOMIC
#endif

/* Kernel threads that use the memory map of a process. */
#ifdef PF_USER_WORKER
#define COMPAT_USER_WORKER PF_USER_WORKER
#else
#define COMPAT_USER_WORKER 0
#endif

/* ----------------------------------------------------------- memory maps */

/* The areas of a memory map are a maple tree under RCU (areas.c). Older kernels have a tree that
 * only the lock of the map protects. */
#if __has_include(<linux/maple_tree.h>) && defined(MM_MT_FLAGS)
#define HAVE_AREA_TREE
#endif

/* ----------------------------------------------------------------- tasks */

#ifdef HAVE_TASK_STATE_HIDDEN
#define compat_task_state(t) READ_ONCE((t)->__state)
#else
#define compat_task_state(t) READ_ONCE((t)->state)
#endif

/* ---------------------------------------------------------------- procfs */

#ifndef HAVE_PDE_DATA_LOWER
#define pde_data PDE_DATA
#endif

#endif
