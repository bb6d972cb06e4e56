/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with its own handlers of SIGSEGV and SIGBUS; `fault HOW':
 *
 *   handlers   every combination of flags: what a handler is given, and what sigaction() returns
 *   sent       signals that somebody sends, also blocked and ignored ones
 *   fatal      children that end by a fault, with and without handlers
 *   processes  children of fork(), vfork() and clone(), and programs that they exec
 *   threads    handlers that change while other threads fault
 *   many       more different handlers than the runtime can stand in for
 *   show       what the program was started with
 *   cost       what a call of take() costs, before and after a handler is set, beside the system
 * call that reads memory wait       the same, a handler set, until there is a file `go' It prints
 * the same without and with a probe on take(), which reads the string.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, ALTERNATE = 1 << 16 };

static char *nowhere, *cut, *alternate;
static const char *self;

__attribute__((noipa)) long take(const char *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	return p != NULL;
}

static void take_all(void)
{
	take("text");
	take(nowhere);
	take(cut);
	take("more");
}

static char *truncated(void)
{
	char name[] = "/tmp/faultXXXXXX", *p;
	int fd = mkstemp(name);

	unlink(name);
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

static void make(void)
{
	stack_t s = {.ss_size = ALTERNATE};
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	cut = truncated();
	nowhere = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	alternate =
	    mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s.ss_sp = alternate;
	sigaltstack(&s, NULL);
}

/* ------------------------------------------------------------------ handlers */

/* The kernel's struct sigaction, so that nothing is hidden by the C library. */
struct action {
	unsigned long handler, flags, restorer, mask;
};

static void ask(int sig, struct action *to)
{
	memset(to, 0xff, sizeof *to);
	syscall(SYS_rt_sigaction, sig, NULL, to, 8);
}

static unsigned long mask_now(void)
{
	unsigned long v = 0;

	syscall(SYS_rt_sigprocmask, 0, NULL, &v, 8);
	return v;
}

/* A load whose address is known, and how long it is. */
extern char load_here[], load_end[];
__attribute__((noipa)) static void load(const char *p)
{
	__asm__ volatile("load_here: movzbl (%0), %%eax\nload_end:" : : "r"(p) : "eax", "memory");
}

static volatile int depth;
static volatile sig_atomic_t called;
static sigjmp_buf back;

static void tell(const char *name, int sig, const siginfo_t *info, const ucontext_t *c)
{
	char here;
	bool on = &here >= alternate && &here < alternate + ALTERNATE;

	called++;
	printf("  %s(%d) depth %d, on %s stack, mask %lx", name, sig, depth, on ? "signal" : "own",
	       mask_now());
	if (info)
		printf(", code %d, address %s", info->si_code,
		       info->si_addr == nowhere ? "nowhere"
		       : info->si_addr == cut   ? "cut"
						: "?");
	if (c)
		printf(", pc %s, old mask %lx",
		       c->uc_mcontext.gregs[REG_RIP] == (long)load_here ? "right" : "wrong",
		       *(const unsigned long *)&c->uc_sigmask);
	printf(", errno %d\n", errno);
}

static void skip(ucontext_t *c) { c->uc_mcontext.gregs[REG_RIP] = (long)load_end; }

static void with_info(int sig, siginfo_t *info, void *context)
{
	tell("with_info", sig, info, context);
	take_all();
	if (!depth++ && !(mask_now() & 1ul << (sig - 1)))
		load(sig == SIGSEGV ? nowhere : cut);
	skip(context);
}

/* Its second and third argument are there all the same. */
static void plain_of(int sig, siginfo_t *info, void *context)
{
	(void)info;
	tell("plain", sig, NULL, context);
	take_all();
	skip(context);
}

static void jumps(int sig)
{
	tell("jumps", sig, NULL, NULL);
	siglongjmp(back, 1);
}

static void show_action(int sig)
{
	struct action a;

	ask(sig, &a);
	printf("  %d: %s, flags %lx, mask %lx, restorer %s\n", sig,
	       a.handler == (unsigned long)with_info  ? "with_info"
	       : a.handler == (unsigned long)plain_of ? "plain"
	       : a.handler == (unsigned long)jumps    ? "jumps"
	       : a.handler > 1                        ? "another"
	       : a.handler                            ? "ignored"
						      : "default",
	       a.flags, a.mask, a.restorer ? "some" : "none");
}

static void fault(int sig)
{
	depth = 0;
	errno = 42;
	if (!sigsetjmp(back, 1))
		load(sig == SIGSEGV ? nowhere : cut);
	if (errno != 42)
		printf("errno\n");
}

static void set(int sig, void *handler, int flags, int blocked)
{
	struct sigaction a = {.sa_handler = (void (*)(int))handler, .sa_flags = flags}, was;

	sigemptyset(&a.sa_mask);
	if (blocked)
		sigaddset(&a.sa_mask, blocked);
	memset(&was, 0, sizeof was);
	printf("%d ", sigaction(sig, &a, &was));
	printf("was %s, flags %x, %d in mask\n",
	       was.sa_handler == SIG_DFL                     ? "default"
	       : was.sa_handler == SIG_IGN                   ? "ignored"
	       : (void *)was.sa_handler == (void *)with_info ? "with_info"
	       : (void *)was.sa_handler == (void *)plain_of  ? "plain"
	       : (void *)was.sa_handler == (void *)jumps     ? "jumps"
							     : "another",
	       was.sa_flags & 0x7fffffff, sigismember(&was.sa_mask, SIGUSR1));
}

static void handlers(void)
{
	static const int flags[] = {0,
				    SA_SIGINFO,
				    SA_SIGINFO | SA_ONSTACK,
				    SA_SIGINFO | SA_NODEFER,
				    SA_ONSTACK,
				    SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART,
				    (int)SA_RESETHAND,
				    (int)SA_RESETHAND | SA_SIGINFO};

	for (int s = 0; s < 2; s++) {
		int sig = s ? SIGBUS : SIGSEGV;

		for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
			set(sig, flags[i] & SA_SIGINFO ? (void *)with_info : (void *)plain_of,
			    flags[i], i % 2 ? SIGUSR1 : 0);
			show_action(sig);
			take_all();
			fault(sig);
			show_action(sig);
			if (i < 6) /* not only once */
				fault(sig);
			take_all();
		}
		set(sig, jumps, 0, SIGUSR2);
		for (int i = 0; i < 3; i++) {
			fault(sig);
			take_all();
		}
		printf("mask %lx\n", mask_now());
		show_action(sig);
		printf("%s\n", signal(sig, SIG_DFL) == jumps ? "right" : "wrong");
		show_action(sig);
		printf("%ld", syscall(SYS_rt_sigaction, sig, 16, NULL, 8));
		printf(" %s\n", strerror(errno));
		printf("%ld", syscall(SYS_rt_sigaction, sig, NULL, NULL, 16));
		printf(" %s\n", strerror(errno));
		set(sig, with_info, SA_SIGINFO, 0);
		printf("%ld", syscall(SYS_rt_sigaction, sig, NULL, 16, 8));
		printf(" %s\n", strerror(errno));
		fault(sig);
	}
}

/* --------------------------------------------------------------------- sent */

static void on_sent(int sig, siginfo_t *info, void *context)
{
	(void)context;
	called++;
	printf("  sent %d, code %d, value %d, mask %lx\n", sig, info->si_code,
	       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0, mask_now());
	take_all();
}

static void sent(void)
{
	const union sigval v = {.sival_int = 77};
	sigset_t set_of, was;

	set(SIGSEGV, on_sent, SA_SIGINFO, 0);
	take_all();
	raise(SIGSEGV);
	kill(getpid(), SIGSEGV);
	sigqueue(getpid(), SIGSEGV, v);
	sigemptyset(&set_of);
	sigaddset(&set_of, SIGSEGV);
	sigprocmask(SIG_BLOCK, &set_of, &was);
	kill(getpid(), SIGSEGV);
	take_all();
	sigpending(&set_of);
	printf("pending %d, called %d\n", sigismember(&set_of, SIGSEGV), called);
	sigprocmask(SIG_SETMASK, &was, NULL);
	printf("called %d\n", called);
	signal(SIGSEGV, SIG_IGN);
	take_all();
	raise(SIGSEGV);
	show_action(SIGSEGV);
	set(SIGSEGV, with_info, SA_SIGINFO, 0);
	take_all();
	fault(SIGSEGV);
}

/* -------------------------------------------------------------------- fatal */

static void *again(void *sig)
{
	load((long)sig == SIGSEGV ? nowhere : cut);
	return NULL;
}

static void crash(int sig)
{
	struct sigaction a = {.sa_handler = SIG_DFL};

	take_all();
	sigaction(sig, &a, NULL);
	kill(getpid(), sig);
}

static void end_by(int how, int sig)
{
	struct sigaction a = {.sa_handler = crash, .sa_flags = SA_NODEFER};
	sigset_t all;

	take_all();
	switch (how) {
	case 0:
		signal(sig, SIG_DFL);
		break;
	case 1: /* as programs that report their crashes */
		sigaction(sig, &a, NULL);
		break;
	case 2:
		set(sig, plain_of, (int)SA_RESETHAND, 0);
		fault(sig);
		break;
	case 3: /* a fault while it is blocked */
		set(sig, with_info, SA_SIGINFO, 0);
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		break;
	case 4: /* within its handler */
		set(sig, again, 0, 0);
		break;
	case 5:
		signal(sig, SIG_IGN);
		break;
	case 6:
		set(sig, with_info, SA_SIGINFO, 0);
		signal(sig, SIG_DFL);
		raise(sig);
	}
	take_all();
	again((void *)(long)sig);
}

static void child_status(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) != pid)
		printf("no child\n");
	else if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("status %d\n", WEXITSTATUS(status));
}

static void fatal(void)
{
	for (int how = 0; how < 14; how++) {
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			end_by(how % 7, how < 7 ? SIGSEGV : SIGBUS);
			_exit(0);
		}
		child_status(pid);
	}
}

/* ---------------------------------------------------------------- processes */

static char stack[1 << 16];

static int change(void *arg)
{
	struct action a = {0};

	(void)arg;
	syscall(SYS_rt_sigaction, SIGSEGV, &a, NULL, 8);
	return 0;
}

static void run_self(const char *how) { execl("/proc/self/exe", self, how, (char *)NULL); }

static void processes(void)
{
	pid_t pid;

	set(SIGSEGV, with_info, SA_SIGINFO, 0);
	take_all();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		fault(SIGSEGV);
		set(SIGSEGV, plain_of, 0, 0);
		take_all();
		fault(SIGSEGV);
		fflush(stdout);
		_exit(3);
	}
	child_status(pid);
	show_action(SIGSEGV);
	fflush(stdout);
	pid = vfork();
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_IGN);
		run_self("show");
		_exit(9);
	}
	child_status(pid);
	show_action(SIGSEGV);
	show_action(SIGBUS);
	take_all();
	fault(SIGSEGV);
	/* not what vfork() does: the handlers are shared, too */
	child_status(clone(change, stack + sizeof stack,
			   CLONE_VM | CLONE_SIGHAND | CLONE_VFORK | SIGCHLD, NULL));
	show_action(SIGSEGV);
	set(SIGSEGV, with_info, SA_SIGINFO, 0);
	child_status(clone(change, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
	show_action(SIGSEGV);
	take_all();
	fault(SIGSEGV);
	fflush(stdout);
	signal(SIGBUS, SIG_IGN);
	run_self("show");
}

/* ------------------------------------------------------------------ threads */

static volatile bool stop;
static volatile long wrong, seen;

/* The mask says which handler the kernel believes to have called. */
static void one(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	if ((mask_now() & (1ul << (SIGUSR1 - 1) | 1ul << (SIGUSR2 - 1))) != 1ul << (SIGUSR1 - 1))
		wrong++;
	take_all();
	skip(context);
}

static void two(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	if ((mask_now() & (1ul << (SIGUSR1 - 1) | 1ul << (SIGUSR2 - 1))) != 1ul << (SIGUSR2 - 1))
		wrong++;
	take_all();
	skip(context);
}

static void handle(bool first)
{
	struct sigaction a = {.sa_sigaction = first ? one : two,
			      .sa_flags = SA_SIGINFO | (first ? 0 : SA_NODEFER)},
			 was;

	sigemptyset(&a.sa_mask);
	sigaddset(&a.sa_mask, first ? SIGUSR1 : SIGUSR2);
	sigaction(SIGSEGV, &a, &was);
	if ((was.sa_sigaction == one) != !!sigismember(&was.sa_mask, SIGUSR1) &&
	    was.sa_handler != SIG_DFL)
		wrong++;
}

static void *changes(void *arg)
{
	for (long i = (long)arg; !stop; i++)
		handle(i % 2);
	return NULL;
}

static void *faults(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2000; i++) {
		load(nowhere);
		take_all();
	}
	return NULL;
}

static void threads(void)
{
	pthread_t change_of[2], t[4];

	handle(true);
	for (long i = 0; i < 2; i++)
		pthread_create(&change_of[i], NULL, changes, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, faults, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(change_of[i], NULL);
	printf("%ld faults, %ld wrong\n", seen, wrong);
}

/* --------------------------------------------------------------------- many */

static void many(void)
{
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 40; i++) {
			struct action a = {0}, was = {0}, now;
			unsigned long restorer;

			set(SIGSEGV, with_info, SA_SIGINFO, 0);
			ask(SIGSEGV, &now);
			restorer = now.restorer;
			/* a handler that is never called */
			a.handler = 0x100000 + (unsigned long)i * 16;
			a.flags = now.flags;
			a.restorer = restorer;
			syscall(SYS_rt_sigaction, SIGSEGV, &a, NULL, 8);
			take_all();
			syscall(SYS_rt_sigaction, SIGSEGV, &now, &was, 8);
			printf("%lx %lx %d\n", was.handler, was.flags, was.restorer == restorer);
			fault(SIGSEGV);
			take_all();
		}
}

/* --------------------------------------------------------------------- cost */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double best(double (*of)(void))
{
	double v = of();

	for (int i = 0; i < 40; i++) {
		double w = of();

		v = w < v ? w : v;
	}
	return v;
}

enum { TIMES = 2000 };

static double calls(void)
{
	double begin = now();

	for (int i = 0; i < TIMES; i++)
		take("some text");
	return (now() - begin) / TIMES;
}

static double system_calls(void)
{
	char from[16] = "some text", to[16];
	struct iovec here = {to, sizeof to}, there = {from, sizeof from};
	double begin = now();

	for (int i = 0; i < TIMES; i++)
		process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	return (now() - begin) / TIMES;
}

static void cost(const char *when)
{
	double call = best(calls), kernel = best(system_calls);

	printf("%s: %s\n", when, call * 2 < kernel ? "cheap" : "dear");
	fprintf(stderr, "%s: %.1f ns a call, %.1f ns a process_vm_readv()\n", when, call, kernel);
}

static void costs(void)
{
	cost("no handler");
	set(SIGSEGV, with_info, SA_SIGINFO, 0);
	cost("a handler");
	set(SIGBUS, jumps, 0, 0);
	cost("two handlers");
	fault(SIGSEGV);
	cost("after a fault");
}

static void wait_for_go(void)
{
	const struct timespec nap = {0, 5000000};

	set(SIGSEGV, with_info, SA_SIGINFO, 0);
	puts("ready");
	fflush(stdout);
	while (access("go", F_OK))
		nanosleep(&nap, NULL);
	cost("a handler");
	fault(SIGSEGV);
	show_action(SIGSEGV);
	fflush(stdout);
	while (!access("go", F_OK))
		nanosleep(&nap, NULL);
	take_all();
	fault(SIGSEGV);
	show_action(SIGSEGV);
	show_action(SIGBUS);
}

static void show(void)
{
	show_action(SIGSEGV);
	show_action(SIGBUS);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"handlers", handlers},   {"sent", sent},       {"fatal", fatal},
		    {"processes", processes}, {"threads", threads}, {"many", many},
		    {"show", show},           {"cost", costs},      {"wait", wait_for_go}};

	self = argv[0];
	make();
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (argc > 1 && !strcmp(argv[1], ways[i].name))
			ways[i].run();
	return 0;
}
