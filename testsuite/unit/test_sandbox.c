/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decisions of seccomp filters (sandbox.h) against those of the kernel, and which filters are
 * harmless.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

enum { RANDOM = 600, BODY = 40, ARCH = AUDIT_ARCH_X86_64 };

static int bad;

static void check(const char *name, bool ok)
{
	printf("%s %s\n", ok ? "ok" : "not ok", name);
	bad |= !ok;
}

static bool fetch(const void *from, uint32_t i, struct sock_filter *to)
{
	*to = ((const struct sock_filter *)from)[i];
	return true;
}

#define STATEMENT(code, k)    ((struct sock_filter)BPF_STMT(code, k))
#define JUMP(code, k, jt, jf) ((struct sock_filter)BPF_JUMP(code, k, jt, jf))
#define FIELD(field)          offsetof(struct seccomp_data, field)
#define LOAD(field)           STATEMENT(BPF_LD | BPF_W | BPF_ABS, FIELD(field))
#define RETURN(k)             STATEMENT(BPF_RET | BPF_K, k)
#define COUNT(array)          (sizeof(array) / sizeof *(array))

/* --------------------------------------------------------------- the kernel */

static const uint64_t arguments[6] = {0x123456789abcdef0, 1, 0xffffffff00000002, 0, 77, ~0ull};

/* The error with which the kernel lets the call of getpgid() with `arguments' fail under the filter
 * F of N instructions; 0: it does not; -1: the filter is not valid, or kills. */
static int ask_kernel(struct sock_filter *f, unsigned short n)
{
	const struct sock_fprog program = {n, f};
	static int *result;

	if (!result)
		result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*result = -1;
	if (!fork()) {
		const uint64_t *a = arguments;

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(1);
		*result = syscall(SYS_getpgid, a[0], a[1], a[2], a[3], a[4], a[5]) < 0 ? errno : 0;
		_exit(0);
	}
	wait(NULL);
	return *result;
}

static uint32_t decide(const struct sock_filter *f, uint32_t n)
{
	struct seccomp_data d = {.nr = SYS_getpgid, .arch = ARCH};

	memcpy(d.args, arguments, sizeof d.args);
	return sandbox_decide(fetch, f, n, &d);
}

/* ------------------------------------------------------------- random filters */

static struct sock_filter random_instruction(unsigned left)
{
	static const unsigned short alu[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
					     BPF_OR,  BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG};
	static const unsigned short jumps[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
	unsigned k = (unsigned)rand() % 4 ? (unsigned)rand() : (unsigned)rand() % 3;
	unsigned short source = rand() % 2 ? BPF_X : BPF_K, code;
	unsigned word = (unsigned)rand() % (4 + 12);

	switch (rand() % 9) {
	case 0: /* not the address of the instruction, words 2 and 3 */
		return STATEMENT(BPF_LD | BPF_W | BPF_ABS,
				 (word % 4 == word ? word % 2 : word) * 4);
	case 1:
		return STATEMENT(rand() % 2 ? BPF_LD | BPF_W | BPF_LEN : BPF_LDX | BPF_W | BPF_LEN,
				 0);
	case 2:
		return STATEMENT(rand() % 2 ? BPF_LD | BPF_IMM : BPF_LDX | BPF_IMM, k);
	case 3: /* memory has been written: see try_random() */
		return STATEMENT(rand() % 2 ? BPF_LD | BPF_MEM : BPF_LDX | BPF_MEM,
				 k % BPF_MEMWORDS);
	case 4:
		return STATEMENT(rand() % 2 ? BPF_ST : BPF_STX, k % BPF_MEMWORDS);
	case 5:
		return STATEMENT(BPF_MISC | (rand() % 2 ? BPF_TAX : BPF_TXA), 0);
	case 6:
		if (left > 2)
			return JUMP(BPF_JMP | jumps[rand() % 4] | source, k, k % (left - 1),
				    k / 7 % (left - 1));
		return STATEMENT(BPF_JMP | BPF_JA, 0);
	default:
		code = alu[(unsigned)rand() % COUNT(alu)];
		if (code == BPF_NEG)
			source = BPF_K;
		if (code == BPF_LSH || code == BPF_RSH)
			k %= 32;
		return STATEMENT(BPF_ALU | code | source, code == BPF_DIV ? k | 1 : k);
	}
}

/* A filter that permits all other calls, and computes an error for this one. Returns false if the
 * kernel decides otherwise. */
static bool try_random(unsigned *failing)
{
	struct sock_filter f[BODY + BPF_MEMWORDS + 8];
	unsigned n = 0, i;
	int error;

	f[n++] = LOAD(nr);
	f[n++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 1, 0);
	f[n++] = RETURN(SECCOMP_RET_ALLOW);
	for (i = 0; i < BPF_MEMWORDS; i++)
		f[n++] = STATEMENT(i % 2 ? BPF_ST : BPF_STX, i);
	for (i = 0; i < BODY; i++)
		f[n++] = random_instruction(BODY - i);
	f[n++] = STATEMENT(BPF_ALU | BPF_AND | BPF_K, 0x7ff);
	f[n++] = STATEMENT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO);
	f[n++] = STATEMENT(BPF_RET | BPF_A, 0);
	error = ask_kernel(f, (unsigned short)n);
	*failing += error > 0;
	if (error < 0)
		return decide(f, n) == SECCOMP_RET_KILL_THREAD;
	return decide(f, n) == (SECCOMP_RET_ERRNO | (unsigned)error);
}

static void test_random(void)
{
	unsigned wrong = 0, failing = 0, i;

	srand(20);
	for (i = 0; i < RANDOM; i++)
		wrong += !try_random(&failing);
	if (wrong)
		printf("# %u of %u\n", wrong, RANDOM);
	check("random filters decide as in the kernel", !wrong);
	check("... and most let the call fail", failing > RANDOM / 3);
}

/* ------------------------------------------------------------ known filters */

static bool harmless(const struct sock_filter *f, size_t n)
{
	return sandbox_is_harmless(fetch, f, (uint32_t)n, ARCH);
}

/* All calls but CALL get OTHERS, that one THIS. */
static bool is_harmless_for(unsigned call, unsigned this, unsigned others)
{
	const struct sock_filter f[] = {
		LOAD(nr),
		JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		RETURN(this),
		RETURN(others),
	};

	return harmless(f, COUNT(f));
}

static void test_actions(void)
{
	const unsigned allow = SECCOMP_RET_ALLOW, read = SYS_process_vm_readv, wait = SYS_futex;

	check("all calls are permitted", is_harmless_for(~0u, allow, allow));
	check("... and logged", is_harmless_for(~0u, allow, SECCOMP_RET_LOG));
	check("a call of others is fatal", is_harmless_for(SYS_mount, SECCOMP_RET_KILL, allow));
	check("one of ours is", !is_harmless_for(read, SECCOMP_RET_KILL_PROCESS, allow));
	check("... raises a signal", !is_harmless_for(read, SECCOMP_RET_TRAP, allow));
	check("... stops for a tracer", !is_harmless_for(read, SECCOMP_RET_TRACE, allow));
	check("... waits for a supervisor", !is_harmless_for(read, SECCOMP_RET_USER_NOTIF, allow));
	check("... fails", is_harmless_for(read, SECCOMP_RET_ERRNO | EPERM, allow));
	check("one that must not fail does",
	      !is_harmless_for(wait, SECCOMP_RET_ERRNO | EPERM, allow));
	check("all fail", !is_harmless_for(~0u, allow, SECCOMP_RET_ERRNO | ENOSYS));
}

static void test_arguments(void)
{
	const struct sock_filter futex[] = {
		LOAD(nr),
		JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 3),
		LOAD(args[1]),
		JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAKE, 0, 1),
		RETURN(SECCOMP_RET_KILL),
		RETURN(SECCOMP_RET_ALLOW),
	};
	const struct sock_filter machine[] = {
		LOAD(arch),
		JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		RETURN(SECCOMP_RET_KILL),
		RETURN(SECCOMP_RET_ALLOW),
	};
	const struct sock_filter empty[] = {LOAD(nr)};

	check("an argument is fatal", !harmless(futex, COUNT(futex)));
	check("another machine is",
	      harmless(machine, COUNT(machine)) &&
		      !sandbox_is_harmless(fetch, machine, COUNT(machine), 1));
	check("a filter without an end", !harmless(empty, COUNT(empty)));
}

int main(void)
{
	test_random();
	test_actions();
	test_arguments();
	return bad;
}
