/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seccomp filters (seccomp(2)): whether one may end a process for a system call of the user
 * runtime. Most filters, as those of containers and services, permit these calls or refuse them
 * with an error. The runtime makes no calls in a process with any other filter.
 */
#ifndef USTAP_SANDBOX_H
#define USTAP_SANDBOX_H

#include "arch/sandbox_calls.h"

#include <asm/unistd.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A system call of the runtime in a traced process, with the argument that filters may compare: its
 * number, from 0, and its value. Others are addresses and numbers of files and processes. */
struct sandbox_call {
	uint32_t call, argument, value;
};
static const struct sandbox_call sandbox_needed[] = {
	SANDBOX_ARCH_CALLS /* of this machine */
	{__NR_clock_gettime, 0, 0},
	{__NR_clock_gettime, 0, 1},
	{__NR_close, 0, 3},
	{__NR_futex, 1, FUTEX_WAIT},
	{__NR_futex, 1, FUTEX_WAKE},
	{__NR_getegid, 0, 0},
	{__NR_geteuid, 0, 0},
	{__NR_getgid, 0, 0},
	{__NR_getpgid, 0, 0},
	{__NR_getpid, 0, 0},
	{__NR_getppid, 0, 0},
	{__NR_getsid, 0, 0},
	{__NR_gettid, 0, 0},
	{__NR_getuid, 0, 0},
	{__NR_nanosleep, 0, 0},
	{__NR_prctl, 0, PR_GET_NAME},
	{__NR_read, 0, 3},
	{__NR_rt_sigaction, 3, 8},
	{__NR_rt_sigprocmask, 3, 8},
	{__NR_rt_sigreturn, 0, 0},
	{__NR_sched_yield, 0, 0},
	{__NR_sigaltstack, 0, 0},
};
/* Calls that may fail. */
static const struct sandbox_call sandbox_tried[] = {
	{__NR_getdents64, 0, 3},
	{__NR_kill, 1, 0},
	{__NR_openat, 2, 02000000}, /* O_RDONLY | O_CLOEXEC */
	{__NR_prctl, 0, PR_SET_PTRACER},
	{__NR_prlimit64, 0, 0},
	{__NR_process_vm_readv, 2, 1},
	{__NR_process_vm_writev, 2, 1},
	{__NR_rt_tgsigqueueinfo, 2, 5},
	{__NR_sysinfo, 0, 0},
	{__NR_tgkill, 2, 0},
	{__NR_tkill, 1, 0},
};

/* Set *TO to instruction I of the filter FROM. False: it cannot be read. */
typedef bool (*sandbox_fetch)(const void *from, uint32_t i, struct sock_filter *to);

/* The result of an arithmetic OPERATION; B is not 0 for divisions. */
static inline uint32_t sandbox_compute(uint32_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return a / b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << b % 32;
	case BPF_RSH:
		return a >> b % 32;
	default:
		return -a;
	}
}

/* The truth of a conditional jump. */
static inline bool sandbox_compare(uint32_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default:
		return a & b;
	}
}

struct sandbox_machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
};

/* Value that a load instruction F gives. */
static inline uint32_t sandbox_load(const struct sandbox_machine *m, const struct sock_filter *f,
				    const struct seccomp_data *d)
{
	uint32_t word = 0;

	switch (BPF_MODE(f->code)) {
	case BPF_ABS:
		if (f->k <= sizeof *d - sizeof word)
			__builtin_memcpy(&word, (const char *)d + f->k, sizeof word);
		return word;
	case BPF_MEM:
		return m->memory[f->k % BPF_MEMWORDS];
	case BPF_LEN:
		return sizeof *d;
	default:
		return f->k;
	}
}

/* Returns what the filter FROM of N instructions decides about the call D: a SECCOMP_RET_ value,
 * KILL if it cannot be read. The kernel has checked, or will check, that the filter is valid, and
 * jumps lead forward only. */
static inline uint32_t sandbox_decide(sandbox_fetch fetch, const void *from, uint32_t n,
				      const struct seccomp_data *d)
{
	struct sandbox_machine m = {0};
	struct sock_filter f;
	uint32_t i, b;

	for (i = 0; i < n && fetch(from, i, &f); i++) {
		b = BPF_SRC(f.code) == BPF_X ? m.x : f.k;
		switch (BPF_CLASS(f.code)) {
		case BPF_LD:
			m.a = sandbox_load(&m, &f, d);
			break;
		case BPF_LDX:
			m.x = sandbox_load(&m, &f, d);
			break;
		case BPF_ST:
			m.memory[f.k % BPF_MEMWORDS] = m.a;
			break;
		case BPF_STX:
			m.memory[f.k % BPF_MEMWORDS] = m.x;
			break;
		case BPF_ALU:
			if (BPF_OP(f.code) == BPF_DIV && !b)
				return SECCOMP_RET_KILL_THREAD;
			m.a = sandbox_compute(BPF_OP(f.code), m.a, b);
			break;
		case BPF_JMP:
			if (BPF_OP(f.code) == BPF_JA)
				i += f.k < n ? f.k : n - i - 1;
			else
				i += sandbox_compare(BPF_OP(f.code), m.a, b) ? f.jt : f.jf;
			break;
		case BPF_RET:
			return BPF_RVAL(f.code) == BPF_A ? m.a : f.k;
		default:
			if (BPF_MISCOP(f.code) == BPF_TAX)
				m.x = m.a;
			else
				m.a = m.x;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

/* True if a filter that has DECIDED so does not harm the process, nor the runtime. */
static inline bool sandbox_permits(uint32_t decided, bool may_fail)
{
	decided &= SECCOMP_RET_ACTION_FULL;
	return decided == SECCOMP_RET_ALLOW || decided == SECCOMP_RET_LOG ||
	       (decided == SECCOMP_RET_ERRNO && may_fail);
}

/* sandbox_permits() for each of CALLS. */
static inline bool sandbox_permits_all(sandbox_fetch fetch, const void *from, uint32_t n,
				       uint32_t arch, const struct sandbox_call *calls,
				       size_t ncalls, bool may_fail)
{
	size_t i;

	for (i = 0; i < ncalls; i++) {
		struct seccomp_data d = {.nr = (int)calls[i].call, .arch = arch};

		d.args[calls[i].argument] = calls[i].value;
		if (!sandbox_permits(sandbox_decide(fetch, from, n, &d), may_fail))
			return false;
	}
	return true;
}

/* True if the filter FROM of N instructions, for machine ARCH (AUDIT_ARCH_), permits the calls of
 * the runtime, or refuses them with an error where it can do without. A signal, a tracer or a
 * supervisor would show the calls to others. */
static inline bool sandbox_is_harmless(sandbox_fetch fetch, const void *from, uint32_t n,
				       uint32_t arch)
{
	return sandbox_permits_all(fetch, from, n, arch, sandbox_needed,
				   sizeof sandbox_needed / sizeof *sandbox_needed, false) &&
	       sandbox_permits_all(fetch, from, n, arch, sandbox_tried,
				   sizeof sandbox_tried / sizeof *sandbox_tried, true);
}

#endif
