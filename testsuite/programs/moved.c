/* moved all|part FILE N [LATER]: moves its code, or one page of it, to anonymous memory at the same
 * address, as programs do for huge pages, at once or when the file LATER exists, and loads
 * libraries; when FILE exists, calls near() and far() N times each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* the first and the last code of a program */
void _init(void);
void _fini(void);

__attribute__((noinline)) long near(long i)
{
	__asm__ volatile("" ::: "memory");
	return i + 1;
}

/* fills a page of its own */
__attribute__((noinline, aligned(4096))) long far(long i)
{
	__asm__ volatile("" ::: "memory");
	return i + 2;
}

static int move(uintptr_t start, size_t size)
{
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(copy, (void *)start, size);
	return mprotect(copy, size, PROT_READ | PROT_EXEC) ||
	       mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) == MAP_FAILED ||
	       !dlopen("libm.so.6", RTLD_NOW) || !dlopen("libresolv.so.2", RTLD_NOW);
}

static void wait_for(const char *file)
{
	while (access(file, F_OK))
		usleep(10000);
}

__attribute__((noinline, aligned(4096))) int main(int argc, char **argv)
{
	uintptr_t first = (uintptr_t)_init & -PAGE, last = (uintptr_t)_fini & -PAGE;
	long n = argc > 3 ? atol(argv[3]) : 0, sum = 0;

	if (argc > 1 && !strcmp(argv[1], "part"))
		first = last = (uintptr_t)far;
	if (argc > 4) {
		puts("ready");
		fflush(stdout);
		wait_for(argv[4]);
	}
	if (move(first, last + PAGE - first))
		return 1;
	puts(argc > 4 ? "moved" : "ready");
	fflush(stdout);
	if (argc > 2)
		wait_for(argv[2]);
	for (long i = 0; i < n; i++)
		sum += near(i) + far(i);
	printf("%s\n", sum == n * (n - 1) + 3 * n ? "right" : "wrong");
	return 0;
}
