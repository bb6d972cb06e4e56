/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `kernel N`: N small system calls, and the nanoseconds of processor time that one took. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000;
	double start;

	/* probes that the kernel turns into jumps are jumps by then */
	usleep(500000);
	for (long i = 0; i < 100; i++)
		syscall(SYS_getpgid, 0);
	start = cpu_ns();
	for (long i = 0; i < calls; i++)
		syscall(SYS_getpgid, 0);
	printf("%.1f\n", (cpu_ns() - start) / calls);
	return 0;
}
