/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointers of all sorts, handed to take(kind, p), by a program that handles its own faults:
 *
 *   memory own      with a SIGSEGV and a SIGBUS handler, which count; the program causes 50 faults itself
 *   memory blocked  by a thread that has blocked all signals
 *   memory changes  the handlers are set, changed, asked for and reset in between
 *   memory races    while another thread maps and unmaps what is read
 * Prints the calls of each kind and its own faults.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, KINDS = 9, ROUNDS = 20 };
enum kind { NIL, NOT_CANONICAL, UNMAPPED, NO_ACCESS, TRUNCATED, PAGE_END, KERNEL, LAST, GOOD };

static char *pointers[KINDS];
static volatile long faults, wrong;
static sigjmp_buf back;

__attribute__((noipa)) int take(int kind, const char *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	return kind;
}

static char *truncated(void)
{
	char name[] = "/tmp/memoryXXXXXX";
	int fd = mkstemp(name);
	char *p;

	unlink(name);
	if (ftruncate(fd, PAGE))
		exit(1);
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p[0] = 'x';
	if (ftruncate(fd, 0))
		exit(1);
	close(fd);
	return p;
}

static void make(void)
{
	char *p;

	/* before there is a hole of one page, which the next mapping may fill */
	pointers[TRUNCATED] = truncated();
	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pointers[NOT_CANONICAL] = (char *)0x8000000000001000ul;
	pointers[UNMAPPED] = p + PAGE;
	memcpy(p + PAGE - 4, "end!", 4);
	pointers[PAGE_END] = p + PAGE - 4;
	pointers[NO_ACCESS] = p + 2 * PAGE;
	pointers[GOOD] = strcpy(p + 3 * PAGE, "good");
	munmap(p + PAGE, PAGE);
	mprotect(p + 2 * PAGE, PAGE, PROT_NONE);
	pointers[KERNEL] = (char *)0xffff888000000000ul;
	pointers[LAST] = (char *)-3ul;
}

static void take_all(void)
{
	for (int i = 0; i < ROUNDS; i++)
		for (int k = 0; k < KINDS; k++)
			if (take(k, pointers[k]) != k)
				wrong++;
}

static void on_fault(int sig, siginfo_t *si, void *context)
{
	if (si->si_addr != pointers[sig == SIGBUS ? TRUNCATED : UNMAPPED])
		wrong++;
	faults++;
	siglongjmp(back, 1);
}

static void on_fault_too(int sig, siginfo_t *si, void *context) { on_fault(sig, si, context); }

static void own_fault(char *p)
{
	if (!sigsetjmp(back, 1))
		*(volatile char *)p;
}

static void handle(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
}

static void *thread(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	take_all();
	return NULL;
}

static void own(void)
{
	handle(on_fault);
	for (int i = 0; i < 50; i++) {
		own_fault(pointers[i % 2 ? TRUNCATED : UNMAPPED]);
		for (int k = 0; k < KINDS && i < ROUNDS; k++)
			take(k, pointers[k]);
	}
}

static void blocked(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
}

static void changes(void)
{
	struct sigaction old;

	for (int i = 0; i < ROUNDS; i++) {
		sigaction(SIGSEGV, NULL, &old);
		if (old.sa_handler != SIG_DFL)
			wrong++;
		for (int k = 0; k < KINDS; k += 3)
			take(k, pointers[k]);
		handle(on_fault);
		own_fault(pointers[UNMAPPED]);
		for (int k = 1; k < KINDS; k += 3)
			take(k, pointers[k]);
		handle(on_fault_too);
		sigaction(SIGSEGV, NULL, &old);
		if (old.sa_sigaction != on_fault_too || !(old.sa_flags & SA_SIGINFO))
			wrong++;
		own_fault(pointers[TRUNCATED]);
		for (int k = 2; k < KINDS; k += 3)
			take(k, pointers[k]);
		if (signal(SIGSEGV, SIG_DFL) != (void (*)(int))on_fault_too)
			wrong++;
	}
}

static volatile int stop;
static void *mapper(void *arg)
{
	while (!stop) {
		munmap(pointers[GOOD], PAGE);
		mmap(pointers[GOOD], PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		mprotect(pointers[GOOD], PAGE, PROT_NONE);
	}
	return NULL;
}

static void races(void)
{
	pthread_t t;

	pthread_create(&t, NULL, mapper, NULL);
	for (int i = 0; i < 50; i++)
		take_all();
	stop = 1;
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } ways[] = {
		{"own", own}, {"blocked", blocked}, {"changes", changes}, {"races", races}};

	make();
	for (int i = 0; i < 4; i++)
		if (argc > 1 && !strcmp(argv[1], ways[i].name))
			ways[i].run();
	printf("own faults %ld, %s\n", faults, wrong ? "wrong" : "right");
	return 0;
}
