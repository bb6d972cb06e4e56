/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that has no thread pointer for a while: calls step() ten times with it, ten times
 * without, ten times with it. Its argument says what SIGSEGV does: default, handled or ignored.
 */
#include <asm/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

static int steps;

__attribute__((noipa, optimize("no-stack-protector"))) void step(const char *s) { steps += s[0]; }

static void on_fault(int signal)
{
	(void)signal;
	steps = -1000;
}

static inline long prctl_here(long option, unsigned long address)
{
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "0"(SYS_arch_prctl), "D"(option), "S"(address)
			 : "rcx", "r11", "memory");
	return r;
}

__attribute__((optimize("no-stack-protector"))) int main(int argc, char **argv)
{
	static unsigned long pointer;
	const char *how = argc > 2 ? argv[2] : "";

	if (!strcmp(how, "handled"))
		signal(SIGSEGV, on_fault);
	else if (!strcmp(how, "ignored"))
		signal(SIGSEGV, SIG_IGN);
	for (int i = 0; i < 10; i++)
		step("\1");
	prctl_here(ARCH_GET_FS, (unsigned long)&pointer);
	prctl_here(ARCH_SET_FS, 0);
	for (int i = 0; i < 10; i++)
		step("\1");
	prctl_here(ARCH_SET_FS, pointer);
	for (int i = 0; i < 10; i++)
		step("\1");
	printf("%d steps\n", steps);
	return 0;
}
