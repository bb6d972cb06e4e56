/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `user_shared THREADS CALLS': a function whose mark is 4 bytes after its entry, as PostgreSQL has
 * them, called CALLS times by each thread. Prints the sum of what it returned; "wrong" if registers
 * or flags changed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

__asm__(".pushsection .text\n"
	".balign 16\n"
	".globl near\n.type near, @function\n"
	"near: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"990:	nop\n"
	"	mov $1, %eax\n"
	"	adc %rdi, %rax\n" /* the caller sets the carry flag */
	"	pop %rbp\n"
	"	ret\n"
	".size near, . - near\n"
	".popsection\n"
	".pushsection .note.stapsdt, \"\", @note\n"
	".balign 4\n .4byte 992f-991f, 994f-993f, 3\n"
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"
	"993: .8byte 990b, _.stapsdt.base, 0\n"
	".asciz \"shop\"\n.asciz \"near\"\n.asciz \"8@%rdi\"\n"
	"994: .balign 4\n.popsection\n"
	".pushsection .stapsdt.base, \"aG\", @progbits, .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n.popsection\n");

static long calls;

static long call(long x)
{
	long v;

	__asm__ volatile("stc\n\tcall near" : "=a"(v) : "D"(x) : "cc", "memory");
	return v;
}

static void *run(void *sum)
{
	for (long i = 0; i < calls; i++) {
		if (call(i) != i + 2)
			puts("wrong");
		*(long *)sum += i;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	long sums[16] = {0}, all = 0;
	pthread_t t[16];

	calls = argc > 2 ? atol(argv[2]) : 1;
	if (threads < 1 || threads > 16)
		return 2;
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, run, &sums[i]);
	for (int i = 0; i < threads; i++) {
		pthread_join(t[i], NULL);
		all += sums[i];
	}
	printf("%ld\n", all);
	return 0;
}
