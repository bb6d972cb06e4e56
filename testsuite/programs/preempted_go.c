// SPDX-License-Identifier: GPL-2.0-or-later
// States of a program of Go while its runtime interrupts a goroutine, which takes a microsecond
// there: for testsuite/ustap.user/preempted_go.stp. Arguments: the state, which lasts until a file
// exists; that file. "call": a function returns to an instruction that has not called it. "signal":
// a handler will add such a call where its signal came from.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

// the list of goroutines: none waits
uint64_t goroutines[3] __asm__("runtime.allgs");

// PROBED loads from *P at its second instruction. CONTINUE_AT calls wait_here(), and continues at
// AT with P.
int probed(const char *p);
int continue_at(const char *p, uintptr_t at);
extern const char only_return[];
__asm__(".type probed,@function\n"
	"probed: xorl %eax, %eax\n"
	"movb (%rdi), %al\n"
	"incl %eax\n"
	"incl %eax\n"
	"ret\n"
	".size probed, . - probed\n"
	".type continue_at,@function\n"
	"continue_at: pushq %rsi\n"
	"pushq %rdi\n"
	"subq $8, %rsp\n"
	"call runtime.asyncPreempt2\n"
	"addq $8, %rsp\n"
	"popq %rdi\n"
	"xorl %eax, %eax\n"
	"only_return: ret\n"
	".size continue_at, . - continue_at\n");

static const char *file, value = 40;

void wait_here(void) __asm__("runtime.asyncPreempt2");
void wait_here(void)
{
	static int calls;

	if (calls++)
		_exit(1);
	puts("ready");
	fflush(stdout);
	while (access(file, F_OK))
		usleep(1000);
}

static void handle(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	greg_t *r = c->uc_mcontext.gregs;
	uintptr_t at = r[REG_RIP];

	(void)signal, (void)info;
	wait_here();
	r[REG_RSP] -= sizeof at;
	memcpy((void *)r[REG_RSP], &at, sizeof at);
	r[REG_RDI] = (uintptr_t)&value;
	r[REG_RIP] = (uintptr_t)only_return;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	int n;

	if (argc != 3)
		return 2;
	file = argv[2];
	sigaction(SIGSEGV, &action, NULL);
	n = !strcmp(argv[1], "call") ? continue_at(&value, (uintptr_t)probed + 2) : probed(NULL);
	for (int i = 0; i < 3; i++)
		n += probed(&value);
	printf("%d\n", n);
	return 0;
}
