/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec_children CHILDREN [KILLED]: so many children execute this program again at the same time,
 * with the argument `item', which calls item() once. Before, KILLED children are killed, one after
 * the other, on their way there.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) int item(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

static pid_t start_child(char *self)
{
	char *words[] = {self, "item", NULL};
	pid_t pid = fork();

	if (pid)
		return pid;
	execv(self, words);
	_exit(1);
}

static void kill_child(char *self, int n)
{
	struct timespec pause = {0, n % 100 * 20000L};
	pid_t pid = start_child(self);

	nanosleep(&pause, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int killed = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(argv[1], "item"))
		return item(0);
	for (int i = 0; i < killed; i++)
		kill_child(argv[0], i);
	for (int i = atoi(argv[1]); i > 0; i--)
		start_child(argv[0]);
	while (wait(NULL) > 0)
		;
	return 0;
}
