/*
 * Functions whose return cannot be probed by a replaced return address: those that may return more
 * than once for a call, those that are not called, and those whose runtime looks for return
 * addresses. Each step prints what it did.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

/* ------------------------------------------------------ return more than once */

static jmp_buf buf;
static ucontext_t here, other, back;
static char stack[64 << 10];
static void *own[8];

/* As in a language that has its own. */
int own_setjmp(void **state);
_Noreturn void own_longjmp(void **state);
__asm__(".globl own_setjmp\n"
	".type own_setjmp, @function\n"
	"own_setjmp:\n"
	"	mov %rbx, (%rdi)\n"
	"	mov %rbp, 8(%rdi)\n"
	"	mov %r12, 16(%rdi)\n"
	"	mov %r13, 24(%rdi)\n"
	"	mov %r14, 32(%rdi)\n"
	"	mov %r15, 40(%rdi)\n"
	"	lea 8(%rsp), %rax\n"
	"	mov %rax, 48(%rdi)\n"
	"	mov (%rsp), %rax\n"
	"	mov %rax, 56(%rdi)\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	".size own_setjmp, . - own_setjmp\n"
	".globl own_longjmp\n"
	".type own_longjmp, @function\n"
	"own_longjmp:\n"
	"	mov (%rdi), %rbx\n"
	"	mov 8(%rdi), %rbp\n"
	"	mov 16(%rdi), %r12\n"
	"	mov 24(%rdi), %r13\n"
	"	mov 32(%rdi), %r14\n"
	"	mov 40(%rdi), %r15\n"
	"	mov 48(%rdi), %rsp\n"
	"	mov $1, %eax\n"
	"	jmp *56(%rdi)\n"
	".size own_longjmp, . - own_longjmp\n");

static void coroutine(void)
{
	swapcontext(&other, &back);
	swapcontext(&other, &back);
}

static void jumps(void)
{
	volatile int n = 0;

	if (setjmp(buf) < 3) {
		n++;
		longjmp(buf, n);
	}
	printf("setjmp %d\n", n);
	n = 0;
	if (sigsetjmp(buf, 1) < 3) {
		n++;
		longjmp(buf, n);
	}
	printf("sigsetjmp %d\n", n);
	n = 0;
	own_setjmp(own);
	if (n++ < 3)
		own_longjmp(own);
	printf("own_setjmp %d\n", n);
	n = 0;
	getcontext(&here);
	if (n++ < 3)
		setcontext(&here);
	printf("getcontext %d\n", n);
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	makecontext(&other, coroutine, 0);
	swapcontext(&back, &other);
	swapcontext(&back, &other);
	puts("swapcontext");
}

/* ----------------------------------------------------------------- not called */

static volatile int signals;

static void handler(int sig)
{
	(void)sig;
	signals++;
}

/* As code of GHC: entered by a jump, with its data on top of the stack, and left by one. */
long continued(long n);
__asm__(".globl continued\n"
	".type continued, @function\n"
	"continued:\n"
	"	push %rbp\n"
	"	lea 1f(%rip), %rbp\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push $5\n"
	"	jmp jumped_to\n"
	"1:	pop %rdx\n"
	"	add %rdx, %rax\n"
	"	pop %rbp\n"
	"	pop %rbp\n"
	"	ret\n"
	".size continued, . - continued\n"
	".globl jumped_to\n"
	".type jumped_to, @function\n"
	"jumped_to:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa %rbp, 8\n"
	"	mov %rdi, %rax\n"
	"	jmp *(%rbp)\n"
	"	.cfi_endproc\n"
	".size jumped_to, . - jumped_to\n");

/* ---------------------------------------------------------------------- OCaml */

/* Code between symbols as ocamlopt writes them. collect() finds the callers on the stack by their
 * return addresses, of which it knows one, as the collector of OCaml does. */
long camlDemo__count(long n);
long camlDemo__tail(long n);
long camlDemo__closure(long n);
long camlDemo__choose(long n);
long camlDemo__risky(long n);
extern char known[];
void collect(const void *ret)
{
	if (ret != known) {
		puts("no such frame");
		abort();
	}
}
__asm__(".globl camlDemo__code_begin\n"
	"camlDemo__code_begin:\n"
	".type camlDemo__leaf, @function\n"
	"camlDemo__leaf:\n"
	"	.cfi_startproc\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov 8(%rsp), %rdi\n"
	"	call collect\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size camlDemo__leaf, . - camlDemo__leaf\n"
	".globl camlDemo__count\n"
	".type camlDemo__count, @function\n"
	"camlDemo__count:\n" /* N calls of the leaf; returns at two instructions */
	"	.cfi_startproc\n"
	"	cmp $0, %rdi\n"
	"	je 1f\n"
	"	sub $24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	mov %rdi, 8(%rsp)\n"
	"	call camlDemo__leaf\n"
	"	.globl known\n"
	"known:	mov 8(%rsp), %rdi\n"
	"	dec %rdi\n"
	"	call camlDemo__count\n"
	"	add $1, %rax\n"
	"	add $24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	ret\n"
	"1:	xor %eax, %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size camlDemo__count, . - camlDemo__count\n"
	".globl camlDemo__tail\n"
	".type camlDemo__tail, @function\n"
	"camlDemo__tail:\n"
	"	dec %rdi\n"
	"	jmp camlDemo__count\n"
	".size camlDemo__tail, . - camlDemo__tail\n"
	".globl camlDemo__closure\n"
	".type camlDemo__closure, @function\n"
	"camlDemo__closure:\n"
	"	lea camlDemo__count(%rip), %rax\n"
	"	jmp *%rax\n"
	".size camlDemo__closure, . - camlDemo__closure\n"
	".globl camlDemo__choose\n"
	".type camlDemo__choose, @function\n"
	"camlDemo__choose:\n" /* a table of cases */
	"	lea 4f(%rip), %rdx\n"
	"	movslq (%rdx,%rdi,4), %rax\n"
	"	add %rdx, %rax\n"
	"	jmp *%rax\n"
	"2:	mov $20, %eax\n"
	"	ret\n"
	"3:	mov $30, %eax\n"
	"	ret\n"
	".size camlDemo__choose, . - camlDemo__choose\n"
	"	.section .rodata\n"
	"4:	.long 2b - 4b, 3b - 4b\n"
	"	.text\n"
	".globl camlDemo__risky\n"
	".type camlDemo__risky, @function\n"
	"camlDemo__risky:\n" /* raises an exception where N is odd: r14 has the handler's stack */
	"	test $1, %dil\n"
	"	jne 1f\n"
	"	mov %rdi, %rax\n"
	"	ret\n"
	"1:	mov $-1, %rax\n"
	"	mov %r14, %rsp\n"
	"	pop %r14\n"
	"	ret\n"
	".size camlDemo__risky, . - camlDemo__risky\n"
	".globl camlDemo__code_end\n"
	"camlDemo__code_end:\n"
	/* as a `try' of OCaml */
	".globl attempt\n"
	".type attempt, @function\n"
	"attempt:\n"
	"	push %r14\n"
	"	lea 1f(%rip), %rax\n"
	"	push %rax\n"
	"	push %r14\n"
	"	mov %rsp, %r14\n"
	"	call camlDemo__risky\n"
	"	pop %r14\n"
	"	add $8, %rsp\n"
	"1:	pop %r14\n"
	"	ret\n"
	".size attempt, . - attempt\n");
long attempt(long n);

int main(void)
{
	long sum = 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	jumps();
	signal(SIGUSR1, handler);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	printf("signals %d\n", signals);
	printf("continued %ld\n", continued(7));
	printf("count %ld\n", camlDemo__count(20));
	printf("tail %ld %ld\n", camlDemo__tail(4), camlDemo__closure(3));
	printf("choose %ld %ld\n", camlDemo__choose(0), camlDemo__choose(1));
	for (int i = 0; i < 10; i++)
		sum += attempt(i);
	printf("risky %ld\n", sum);
	return 0;
}
