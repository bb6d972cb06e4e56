/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions whose first instructions lead to one that kernels emulate, some of which have other ways there. */
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION(name, code)                                                                       \
	__asm__(".text\n.p2align 4\n.globl " name "\n.type " name ", @function\n" name ":\n" code  \
		"\n.size " name ", . - " name "\n");

/* Nothing else leads to the push. */
FUNCTION("straight", "mov %edi, %eax\n push %rbx\n pop %rbx\n ret")
FUNCTION("marked", "endbr64\n mov %edi, %eax\n jmp 1f\n1: ret")
/* A loop begins at the jump: passing it counts as a call no more. */
FUNCTION("looped", "mov %edi, %eax\n dec %eax\n1: jle 2f\n dec %edi\n jmp 1b\n2: ret")
/* Two that enter the next behind its first instruction, from near and from far. */
FUNCTION("near", "mov %edi, %eax\n jmp shared_middle")
FUNCTION("shared", "xor %eax, %eax\n.globl shared_middle\nshared_middle: push %rbx\n pop %rbx\n ret")
FUNCTION("between", ".skip 300, 0x90\n ret")
FUNCTION("far", "mov %edi, %eax\n jmp shared_middle")
/* It may jump anywhere. */
FUNCTION("unknown", "test %edi, %edi\n je 1f\n lea 1f(%rip), %rax\n jmp *%rax\n1: ret")
/* The skipped instruction may fault, or changes the stack. */
FUNCTION("loads", "mov (%rdi), %eax\n jmp 1f\n1: ret")
FUNCTION("lowers", "sub $8, %rsp\n jmp 1f\n1: add $8, %rsp\n ret")

int straight(int), marked(int), looped(int), near(int), shared(int), far(int), unknown(int), loads(int *), lowers(int);

__attribute__((noinline)) int leaf(int a) { __asm__ volatile(""); return a + 1; }
/* Its first argument is overwritten before the jump to leaf(). */
__attribute__((noinline)) int second(int a, int b) { (void)a; return leaf(b); }

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3, sum = 0;

	for (int i = 0; i < n; i++) {
		sum += straight(i) + marked(i) + looped(5) + near(i) + shared(i) + far(i) + lowers(i) + loads(&i);
		unknown(i);
		sum += second(i, 10 * i);
	}
	return sum == -1;
}
