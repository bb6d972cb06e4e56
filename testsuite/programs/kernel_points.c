/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that tapsets/linux reports of scheduling, processes, signals and interrupts, by a program that prints them, between two
 * signals that it sends itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* The kernel reports a signal with interrupts disabled: all that traces it sees the same events
 * before and after it, unlike at a system call, where an interrupt can come between two tracers.
 * SIGURG is ignored by default. */
static void mark(void)
{
	sigqueue(getpid(), SIGURG, (union sigval){0});
}

static void rest(int ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static void *thread(void *arg)
{
	*(pid_t *)arg = syscall(SYS_gettid);
	rest(1);
	return NULL;
}

/* Priorities 125 and 127, sleeps, a thread, a child that is waited for. */
static void schedule(void)
{
	pthread_t t;
	pid_t tid, child;

	setpriority(PRIO_PROCESS, 0, 5);
	for (int i = 0; i < 5; i++)
		rest(2);
	pthread_create(&t, NULL, thread, &tid);
	pthread_join(t, NULL);
	setpriority(PRIO_PROCESS, 0, 7);
	child = fork();
	if (!child) {
		rest(3);
		_exit(3);
	}
	waitpid(child, NULL, 0);
	rest(100);
}

/* Children that end by exit and by a signal, one that execs and one that cannot; a thread. */
static void processes(void)
{
	int status;
	pthread_t t;
	pid_t tid, child;

	if (!(child = fork()))
		_exit(7);
	waitpid(child, &status, 0);
	printf("child %d ended by %d\n", child, status);
	fflush(stdout);
	if (!(child = fork())) {
		raise(SIGKILL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	printf("child %d ended by %d\n", child, status);
	fflush(stdout);
	if (!(child = fork())) {
		/* On the stack they are in memory. */
		char nowhere[] = "/nowhere", a[] = "a", b[] = "b \"c\"", program[] = "/bin/true", one[] = "one", two[] = "two";

		execv(nowhere, (char *[]){a, b, NULL});
		execv(program, (char *[]){program + 5, one, two, NULL});
		_exit(1);
	}
	waitpid(child, &status, 0);
	printf("child %d ended by %d\n", child, status);
	pthread_create(&t, NULL, thread, &tid);
	pthread_join(t, NULL);
	printf("thread %d\n", tid);
	fflush(stdout);
	rest(100);
}

static void handler(int sig) { (void)sig; }

static void blocked(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR2);
	sigpending(&set);
	printf("pending %d\n", sigismember(&set, SIGUSR2));
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

/* Signals that are handled, ignored, blocked, refused and sent by a timer. */
static void signals(void)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerspec soon = {.it_value.tv_nsec = 1000000};
	timer_t timer;

	sigaddset(&act.sa_mask, SIGINT);
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR2, &act, NULL);
	sigaction(SIGALRM, &act, NULL);
	signal(SIGWINCH, SIG_IGN);
	printf("handler %p\n", (void *)handler);
	fflush(stdout);
	kill(getpid(), SIGUSR1);
	syscall(SYS_tkill, syscall(SYS_gettid), SIGUSR1);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
	kill(getpid(), SIGWINCH);
	sigqueue(getpid(), SIGUSR1, (union sigval){0});
	if (kill(getpid(), 77) && errno == EINVAL)
		printf("refused\n");
	blocked();
	if (timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM}, &timer) ||
	    timer_settime(timer, 0, &soon, NULL))
		exit(2);
	rest(50);
}

/* Reads that make the disk's device interrupt, and time that passes. */
static void interrupts(const char *path)
{
	static char page[65536];
	volatile long n = 0;

	for (int i = 0; i < 20; i++) {
		int fd = open(path, O_RDONLY);

		for (int k = 0; k < 20 && read(fd, page, sizeof page) > 0; k++)
			n++;
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
		rest(5);
	}
	while (n < 30000000)
		n++;
}

/* Data from one end of a terminal to the other, which the kernel passes on by a work queue: a byte
 * can only be read after the work was queued and executed. */
static void works(void)
{
	struct termios raw;
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char byte = 'x';

	if (master < 0 || unlockpt(master))
		exit(3);
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &raw))
		exit(4);
	cfmakeraw(&raw);
	if (tcsetattr(slave, TCSANOW, &raw))
		exit(5);
	for (int i = 0; i < 20; i++)
		if (write(master, &byte, 1) != 1 || read(slave, &byte, 1) != 1)
			exit(6);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	mark();
	if (!strcmp(what, "schedule"))
		schedule();
	if (!strcmp(what, "processes"))
		processes();
	if (!strcmp(what, "signals"))
		signals();
	if (!strcmp(what, "interrupts"))
		interrupts(argc > 2 ? argv[2] : argv[0]);
	if (!strcmp(what, "works"))
		works();
	mark();
	return 0;
}
