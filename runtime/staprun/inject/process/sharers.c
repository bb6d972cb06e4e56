/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that share memory without being threads of one process, as clone(2) with CLONE_VM makes
 * them. Nothing but the threads of a process is stopped while its code is changed, so another
 * process could execute half of a change. The parent of a vfork() waits until its child executes a
 * program or exits, and does no harm. One that is made while its parent is traced finds the code
 * changed.
 */
#define _GNU_SOURCE
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/proc_stat.h"

#include <dirent.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool shares(pid_t a, pid_t b) { return !syscall(SYS_kcmp, a, b, KCMP_VM, 0L, 0L); }

/* True if no thread of PID runs before its child does something else. */
static bool all_wait(pid_t pid)
{
	struct dirent *de;
	bool all = true;
	char name[40];
	DIR *dir;

	snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
	dir = opendir(name);
	while (dir && all && (de = readdir(dir))) {
		pid_t tid = atoi(de->d_name);

		all = tid <= 0 || thread_awaits_child(pid, tid);
	}
	if (dir)
		closedir(dir);
	return all;
}

static pid_t find_sharer(pid_t pid)
{
	pid_t live = proc_live_thread(pid), found = 0;
	DIR *dir = opendir("/proc");
	struct dirent *de;

	while (dir && !found && (de = readdir(dir))) {
		pid_t other = atoi(de->d_name);

		if (other > 0 && other != pid && shares(live, other) && !all_wait(other))
			found = other;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The last process id that was given away; 0: unknown. */
static unsigned last_pid(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	unsigned last = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*s %*s %*s %*s %u", &last) != 1)
		last = 0;
	fclose(f);
	return last;
}

void sharers_look(struct process *p)
{
	p->last_pid = last_pid();
	p->sharer = find_sharer(p->pid);
}

pid_t sharer_of(struct process *p)
{
	if (!p->last_pid || p->sharer || p->last_pid != last_pid())
		sharers_look(p);
	return p->sharer;
}
