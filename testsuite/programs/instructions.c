/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instructions [TIMES]: call each function of instructions.S, from the same state, TIMES times (3),
 * and print what each has left in registers and memory, so that a run with probes must print the
 * same.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	void (*code)(void);
	const char *text;
};
extern const struct row table[], table_end[];
extern uint64_t static_data[2];
void leaf(void);

struct state {
	uint64_t ax, cx, dx, si, di, r8, r9, flags, xmm[4];
};
static unsigned char memory[4096] __attribute__((aligned(4096)));
static struct state now;
static void *code;
static uint64_t saved_sp;
static sigjmp_buf back;

static void on_signal(int sig) { siglongjmp(back, sig); }

/* The stack pointer is put back, as some return with more or less on the stack. */
static void call(void)
{
	asm volatile(
	    "push %%rbx; push %%rbp; mov %%rsp, %[sp]; sub $256, %%rsp; and $-64, %%rsp\n\t"
	    "movdqu %[x0], %%xmm0; movdqu %[x1], %%xmm1; pxor %%xmm2, %%xmm2\n\t"
	    "mov %[ax], %%rax; mov %[cx], %%rcx; mov %[dx], %%rdx; mov %[si], %%rsi; mov %[di], "
	    "%%rdi\n\t"
	    "mov %[r8], %%r8; mov %[r9], %%r9; lea leaf(%%rip), %%rbx\n\t"
	    "push %[flags]; popfq\n\t"
	    "call *%[code]\n\t"
	    "mov %[sp], %%rsp\n\t"
	    "pushfq; pop %[flags]\n\t"
	    "mov %%rax, %[ax]; mov %%rcx, %[cx]; mov %%rdx, %[dx]; mov %%rsi, %[si]; mov %%rdi, "
	    "%[di]\n\t"
	    "mov %%r8, %[r8]; mov %%r9, %[r9]; movdqu %%xmm0, %[x0]; movdqu %%xmm1, %[x1]; cld\n\t"
	    "pop %%rbp; pop %%rbx"
	    : [sp] "+m"(saved_sp), [ax] "+m"(now.ax), [cx] "+m"(now.cx), [dx] "+m"(now.dx),
	      [si] "+m"(now.si), [di] "+m"(now.di), [r8] "+m"(now.r8), [r9] "+m"(now.r9),
	      [flags] "+m"(now.flags), [x0] "+m"(now.xmm[0]), [x1] "+m"(now.xmm[2])
	    : [code] "m"(code)
	    : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
	      "memory", "cc");
}

static void begin(void)
{
	for (size_t i = 0; i < sizeof memory; i++)
		memory[i] = (unsigned char)(i * 7 + 1);
	static_data[0] = 0x0102030405060708;
	static_data[1] = 9;
	now = (struct state){
	    .ax = 39,
	    .cx = 5,
	    .dx = 0x1234,
	    .si = (uintptr_t)memory + 1024,
	    .di = (uintptr_t)memory + 2048,
	    .r8 = 0x8888,
	    .r9 = (uintptr_t)memory + 512,
	    .flags = 0x246,
	    .xmm = {0x3ff4000000000000, 0x4142434445464748, 0x4004000000000000, 0x0102030405060708},
	};
}

static uint64_t digest(void)
{
	const unsigned char *const parts[] = {(unsigned char *)&now, memory,
					      (unsigned char *)static_data};
	const size_t sizes[] = {sizeof now, sizeof memory, sizeof static_data};
	uint64_t h = 1469598103934665603u;

	/* of the registers that may hold an address only the offset in the memory counts, and of
	 * flags those of arithmetic */
	now.flags &= 0xcd5;
	now.si -= (uintptr_t)memory;
	now.di -= (uintptr_t)memory;
	now.r9 -= (uintptr_t)memory;
	for (size_t p = 0; p < 3; p++)
		for (size_t i = 0; i < sizes[p]; i++)
			h = (h ^ parts[p][i]) * 1099511628211u;
	return h;
}

/* Results that differ from run to run: of system calls, addresses, time. */
static int varies(const char *text)
{
	static const char *const words[] = {"syscall", "%fs",    "%ds, ", "rdtsc",
					    "cpuid",   "xgetbv", "fxsave"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(text, words[i]))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE};
	static char stack[65536];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_ONSTACK};
	int times = argc > 1 ? atoi(argv[1]) : 3;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &act, NULL);
	for (const struct row *r = table; r < table_end; r++) {
		volatile uint64_t h = 0;

		for (volatile int i = 0; i < times; i++) {
			int sig = sigsetjmp(back, 1);

			begin();
			code = (void *)r->code;
			if (!sig) {
				call();
				h = varies(r->text) ? 0 : digest();
			} else {
				h = (uint64_t)sig;
			}
		}
		printf("%016" PRIx64 " %s\n", h, r->text);
	}
	return 0;
}
