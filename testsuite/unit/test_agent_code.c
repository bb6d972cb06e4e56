/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that run a clock of the vDSO, called by the agent or by the program. */
#include "staprun_check.h"

#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/process/agent_code.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

void arch_call_clock(int clock, void *to, void *fn);
extern char arch_clock_return[];

enum { FRAME_WORDS = 40 };
/* 1: the child runs what the parent is to look at */
static volatile int *reached;

__attribute__((noinline)) static void stay(void)
{
	*reached = 1;
	for (;;)
		__asm__ volatile("pause");
}

/* Stands for the vDSO's function, with a frame. */
static int clock_that_stays(int clock, void *to)
{
	volatile uint64_t frame[FRAME_WORDS];

	frame[0] = (uint64_t)clock;
	if (to)
		stay();
	return (int)frame[0];
}

static void in_clock(void) { arch_call_clock(0, (void *)reached, (void *)clock_that_stays); }

/* The program's own call, in the same part of the stack as an earlier one of the agent. */
static void in_own_clock(void)
{
	int (*volatile own)(int, void *) = clock_that_stays;

	arch_call_clock(0, NULL, (void *)clock_that_stays);
	own(0, (void *)reached);
}

static void in_program(void) { stay(); }

enum { STAY_SIZE = 1024 }; /* at most, with what a sanitizer adds to stay() */

/* The result of agent_runs() for a child that runs FN, if the script has its code at TEXT. */
static bool found_in(void (*fn)(void), uint64_t text, uint64_t size)
{
	static struct blob b; /* not on the stack, which is searched for the address */
	struct user_regs_struct r = {0};
	pid_t pid;
	bool found;

	b.text = text;
	b.text_size = size;
	b.made.clock_return = (uint64_t)arch_clock_return;
	*reached = 0;
	pid = fork();
	if (!pid) {
		fn();
		_exit(0);
	}
	while (!*reached)
		usleep(1000);
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, NULL, 0) != pid || ptrace(PTRACE_GETREGS, pid, 0, &r))
		perror("ptrace");
	found = agent_runs(&b, pid, regs_pc(&r), regs_sp(&r));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return found;
}

int main(void)
{
	reached = mmap(NULL, UST_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(found_in(in_clock, 0, 0), "a clock that the agent has called", "not found");
	check(!found_in(in_own_clock, 0, 0), "a clock that the program has called", "found");
	check(!found_in(in_program, 0, 0), "code of the program", "found");
	check(found_in(in_program, (uint64_t)stay, STAY_SIZE), "code of the agent", "not found");
	return failed;
}
