/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote.c: a tracer that has system calls made is killed again and again, at any moment. The
 * program goes on as if it had never been stopped, also one whose first thread has ended.
 */
#include "inject/ptrace/ptrace.h"
#include "staprun_check.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS = 100, WAIT_MS = 5000, MOST_US = 400 };

/* Observations of the target. */
static struct shared {
	volatile long turns, wrong;
	volatile long calls; /* made for tracers */
	volatile pid_t tid;  /* of the thread to be borrowed, when it runs alone */
} * shared;

static void nap_us(long us)
{
	const struct timespec t = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

/* Registers keep their values: general ones, flags and vectors, as the caller has set them. */
static bool registers_stay(long n)
{
	double sum = (double)n, product = 1.5;
	long a = n, b = n + 1, c = n + 2, d = n + 3;

	for (int i = 0; i < 50; i++)
		__asm__ volatile("" : "+x"(sum), "+x"(product), "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	return sum == (double)n && product == 1.5 && a == n && b == n + 1 && c == n + 2 &&
	       d == n + 3;
}

/* Calculates, and waits in system calls that the kernel restarts. */
static void *run(void *leader)
{
	if (leader)
		pthread_join(*(pthread_t *)leader, NULL);
	shared->tid = (pid_t)syscall(SYS_gettid);
	for (long n = 0;; n++) {
		for (int i = 0; i < 1000; i++)
			shared->wrong += !registers_stay(n + i);
		if (n % 4 == 0)
			nap_us(100);
		shared->turns++;
	}
	return NULL;
}

static void run_target(bool second)
{
	static pthread_t leader;
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (!second)
		run(NULL);
	leader = pthread_self();
	if (pthread_create(&thread, NULL, run, &leader))
		_exit(1);
	pthread_exit(NULL);
}

static void run_tracer(pid_t target)
{
	struct tracee t;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (tracee_stop(&t, target))
			_exit(1);
		for (int i = 0; i < 20; i++)
			if (remote_syscall(&t, SYS_getpid, 0, 0, 0, 0, 0, 0) == target)
				shared->calls++;
		tracee_release(&t);
	}
}

static bool goes_on(pid_t target)
{
	long before = shared->turns;

	for (int i = 0; i < WAIT_MS; i++) {
		if (shared->turns > before + 1)
			return true;
		if (waitpid(target, NULL, WNOHANG) == target)
			return false;
		nap_us(1000);
	}
	return false;
}

static unsigned long blocked_signals(pid_t tid)
{
	char path[64], line[256];
	unsigned long mask = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		sscanf(line, "SigBlk: %lx", &mask);
	if (f)
		fclose(f);
	return mask;
}

/* Kill the tracer of TARGET US microseconds after its first call; false: the target ended. */
static bool survives(pid_t target, long us)
{
	long before = shared->calls;
	pid_t tracer = fork();

	if (!tracer)
		run_tracer(target);
	for (int i = 0; i < WAIT_MS && shared->calls == before; i++)
		nap_us(1000);
	nap_us(us);
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	return goes_on(target);
}

/* SECOND: the target's first thread has ended. */
static void test_target(bool second)
{
	unsigned rounds = 0, blocked = 0;
	pid_t target;

	memset(shared, 0, sizeof *shared);
	target = fork();
	if (!target)
		run_target(second);
	for (int i = 0; i < WAIT_MS && !shared->tid; i++)
		nap_us(1000);
	while (rounds < ROUNDS && survives(target, (long)(random64() % MOST_US))) {
		rounds++;
		blocked += !!blocked_signals(shared->tid);
	}
	check(rounds == ROUNDS, "the program survives", "it has ended");
	check(!blocked, "its signals are not blocked", "some are");
	check(!shared->wrong, "its registers have their values", "some have not");
	check(shared->calls >= ROUNDS, "calls were made", "too few");
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
}

int main(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	test_target(false);
	test_target(true);
	return failed;
}
