/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses memory in ways that the library's probes of it see, and prints what they shall say. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 50, MAPPED = 123 };

static char *area;

/* A user-space probe can be here. */
__attribute__((noipa)) void begins(char *at, long size)
{
	__asm__ volatile("" : : "r"(at), "r"(size) : "memory");
}

static long faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

static long touch(int pages)
{
	long before = faults();

	for (int i = 0; i < pages; i++)
		((volatile char *)area)[i * PAGE] = 1;
	return faults() - before;
}

/* More control data than fits where the kernel keeps some: it allocates just as much. */
static void control(void)
{
	static char text[1777];
	struct msghdr m = {.msg_control = text, .msg_controllen = sizeof text};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int p[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, p))
		exit(1);
	c->cmsg_len = sizeof text;
	sendmsg(p[0], &m, 0);
}

int main(void)
{
	char *heap;

	area = mmap(NULL, MAPPED * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(area, MAPPED * PAGE, MADV_NOHUGEPAGE);
	printf("mmap %d\n", MAPPED * PAGE);
	begins(area, MAPPED * PAGE);
	printf("faults %ld\n", touch(PAGES));
	fflush(stdout);
	if (!fork()) {
		touch(10);
		_exit(0);
	}
	wait(NULL);
	printf("copied 10\n");
	munmap(area, MAPPED * PAGE);
	printf("munmap %d\n", MAPPED * PAGE);
	heap = sbrk(0);
	if (brk((char *)(((unsigned long)heap + PAGE - 1) & -PAGE) + 77 * PAGE))
		return 1;
	printf("brk %d\n", 77 * PAGE);
	control();
	printf("control 1777\n");
	return 0;
}
