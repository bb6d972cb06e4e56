/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signal handlers: on the stack, on one of their own, of faults, one within another; some are left
 * by siglongjmp(). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTSIDE __attribute__((noinline, noclone))

static sigjmp_buf back;
static volatile int sink;

OUTSIDE int leaf(int x) { return x + sink; }
OUTSIDE int below(int n) { return n ? below(n - 1) + leaf(n) : leaf(0); }

OUTSIDE void on_usr1(int s) { sink += below(s & 3); }
OUTSIDE void on_usr2(int s, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	sink += below(s & 1);
	raise(SIGUSR1);
	sink += leaf(3);
}
OUTSIDE void on_fault(int s)
{
	sink += below(2);
	siglongjmp(back, s);
}

OUTSIDE int fault(volatile int *p) { return *p + leaf(2); }
OUTSIDE int ask(int s)
{
	int v = leaf(s);

	kill(getpid(), s);
	return v + leaf(1);
}

int main(void)
{
	stack_t own = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
	struct sigaction usr1 = {.sa_handler = on_usr1},
			 usr2 = {.sa_sigaction = on_usr2, .sa_flags = SA_SIGINFO | SA_ONSTACK},
			 segv = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};

	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGUSR2, &usr2, NULL);
	sigaction(SIGSEGV, &segv, NULL);
	for (int i = 0; i < 3; i++) {
		ask(SIGUSR1);
		ask(SIGUSR2);
		raise(SIGUSR2);
		if (!sigsetjmp(back, 1))
			fault((volatile int *)8);
	}
	printf("1\n");
	return 0;
}
