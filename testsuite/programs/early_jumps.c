/* Functions whose return instruction is directly followed by another function, so that a jump there
 * has to begin earlier: `early_jumps THREADS CALLS'. Symbols make them code of OCaml, which is
 * probed at its return instructions. */
#include "jumps.h"

/* The bytes behind each return instruction are a distance that leads into the program. */
__asm__(".pushsection .text\n"
	".macro function name\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name: .cfi_startproc\n"
	"mov $1, %eax\n"
	".endm\n"
	".macro end name\n"
	".cfi_endproc\n"
	".size \\name, . - \\name\n"
	".endm\n"
	".globl camlEarly__code_begin, camlEarly__code_end\n"
	".balign 16\n"
	"camlEarly__code_begin:\n"

	"function adds\n"
	"lea (%rdi, %rax, 2), %rax\n"
	"add $5, %rax\n"
	"ret\n"
	"end adds\n"

	"function pops\n"
	"push %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	"mov %rdi, %rbx\n"
	"lea 3(%rbx), %rax\n"
	"pop %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	"ret\n"
	"end pops\n"

	"function loads\n"
	"add %rdi, %rax\n"
	"add early_value(%rip), %rax\n"
	"ret\n"
	"end loads\n"

	/* the branch leads to the first byte of the jump */
	"function loops\n"
	"mov $5, %ecx\n"
	"mov %rdi, %rax\n"
	"1: inc %rax\n"
	"dec %ecx\n"
	"jnz 1b\n"
	"ret\n"
	"end loops\n"

	/* the carry flag of the instruction before is used behind the call */
	"function flags\n"
	"mov %rdi, %rax\n"
	"cmp $100, %rax\n"
	"ret\n"
	"end flags\n"

	/* a branch leads to the return instruction: a breakpoint */
	"function enters\n"
	"mov %rdi, %rax\n"
	"test $1, %al\n"
	"jz 1f\n"
	"add $64, %rax\n"
	"1: ret\n"
	"end enters\n"
	"function after_all\n"
	"ret\n"
	"end after_all\n"
	"camlEarly__code_end:\n"
	".popsection\n");

long early_value = 9;
extern long adds(long), pops(long), loads(long), loops(long), flags(long), enters(long);

static long is_below(long n)
{
	char carry;
	long v;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tcall flags\n\t"
			 "setc %[carry]\n\tlea 128(%%rsp), %%rsp"
			 : [carry] "=&b"(carry), "=a"(v), "+D"(n)
			 :
			 : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
	return carry;
}

static void round_of(long i, long *ok)
{
	expect(adds(i), i + 7, ok);
	expect(pops(i), i + 3, ok);
	expect(loads(i), i + 10, ok);
	expect(loops(i), i + 5, ok);
	expect(is_below(i), i < 100, ok);
	expect(enters(i), i & 1 ? i + 64 : i, ok);
}
