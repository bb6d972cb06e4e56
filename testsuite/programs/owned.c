/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two processes that take turns on one processor, which changes from one's memory to the other's; each has its id at the same
 * address.  The second writes a variable of the kernel in the end.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADDRESS ((volatile long *)0x10000000)

static void turns(int from, int to)
{
	char c = 0;

	for (int i = 0; i < 200; i++)
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			break;
}

int main(void)
{
	int there[2], back[2], fd;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof one, &one);
	mmap((void *)ADDRESS, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (pipe(there) || pipe(back))
		return 1;
	if (fork()) {
		*ADDRESS = getpid();
		turns(back[0], there[1]);
		wait(NULL);
		return 0;
	}
	*ADDRESS = getpid();
	turns(there[0], back[1]);
	fd = open("/proc/sys/kernel/panic", O_WRONLY);
	return write(fd, "0", 1) != 1;
}
