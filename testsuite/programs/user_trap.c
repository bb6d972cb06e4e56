/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places where no jump fits, and programs that have their own ideas about SIGTRAP; `trap HOW...':
 *
 *   count N     the functions below N times each, in four threads
 *   block       with all signals blocked, in every way that there is
 *   own         the program's own breakpoints and signals, with handlers of every kind
 *   fatal       children that end by a SIGTRAP
 *   jump        out of a handler of SIGTRAP by siglongjmp(); on a signal stack; by a coroutine
 *   fork        children that come by, too
 *   wait MS N   the functions, all the time, in N threads of which every second one has all blocked; a file `stop' ends it, too
 * All output is the same as without a tracer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/*
 * No room at all: nothing() and less() are one byte, and the bytes behind them, as the distance of
 * a jump, lead into the program itself; loop(N) begins with what its own branch
 * goes back to, and tight(N) goes into the middle of what a jump would need; many() and many_in() are
 * one function with a one-byte instruction that is probed, before another that is.
 */
__asm__(".pushsection .text\n.balign 16\n"
	".globl nothing, less, loop, tight, many, many_in\n"
	".type nothing, @function\n.type less, @function\n.type loop, @function\n.type tight, @function\n"
	".type many, @function\n.type many_in, @function\n"
	"nothing: ret\n.size nothing, . - nothing\n.long 0x40\n"
	"less: ret\n.size less, . - less\n.long 0x40\n"
	"loop: mov %rdi, %rax\n1: dec %rdi\njnz 1b\nret\n.size loop, . - loop\n"
	"tight: push %rdi\n2: pop %rax\ndec %rdi\nmov %rdi, %rsi\npush %rax\ntest %rdi, %rdi\njg 2b\npop %rax\nret\n"
	".size tight, . - tight\n"
	"many: clc\n.size many, . - many\nmany_in: cmc\nadc %rdi, %rdi\nmov %rdi, %rax\nret\n.size many_in, . - many_in\n"
	"nop\nnop\n.popsection");
extern void nothing(void), less(void);
extern long loop(long n), tight(long n), many(long n);

static long calls;

static void once(void)
{
	nothing();
	less();
	if (loop(3) != 3 || tight(2) != 2 || many(4) != 9)
		printf("wrong\n");
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

static void *repeat(void *arg)
{
	for (long n = (long)arg; n; n--)
		once();
	return NULL;
}

static void count(long n)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, repeat, (void *)n);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld calls\n", calls);
}

/* ------------------------------------------------------------------ blocked */

static sigset_t all, trap;
static volatile int handled, traps;

static void on_signal(int sig)
{
	(void)sig;
	once();
	handled++;
}

static bool is_blocked(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGTRAP);
}

static void *all_blocked(void *arg)
{
	(void)arg;
	once();
	printf("thread: blocked %d\n", is_blocked());
	return NULL;
}

static void handle(int sig, int flags)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_mask = all, .sa_flags = flags}, was;

	sigaction(sig, &a, NULL);
	sigaction(sig, NULL, &was);
	printf("mask of handler: %d\n", sigismember(&was.sa_mask, SIGTRAP));
}

static void waits(void)
{
	struct itimerspec soon = {{0, 0}, {0, 5000000}};
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct epoll_event e;
	sigset_t most = all;
	timer_t timer;
	int ep = epoll_create1(0);

	sigdelset(&most, SIGUSR1);
	timer_create(CLOCK_MONOTONIC, &ev, &timer);
	timer_settime(timer, 0, &soon, NULL);
	sigsuspend(&most);
	timer_settime(timer, 0, &soon, NULL);
	ppoll(NULL, 0, NULL, &most);
	timer_settime(timer, 0, &soon, NULL);
	pselect(0, NULL, NULL, NULL, NULL, &most);
	timer_settime(timer, 0, &soon, NULL);
	epoll_pwait(ep, &e, 1, -1, &most);
	printf("woken %d times, blocked %d\n", handled, is_blocked());
	close(ep);
}

static void block(void)
{
	pthread_attr_t attr;
	sigjmp_buf env;
	ucontext_t c;
	sigset_t was, now;
	pthread_t t;
	unsigned long raw = ~0ul;
	static volatile int times;

	printf("blocked %d\n", is_blocked());
	sigprocmask(SIG_BLOCK, &all, &was);
	once();
	printf("blocked %d, was %d\n", is_blocked(), sigismember(&was, SIGTRAP));
	if (!sigsetjmp(env, 1)) {
		sigprocmask(SIG_UNBLOCK, &trap, NULL);
		printf("unblocked %d\n", !is_blocked());
		siglongjmp(env, 1);
	}
	once();
	printf("by siglongjmp: blocked %d\n", is_blocked());
	times = 0;
	getcontext(&c);
	if (!times++) {
		sigprocmask(SIG_SETMASK, &was, NULL);
		setcontext(&c);
	}
	once();
	printf("by setcontext: blocked %d\n", is_blocked());
	pthread_create(&t, NULL, all_blocked, NULL);
	pthread_join(t, NULL);
	handle(SIGUSR1, 0);
	raise(SIGUSR1);
	sigprocmask(SIG_SETMASK, &was, &now);
	printf("handled %d, blocked %d, was %d\n", handled, is_blocked(), sigismember(&now, SIGTRAP));
	raise(SIGUSR1);
	printf("handled %d\n", handled);
	pthread_attr_init(&attr);
	pthread_attr_setsigmask_np(&attr, &all);
	pthread_create(&t, &attr, all_blocked, NULL);
	pthread_join(t, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &raw, NULL, 8);
	once();
	printf("by syscall(): blocked %d\n", is_blocked());
	waits();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &raw, 8);
	printf("mask %lx\n", raw);
	raw = (unsigned long)sigprocmask(77, &all, NULL);
	printf("%ld %s\n", (long)raw, strerror(errno));
	raw = (unsigned long)syscall(SYS_rt_sigprocmask, SIG_BLOCK, 8, NULL, 8);
	printf("%ld %s\n", (long)raw, strerror(errno));
	sigprocmask(SIG_SETMASK, &was, NULL);
}

/* ------------------------------------------------------------------ its own */

static void on_trap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	stack_t s;

	sigaltstack(NULL, &s);
	once();
	traps++;
	printf("signal %d code %d, trap %ld, blocked %d, flags %d\n", sig, info->si_code,
	       (long)c->uc_mcontext.gregs[REG_TRAPNO], is_blocked(), s.ss_flags);
}

static void plain(int sig)
{
	once();
	traps++;
	printf("plain %d, blocked %d\n", sig, is_blocked());
}

static void set(void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO}, was;

	sigaction(SIGTRAP, &a, NULL);
	sigaction(SIGTRAP, NULL, &was);
	printf("set %d, flags %x, mask %d\n", was.sa_sigaction == handler, was.sa_flags & ~0x04000000,
	       sigismember(&was.sa_mask, SIGTRAP));
}

static void own(void)
{
	static char stack[65536];
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction was;

	once();
	printf("first %d\n", signal(SIGTRAP, SIG_DFL) == SIG_DFL);
	set(on_trap, 0);
	once();
	__asm__ volatile("int3");
	__asm__ volatile(".byte 0xcd, 3");
	raise(SIGTRAP);
	once();
	sigprocmask(SIG_BLOCK, &trap, NULL);
	raise(SIGTRAP);
	once();
	printf("%d so far\n", traps);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	printf("%d now\n", traps);
	set(on_trap, SA_NODEFER | SA_ONSTACK);
	sigaltstack(&s, NULL);
	__asm__ volatile("int3");
	once();
	set(on_trap, SA_RESETHAND);
	__asm__ volatile("int3");
	sigaction(SIGTRAP, NULL, &was);
	printf("after it %d\n", was.sa_handler == SIG_DFL);
	signal(SIGTRAP, plain);
	raise(SIGTRAP);
	once();
	/* a step */
	set(on_trap, 0);
	__asm__ volatile("pushf\n orl $0x100, (%%rsp)\n popf\n nop\n pushf\n andl $~0x100, (%%rsp)\n popf\n" ::: "memory", "cc");
	signal(SIGTRAP, SIG_IGN);
	raise(SIGTRAP);
	once();
	printf("%d in all, blocked %d\n", traps, is_blocked());
}

/* -------------------------------------------------------------------- fatal */

enum { RAISE, INT3, INT3_BLOCKED, INT3_IGNORED, INT3_HANDLED, RAISE_RESET, WAYS };

static void end_by(int way)
{
	static const struct rlimit none;

	setrlimit(RLIMIT_CORE, &none);
	once();
	if (way == INT3_BLOCKED || way == INT3_HANDLED)
		sigprocmask(SIG_BLOCK, &trap, NULL);
	if (way == INT3_IGNORED)
		signal(SIGTRAP, SIG_IGN);
	if (way == INT3_HANDLED || way == RAISE_RESET)
		signal(SIGTRAP, plain);
	if (way == RAISE_RESET)
		signal(SIGTRAP, SIG_DFL);
	if (way == RAISE || way == RAISE_RESET)
		raise(SIGTRAP);
	else
		__asm__ volatile("int3");
	_exit(0);
}

static void fatal(void)
{
	for (int way = 0; way < WAYS; way++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid)
			end_by(way);
		waitpid(pid, &status, 0);
		printf("%d: signal %d\n", way, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	}
}

/* -------------------------------------------------------------------- jumps */

static sigjmp_buf back;
static ucontext_t home, other;

static void jump_out(int sig)
{
	(void)sig;
	once();
	siglongjmp(back, 1);
}

static void elsewhere(void)
{
	once();
	swapcontext(&other, &home);
	once();
}

static void jump(void)
{
	static char stack[65536];
	volatile int n = 0;

	signal(SIGTRAP, jump_out);
	if (sigsetjmp(back, 1) < 3 && n++ < 3)
		__asm__ volatile("int3");
	printf("%d jumps, blocked %d\n", n, is_blocked());
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	other.uc_link = &home;
	sigfillset(&other.uc_sigmask);
	makecontext(&other, elsewhere, 0);
	swapcontext(&home, &other);
	once();
	swapcontext(&home, &other);
	printf("back, blocked %d\n", is_blocked());
}

/* ----------------------------------------------------------------- children */

static void children(void)
{
	char *const words[] = {"true", NULL};
	extern char **environ;
	int status;
	pid_t pid;

	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			repeat((void *)5);
			_exit(is_blocked() ? 7 : 8);
		}
		waitpid(pid, &status, 0);
		printf("child: %x\n", status);
		once();
	}
	pid = vfork();
	if (!pid) {
		once();
		sigprocmask(SIG_SETMASK, &trap, NULL);
		signal(SIGTRAP, SIG_DFL);
		once();
		_exit(3);
	}
	waitpid(pid, &status, 0);
	printf("vfork: %x, blocked %d\n", status, is_blocked());
	posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ);
	waitpid(pid, &status, 0);
	once();
	printf("spawn: %x, system: %x, blocked %d\n", status, system("exit 5"), is_blocked());
}

/* --------------------------------------------------------------------- load */

static volatile bool enough;

static void *load(void *arg)
{
	if (arg)
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (!enough)
		once();
	return NULL;
}

static void wait_ms(long ms, long n)
{
	struct timespec t = {0, 5000000};
	pthread_t th[8];

	for (long i = 0; i < n; i++)
		pthread_create(&th[i], NULL, load, (void *)(i & 1));
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (; ms > 0 && access("stop", F_OK); ms -= 5)
		nanosleep(&t, NULL);
	enough = true;
	for (int i = 0; i < n; i++)
		pthread_join(th[i], NULL);
	printf("%s\n", calls ? "right" : "no calls");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigfillset(&all);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	if (!strcmp(how, "count"))
		count(n);
	else if (!strcmp(how, "block"))
		block();
	else if (!strcmp(how, "own"))
		own();
	else if (!strcmp(how, "fatal"))
		fatal();
	else if (!strcmp(how, "jump"))
		jump();
	else if (!strcmp(how, "fork"))
		children();
	else if (!strcmp(how, "wait"))
		wait_ms(n, argc > 3 ? atol(argv[3]) : 4);
	if (strcmp(how, "wait"))
		fprintf(stderr, "%ld calls\n", calls);
	return 0;
}
