/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process whose main thread has ended, while another one goes on: the kernel shows no memory and
 * no files of it below /proc/PID.
 *
 *   leader N [FILE [AGAIN]]   call step() N times, with a FILE other than - only when that exists;
 *                             then load libm and call a function of it; then do all this AGAIN
 *                             times, each time after exec()
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_t leader;
static char **args;
static const char *file;
static int calls, again, sum;

__attribute__((noipa)) int step(const char *text, int *n) { return *n + !text; }

/* True until the kernel has taken the main thread's memory away. */
static int leader_has_memory(void)
{
	char name[2];

	return readlink("/proc/self/exe", name, sizeof name) >= 0;
}

static void *go_on(void *arg)
{
	double (*root)(double);
	void *library;

	pthread_join(leader, NULL);
	while (leader_has_memory())
		usleep(1000);
	puts("ready");
	fflush(stdout);
	while (file && access(file, F_OK))
		usleep(10000);
	for (int i = 0; i < calls; i++)
		sum += step("words", &i);
	library = dlopen("libm.so.6", RTLD_NOW);
	root = library ? (double (*)(double))dlsym(library, "cbrt") : NULL;
	if (!root || root(27) < 2.9)
		puts("no libm");
	if (again > 0) {
		sprintf(args[3], "%d", again - 1);
		execv(args[0], args);
	}
	printf("%s\n", sum == calls * (calls - 1) / 2 ? "right" : "WRONG");
	fflush(stdout);
	_exit(0);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	leader = pthread_self();
	calls = atoi(argv[1]);
	args = argv;
	file = argc > 2 && strcmp(argv[2], "-") ? argv[2] : NULL;
	again = argc > 3 ? atoi(argv[3]) : 0;
	if (pthread_create(&thread, NULL, go_on, NULL))
		return 1;
	pthread_exit(NULL);
}
