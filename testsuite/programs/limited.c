/* limited [lock]: prints "ready", reads a byte, and calls step() 100,000 times. With `lock' it
 * first locks its memory, and all that will be mapped later. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) int step(int i)
{
	__asm__ volatile("" ::: "memory");
	return i + 1;
}

int main(int argc, char **argv)
{
	int n = 0;

	if (argc > 1 && !strcmp(argv[1], "lock") && mlockall(MCL_CURRENT | MCL_FUTURE))
		return 1;
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 2;
	while (n < 100000)
		n = step(n);
	return 0;
}
