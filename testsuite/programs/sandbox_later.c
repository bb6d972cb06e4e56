/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that enters a seccomp sandbox: `sandbox HOW ACTION [wait [thread]]': calls step() 20
 * times before, and 20 times after it; says `right' at the end.
 *   HOW     prctl or syscall, by which it adds the filter; strict
 *   ACTION  what the filter does with calls that the program does not make itself: kill, trap,
 *           error (only with those of other processes and files), allow
 *   wait    after the first 20 calls, and in the sandbox, it says `ready' and waits for a byte
 *   thread  only another thread is in the sandbox, and makes the other calls
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, STEPS = 20 };

/* One page for each call: none was read before. */
static char text[2 * STEPS][PAGE];
static int last;

__attribute__((noipa)) int step(const char *s) { return last += s[0] == 'x'; }

static void steps(int from)
{
	for (int i = from; i < from + STEPS; i++)
		step(text[i]);
}

#define CALL(nr, action) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(nr)   CALL(nr, SECCOMP_RET_ALLOW)
#define FAIL(nr)    CALL(nr, SECCOMP_RET_ERRNO | EPERM)
#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define OWN_CALLS                                                                               \
	LOAD_NUMBER, ALLOW(SYS_read), ALLOW(SYS_write), ALLOW(SYS_exit_group), ALLOW(SYS_exit), \
		ALLOW(SYS_rt_sigreturn)

static long add(const char *how, struct sock_filter *code, unsigned short n)
{
	const struct sock_fprog program = {n, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* as libraries ask whether there is seccomp, which changes nothing */
	if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) || errno != EFAULT)
		return -1;
	if (!strcmp(how, "prctl"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static long enter(const char *how, const char *action)
{
	struct sock_filter refuse[] = {
		LOAD_NUMBER,
		FAIL(SYS_process_vm_readv),
		FAIL(SYS_kill),
		FAIL(SYS_openat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_filter only[] = {
		OWN_CALLS,
		BPF_STMT(BPF_RET | BPF_K, !strcmp(action, "kill")   ? SECCOMP_RET_KILL_PROCESS
					  : !strcmp(action, "trap") ? SECCOMP_RET_TRAP
								    : SECCOMP_RET_ALLOW),
	};

	if (!strcmp(how, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (!strcmp(action, "error"))
		return add(how, refuse, sizeof refuse / sizeof *refuse);
	return add(how, only, sizeof only / sizeof *only);
}

static void say(const char *word)
{
	if (write(STDOUT_FILENO, word, strlen(word)) < 0)
		_exit(1);
}

struct arguments {
	int n;
	char **v;
};

static void *sandboxed(void *arg)
{
	const struct arguments *a = arg;
	char byte;

	if (enter(a->v[2], a->v[3]))
		exit(1);
	if (a->n > 4) {
		say("ready\n");
		if (read(STDIN_FILENO, &byte, 1) != 1)
			exit(1);
	}
	steps(STEPS);
	say(last == 2 * STEPS ? "right\n" : "wrong\n");
	syscall(a->n > 5 ? SYS_exit_group : SYS_exit, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	struct arguments a = {argc, argv};
	pthread_t thread;

	if (argc < 4)
		return 2;
	memset(text, 'x', sizeof text);
	for (int i = 0; i < 2 * STEPS; i++)
		text[i][9] = 0;
	steps(0);
	if (argc < 6)
		sandboxed(&a);
	else if (!pthread_create(&thread, NULL, sandboxed, &a))
		pthread_join(thread, NULL);
	return 1;
}
