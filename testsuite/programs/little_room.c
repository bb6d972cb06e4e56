/* Calls functions with ROOM bytes of stack left, as programs of OCaml 5 do: symbols make leaf(),
 * tiny() and spin() code of OCaml. The memory below may not change. THREADS threads make CALLS
 * calls each, while signals arrive on a signal stack. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { BELOW = 4096, SIGNAL_STACK = 65536 };

static size_t room;
static long calls, spins;
static volatile sig_atomic_t signals;

__asm__(".text\n"
	".globl caml_try_realloc_stack, camlTest__code_begin, camlTest__code_end\n"
	".type caml_try_realloc_stack, @function\n"
	"caml_try_realloc_stack: ret\n"
	".size caml_try_realloc_stack, . - caml_try_realloc_stack\n"
	"camlTest__code_begin:\n"
	".globl leaf, tiny, spin\n"
	".balign 16\n"
	".type leaf, @function\n"
	"leaf: .cfi_startproc\n"
	"lea 1(%rdi), %rax\n"
	"mov %rax, %rdx\n"
	"cmp %rdi, %rdx\n"
	"ret\n"
	".cfi_endproc\n"
	".size leaf, . - leaf\n"
	".balign 16\n"
	".type tiny, @function\n"
	"tiny: .cfi_startproc\n"
	"ret\n"
	".cfi_endproc\n"
	".size tiny, . - tiny\n"
	"add %al, (%rax)\n"
	".balign 16\n"
	".type spin, @function\n"
	"spin: .cfi_startproc\n"
	"1: dec %rdi\n"
	"jnz 1b\n"
	"mov $7, %eax\n"
	"ret\n"
	".cfi_endproc\n"
	".size spin, . - spin\n"
	".size spin, . - spin\n"
	"camlTest__code_end:\n");
long leaf(long n), tiny(void), spin(long n);

/* Call FN(N) with the stack pointer at TOP. */
__attribute__((noipa)) static long call_at(char *top, long (*fn)(long), long n)
{
	long result;

	__asm__ volatile("mov %%rsp, %%r12\n\t"
			 "mov %[top], %%rsp\n\t"
			 "call *%[fn]\n\t"
			 "mov %%r12, %%rsp"
			 : "=a"(result), "+D"(n)
			 : [top] "r"(top), [fn] "r"(fn)
			 : "r12", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
	return result;
}

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

static void *run(void *arg)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char *stack = malloc(BELOW + room + 64), *top = stack + BELOW + room;
	stack_t ss = {.ss_sp = malloc(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
	long sum = 0, changed = 0;

	top -= (size_t)top % 16;
	memset(stack, 0x5a, BELOW);
	sigaltstack(&ss, NULL);
	for (long i = 0; i < calls; i++) {
		sum += call_at(top, leaf, i);
		call_at(top, (long (*)(long))tiny, i);
	}
	if (spins)
		sum += call_at(top, spin, spins);
	for (long i = 0; i < BELOW - 16; i++)
		changed += stack[i] != 0x5a;
	pthread_mutex_lock(&lock);
	*(long *)arg += sum;
	if (changed)
		printf("%ld bytes changed\n", changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESTART};
	const struct itimerval often = {{0, 2000}, {0, 2000}};
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t t[256];
	long sum = 0;

	room = argc > 1 ? strtoul(argv[1], NULL, 0) : 64;
	calls = argc > 3 ? atol(argv[3]) : 3;
	spins = argc > 4 ? atol(argv[4]) : 0;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, run, &sum);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("sum %ld\n", sum);
	return 0;
}
