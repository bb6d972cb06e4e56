/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 40 processes take 80 signals each, and live until all have. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 40, SIGNALS = 80 };

static volatile sig_atomic_t taken;

static void take(int signal)
{
	(void)signal;
	taken++;
}

static void child(int done)
{
	for (int i = 0; i < SIGNALS; i++)
		kill(getpid(), SIGUSR1);
	if (taken == SIGNALS)
		(void)!write(done, "x", 1);
	pause();
	_exit(0);
}

int main(void)
{
	pid_t pids[PROCESSES];
	int done[2], n = 0;
	char c;

	signal(SIGUSR1, take);
	if (pipe(done))
		return 1;
	for (int i = 0; i < PROCESSES; i++)
		if (!(pids[i] = fork()))
			child(done[1]);
	while (n < PROCESSES && read(done[0], &c, 1) == 1)
		n++;
	for (int i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	printf("%d processes\n", n);
	return 0;
}
