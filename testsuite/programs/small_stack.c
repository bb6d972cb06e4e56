/* Calls leaf() where there is little stack: on a coroutine's, in a small thread that has used most of its own, and on a
 * signal stack; a page that cannot be touched is below each.  SIZE: bytes that are left. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

struct pair { int a, b; char name[8]; struct { long x, y; } at; };

static struct pair pair = {1, 2, "pair", {3, 4}};
static size_t left;
static int calls;

__attribute__((noipa)) int leaf(int n, struct pair *p)
{
	calls++;
	return n + p->a;
}

__attribute__((noipa)) int middle(int n) { return leaf(n, &pair) + 1; }

/* SIZE bytes that end at the end of a page, with nothing below that page. */
static char *stack_of(size_t size)
{
	size_t all = (size + 4095) / 4096 * 4096;
	char *p = mmap(NULL, all + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + 4096, all, PROT_READ | PROT_WRITE))
		exit(2);
	memset(p + 4096, 0x5a, all - size);
	return p + 4096 + all - size;
}

/* Is nothing written below the SIZE bytes at STACK? */
static void check(const char *what, const char *stack, size_t size)
{
	size_t below = (size + 4095) / 4096 * 4096 - size;

	for (size_t i = 1; i <= below; i++)
		if (stack[-(long)i] != 0x5a) {
			fprintf(stderr, "%s: overflow\n", what);
			return;
		}
	fprintf(stderr, "%s: kept\n", what);
}

static ucontext_t back, other;

static void routine(void) { middle(1); }

static void on_coroutine(void)
{
	char *stack = stack_of(left);

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = left;
	other.uc_link = &back;
	makecontext(&other, routine, 0);
	swapcontext(&back, &other);
	check("coroutine", stack, left);
}

static void on_signal(int signal)
{
	(void)signal;
	middle(2);
}

static void on_signal_stack(void)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ), size = (frame ? frame : MINSIGSTKSZ) + left;
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	stack_t ss = {.ss_sp = stack_of(size), .ss_size = size};

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	check("signal stack", ss.ss_sp, size);
}

static void *in_thread(void *arg)
{
	char *here = __builtin_frame_address(0);
	pthread_attr_t attr;
	void *low;
	size_t size;
	volatile char *used;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	used = __builtin_alloca((size_t)(here - (char *)low) - left - 512);
	used[0] = 1;
	middle(3);
	return arg;
}

static void on_thread(void)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, sysconf(_SC_THREAD_STACK_MIN));
	pthread_create(&t, &attr, in_thread, NULL);
	pthread_join(t, NULL);
	fprintf(stderr, "thread: joined\n");
}

int main(int argc, char **argv)
{
	left = argc > 1 ? strtoul(argv[1], NULL, 0) : 2048;
	on_coroutine();
	on_signal_stack();
	on_thread();
	fprintf(stderr, "%d calls\n", calls);
	return 0;
}
