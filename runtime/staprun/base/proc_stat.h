/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of /proc/PID/stat, by their numbers in proc_pid_stat(5). */
#ifndef USTAP_STAPRUN_PROC_STAT_H
#define USTAP_STAPRUN_PROC_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum proc_stat_number {
	STAT_STATE = 3, /* a letter */
	STAT_FLAGS = 9,
	STAT_THREADS = 20,
	STAT_START_BRK = 47,
	STAT_ARG_START = 48,
	STAT_ARG_END = 49,
	STAT_ENV_START = 50,
	STAT_ENV_END = 51,
	STAT_EXIT_CODE = 52,
};

struct proc_stat {
	char text[2048];
	char *fields; /* the first one behind the name, which is field 2 */
};

/* Read those of the process or thread PID; false if it does not exist. */
bool proc_stat_read(struct proc_stat *s, pid_t pid);
/* The state of the process or thread PID; 0 if it does not exist. */
char proc_stat_state(pid_t pid);
/* True if thread TID has exited, also if it is a zombie, as a main thread is until all others have
 * exited. */
bool proc_thread_ended(pid_t tid);
/* True if thread TID of a process is a worker of the kernel, as io_uring and vhost have: it never
 * runs code of the process, and stops only between two tasks. */
bool proc_is_worker(pid_t tid);
/* Id of a thread of process PID by which /proc shows its memory, files and namespaces: PID, unless
 * the main thread has ended and others go on. */
pid_t proc_live_thread(pid_t pid);
/* Read the start of /proc/PID/task/TID/NAME, SIZE - 1 bytes at most; false if that fails. */
bool proc_task_text(pid_t pid, pid_t tid, const char *name, char *to, size_t size);
/* The number at the start of /proc/PID/task/TID/NAME; ~0 if the file cannot be read or starts
 * otherwise. */
uint64_t proc_task_number(pid_t pid, pid_t tid, const char *name);
/* Nanoseconds of processor time of thread TID of PID, as of its last tick of the scheduler; ~0:
 * unknown (Documentation/scheduler/sched-stats.rst). */
static inline uint64_t proc_cpu_time(pid_t pid, pid_t tid)
{
	return proc_task_number(pid, tid, "schedstat");
}
/* True if PID is not a process, or is a zombie without threads. */
bool pid_is_gone(pid_t pid);
/* True if the process PID ends within 100 ms, by its PIDFD; -1: none, then true if it is gone.
 * Calls in a process that is being killed fail with arbitrary errors, and its end takes a moment.
 */
bool pid_ends_soon(pid_t pid, int pidfd);
/* The field NUMBER, a number; 0 if this kernel does not have it. */
uint64_t proc_stat_number(const struct proc_stat *s, enum proc_stat_number number);

#endif
