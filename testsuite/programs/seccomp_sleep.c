/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sandbox that kills the process if it calls restart_syscall(). Threads sleep in all ways that
 * the kernel restarts so, while the first one calls tick() until there is a file `stop'.
 */
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((noipa)) long tick(long i)
{
	__asm__ volatile("" : : : "memory");
	return i;
}

static const struct timespec some = {0, 150000000};
static volatile int wrong;

static void *nanosleeps(void *arg)
{
	for (;;)
		wrong |= syscall(SYS_nanosleep, &some, NULL) != 0;
	return arg;
}

static void *clock_nanosleeps(void *arg)
{
	for (;;)
		wrong |= syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &some, NULL) != 0;
	return arg;
}

static void *polls(void *arg)
{
	for (;;)
		wrong |= syscall(SYS_poll, NULL, 0, 150) != 0;
	return arg;
}

static void *futexes(void *arg)
{
	static int word;

	for (;;)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &some, NULL, 0);
	return arg;
}

static int sandbox(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(void)
{
	static void *(*const sleepers[])(void *) = {nanosleeps, clock_nanosleeps, polls, futexes};
	pthread_t thread;

	if (sandbox())
		return 2;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, sleepers[i], NULL);
	printf("ready\n");
	fflush(stdout);
	for (long i = 0; access("stop", F_OK); i++) {
		tick(i);
		usleep(1000);
	}
	printf("%s\n", wrong ? "a sleep was interrupted" : "all sleeps were whole");
	return 0;
}
