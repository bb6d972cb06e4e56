/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process events, named by the first argument; `work' is a function to probe meanwhile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self;
static volatile sig_atomic_t stop;

static volatile int sum;

__attribute__((noinline)) void work(int n) { sum = sum + 3 * n; }

__attribute__((noinline)) void turn(int n) { sum = sum + 5 * n; }

static void *some_work(void *arg)
{
	for (int i = 0; i < 3; i++)
		work(i);
	return arg;
}

/* The numbers are odd ones, so that they are not met by chance. */
static void *some_calls(void *arg)
{
	for (int i = 0; i < 500; i++)
		syscall(SYS_getpriority, 7777, i);
	return arg;
}

static void *some_opens(void *arg)
{
	for (int i = 0; i < 20; i++) {
		void *lib = dlopen("libm.so.6", RTLD_NOW);

		if (lib)
			dlclose(lib);
	}
	return arg;
}

static void *sleeps(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *ends_late(void *arg)
{
	usleep(50000);
	work(1);
	return arg;
}

static void *execs(void *arg)
{
	work(1);
	execl(self, self, "threads", (char *)0);
	return arg;
}

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static void threads(int n, void *(*f)(void *), void *(*last)(void *))
{
	pthread_t t[8];

	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, i == n - 1 && last ? last : f, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void forks(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			work(1);
			_exit(3);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Till SIGTERM, beside a thread that is there from before. */
static void runs(void)
{
	pthread_t t;

	signal(SIGTERM, on_term);
	pthread_create(&t, NULL, sleeps, NULL);
	puts("ready");
	fflush(stdout);
	for (int i = 0; !stop; i++) {
		turn(i);
		usleep(1000);
	}
	threads(1, some_work, NULL);
}

/* As a program that is in memory only. */
static void from_memory(void)
{
	int fd = memfd_create("life", 0), from = open("/proc/self/exe", O_RDONLY);
	char *argv[] = {"life", "run", NULL}, buf[4096];
	ssize_t n;

	while ((n = read(from, buf, sizeof buf)) > 0)
		if (write(fd, buf, (size_t)n) != n)
			_exit(2);
	fexecve(fd, argv, environ);
	_exit(3);
}

static int is(const char *arg, const char *name) { return !strcmp(arg, name); }

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;

	self = argv[0];
	if (is(what, "threads")) {
		threads(4, some_work, NULL);
	} else if (is(what, "calls")) {
		threads(5, some_calls, some_opens);
	} else if (is(what, "fork")) {
		forks(3);
	} else if (is(what, "exec")) {
		execs(NULL);
	} else if (is(what, "thread-exec")) {
		threads(1, execs, NULL);
	} else if (is(what, "kill")) {
		pthread_create(&t, NULL, sleeps, NULL);
		usleep(20000);
		kill(getpid(), SIGKILL);
		sleeps(NULL);
	} else if (is(what, "exit")) {
		pthread_create(&t, NULL, sleeps, NULL);
		usleep(20000);
	} else if (is(what, "leader")) {
		pthread_create(&t, NULL, ends_late, NULL);
		pthread_exit(NULL);
	} else if (is(what, "run")) {
		runs();
	} else if (is(what, "leave")) { /* as daemons do */
		if (chroot(argv[2]) || chdir("/"))
			return 1;
		runs();
	} else if (is(what, "memory")) {
		from_memory();
	}
	return 0;
}
