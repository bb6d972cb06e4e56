// SPDX-License-Identifier: GPL-2.0-or-later
/* For --explain: functions that are called some times, never, in a child only, or that do not return. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) int work(int x)
{
	sum += x;
	return sum;
}

__attribute__((noinline)) int never(int x)
{
	sum += 3 * x;
	return sum;
}

__attribute__((noinline)) int in_child(int x)
{
	sum -= x;
	return sum;
}

__attribute__((noinline)) void leaves(int x)
{
	sum += x;
	exit(0);
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 5; i++)
		work(i);
	if (!fork()) {
		in_child(1);
		_exit(0);
	}
	wait(NULL);
	if (argc > 10)
		never(argc);
	leaves(argc);
}
