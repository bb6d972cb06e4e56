/* A program that changes the first instruction of 20 functions, as a patch of a running program
 * does: build it with -fpatchable-function-entry=8. It does so when it starts or, with `later',
 * when it has read a byte; then it reads a byte and prints the sum of all results. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define TEN(F, n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define DEFINE(n)                                                                     \
	__attribute__((noinline)) int changed##n(int x)                               \
	{                                                                             \
		__asm__ volatile("# " #n : "+r"(x)); /* they differ, so all remain */ \
		return x + 1;                                                         \
	}
#define LIST(n) changed##n,
TEN(DEFINE, )
TEN(DEFINE, 1)
static int (*const functions[])(int) = {TEN(LIST, ) TEN(LIST, 1)};

__attribute__((noinline)) int original(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static int change(void)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *page = (void *)((uintptr_t)functions[i] & -4096ul);

		if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
			return 1;
		/* a nop of eight bytes in place of as many */
		memcpy((void *)functions[i], "\x0f\x1f\x84\0\0\0\0\0", 8);
		if (mprotect(page, 8192, PROT_READ | PROT_EXEC))
			return 1;
	}
	return 0;
}

/* Print WORD, and wait for a byte. */
static int wait_after(const char *word)
{
	puts(word);
	fflush(stdout);
	return getchar() == EOF;
}

int main(int argc, char **argv)
{
	int later = argc > 1 && !strcmp(argv[1], "later"), sum = 0;

	if ((later && wait_after("ready")) || change() || wait_after(later ? "changed" : "ready"))
		return 1;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		sum += functions[i](original((int)i));
	printf("%d\n", sum);
	return 0;
}
