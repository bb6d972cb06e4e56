/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `ticks N USEC FILE`: calls tick(i) N times, USEC microseconds apart; after the first tenth it
 * waits until FILE exists, if that is given. */
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
		while (i == n / 10 && argc > 3 && access(argv[3], F_OK))
			usleep(1000);
	}
	return 0;
}
