/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deaths of traced processes: exit status, and the warning about a process killed by a signal.
 *
 * Only the parent of a process gets its exit status. For other processes the kernel reports it
 * through a pidfd, since Linux 6.15, once the parent has reaped the process; until then it is in
 * /proc/PID/stat.
 */
#define _GNU_SOURCE
#include "base/message.h"
#include "base/proc_stat.h"
#include "report/report.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* struct pidfd_info of linux/pidfd.h, which older headers lack; the fields between are not read. */
struct pidfd_info {
	uint64_t mask;
	uint32_t unread[13];
	int32_t exit_code;
};
#define PIDFD_EXIT_INFO    (1ull << 3)
#define PIDFD_INFO_REQUEST _IOWR(0xff, 11, struct pidfd_info)

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
/* The last processes that were reported. */
static pid_t told[256];
static size_t ntold;
static bool failed;
static uint64_t expected; /* signals, 1 << number */

void process_name(pid_t pid, char name[PROCESS_NAME])
{
	char path[40], text[PROCESS_NAME];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(text, sizeof text, f)) {
		text[strcspn(text, "\n")] = 0;
		mask_controls(text, strlen(text));
		memcpy(name, text, strlen(text) + 1);
	}
	fclose(f);
}

/* ------------------------------------------------------------------- how it ended */

/* Exit status of a child, which remains to be reaped. */
static bool ask_as_parent(int fd, int *status)
{
	enum { BY_PIDFD = 3 }; /* P_PIDFD of linux/wait.h */
	siginfo_t si = {0};

	if (waitid((idtype_t)BY_PIDFD, (id_t)fd, &si, WEXITED | WNOHANG | WNOWAIT) || !si.si_pid)
		return false;
	*status = si.si_code == CLD_EXITED ? (si.si_status & 0xff) << 8
					   : si.si_status | (si.si_code == CLD_DUMPED ? 0x80 : 0);
	return true;
}

static bool ask_pidfd(int fd, int *status)
{
	struct pidfd_info info = {.mask = PIDFD_EXIT_INFO};

	if (ioctl(fd, PIDFD_INFO_REQUEST, &info) || !(info.mask & PIDFD_EXIT_INFO))
		return false;
	*status = info.exit_code;
	return true;
}

/* True if FD refers to a process that has not been reaped, so that its id has not been reused. */
static bool is_there(int fd) { return !syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0); }

void death_name(pid_t pid, int fd, char name[PROCESS_NAME])
{
	char now[PROCESS_NAME] = "";

	process_name(pid, now);
	if (*now && is_there(fd))
		memcpy(name, now, sizeof now);
}

/* A process that may not trace the target reads 0, the same as after success: the status is unknown
 * then. */
static bool ask_stat(pid_t pid, int fd, int *status)
{
	struct proc_stat s;
	int code;

	if (!proc_stat_read(&s, pid) || (*s.fields != 'Z' && *s.fields != 'X') || !is_there(fd))
		return false;
	code = (int)proc_stat_number(&s, STAT_EXIT_CODE);
	if (!code)
		return false;
	*status = code;
	return true;
}

bool death_status(pid_t pid, int fd, int *status)
{
	return ask_as_parent(fd, status) || ask_pidfd(fd, status) || ask_stat(pid, fd, status) ||
	       ask_pidfd(fd, status);
}

/* ------------------------------------------------------------------------ telling */

void deaths_expect(int sig) { __atomic_fetch_or(&expected, 1ull << (sig & 63), __ATOMIC_SEQ_CST); }

bool deaths_have_warned(void) { return __atomic_load_n(&failed, __ATOMIC_SEQ_CST); }

/* Returns false if it has been reported before. */
static bool first_time(pid_t pid)
{
	bool first = true;

	pthread_mutex_lock(&guard);
	for (size_t i = 0; i < sizeof told / sizeof *told && first; i++)
		first = told[i] != pid;
	if (first)
		told[ntold++ % (sizeof told / sizeof *told)] = pid;
	pthread_mutex_unlock(&guard);
	return first;
}

/* A program that writes to staprun's standard output dies when the reader of that ends, as in a
 * pipeline. */
static bool lost_reader(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO};

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

static bool is_expected(int sig)
{
	return __atomic_load_n(&expected, __ATOMIC_SEQ_CST) >> (sig & 63) & 1 ||
	       (sig == SIGPIPE && lost_reader());
}

void death_warn(pid_t pid, const char *name, int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	const char *abbreviation = sig ? sigabbrev_np(sig) : NULL,
		   *core = status & 0x80 ? " (core dumped)" : "";

	if (!sig || is_expected(sig) || !first_time(pid))
		return;
	__atomic_store_n(&failed, true, __ATOMIC_SEQ_CST);
	if (abbreviation)
		warning("%s (pid %d) was killed by SIG%s%s", name, (int)pid, abbreviation, core);
	else
		warning("%s (pid %d) was killed by signal %d%s", name, (int)pid, sig, core);
}
