/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls made by a stopped process.
 *
 * One of its threads is borrowed: all signals are blocked, its registers are set to a call at a
 * `syscall' instruction of the vDSO, and it runs to the end of that call and no further. There it
 * gets its own signal mask and registers, with which it would go on if the tracer were killed. It
 * remains borrowed for the next call; putting it back brings it to its original stop, so that an
 * interrupted call of its own continues as it would have.
 *
 * If the tracer is killed during a call, the thread goes on behind the `syscall' instruction. So
 * the call is made where a return follows, if possible, in the dynamic linker or the static
 * program, with a signal frame on the stack: the return leads to rt_sigreturn(2), which gives the
 * thread back what it had. The stack must be the thread's own, as the memory below that of a
 * coroutine may belong to something else.
 */
#define _GNU_SOURCE
#include "inject/arch/regs.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum {
	/* to the entry of a call, for which the thread need only run */
	ENTRY_SECONDS = 1,
	CALL_SECONDS = 10,
	RESTARTS = 16 /* retries of a call that returns a restart code */
};

/* ----------------------------------------------------------- whom and where from */

/* The leader if it is alive; else any 64-bit thread. */
static struct tracee_thread *choose(struct tracee *t)
{
	struct tracee_thread *any = NULL;

	for (size_t i = 0; i < t->n; i++) {
		struct tracee_thread *th = &t->v[i];

		if (!th->stopped || !regs_is_wide(&th->regs))
			continue;
		if (th->tid == t->pid)
			return th;
		if (!any)
			any = th;
	}
	return any;
}

/* Offset of a `syscall' in the vDSO, the same in all 64-bit processes; 0 if not found. */
static size_t vdso_syscall(void)
{
	static size_t found;
	const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR), *p;

	if (found || !vdso)
		return found;
	p = memmem(vdso + sizeof(Elf64_Ehdr), 4096 - sizeof(Elf64_Ehdr), syscall_insn,
		   sizeof syscall_insn);
	return found = p ? (size_t)(p - vdso) : 0;
}

static bool in_vdso(struct tracee *t)
{
	uint64_t vdso = auxv_value(t->caller->tid, AT_SYSINFO_EHDR);
	uint8_t there[2];

	if (!vdso || !vdso_syscall() ||
	    !tracee_read(t, vdso + vdso_syscall(), there, sizeof there) ||
	    memcmp(there, syscall_insn, sizeof there))
		return false;
	t->syscall_at = vdso + vdso_syscall();
	return true;
}

enum { MOST_CODE = 1 << 20, MOST_SEGMENTS = 64, MOST_STACK = 8 << 20, MOST_FRAME = 1 << 15 };

/* Look for the return code in the segment at ADDR. */
static bool in_segment(struct tracee *t, uint64_t addr, uint64_t size)
{
	uint8_t *code;
	bool found;

	size = size < MOST_CODE ? size : MOST_CODE;
	code = xrealloc(NULL, size + 1);
	found = tracee_read(t, addr, code, size) &&
		return_code_find(&t->caller_code, code, size, addr);
	free(code);
	return found;
}

/* The same in the segments of the image at BASE, whose N program headers are at HEADERS. */
static bool in_image(struct tracee *t, uint64_t base, uint64_t headers, uint64_t n)
{
	Elf64_Phdr v[MOST_SEGMENTS];

	if (n > MOST_SEGMENTS || !tracee_read(t, headers, v, n * sizeof v[0]))
		return false;
	for (uint64_t i = 0; i < n && !base; i++)
		if (v[i].p_type == PT_PHDR)
			base = headers - v[i].p_vaddr;
	for (uint64_t i = 0; i < n; i++)
		if (v[i].p_type == PT_LOAD && v[i].p_flags & PF_X &&
		    in_segment(t, base + v[i].p_vaddr, v[i].p_filesz))
			return true;
	return false;
}

static bool find_return_code(struct tracee *t)
{
	pid_t tid = t->caller->tid;
	uint64_t linker = auxv_value(tid, AT_BASE);
	Elf64_Ehdr e;

	if (!linker)
		return in_image(t, 0, auxv_value(tid, AT_PHDR), auxv_value(tid, AT_PHNUM));
	return tracee_read(t, linker, &e, sizeof e) && !memcmp(e.e_ident, ELFMAG, SELFMAG) &&
	       in_image(t, linker, linker + e.e_phoff, e.e_phnum);
}

/* Is the borrowed thread on its own stack, with ROOM bytes below the stack pointer? That of the
 * first thread is the process's, where the kernel puts AT_RANDOM above all frames. All others have
 * theirs in one mapping with the block that the thread pointer points to, which the C library puts
 * above all frames. */
static bool on_own_stack(const struct tracee *t, uint64_t room)
{
	const struct tracee_thread *th = t->caller;
	uint64_t sp = regs_sp(&th->regs), block = regs_thread(&th->regs);
	const struct mapping *m;
	struct maps maps;
	bool own;

	if (auxv_value(th->tid, AT_RANDOM) - sp <= MOST_STACK)
		return true;
	if (block - sp > MOST_STACK || !maps_read(&maps, th->tid))
		return false;
	m = maps_at(&maps, sp);
	own = m && m->write && !m->shared && sp - m->start >= room && block < m->end;
	maps_free(&maps);
	return own;
}

static void free_frame(struct tracee *t)
{
	free(t->caller_frame.bytes);
	free(t->below_frame);
	t->caller_frame.bytes = t->below_frame = NULL;
}

/* Prepare the frame of the borrowed thread. */
static bool in_return_code(struct tracee *t)
{
	uint64_t end = regs_sp(&t->caller->regs) - RED_ZONE;
	struct signal_frame *f = &t->caller_frame;

	if (!on_own_stack(t, RED_ZONE + MOST_FRAME) || !find_return_code(t) ||
	    !signal_frame_make(f, t->caller->tid, end))
		return false;
	t->below_frame = xrealloc(NULL, f->size);
	if (!tracee_read(t, f->at, t->below_frame, f->size) ||
	    !tracee_write(t, f->at, f->bytes, f->size)) {
		free_frame(t);
		return false;
	}
	t->syscall_at = t->caller_code.call;
	return true;
}

/* Write a `syscall' over the code at the thread's program counter: no other thread runs. One page
 * must contain both bytes. */
static bool over_text(struct tracee *t)
{
	uint64_t at = regs_pc(&t->caller->regs) & -(uint64_t)16;

	if (!tracee_read(t, at, t->text_old, sizeof t->text_old) ||
	    !tracee_write(t, at, syscall_insn, sizeof syscall_insn))
		return false;
	t->syscall_at = t->text_at = at;
	return true;
}

/* ------------------------------------------------------------- borrow, put back */

/* Returns 0, or -EACCES if an injected call might be fatal. */
static long suspend_seccomp(pid_t pid, pid_t tid)
{
	long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_SUSPEND_SECCOMP;

	if (proc_status(tid, "Seccomp", 10) <= 0 ||
	    ptrace(PTRACE_SETOPTIONS, tid, 0, options) == 0 || seccomp_is_ours(pid, tid))
		return 0;
	return -EACCES;
}

/* linux/rseq.h, linux/ptrace.h; not in all versions of the C library */
enum { GET_RSEQ_CONFIGURATION = 0x420f };
struct rseq_config {
	uint64_t area;
	uint32_t size, signature, flags, pad;
};
struct rseq_section {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

/* Copy SIZE bytes of the thread's memory at ADDR to TO. */
static bool get(pid_t tid, uint64_t addr, void *to, size_t size)
{
	const struct iovec here = {to, size}, there = {(void *)addr, size};

	return process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool put(pid_t tid, uint64_t addr, const void *from, size_t size)
{
	const struct iovec here = {(void *)from, size}, there = {(void *)addr, size};

	return process_vm_writev(tid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool rseq_abort(pid_t tid, struct user_regs_struct *r)
{
	struct rseq_config config = {0};
	struct rseq_section cs;
	uint64_t at, none = 0, field;

	if (ptrace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, tid, sizeof config, &config) <
		    0 ||
	    !config.area)
		return false;
	field = config.area + 2 * sizeof(uint32_t);
	if (!get(tid, field, &at, sizeof at) || !at || !get(tid, at, &cs, sizeof cs) ||
	    regs_pc(r) - cs.start >= cs.length || !put(tid, field, &none, sizeof none))
		return false;
	regs_set_pc(r, cs.abort);
	return true;
}

static long borrow(struct tracee *t)
{
	struct tracee_thread *th = choose(t);
	long err;

	if (!th)
		return -ESRCH;
	err = suspend_seccomp(t->pid, th->tid);
	if (err)
		return err;
	if (ptrace(PTRACE_GETSIGMASK, th->tid, sizeof t->caller_mask, &t->caller_mask) < 0)
		return errno == ESRCH ? -ESRCH : -EIO;
	t->caller = th;
	th->changed |= rseq_abort(th->tid, &th->regs);
	if (!in_return_code(t) && !t->syscall_at && !in_vdso(t) && !over_text(t))
		return -EIO;
	return 0;
}

/* ------------------------------------------------------------------------- calls */

/* A thread that does not run, as one in a paused container, is stopped again where it is. True if
 * it has reached the call nevertheless; *STATUS: its report. */
static bool stop_stalled(struct tracee *t, struct tracee_thread *th, int *status)
{
	if (th->gone)
		return false;
	t->stalled = ptrace(PTRACE_INTERRUPT, th->tid, 0, 0) < 0 ||
		     !tracee_wait(t, th, status, ENTRY_SECONDS) ||
		     *status >> 16 == PTRACE_EVENT_STOP;
	return !t->stalled;
}

/* Run the borrowed thread to the entry or exit of the call. */
static bool to_call_stop(struct tracee *t, struct tracee_thread *th, unsigned seconds)
{
	int status;

	do {
		if (ptrace(PTRACE_SYSCALL, th->tid, 0, 0) < 0 ||
		    (!tracee_wait(t, th, &status, seconds) && !stop_stalled(t, th, &status)))
			return false;
		/* all blockable signals are blocked; the remaining one is SIGSTOP, which is
		 * reported again later */
		if (!(status >> 16) && WSTOPSIG(status) != (SIGTRAP | 0x80))
			th->signal = WSTOPSIG(status);
	} while (WSTOPSIG(status) != (SIGTRAP | 0x80));
	return true;
}

/* The frame of a thread that is not stopped stays: the thread will return by it. */
static void forget_frame(struct tracee *t)
{
	if (!t->caller_frame.bytes)
		return;
	if (t->caller->stopped || t->caller->gone)
		tracee_write(t, t->caller_frame.at, t->below_frame, t->caller_frame.size);
	t->syscall_at = 0;
	free_frame(t);
}

/* Probes may have been written over the code meanwhile: then the call is made elsewhere. */
static bool keep_code(struct tracee *t)
{
	uint8_t there[sizeof syscall_insn];

	if (!t->caller_frame.bytes || !tracee_read(t, t->syscall_at, there, sizeof there) ||
	    !memcmp(there, syscall_insn, sizeof there))
		return true;
	forget_frame(t);
	return in_vdso(t) || over_text(t);
}

/* The registers with which the borrowed thread would go on without the tracer. */
static struct user_regs_struct own_regs(const struct tracee_thread *th)
{
	struct user_regs_struct r = th->regs;

	if (regs_restarts(&r))
		regs_repeat_call(&r);
	return r;
}

/* Before a call, which it would return from with these registers. A process without memory is being
 * killed. */
static void put_frame(struct tracee *t, struct user_regs_struct *r)
{
	const struct user_regs_struct own = own_regs(t->caller);
	struct signal_frame *f = &t->caller_frame;

	if (!f->bytes)
		return;
	signal_frame_set(f, t->caller_code.restorer, &own, t->caller_mask);
	if (tracee_write(t, f->at, f->bytes, f->size))
		regs_set_sp(r, f->at);
}

/* After a call. */
static void park(const struct tracee *t, const struct tracee_thread *th)
{
	const struct user_regs_struct r = own_regs(th);

	ptrace(PTRACE_SETSIGMASK, th->tid, sizeof t->caller_mask, &t->caller_mask);
	ptrace(PTRACE_SETREGS, th->tid, 0, &r);
}

static long make_call(struct tracee *t, const struct user_regs_struct *r)
{
	struct tracee_thread *th = t->caller;
	const uint64_t all = ~0ull;
	long result;

	/* its frame has the mask, so the registers come first, and last after the call */
	if (ptrace(PTRACE_SETREGS, th->tid, 0, r) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, th->tid, sizeof all, &all) < 0)
		return -ESRCH;
	if (!to_call_stop(t, th, ENTRY_SECONDS) || !to_call_stop(t, th, CALL_SECONDS)) {
		if (th->stopped)
			park(t, th);
		return th->gone ? -ESRCH : -ETIMEDOUT;
	}
	errno = 0;
	result = ptrace(PTRACE_PEEKUSER, th->tid, result_word, 0);
	if (errno)
		return -ESRCH;
	park(t, th);
	return result;
}

/* -512 ... -516 in the kernel's linux/errno.h */
static bool wants_restart(long result) { return result <= -512 && result >= -516; }

long remote_syscall(struct tracee *t, long nr, long a, long b, long c, long d, long e, long f)
{
	const uint64_t args[] = {(uint64_t)a, (uint64_t)b, (uint64_t)c,
				 (uint64_t)d, (uint64_t)e, (uint64_t)f};
	struct user_regs_struct r;
	long result = t->stalled ? -ETIMEDOUT : t->caller ? 0 : borrow(t);

	if (result)
		return result;
	if (!keep_code(t))
		return -EIO;
	r = t->caller->regs;
	regs_make_call(&r, t->syscall_at, nr);
	regs_set_args(&r, args);
	put_frame(t, &r);
	for (int i = 0; i < RESTARTS; i++) {
		result = make_call(t, &r);
		if (!wants_restart(result))
			return result;
		if (t->stalled)
			return -ETIMEDOUT;
	}
	return -EINTR;
}

/* errno values that the kernel's pointers can hold: MAX_ERRNO of linux/err.h */
enum { LAST_ERRNO = 4095 };

int call_error(long result) { return result < 0 && result >= -LAST_ERRNO ? (int)-result : 0; }

int remote_map(struct tracee *t, uint64_t at, uint64_t size, int prot, int flags, long fd,
	       uint64_t offset)
{
	long got = remote_syscall(t, SYS_mmap, (long)at, (long)size, prot,
				  flags | MAP_FIXED_NOREPLACE, fd, (long)offset);
	int err = call_error(got);

	if (err || got == (long)at)
		return err;
	remote_syscall(t, SYS_munmap, got, (long)size, 0, 0, 0, 0);
	return EEXIST;
}

/* ----------------------------------------------------------- scratch, put back */

static void drop_scratch(struct tracee *t)
{
	if (t->scratch_at && t->scratch_mapped)
		remote_syscall(t, SYS_munmap, (long)t->scratch_at, (long)t->scratch_size, 0, 0, 0,
			       0);
	else if (t->scratch_at)
		tracee_write(t, t->scratch_at, t->scratch_old, t->scratch_size);
	t->scratch_at = 0;
}

static void restore_memory(struct tracee *t)
{
	drop_scratch(t);
	if (t->text_at) {
		tracee_write(t, t->text_at, t->text_old, sizeof t->text_old);
		t->syscall_at = 0;
	}
	t->text_at = 0;
}

/* Map scratch memory if the stack does not extend that far down yet. */
static long map_scratch(struct tracee *t, size_t size)
{
	return remote_syscall(t, SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

long remote_scratch(struct tracee *t, size_t size)
{
	uint64_t at;
	long result = t->caller ? 0 : borrow(t);

	if (result)
		return result;
	drop_scratch(t);
	at = t->caller_frame.bytes ? t->caller_frame.at : regs_sp(&t->caller->regs) - RED_ZONE;
	at = (at - size) & -(uint64_t)64;
	t->scratch_old = xrealloc(t->scratch_old, size + 1);
	t->scratch_mapped = !tracee_read(t, at, t->scratch_old, size) ||
			    !tracee_write(t, at, t->scratch_old, size);
	result = t->scratch_mapped ? map_scratch(t, size) : (long)at;
	t->scratch_at = result > 0 ? (uint64_t)result : 0;
	t->scratch_size = size;
	return result;
}

void remote_restore(struct tracee *t)
{
	struct tracee_thread *th = t->caller;
	int status;

	if (th && th->stopped && !th->gone)
		restore_memory(t);
	forget_frame(t);
	t->caller = NULL;
	if (!th || !th->stopped || th->gone)
		return;
	ptrace(PTRACE_SETSIGMASK, th->tid, sizeof t->caller_mask, &t->caller_mask);
	ptrace(PTRACE_SETOPTIONS, th->tid, 0, t->options);
	/* first, as the kernel restarts a call only on the way to a stop */
	ptrace(PTRACE_INTERRUPT, th->tid, 0, 0);
	if (ptrace(PTRACE_SETREGS, th->tid, 0, &th->regs) == 0)
		th->changed = false;
	ptrace(PTRACE_CONT, th->tid, 0, 0);
	if (tracee_wait(t, th, &status, CALL_SECONDS))
		tracee_settle(t, th, status);
}

void tracee_release(struct tracee *t)
{
	remote_restore(t);
	tracee_detach(t);
}
