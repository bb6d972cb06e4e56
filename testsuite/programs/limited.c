/* limited [lock|files|mappings]: prints "ready", reads a byte, and calls step() 100,000 times.
 * Before, with `lock' it locks its memory, and all that will be mapped later; with `files' it opens
 * as many files, with `mappings' it makes as many mappings as it may. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) int step(int i)
{
	__asm__ volatile("" ::: "memory");
	return i + 1;
}

static void *map(int prot) { return mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = 0;

	if (!strcmp(what, "lock") && mlockall(MCL_CURRENT | MCL_FUTURE))
		return 1;
	while (!strcmp(what, "files") && open("/dev/null", O_RDONLY) >= 0)
		;
	/* adjacent ones with the same protection would be one mapping */
	while (!strcmp(what, "mappings") && map(PROT_READ) != MAP_FAILED &&
	       map(PROT_NONE) != MAP_FAILED)
		;
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 2;
	while (n < 100000)
		n = step(n);
	return 0;
}
