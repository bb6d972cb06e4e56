/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads and stacks of other kinds than the C library's; each calls step() 1,000 times:
 *
 *   clone threads    two threads unknown to the C library, with one thread pointer for all
 *   clone process    a process that shares memory (CLONE_VM), while its parent goes on
 *   clone fork       fork() as a plain system call
 *   clone small      a stack of 4 KB with nothing behind it
 *   clone pointer    the thread pointer is 0, then at an address that cannot be read, meanwhile
 * Prints how many calls there were and `right'.
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { CALLS = 1000, STACK = 65536 };

static volatile long wrong, done;

__attribute__((noipa)) long step(long i)
{
	__asm__ volatile("" : : : "memory");
	return i + 1;
}

static void steps(void)
{
	for (long i = 0; i < CALLS; i++)
		if (step(i) != i + 1)
			__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&done, CALLS, __ATOMIC_RELAXED);
}

/* No errno, no stack protector: there is no thread pointer of its own. */
static int thread(void *arg)
{
	steps();
	__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
	return 0;
}

static char *stack(size_t size)
{
	char *p = mmap(NULL, size + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(p + 4096, size, PROT_READ | PROT_WRITE);
	return p + 4096;
}

static void threads(void)
{
	static pid_t gone[2] = {1, 1};
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
		    CLONE_CHILD_CLEARTID;

	for (int i = 0; i < 2; i++)
		if (clone(thread, stack(STACK) + STACK, flags, NULL, NULL, NULL, &gone[i]) < 0)
			exit(1);
	steps();
	while (((volatile pid_t *)gone)[0] || ((volatile pid_t *)gone)[1])
		;
}

static void process(void)
{
	pid_t pid = clone(thread, stack(STACK) + STACK, CLONE_VM | SIGCHLD, NULL);
	int status;

	steps();
	if (waitpid(pid, &status, 0) != pid || status)
		wrong++;
}

static void plain_fork(void)
{
	long pid = syscall(SYS_fork);
	int status;

	if (!pid) {
		steps();
		_exit(wrong != 0);
	}
	steps();
	if (waitpid((pid_t)pid, &status, 0) != pid || status)
		wrong++;
}

static ucontext_t main_context, small_context;

static void small(void)
{
	getcontext(&small_context);
	small_context.uc_stack.ss_sp = stack(4096);
	small_context.uc_stack.ss_size = 4096;
	small_context.uc_link = &main_context;
	makecontext(&small_context, steps, 0);
	swapcontext(&main_context, &small_context);
}

__attribute__((optimize("no-stack-protector"))) static void pointer(void)
{
	unsigned long old;

	syscall(SYS_arch_prctl, ARCH_GET_FS, &old);
	for (int i = 0; i < 2; i++) {
		long r;

		__asm__ volatile("syscall" : "=a"(r) : "0"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(i ? 4096ul : 0ul)
				 : "rcx", "r11", "memory");
		steps();
		__asm__ volatile("syscall" : "=a"(r) : "0"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(old)
				 : "rcx", "r11", "memory");
	}
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } kinds[] = {
		{"threads", threads}, {"process", process}, {"fork", plain_fork}, {"small", small}, {"pointer", pointer}};

	for (int i = 0; i < 5; i++)
		if (argc > 1 && !strcmp(argv[1], kinds[i].name))
			kinds[i].run();
	printf("%ld %s\n", done, wrong ? "wrong" : "right");
	return 0;
}
