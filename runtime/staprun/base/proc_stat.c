/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of /proc/PID/stat. The name, field 2, is in parentheses and may contain any bytes, so the
 * other fields follow the last parenthesis. The file below task/ differs only in the times: for the
 * other one the kernel adds up those of all threads, which takes half a millisecond for thousands.
 */
#include "base/proc_stat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

bool proc_stat_read(struct proc_stat *s, pid_t pid)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, s->text, sizeof s->text - 1);
	close(fd);
	s->text[n > 0 ? n : 0] = 0;
	s->fields = strrchr(s->text, ')');
	if (!s->fields || s->fields[1] != ' ')
		return false;
	s->fields += 2;
	return true;
}

char proc_stat_state(pid_t pid)
{
	struct proc_stat s;

	return proc_stat_read(&s, pid) ? *s.fields : 0;
}

uint64_t proc_stat_number(const struct proc_stat *s, enum proc_stat_number number)
{
	const char *p = s->fields;

	for (unsigned field = STAT_STATE; p && field < number; field++) {
		p = strchr(p, ' ');
		p += p != NULL;
	}
	return p ? strtoull(p, NULL, 10) : 0;
}

bool proc_thread_ended(pid_t tid)
{
	char state = proc_stat_state(tid);

	return !state || state == 'Z' || state == 'X';
}

/* PF_IO_WORKER, PF_USER_WORKER of the kernel's linux/sched.h; the bit of the latter had other
 * meanings before Linux 6.4 */
enum { IO_WORKER = 0x10, USER_WORKER = 0x4000 };

static unsigned long worker_flags(void)
{
	static unsigned long flags;
	unsigned major, minor;
	struct utsname u;

	if (!flags)
		flags = !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
					(major > 6 || (major == 6 && minor >= 4))
				? IO_WORKER | USER_WORKER
				: IO_WORKER;
	return flags;
}

bool proc_is_worker(pid_t tid)
{
	struct proc_stat s;

	return proc_stat_read(&s, tid) && proc_stat_number(&s, STAT_FLAGS) & worker_flags();
}

pid_t proc_live_thread(pid_t pid)
{
	bool ended = proc_thread_ended(pid);
	pid_t found = pid;
	char name[40];
	DIR *dir;

	snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
	dir = ended ? opendir(name) : NULL;
	for (struct dirent *de; dir && found == pid && (de = readdir(dir));) {
		pid_t tid = atoi(de->d_name);

		if (tid > 0 && !proc_thread_ended(tid))
			found = tid;
	}
	if (dir)
		closedir(dir);
	return found;
}

bool proc_task_text(pid_t pid, pid_t tid, const char *name, char *to, size_t size)
{
	char path[80];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, to, size - 1);
		close(fd);
	}
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

uint64_t proc_task_number(pid_t pid, pid_t tid, const char *name)
{
	char text[80], *end;
	uint64_t number;

	if (!proc_task_text(pid, tid, name, text, sizeof text))
		return ~0ull;
	number = (uint64_t)strtoll(text, &end, 10);
	return end == text ? ~0ull : number;
}

bool pid_is_gone(pid_t pid)
{
	struct proc_stat s;

	if (kill(pid, 0) < 0 && errno == ESRCH)
		return true;
	return proc_stat_read(&s, pid) && s.fields && *s.fields == 'Z' &&
	       proc_stat_number(&s, STAT_THREADS) <= 1;
}

bool pid_ends_soon(pid_t pid, int pidfd)
{
	enum { SOON_MS = 100 };
	struct pollfd fd = {.fd = pidfd, .events = POLLIN};

	return pidfd < 0 ? pid_is_gone(pid) : poll(&fd, 1, SOON_MS) > 0;
}
