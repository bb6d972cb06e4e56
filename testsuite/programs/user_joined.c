/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of 1 to 4 bytes, each followed by another one: `user_joined THREADS CALLS'. Threads
 * call all of them, print `wrong' for a wrong result, and the number of correct ones at the end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION(name, code)                                                              \
	".globl " #name "\n.type " #name ", @function\n" #name ": " code "\n.size " #name \
	", . - " #name "\n"

__asm__(".pushsection .text\n.balign 16\n" FUNCTION(one, "ret") FUNCTION(
	after_one, "lea 1(%rdi,%rsi), %rax\nret") ".balign 16\n" FUNCTION(two, "xor %eax, %eax")
		FUNCTION(after_two,
			 "lea 2(%rdi,%rax), %rax\nret") ".balign 16\n" FUNCTION(three,
										"mov %rdi, %rax")
			FUNCTION(
				after_three,
				"add $3, %rax\nadd %rsi, %rax\nret") ".balign 16\n" FUNCTION(four,
											     "lea "
											     "4(%"
											     "rdi),"
											     " %"
											     "rax")
				FUNCTION(after_four,
					 "add $40, %rax\nadd %rsi, %rax\nret") ".balign "
									       "16\n.popsection");

extern void one(void);
extern long after_one(long, long), two(long), three(long, long), four(long, long);

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
		one();
		expect(after_one(i, 7), i + 8, &ok);
		expect(two(i), i + 2, &ok);
		expect(three(i, 5), i + 8, &ok);
		expect(four(i, 6), i + 50, &ok);
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
