/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stopped process: its mappings, memory, registers, system calls and launch. */
#ifndef USTAP_INJECT_PTRACE_PTRACE_H
#define USTAP_INJECT_PTRACE_PTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "inject/arch/signal_frame.h"
#include "wire_process.h"

/* ------------------------------------------------------------------- maps.c */

struct mapping {
	uint64_t start, end, offset;
	bool read, write, exec, shared;
	unsigned dev_major, dev_minor;
	uint64_t inode;
	char *path; /* "" for anonymous memory; without " (deleted)" */
	bool deleted;
};
struct maps {
	struct mapping *v;
	size_t n;
	uint64_t brk; /* end of the heap; 0: unknown */
};

/* Read the mappings of PID. False with errno set if the process has exited or access is denied. */
bool maps_read(struct maps *m, pid_t pid);
/* Free the mappings; M is empty then. */
void maps_free(struct maps *m);
/* The mapping that contains ADDR; NULL: none. */
const struct mapping *maps_at(const struct maps *m, uint64_t addr);
const struct mapping *maps_named(const struct maps *m, const char *path); /* "[vdso]", ... */
/* Find SIZE free bytes (a multiple of the page size) within [LO, HI], as close to NEAR as possible;
 * returns their address, 0 if there is no room. Avoids addresses below 64 KiB, the guard gap of the
 * stack (1 MiB) and, if possible, the ranges into which heap and stack grow. */
uint64_t maps_gap(const struct maps *m, uint64_t lo, uint64_t hi, uint64_t near, uint64_t size);
/* Record that [START, START + SIZE) has been mapped since. */
void maps_add(struct maps *m, uint64_t start, uint64_t size);
/* True if nothing is mapped in [START, START + SIZE). */
bool maps_have_room(const struct maps *m, uint64_t start, uint64_t size);
/* Undo maps_add() of START. */
void maps_remove(struct maps *m, uint64_t start);

/* ----------------------------------------------------------------- tracee.c */

/* Processes that remain traced after they continue; owned by follow.c. These functions are called
 * while a process is stopped for another reason. */
struct tracee_keeper {
	/* ptrace options for PID; 0: it does not remain traced */
	long (*options)(pid_t pid);
	/* true if system calls of TID are to be reported */
	bool (*sees_calls)(pid_t tid);
	/* TID, which may remain traced, reported STATUS; or is taken over in its present stop,
	 * given as si_code. */
	void (*report)(pid_t tid, int status);
	void (*taken)(pid_t tid, int code);
	/* TID is at the entry or exit of a system call, and waits until the handlers have run. */
	void (*call)(pid_t tid);
	/* Let TID continue, still traced; false: it does not remain traced. */
	bool (*resume)(pid_t pid, pid_t tid);
};
/* Initially one that keeps no process traced. */
extern const struct tracee_keeper *tracee_keeper;

struct tracee_thread {
	pid_t tid;
	bool stopped, gone, changed; /* changed: regs must be written back */
	bool worker;                 /* it runs only in the kernel, and need not stop */
	bool asleep; /* see tracee_hold(): of REGS there are only the program counter
		      * and the stack pointer */
	int signal;  /* delivered when the thread continues */
	struct user_regs_struct regs;
};
/* A process with all its threads stopped by the tracer. */
struct tracee {
	pid_t pid;
	int mem;      /* /proc/PID/mem, read and write; -1 */
	bool running; /* not stopped: its memory can only be read */
	bool holding; /* of tracee_hold() */
	bool stalled; /* it stops, but does not run: no more calls are made in it */
	long options; /* of PTRACE_SETOPTIONS */
	struct tracee_thread *v;
	size_t n;
	/* State of remote.c, restored before the threads continue: */
	struct tracee_thread *caller; /* makes system calls for the tracer; its regs are those
				       * before */
	uint64_t caller_mask;
	struct signal_frame caller_frame; /* on its stack while it makes a call */
	uint8_t *below_frame;             /* bytes of the stack that it has replaced */
	struct return_code caller_code;   /* by which it would return from there */
	uint64_t syscall_at; /* address of a `syscall' instruction; 0: not determined yet */
	uint64_t text_at;    /* ... that was written over code; 0: none */
	uint8_t text_old[2];
	uint64_t scratch_at;
	uint8_t *scratch_old;
	size_t scratch_size;
	bool scratch_mapped;
};

/* Seize and stop all threads of PID. Returns 0 or errno (ESRCH: exited; EPERM: see
 * trace_permission_explain(); ENOEXEC: not 64-bit; ETIMEDOUT: a thread does not stop, because it
 * waits for its vfork() child). Some threads may already be traced and stopped by the caller (after
 * exec, fork). All tracing must be done by one thread, as ptrace requires. */
int tracee_stop(struct tracee *t, pid_t pid);
/* The same, but one that waits in the kernel where it cannot be stopped, for a device or a network
 * file system, is left asleep: it stops before it executes code of the program, and its registers
 * cannot be changed. At least one thread has stopped. */
int tracee_hold(struct tracee *t, pid_t pid);
/* Open the memory of PID, which continues to run, for tracee_read(); the caller closes t->mem.
 * False if it cannot be read. */
bool tracee_open_running(struct tracee *t, pid_t pid);
/* Called repeatedly while tracee_stop() waits: the parent of a vfork() stops only after its child,
 * which may wait for the tracer. NULL: not used. */
extern void (*tracee_wait_hook)(void);
/* Incremented each time the tracer looks whether a thread has stopped, so that a process that
 * waits for the tracer sees that it works. Never NULL. */
extern uint32_t *tracee_steps;
/* Detach from all threads, which continue untraced; pending signals are delivered. A thread that
 * has made calls for remote_syscall() must be restored: see tracee_release(). */
void tracee_detach(struct tracee *t);
/* Release threads that did not stop in time, once they stop. To be called repeatedly while it
 * returns a number other than 0, the number of remaining threads. */
size_t tracee_release_late(void);
/* For remote.c and launch.c: wait for the next report of a running thread, as of waitpid(2). False:
 * it has exited, or did not report within SECONDS (then it is neither gone nor stopped). */
bool tracee_wait(struct tracee *t, struct tracee_thread *th, int *status, unsigned seconds);
/* Bring TH, which reported STATUS, to a stop outside of any system call, and read its registers. */
bool tracee_settle(struct tracee *t, struct tracee_thread *th, int status);
/* If thread TID with registers R was interrupted by its stop in a system call that would fail now,
 * with EINTR or by a seccomp filter, have the kernel restart the call, unless a signal's handler
 * runs. True: R changed; the caller writes it. */
bool tracee_restart_call(pid_t tid, struct user_regs_struct *r);

/* True if TH executes no code of the program before it is released. */
static inline bool thread_is_held(const struct tracee_thread *th)
{
	return th->stopped || th->asleep;
}
/* True if a thread of T is asleep. */
bool tracee_has_sleepers(const struct tracee *t);

/* ----------------------------------------------------------------- asleep.c */

/* True if thread TID of PID waits for the child of its vfork(), which has the same memory. */
bool thread_awaits_child(pid_t pid, pid_t tid);
/* True if TH, of PID, waits elsewhere in the kernel uninterruptibly; sets its registers then. */
bool thread_is_asleep(pid_t pid, struct tracee_thread *th);

/* ----------------------------------------------------------- tracee_state.c */

/* Read SIZE bytes at ADDR through /proc/PID/mem, also of pages without read permission. False: not
 * all can be read; *TO is undefined then. */
bool tracee_read(const struct tracee *t, uint64_t addr, void *to, size_t size);
/* The same up to the first page that cannot be read; returns the number of bytes. */
size_t tracee_read_some(const struct tracee *t, uint64_t addr, void *to, size_t size);
bool tracee_write(const struct tracee *t, uint64_t addr, const void *from, size_t size); /* code
											  * as
											  * well */
/* Program counter and stack pointer of thread I. */
uint64_t tracee_pc(const struct tracee *t, size_t i);
/* The stack pointer of thread number I; tracee_set_pc() sets its program counter, which is written
 * when the thread continues. */
uint64_t tracee_sp(const struct tracee *t, size_t i);
void tracee_set_pc(struct tracee *t, size_t i, uint64_t pc);
/* Auxiliary vector entry TYPE; 0 if absent. PID may be any thread of the process. */
uint64_t auxv_value(pid_t pid, unsigned long type);

/* ----------------------------------------------------------------- frames.c */

/* Called for each program counter in a signal frame on a thread's stack. */
typedef void (*frame_fn)(void *arg, uint64_t at, uint64_t pc);
/* Call FN with ARG for each word on the stack of thread I that may be the program counter of a
 * signal frame: its address and value. The thread is stopped. */
void frames_visit(const struct tracee *t, size_t i, frame_fn fn, void *arg);

/* ----------------------------------------------------------------- remote.c */

/* Make a system call in the process: returns its result or -errno; -ESRCH if the process has
 * exited, -EACCES if seccomp could kill it for the call, -ETIMEDOUT if the thread does not run, as
 * in a paused container, or waits in the call. No other thread runs. */
long remote_syscall(struct tracee *t, long nr, long a, long b, long c, long d, long e, long f);
/* The errno in RESULT of a system call, which is -4095 to -1 for errors only; 0 if it has
 * succeeded. */
int call_error(long result);
/* mmap() in the process, at AT only: returns 0 or errno, EEXIST if another mapping is there.
 * Kernels before 4.17 take the address as a hint. */
int remote_map(struct tracee *t, uint64_t at, uint64_t size, int prot, int flags, long fd,
	       uint64_t offset);
/* SIZE bytes on the process's stack (below the red zone, or newly mapped) as arguments of calls,
 * until the next call of this function or the release, which restore the contents; returns their
 * address, or -errno as remote_syscall(). */
long remote_scratch(struct tracee *t, size_t size);
/* If thread TID with registers R is in a restartable sequence (rseq(2)), abort it, as the kernel
 * does when it preempts the thread. Needed before the thread is moved to other code: afterwards the
 * kernel does not see where the thread was. True: R changed; the caller writes it. */
bool rseq_abort(pid_t tid, struct user_regs_struct *r);
/* Restore the thread that made calls to its state before. */
void remote_restore(struct tracee *t);
/* The end of tracing: remote_restore() and tracee_detach(). */
void tracee_release(struct tracee *t);

/* ---------------------------------------------------------------- send_fd.c */

/* Pass FD to the process; returns its number there (close-on-exec), or -errno. */
long remote_send_fd(struct tracee *t, int fd);

/* ------------------------------------------------------------ proc_status.c */

/* Value of FIELD in /proc/PID/status as a number in BASE 10 or 16; -1 if missing. */
long long proc_status(pid_t pid, const char *field, int base);
/* Copy the line of FIELD in /proc/PID/status, after its colon, to BUF; false if missing. */
bool proc_status_line(pid_t pid, const char *field, char *buf, size_t size);

/* ---------------------------------------------------------------- seccomp.c */

/* True if all seccomp filters of thread TID of process PID, which is stopped, are those of this
 * thread, too; false also if that is not known. */
bool seccomp_is_ours(pid_t pid, pid_t tid);
/* True if thread TID, which is traced and stopped, has seccomp filters, and none of them may end it
 * for a system call of the runtime; false also if that is not known. */
bool seccomp_is_harmless(pid_t tid);

/* ------------------------------------------------------- trace_permission.c */

/* Report why tracing PID failed with ERR, and the remedy (other user, setuid, not dumpable, Yama
 * ptrace_scope, already traced, seccomp, kernel thread, zombie, 32-bit, a missing capability).
 * Returns false. */
bool trace_permission_explain(pid_t pid, int err);
/* Wait if another run traces PID, which it does only briefly. False: another tracer traces PID. */
bool trace_permission_wait(pid_t pid);
#define TRACER_NAME "staprun-tracer" /* name of the tracer process */
/* True if exec of PATH by PID would change privileges (setuid, setgid, file capabilities), so that
 * tracing would alter its behaviour. */
bool exec_gains_privilege(pid_t pid, const char *path);
/* True if process PID, which has just called exec while traced, lacks privileges that its program's
 * file gives. */
bool lacks_privilege(pid_t pid);
/* Warn that PROGRAM runs without the privileges of its file, as it is traced. */
void warn_lacks_privilege(const char *program);

/* ----------------------------------------------------------------- launch.c */

/* Called with the stopped process; false aborts the launch. */
typedef bool (*launch_fn)(void *arg, struct tracee *t);
/*
 * Bring PID, seized by launch_seize(), through its exec to the first instruction of its program
 * (after the dynamic linker's work). PREPARE is called once when the new image is mapped and has
 * executed no instruction; MAPPED after each new executable mapping, before it can run. Returns 0
 * with the process stopped in T, or errno with T released: ESRCH it has exited; EAGAIN its exec
 * failed, and it continues as before; ENOEXEC the new program is not 64-bit; ECANCELED by PREPARE
 * or MAPPED; ERESTART it has called exec once more: call this again.
 */
int launch_follow(struct tracee *t, pid_t pid, launch_fn prepare, launch_fn mapped, void *arg);
/* Seize all threads of PID for launch_follow(); returns 0 or errno. The caller must then call
 * launch_poll() or launch_follow() soon and often, because signals of the process wait for that. */
int launch_seize(pid_t pid);
/* Check whether PID has stopped for its exec, without blocking: 1 yes, 0 not yet, -1 it has exited
 * or was never seized. */
int launch_poll(pid_t pid);
/* Let PID continue without following its exec. */
void launch_cancel(pid_t pid);

/* Add a launch for PID, which is traced, has no launch yet and is stopped at its exec. */
void launch_add_stopped(pid_t pid);

/* ------------------------------------------------------------ disposition.c */

enum {
	DISPOSITION_RESTORER = 0x04000000
}; /* SA_RESTORER, which only the kernel's headers
    * define */
/* Read the disposition of SIG in T's process, through its own system call. False if the call
 * fails. */
bool disposition_get(struct tracee *t, int sig, struct ust_disposition *to);
/* Set the disposition of SIG in the process T by a remote system call; false if it failed. */
bool disposition_set(struct tracee *t, int sig, const struct ust_disposition *a);

#endif
