/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that come from processes; each calls step() a known number of times:
 *
 *   life steps N               N times
 *   life fork N                N times, then in a child, and in its child; then N times again
 *   life vfork N               N times, and in two programs executed by children of vfork()
 *   life spawn N               the same by posix_spawn(), system() and popen()
 *   life exec N PATH [ARG]...  N times, then executes PATH
 *   life execs N FAIL TIMES    N times, then itself anew, TIMES times; each time execs that fail are tried first
 *   life fexec N PATH [ARG]... the same by fexecve()
 *   life thread N PATH [ARG].. a thread other than the first executes PATH
 *   life daemon N FILE         a grandchild, in a session of its own, N times after this process has ended
 *   life library N PATH        opens and closes PATH (this file, -DLIBRARY) N times and calls weigh()
 *   life "who"                 print the effective user id
 * Prints `WHAT COUNT': how often this process did, and what others did.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noipa, visibility("hidden"))) long step(long i)
{
	__asm__ volatile("" : : : "memory");
	return i + 1;
}

#ifdef LIBRARY

__attribute__((noipa)) long weigh(long i)
{
	return step(i) * 2;
}
__attribute__((constructor)) static void come(void) { weigh(1); }
__attribute__((destructor)) static void leave(void) { weigh(2); }

#else

static char *self, *number;
static long n;

static void steps(long times)
{
	for (long i = 0; i < times; i++)
		if (step(i) != i + 1)
			_exit(99);
}

static int succeed(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static int forks(void)
{
	pid_t pid;

	steps(n);
	pid = fork();
	if (!pid) {
		steps(n);
		pid = fork();
		if (!pid) {
			steps(n);
			_exit(0);
		}
		_exit(!succeed(pid));
	}
	if (!succeed(pid))
		return 1;
	steps(n);
	printf("own %ld\nchildren %ld\n", 2 * n, 2 * n);
	return 0;
}

static char **arguments(void)
{
	static char *v[4];

	v[0] = self, v[1] = "quiet", v[2] = number;
	return v;
}

static int vforks(void)
{
	for (int i = 0; i < 2; i++) {
		pid_t pid;

		steps(n);
		pid = vfork();
		if (!pid) {
			execv("/no/such/file", arguments());
			execv(self, arguments());
			_exit(98);
		}
		steps(n);
		if (!succeed(pid))
			return 1;
	}
	printf("own %ld\nchildren %ld\n", 4 * n, 2 * n);
	return 0;
}

static int spawns(void)
{
	char line[1000];
	FILE *f;
	pid_t pid;

	steps(n);
	if (posix_spawn(&pid, self, NULL, NULL, arguments(), environ) || !succeed(pid))
		return 1;
	steps(n);
	if (!posix_spawn(&pid, "/no/such/file", NULL, NULL, arguments(), environ))
		return 2;
	steps(n);
	snprintf(line, sizeof line, "%s quiet %s", self, number);
	if (system(line))
		return 3;
	steps(n);
	f = popen(line, "r");
	if (pclose(f))
		return 4;
	printf("own %ld\nchildren %ld\n", 4 * n, 3 * n);
	return 0;
}

static int fails(void)
{
	execl("/no/such/file", "x", NULL);
	execl("/etc/passwd", "x", NULL);
	execl("/", "x", NULL);
	return fexecve(1000, arguments(), environ);
}

static int execs(char **argv)
{
	char left[24];
	long times = atol(argv[4]);

	steps(n);
	if (!times)
		return 0;
	fails();
	steps(n);
	snprintf(left, sizeof left, "%ld", times - 1);
	argv[4] = left;
	execv(self, argv);
	return 1;
}

static void *exec_it(void *argv)
{
	steps(n);
	execv(((char **)argv)[0], argv);
	return NULL;
}

static int from_thread(char **argv)
{
	pthread_t t[3];

	steps(n);
	pthread_create(&t[0], NULL, (void *(*)(void *))pause, NULL);
	pthread_create(&t[1], NULL, exec_it, argv);
	pthread_join(t[1], NULL);
	return 1;
}

/* The parent leaves first. */
static int daemonize(const char *file)
{
	char name[300];
	FILE *f;

	steps(n);
	if (fork())
		return 0;
	setsid();
	steps(n);
	if (fork())
		_exit(0);
	while (getppid() != 1 && usleep(1000) == 0 && n++ < 300)
		;
	n = atol(number);
	usleep(300000);
	steps(n);
	snprintf(name, sizeof name, "%s.new", file);
	f = fopen(name, "w");
	fprintf(f, "daemon %ld\n", n);
	fclose(f);
	rename(name, file);
	return 0;
}

static int library(const char *path)
{
	long all = 0;

	for (long i = 0; i < n; i++) {
		void *handle = dlopen(path, i % 2 ? RTLD_NOW : RTLD_LAZY);
		long (*weigh)(long) = handle ? dlsym(handle, "weigh") : NULL;

		if (!weigh || weigh(i) != 2 * i + 2)
			return 1;
		/* opened twice */
		if (i % 3 == 0 && (dlopen(path, RTLD_LAZY) != handle || dlclose(handle)))
			return 2;
		if (dlclose(handle) || dlopen(path, RTLD_LAZY | RTLD_NOLOAD))
			return 3;
		all += 3;
	}
	printf("weigh %ld\n", all);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	self = argv[0];
	number = argc > 2 ? argv[2] : "0";
	n = atol(number);
	if (!strcmp(how, "steps") || !strcmp(how, "quiet")) {
		steps(n);
		return *how == 's' && printf("own %ld\n", n) < 0;
	}
	if (!strcmp(how, "who"))
		return printf("user %d\n", (int)geteuid()) < 0;
	if (!strcmp(how, "fork"))
		return forks();
	if (!strcmp(how, "vfork"))
		return vforks();
	if (!strcmp(how, "spawn"))
		return spawns();
	if (!strcmp(how, "exec")) {
		steps(n);
		execv(argv[3], argv + 3);
		return 1;
	}
	if (!strcmp(how, "fexec")) {
		steps(n);
		fexecve(open(argv[3], O_RDONLY | O_CLOEXEC), argv + 3, environ);
		return 1;
	}
	if (!strcmp(how, "execs"))
		return execs(argv);
	if (!strcmp(how, "thread"))
		return from_thread(argv + 3);
	if (!strcmp(how, "daemon"))
		return daemonize(argv[3]);
	if (!strcmp(how, "library"))
		return library(argv[3]);
	return 2;
}
#endif
