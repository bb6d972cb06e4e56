/* A program that changes the first instruction of 20 functions when it starts, as a patch of a
 * running program does: build it with -fpatchable-function-entry=8. Prints the sum of all results.
 */
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

int main(void)
{
	int sum = 0;

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *page = (void *)((uintptr_t)functions[i] & -4096ul);

		if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
			return 1;
		memcpy((void *)functions[i], "\x66\x90", 2); /* a nop of two bytes */
		if (mprotect(page, 8192, PROT_READ | PROT_EXEC))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 2;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		sum += functions[i](original((int)i));
	printf("%d\n", sum);
	return 0;
}
