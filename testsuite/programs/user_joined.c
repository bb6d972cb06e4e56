/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of 1 to 4 bytes, each followed by another one: `user_joined THREADS CALLS'. Threads
 * call all of them, print `wrong' for a wrong result, and the number of correct ones at the end. */
#include "jumps.h"

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

static void round_of(long i, long *ok)
{
	one();
	expect(after_one(i, 7), i + 8, ok);
	expect(two(i), i + 2, ok);
	expect(three(i, 5), i + 8, ok);
	expect(four(i, 6), i + 50, ok);
}
