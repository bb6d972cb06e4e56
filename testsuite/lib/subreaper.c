/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subreaper SECONDS PREFIX COMMAND...: runs COMMAND in a process group of its own, for at most
 * SECONDS, and gives its exit status, as a shell does.  If descendants of it still run two seconds
 * after it has ended, it creates the file PREFIXremaining: orphans become children of a subreaper,
 * so one system call finds them; to search the environment of all processes takes a machine as long
 * as a small test.
 *
 * The time of a test is not that of the clock, which says on a busy machine what others do there.
 * It is the larger of two: the processor time of its descendants, and the time for which the
 * processors of the machine were idle.  A test that sleeps or spins for ever exceeds its limit as
 * soon as by the clock where nothing else runs, and one that only gets its turn late does not.
 * After LONGEST times SECONDS by the clock it ends anyway.  The two seconds are measured so, too.
 *
 * A test that exceeds its limit has the file PREFIXlate, which names the limit, and the
 * status 124, as from timeout(1); its group gets SIGTERM, and five seconds later SIGKILL.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LONGEST = 10,
	SECONDS_TO_DIE = 5,
	SECONDS_TO_FOLLOW = 2,
	STATUS_LATE = 124,
	STATUS_FAILED = 125,
	STATUS_NOT_FOUND = 127,
};

/* Seconds of the clock. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Seconds for which the average processor was idle, since an unnamed instant: the fifth word of the
 * first line of /proc/stat, in ticks (proc(5)).  Waiting for a disk is not idleness. */
static double idle(void)
{
	unsigned long long ticks = 0;
	FILE *f = fopen("/proc/stat", "re");

	if (f) {
		if (fscanf(f, "cpu %*u %*u %*u %llu", &ticks) != 1)
			ticks = 0;
		fclose(f);
	}
	return (double)ticks / sysconf(_SC_CLK_TCK) / sysconf(_SC_NPROCESSORS_ONLN);
}

/* Opens /proc/PID/FILE; NULL if the process is gone. */
static FILE *open_proc(pid_t pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	return fopen(path, "re");
}

/* Seconds of processors that process PID, its descendants that run and those that it has waited for
 * have used: words 14 to 17 of /proc/PID/stat, in ticks (proc(5)). */
static double used(pid_t pid)
{
	unsigned long long ticks[4];
	double seconds = 0;
	char children[32];
	int child;
	FILE *f = open_proc(pid, "stat");

	if (f) {
		if (fscanf(f,
			   "%*d (%*[^\n)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u"
			   " %llu %llu %llu %llu",
			   &ticks[0], &ticks[1], &ticks[2], &ticks[3]) == 4)
			for (int i = 0; i < 4; i++)
				seconds += (double)ticks[i] / sysconf(_SC_CLK_TCK);
		fclose(f);
	}
	snprintf(children, sizeof children, "task/%d/children", (int)pid);
	f = open_proc(pid, children);
	if (f) {
		while (fscanf(f, "%d", &child) == 1)
			seconds += used(child);
		fclose(f);
	}
	return seconds;
}

/* Creates the file PREFIX followed by NAME, which reads FORMAT. */
static void leave(const char *prefix, const char *name, const char *format, ...)
{
	char path[4096];
	va_list ap;
	FILE *f;

	if (snprintf(path, sizeof path, "%s%s", prefix, name) >= (int)sizeof path ||
	    !(f = fopen(path, "we"))) {
		perror(name);
		return;
	}
	va_start(ap, format);
	vfprintf(f, format, ap);
	va_end(ap);
	fclose(f);
}

/* Reaps children; whether PID was among them, whose wait(2) status is then in *STATUS. */
static bool reap(pid_t pid, int *status)
{
	bool found = false;
	int word;
	pid_t ended;

	while ((ended = waitpid(-1, &word, WNOHANG)) > 0)
		if (ended == pid) {
			*status = word;
			found = true;
		}
	return found;
}

/* The measures of a limit's time when it began. */
struct start {
	double clock, idle, used;
};

static struct start start_now(void)
{
	return (struct start){now(), idle(), used(getpid())};
}

/* Gives whether more than LIMIT seconds of a test have passed since START. */
static bool exceeded(const struct start *start, unsigned limit)
{
	double clock = now() - start->clock;

	return clock >= limit &&
	       (idle() - start->idle >= limit || used(getpid()) - start->used >= limit ||
		clock >= (double)LONGEST * limit);
}

/* Waits for process PID for at most LIMIT seconds, and passes signals of SET to its group.  Gives
 * whether it exceeded LIMIT; its wait(2) status is in *STATUS. */
static bool supervise(pid_t pid, unsigned limit, const sigset_t *set, int *status)
{
	const struct timespec second = {.tv_sec = 1};
	const struct start start = start_now();
	double end = 0;

	while (!reap(pid, status)) {
		int signal = sigtimedwait(set, NULL, &second);

		if (signal > 0 && signal != SIGCHLD)
			kill(-pid, signal);
		if (end) {
			if (now() >= end)
				kill(-pid, SIGKILL);
		} else if (exceeded(&start, limit)) {
			kill(-pid, SIGTERM);
			end = now() + SECONDS_TO_DIE;
		}
	}
	return end;
}

/* Gives whether children still run after SECONDS_TO_FOLLOW. */
static bool some_remain(const sigset_t *set)
{
	const struct timespec tick = {.tv_nsec = 50 * 1000 * 1000};
	const struct start start = start_now();
	pid_t pid;

	for (;;) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid)
			return false;
		if (exceeded(&start, SECONDS_TO_FOLLOW))
			return true;
		sigtimedwait(set, NULL, &tick);
	}
}

int main(int argc, char **argv)
{
	const unsigned limit = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	sigset_t set, before;
	int status = 0;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!limit) {
		fprintf(stderr, "usage: subreaper SECONDS PREFIX COMMAND...\n");
		return STATUS_FAILED;
	}
	if (sigprocmask(SIG_BLOCK, &set, &before) || prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		perror("subreaper");
		return STATUS_FAILED;
	}
	pid = fork();
	if (pid < 0) {
		perror("fork");
		return STATUS_FAILED;
	}
	if (!pid) {
		setpgid(0, 0);
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(STATUS_NOT_FOUND);
	}
	setpgid(pid, pid);
	if (supervise(pid, limit, &set, &status)) {
		leave(argv[2], "late", "exceeded its time limit of %u s\n", limit);
		status = W_EXITCODE(STATUS_LATE, 0);
	}
	if (some_remain(&set))
		leave(argv[2], "remaining", "");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
