/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointers of all sorts, handed to take(kind, p): 0 NULL, 1 not canonical, 2
 * unmapped, 3 without access, 4 a file's untouched page, 5 the
 * same page after it was sent away, 6 the last bytes of a page before a hole.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

__attribute__((noipa)) int take(int kind, const char *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	return kind;
}

/* A mapped file with TEXT at the start of its second page */
static char *untouched(const char *text)
{
	char name[] = "/tmp/pointersXXXXXX";
	int fd = mkstemp(name);
	char *p;

	unlink(name);
	if (ftruncate(fd, 2 * PAGE) || pwrite(fd, text, strlen(text), PAGE) < 0)
		exit(1);
	p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return p + PAGE;
}

int main(void)
{
	char *hole = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *p = untouched("from the file");

	take(0, NULL);
	take(1, (char *)0x8000000000000000ul);
	munmap(hole + PAGE, PAGE);
	take(2, hole + PAGE);
	memcpy(hole + PAGE - 4, "end", 4);
	take(6, hole + PAGE - 4);
	mprotect(hole, PAGE, PROT_NONE);
	take(3, hole);
	take(4, p);
	madvise(p, PAGE, MADV_DONTNEED);
	take(5, p);
	return 0;
}
