/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of 2 to 4 bytes, each directly followed by another one, and a loop behind two bytes:
 * `user_prefixed THREADS CALLS'. A jump there has room for its last bytes only behind prefixes, if
 * the program is at a low address. Threads call all of them, print `wrong' for a wrong result, and
 * the number of correct ones at the end.
 */
#include "jumps.h"

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

static void round_of(long i, long *ok)
{
	expect(one(i), i + 5, ok);
	expect(two(i), i + 5, ok);
	expect(after_two(i, 7), i + 9, ok);
	expect(three(i), i, ok);
	expect(after_three(i), i + 3, ok);
	expect(four(i), i + 5, ok);
	expect(after_four(i, 6), i + 10, ok);
	expect(after_one(9), 9, ok);
}
