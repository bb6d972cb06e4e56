/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that change all the time, for runs that come and go; until FILE exists:
 *
 *   races fork FILE           children and grandchildren work
 *   races vfork FILE          vfork() and exec of this program
 *   races exec FILE           executes itself again and again
 *   races library PATH FILE   opens and closes a library (user_life.c) in two threads
 *   races wait FILE           threads wait in system calls of many kinds, which nothing may interrupt
 *   races crowded FILE        all the memory that a jump could reach is taken
 * Prints how often, and `right' if all results were.  `races work' works once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTSIDE __attribute__((noipa))

static char **arguments;
static const char *file;
static volatile int wrong;

static int there(void) { return !access(file, F_OK); }

OUTSIDE uint64_t mix(uint64_t x) { return (x ^ x >> 29) * 0x9e3779b97f4a7c15ull; }
OUTSIDE uint64_t fold(uint64_t x, int n)
{
	volatile uint64_t r = n ? fold(mix(x + n), n - 1) : x;

	return r;
}
OUTSIDE int step(int n)
{
	uint64_t x = fold(n, 10), y = n;

	for (int i = 10; i; i--)
		y = (y + i ^ (y + i) >> 29) * 0x9e3779b97f4a7c15ull;
	return x == y;
}

static int work(void)
{
	int bad = 0;

	for (int i = 0; i < 200; i++)
		bad += !step(i);
	return bad;
}

static void child_ended(pid_t pid)
{
	int status;

	if (pid <= 0 || waitpid(pid, &status, 0) != pid || status) {
		wrong++;
		printf("child: %#x\n", status);
	}
}

static long forks(void)
{
	long n = 0;

	for (; !there(); n++) {
		pid_t pid = fork();
		if (!pid) {
			int bad = work();
			pid = n % 3 ? 0 : fork();
			if (!pid)
				_exit(work() + bad != 0);
			child_ended(pid);
			_exit(bad || wrong);
		}
		wrong += work();
		child_ended(pid);
	}
	return n;
}

static long vforks(void)
{
	char *v[] = {arguments[0], "work", NULL};
	long n = 0;

	for (; !there(); n++) {
		pid_t pid = vfork();
		if (!pid) {
			if (!step(5))
				_exit(1);
			execv(v[0], v);
			_exit(1);
		}
		wrong += work();
		child_ended(pid);
	}
	return n;
}

static long execs(void)
{
	char left[24], *v[] = {arguments[0], "exec", (char *)file, left, NULL};
	long n = arguments[3] ? atol(arguments[3]) : 0;

	if (there())
		return n;
	if (work())
		exit(1);
	snprintf(left, sizeof left, "%ld", n + 1);
	execv(v[0], v);
	exit(1);
}

static void *opens(void *path)
{
	long n = 0;

	for (; !there(); n++) {
		void *h = dlopen(path, RTLD_NOW);
		long (*weigh)(long) = h ? (long (*)(long))dlsym(h, "weigh") : NULL;

		for (long i = 0; weigh && i < 50; i++)
			wrong += weigh(i) != 2 * i + 2;
		wrong += !weigh || dlclose(h) || work();
	}
	return (void *)n;
}

static long libraries(char *path)
{
	pthread_t t;
	void *n;

	pthread_create(&t, NULL, opens, path);
	opens(path);
	pthread_join(t, &n);
	return (long)n;
}

/* ---------------------------------------------------------------- waiting */

enum { WAITS = 10 };
static int pipes[2], sockets[2];
static sem_t semaphore;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int over;
static double took[WAITS];

static int waits(long how)
{
	struct pollfd p = {.fd = pipes[0], .events = POLLIN};
	struct timespec long_time = {1, 500000000}, left = {0, 0};
	fd_set set;
	char c;

	FD_ZERO(&set);
	FD_SET(pipes[0], &set);
	switch (how) {
	case 0: return read(sockets[0], &c, 1) == 1;
	case 1: return poll(&p, 1, -1) == 1;
	case 2: return poll(&p, 1, 200000) == 1;
	case 3: return select(pipes[0] + 1, &set, NULL, NULL, NULL) == 1;
	case 4: return sem_wait(&semaphore) == 0;
	case 5:
		pthread_mutex_lock(&mutex);
		while (!over)
			if (pthread_cond_wait(&cond, &mutex))
				return 0;
		pthread_mutex_unlock(&mutex);
		return 1;
	case 6: return nanosleep(&long_time, &left) == 0;
	case 7: return clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, &left) == 0;
	case 8: return recv(sockets[1], &c, 1, 0) == 1;
	case 9:
		flockfile(stdin);
		how = read(pipes[0], &c, 1);
		/* glibc 2.41 takes this lock at exit */
		funlockfile(stdin);
		return how == 1;
	}
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *waiter(void *arg)
{
	double begin = now();
	int saved = 0;
	long how = (long)arg;

	errno = 0;
	if (!waits(how)) {
		saved = errno;
		printf("wait %ld: %s\n", how, strerror(saved));
		wrong++;
	}
	took[how] = now() - begin;
	return NULL;
}

/* The length of such a sleep in a process that is not traced: a busy machine wakes it late. */
static void sleep_alone(double *seconds)
{
	double begin = now();

	nanosleep(&(struct timespec){1, 500000000}, NULL);
	*seconds = now() - begin;
	_exit(0);
}

static void check_sleeps(double alone)
{
	double most = (alone > 1.5 ? alone : 1.5) + 0.9;

	for (int how = 6; how <= 7; how++)
		if (took[how] < 1.5 || took[how] > most) {
			printf("wait %d took %.2f s, %.2f alone\n", how, took[how], alone);
			wrong++;
		}
}

static long waiting(void)
{
	pthread_t t[WAITS];
	double *alone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t sleeper = fork();

	if (!sleeper)
		sleep_alone(alone);
	pipe(pipes);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	for (long i = 0; i < WAITS; i++)
		pthread_create(&t[i], NULL, waiter, (void *)i);
	while (!there())
		wrong += !step(3);
	over = 1;
	pthread_cond_broadcast(&cond);
	sem_post(&semaphore);
	write(sockets[0], "x", 1);
	write(sockets[1], "x", 1);
	write(pipes[1], "x", 1);
	usleep(50000);
	write(pipes[1], "x", 1);
	for (long i = 0; i < WAITS; i++)
		pthread_join(t[i], NULL);
	child_ended(sleeper);
	check_sleeps(*alone);
	return WAITS;
}

/* The addresses from FROM up to TO, which nothing is mapped at. */
static int take(uint64_t from, uint64_t to)
{
	return from < to && mmap((void *)from, to - from, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				 -1, 0) != MAP_FAILED;
}

static long crowded(void)
{
	uint64_t here = (uint64_t)crowded & -4096ull, at = here - (5ull << 29);
	uint64_t end = here + (5ull << 29), from, to, taken = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && at < end && fscanf(maps, "%" SCNx64 "-%" SCNx64 "%*[^\n]", &from, &to) == 2) {
		taken += take(at, from < end ? from : end);
		at = to > at ? to : at;
	}
	taken += take(at, end);
	printf("ready\n");
	fflush(stdout);
	while (!there())
		wrong += work(), usleep(1000);
	return taken > 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long n = 0;

	arguments = argv;
	file = argv[argc - 1];
	if (!strcmp(how, "work"))
		return work();
	if (!strcmp(how, "fork"))
		n = forks();
	else if (!strcmp(how, "vfork"))
		n = vforks();
	else if (!strcmp(how, "exec"))
		file = argv[2], n = execs();
	else if (!strcmp(how, "library"))
		n = libraries(argv[2]);
	else if (!strcmp(how, "wait"))
		n = waiting();
	else if (!strcmp(how, "crowded"))
		n = crowded();
	else
		return 2;
	printf("%ld %s\n", n, wrong ? "wrong" : "right");
	return wrong != 0;
}
