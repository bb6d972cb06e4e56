/* Prints "ready"; after a byte it can no longer be dumped, so that users may not trace it, loads
 * libraries and prints "private"; after another one it calls step() 100 times. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline)) long step(long i)
{
	__asm__ volatile("" ::: "memory");
	return i + 1;
}

static int told(const char *text)
{
	char byte;

	puts(text);
	fflush(stdout);
	return read(0, &byte, 1) == 1;
}

int main(void)
{
	long n = 0;

	if (!told("ready") || prctl(PR_SET_DUMPABLE, 0) || !dlopen("libm.so.6", RTLD_NOW) ||
	    !dlopen("libresolv.so.2", RTLD_NOW) || !told("private"))
		return 1;
	while (n < 100)
		n = step(n);
	puts("right");
	return 0;
}
