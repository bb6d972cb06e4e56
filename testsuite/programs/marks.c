/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statically defined probe points, written by hand so that each form of an argument is there: notes of type 3 as
 * sys/sdt.h makes them.  Each mark's registers are set right before it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOTE(provider, name, semaphore, args)                                                      \
	"990: nop\n"                                                                               \
	".pushsection .note.stapsdt,\"\",@note\n"                                                  \
	".balign 4\n .4byte 992f-991f, 994f-993f, 3\n"                                             \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"                                                \
	"993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                                        \
	".asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n"                      \
	"994: .balign 4\n.popsection\n"                                                            \
	".ifndef _.stapsdt.base\n"                                                                 \
	".pushsection .stapsdt.base,\"aG\",@progbits,.stapsdt.base,comdat\n"                       \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"                 \
	".size _.stapsdt.base,1\n.popsection\n.endif\n"
#define MARK(name, args) NOTE("forms", name, "0", args) "nop\nnop\nnop\nnop\n"

struct pair { int a, b; };
struct pair table[4] = {{1, -2}, {3, -4}, {5, -6}, {7, -8}};
long wide[3] = {11, 22, 33};
__attribute__((section(".probes"))) unsigned short shop_sell_semaphore;

static void registers(void)
{
	__asm__ volatile("mov $0x1122334455667788, %%rax\n mov $-3, %%rcx\n mov $0xf1e2d3c4b5a69788, %%r9\n" MARK(
			     "registers",
			     "8@%%rax 4@%%eax 2@%%ax 1@%%al 1@%%ah -4@%%ecx 4@%%ecx -1@%%cl -8@%%r9 4@%%r9d 2@%%r9w 1@%%r9b 4@%%rax -8@%%ecx")::
			     : "rax", "rcx", "r9");
}

static void constants(void)
{
	__asm__ volatile(MARK("constants", "4@$5 -4@$-5 4@$-5 -8@$-9223372036854775808 1@$0x7f $12") ::);
}

static void memory(long i)
{
	long local[2] = {44, -55};

	__asm__ volatile("mov %0, %%rdi\n lea table(%%rip), %%rbx\n mov %1, %%rdx\n" MARK(
			     "memory",
			     "-4@4+table(%%rip) -4@table+12(%%rip) 8@wide+16(%%rip) -4@4(%%rbx,%%rdx,8) -4@(%%rbx) "
			     "-8@8(%%rdi) 8@-8+8(%%rdi) -4@-4(%%rbx,%%rdx,8) 2@(%%rbx,%%rdx,8)")
			 :
			 : "r"(local), "r"(i)
			 : "rbx", "rdi", "rdx", "memory");
}

static void odd(void)
{
	__asm__ volatile(MARK("odd", "8f@%%st(0) 4@%%gs:16 3@%%eax 8@nowhere(%%rip) 8@16(%%rip) 8@%%nothing 8@(%%rax") ::);
	__asm__ volatile(MARK("bare", ""));
	__asm__ volatile(NOTE("other", "bare", "0", "") "nop\nnop\nnop\nnop\n");
}

double half = 0.5;
__thread int mine = -77, other = 78;

/* floating-point numbers and thread-local memory */
__attribute__((noinline)) void floats(double a, float b)
{
	__asm__ volatile("movsd %0, %%xmm1\n movss %1, %%xmm9\n lea half(%%rip), %%rbx\n mov $1, %%rdx\n" NOTE(
			     "reals", "floats", "0",
			     "8f@%%xmm1 4f@%%xmm9 -8f@(%%rbx) -8f@half(%%rip) -4@%%fs:mine@tpoff 4@%%fs:other@tpoff "
			     "8@%%fs:0") "nop\nnop\nnop\nnop\n"
			 :
			 : "m"(a), "m"(b)
			 : "xmm1", "xmm9", "rbx", "rdx");
}

__attribute__((noinline)) static void sell(int n)
{
	if (shop_sell_semaphore)
		__asm__ volatile(NOTE("shop", "sell", "shop_sell_semaphore", "-4@%0") "nop\nnop\nnop\nnop\n" : : "r"(n));
}

__attribute__((noipa)) static void turn(int on)
{
	__asm__ volatile("" : : "r"(on) : "memory");
}

/* Says whether somebody wants to see its marks, a while after it is off and at once when it is on. */
static void turns(void)
{
	for (int i = 0; i < 5; i++) {
		turn(i & 1);
		if (!(i & 1))
			usleep(500000);
		printf("%d: %d\n", i & 1, shop_sell_semaphore);
		fflush(stdout);
		sell(10 + i);
		if (i == 3 && !fork()) {
			printf("child: %d\n", shop_sell_semaphore);
			fflush(stdout);
			sell(20);
			_exit(0);
		}
		if (i == 3)
			wait(NULL);
	}
}

int main(int argc, char **argv)
{
	registers();
	constants();
	memory(2);
	odd();
	floats(2.5, -1.5f);
	sell(1);
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		if (!fork()) {
			sell(2);
			return 0;
		}
		wait(NULL);
	}
	if (argc > 1 && !strcmp(argv[1], "turns"))
		turns();
	return 0;
}
