// SPDX-License-Identifier: GPL-2.0-or-later
// A process whose child shares its memory and does nothing but call a probed function: for
// testsuite/ustap.user/memory_shared.stp. Both end when the file exists that the argument names.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 65536 };

// Divisions are slow: an interrupted thread is behind one of them.
void probed(void);
__asm__(".type probed,@function\n"
	"probed: divl %ecx\n"
	"divl %ecx\n"
	"divl %ecx\n"
	"ret\n"
	".size probed, . - probed\n");

static volatile int over;

static void call(void)
{
	unsigned low = 7, high = 0, one = 1;

	__asm__ volatile("call probed" : "+a"(low), "+d"(high) : "c"(one) : "memory");
}

static int run(void *arg)
{
	(void)arg;
	while (!over)
		call();
	return 0;
}

int main(int argc, char **argv)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = clone(run, stack + STACK, CLONE_VM | SIGCHLD, NULL);
	int status;

	puts("ready");
	fflush(stdout);
	while (argc > 1 && access(argv[1], F_OK))
		usleep(1000);
	call();
	over = 1;
	if (waitpid(child, &status, 0) != child)
		return 1;
	printf("child: %d\n", status);
	return 0;
}
