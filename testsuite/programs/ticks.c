/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `ticks N USEC`: calls tick(i) N times, USEC microseconds apart. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((noipa)) long tick(long i)
{
	__asm__ volatile("" : : : "memory");
	return i;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10, pause = argc > 2 ? atol(argv[2]) : 0;

	for (long i = 0; i < n; i++) {
		tick(i);
		if (pause)
			usleep((useconds_t)pause);
	}
	return 0;
}
