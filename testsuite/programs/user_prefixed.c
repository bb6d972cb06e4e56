/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of 2 to 4 bytes, each directly followed by another one, and a loop behind two bytes:
 * `user_prefixed THREADS CALLS'. A jump there has room for its last bytes only behind prefixes, if
 * the program is at a low address. Threads call all of them, print `wrong' for a wrong result, and
 * the number of correct ones at the end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION(name, code)                                                              \
	".globl " #name "\n.type " #name ", @function\n" #name ": " code "\n.size " #name \
	", . - " #name "\n"

__asm__(".pushsection .text\n.balign 16\n"
	"common: lea 5(%rdi), %rax; ret\n" FUNCTION(one, "jmp common") FUNCTION(
		two, "jmp common") FUNCTION(after_two, "lea 2(%rdi,%rsi), %rax; ret")
		FUNCTION(three, "mov %rdi, %rax; ret") FUNCTION(
			after_three, "push %rbx; mov $3, %ebx; lea (%rbx,%rdi), %rax; pop %rbx; "
				     "ret") FUNCTION(four, "xor %edx, %edx; jmp common")
			FUNCTION(after_four, "lea 4(%rdi,%rsi), %rax; ret") ".balign 16\n" FUNCTION(
				after_one,
				"xor %eax, %eax; 1: test %rdi, %rdi; je 2f; dec %rdi; inc %rax; "
				"jmp 1b; 2: ret") ".balign 16\n.popsection");

extern long one(long), two(long), after_two(long, long), three(long), after_three(long), four(long),
	after_four(long, long), after_one(long);

static long calls, right;

static void expect(long got, long want, long *ok)
{
	if (got == want)
		++*ok;
	else
		puts("wrong");
}

static void *run(void *arg)
{
	long ok = 0;

	for (long i = 0; i < calls; i++) {
		expect(one(i), i + 5, &ok);
		expect(two(i), i + 5, &ok);
		expect(after_two(i, 7), i + 9, &ok);
		expect(three(i), i, &ok);
		expect(after_three(i), i + 3, &ok);
		expect(four(i), i + 5, &ok);
		expect(after_four(i, 6), i + 10, &ok);
		expect(after_one(9), 9, &ok);
	}
	__atomic_fetch_add(&right, ok, __ATOMIC_SEQ_CST);
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t[16];

	calls = argc > 2 ? atol(argv[2]) : 1000;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < n && i < 16; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < n && i < 16; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", right);
	return 0;
}
