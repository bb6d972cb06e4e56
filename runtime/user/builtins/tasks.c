/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins on arbitrary tasks, from files in /proc. A task whose files the probed process cannot
 * open is treated as not existing.
 */
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/time.h>

#include "user.h"
#include "common.h"

enum { FILE_SIZE = 640 }; /* stat, and the required lines of status */
enum { TICK = 10000000 }; /* nanoseconds of a clock tick in stat: USER_HZ is always 100 */

/* "/proc/ID/task/ID/NAME" describes the task, "/proc/ID/NAME" sums up its whole process. */
static bool read_file(ust_long id, const char *name, char *text, u32 size)
{
	char path[80] = "/proc/", *p = path + 6;
	long fd, got;

	if (id <= 0 || process.flags & UST_PROCESS_NO_SYSCALLS)
		return false;
	p += fmt_decimal(p, (u64)id);
	memcpy(p, "/task/", 6);
	p += 6;
	p += fmt_decimal(p, (u64)id);
	memcpy(p, name, strlen(name) + 1);
	fd = system_call(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return event_file(id, name, text, size);
	got = system_call(__NR_read, fd, (long)text, size - 1, 0, 0, 0);
	system_call(__NR_close, fd, 0, 0, 0, 0, 0);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

static ust_long number_at(const char *p)
{
	bool minus = *p == '-';
	u64 v = 0;

	for (p += minus; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (u64)(*p - '0');
	return (ust_long)(minus ? 0 - v : v);
}

/* Start of field N of stat, counted from 1 as in proc(5); the second one is in parentheses and may
 * contain any bytes. */
static const char *stat_field(const char *text, int n)
{
	const char *p = text + strlen(text);

	while (p > text && *p != ')')
		p--;
	for (n -= 2; *p && n; p++)
		n -= *p == ' ';
	return p;
}

/* Word N after "KEY:" in status. */
static const char *status_at(const char *text, const char *key, int n)
{
	size_t len = strlen(key);

	while (*text && (memcmp(text, key, len) || text[len] != ':')) {
		while (*text && *text++ != '\n')
			;
		if (strlen(text) < len)
			return "";
	}
	for (; *text && n; text++)
		n -= *text == '\t';
	return text;
}

static ust_long status_word(const char *text, const char *key, int n)
{
	return number_at(status_at(text, key, n));
}

/* Convert to TASK_RUNNING and the other states of the kernel. */
static ust_long state_of(char letter)
{
	static const char letters[] = "RSDTtZX";
	static const unsigned char values[] = {0, 1, 2, 4, 8, 16, 32};
	u32 i;

	for (i = 0; letters[i]; i++)
		if (letters[i] == letter)
			return values[i];
	return 2;
}

static ust_long from_stat(const char *text, ust_long field)
{
	switch (field) {
	case UST_TASK_PARENT:
		return number_at(stat_field(text, 4));
	case UST_TASK_STATE:
		return state_of(*stat_field(text, 3));
	case UST_TASK_UTIME:
		return number_at(stat_field(text, 14)) * TICK;
	case UST_TASK_STIME:
		return number_at(stat_field(text, 15)) * TICK;
	case UST_TASK_PRIO:
		return number_at(stat_field(text, 18));
	case UST_TASK_NICE:
		return number_at(stat_field(text, 19));
	case UST_TASK_START:
		return number_at(stat_field(text, 22)) * TICK;
	case UST_TASK_CPU:
		return number_at(stat_field(text, 39));
	}
	return 0;
}

static ust_long from_status(const char *text, ust_long field)
{
	switch (field) {
	case UST_TASK_PID:
		return status_word(text, "Tgid", 1);
	case UST_TASK_UID:
		return status_word(text, "Uid", 1);
	case UST_TASK_EUID:
		return status_word(text, "Uid", 2);
	case UST_TASK_GID:
		return status_word(text, "Gid", 1);
	case UST_TASK_EGID:
		return status_word(text, "Gid", 2);
	}
	return 0;
}

/* Words of statm: size, resident, shared, text, lib, data. */
static ust_long from_statm(const char *text, ust_long field)
{
	int n = field == UST_TASK_DATA ? 5 : (int)(field - UST_TASK_SIZE);

	for (; *text && n; text++)
		n -= *text == ' ';
	return number_at(text);
}

/* Hexadecimal, the format of signal masks. */
static ust_long mask_at(const char *p)
{
	u64 v = 0;

	for (; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
		v = v * 16 + (u64)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	return (ust_long)v;
}

/* Count the entries of /proc/ID/fd, without its two directory entries. */
static ust_long count_files(const struct ust_ctx *c, ust_long id)
{
	char buffer[1024], path[32] = "/proc/", *p = path + 6;
	long fd, got, at;
	ust_long n = 0;

	if (id <= 0 || process.flags & UST_PROCESS_NO_SYSCALLS)
		return 0;
	p += fmt_decimal(p, (u64)id);
	memcpy(p, "/fd", 4);
	fd = system_call(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0,
			 0, 0);
	if (fd < 0)
		return 0;
	while ((got = system_call(__NR_getdents64, fd, (long)buffer, sizeof buffer, 0, 0, 0)) > 0)
		for (at = 0; at < got; at += *(unsigned short *)(buffer + at + 16), n++)
			;
	system_call(__NR_close, fd, 0, 0, 0, 0, 0);
	/* in the process itself the open directory is among them */
	return n - 2 -
	       (c->hit->mode == MODE_PROBE &&
		ust_task(NULL, id, UST_TASK_PID) == (ust_long)identity_pid());
}

static ust_long limit_of(ust_long id, ust_long number)
{
	u64 limit[2];

	if (id <= 0 || process.flags & UST_PROCESS_NO_SYSCALLS ||
	    system_call(__NR_prlimit64, id, number, 0, (long)limit, 0, 0))
		return 0;
	return (ust_long)limit[0];
}

/* An id of the process of an event, from its lines in /proc as the tracer sees them. */
static ust_long of_event(const struct ust_subject *s, ust_long field)
{
	ust_long parent, id = -1;

	if (s->ns_level == UST_NOT_IN_NAMESPACE)
		return 0;
	switch (field) {
	case UST_TASK_NS_PID:
		id = event_status(s, "NStgid:", s->ns_level);
		break;
	case UST_TASK_NS_TID:
		id = event_status(s, "NSpid:", s->ns_level);
		break;
	case UST_TASK_NS_PGRP:
		id = event_status(s, "NSpgid:", s->ns_level);
		break;
	case UST_TASK_NS_SID:
		id = event_status(s, "NSsid:", s->ns_level);
		break;
	case UST_TASK_NS_PARENT:
		parent = event_status(s, "PPid:", 0);
		id = s->ns_level ? event_status(&(struct ust_subject){.host_pid = parent,
								      .host_tid = parent},
						"NSpid:", s->ns_level)
				 : parent;
		break;
	}
	return id < 0 ? 0 : id;
}

/* Ids of the current thread, as it sees them. */
static ust_long own(struct ust_ctx *c, ust_long field)
{
	switch (field) {
	case UST_TASK_NS_PID:
		return ust_pid(c);
	case UST_TASK_NS_TID:
		return ust_tid(c);
	case UST_TASK_NS_PARENT:
		return ust_ppid(c);
	case UST_TASK_NS_PGRP:
		return ust_pgrp(c);
	case UST_TASK_NS_SID:
		return ust_sid(c);
	case UST_TASK_NS_UID:
		return ust_uid(c);
	case UST_TASK_NS_EUID:
		return ust_euid(c);
	case UST_TASK_NS_GID:
		return ust_gid(c);
	case UST_TASK_NS_EGID:
		return ust_egid(c);
	}
	return 0;
}

/* If the process does not see the ids of the target namespace, only its own one is known there. */
static ust_long as_seen(struct ust_ctx *c, ust_long id, ust_long field)
{
	static const unsigned char here[] = {
		UST_TASK_PID,  UST_TASK_PID, UST_TASK_PARENT, 0, 0, UST_TASK_UID,
		UST_TASK_EUID, UST_TASK_GID, UST_TASK_EGID,
	};
	const struct ust_subject *s = event_subject(c);
	bool is_current = id == ust_tid(c);
	ust_long v;

	if (field < UST_TASK_NS_UID) {
		if (is_current && s)
			return of_event(s, field);
		if (process.outside)
			return is_current && field == UST_TASK_NS_PID ? local.ns_pid : 0;
	}
	if (is_current)
		return own(c, field);
	v = here[field - UST_TASK_NS_PID] ? ust_task(c, id, here[field - UST_TASK_NS_PID]) : 0;
	return field == UST_TASK_NS_TID && v ? id : v;
}

static ust_long other_of(struct ust_ctx *c, ust_long id, ust_long field)
{
	char text[1600]; /* blocked signals are near the end of status */
	u64 mask;

	if (field >= UST_TASK_LIMITS)
		return field < UST_TASK_LIMITS + UST_TASK_NLIMITS
			       ? limit_of(id, field - UST_TASK_LIMITS)
			       : 0;
	if (field >= UST_TASK_NS_PID)
		return as_seen(c, id, field);
	if (field == UST_TASK_FILES)
		return count_files(c, id);
	if (field == UST_TASK_BLOCKED && id == ust_tid(c) && handler_stack_mask(&mask))
		return mask;
	if (!read_file(id, "/status", text, sizeof text))
		return 0;
	return field == UST_TASK_BLOCKED ? mask_at(status_at(text, "SigBlk", 1))
					 : number_at(status_at(text, "FDSize", 1));
}

/* Kernels without CONFIG_SCHED_INFO have no schedstat, or one of zeros. */
static ust_long from_schedstat(struct ust_ctx *c, ust_long id, ust_long field)
{
	char text[80] = "";
	const char *p = text;

	read_file(id, "/schedstat", text, sizeof text);
	if (field == UST_TASK_CPU_TIME && (!*p || *p == '0'))
		return ust_task(c, id, UST_TASK_UTIME) + ust_task(c, id, UST_TASK_STIME);
	while (field == UST_TASK_RUN_DELAY && *p && *p++ != ' ')
		;
	return number_at(p);
}

/* One system call for the thread itself. */
static ust_long scheduled(struct ust_ctx *c, ust_long id, ust_long field)
{
	struct timespec t;

	if (field == UST_TASK_CPU_TIME && c && c->hit->mode == MODE_PROBE && id == identity_tid() &&
	    !(process.flags & UST_PROCESS_NO_SYSCALLS) &&
	    !system_call(__NR_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0, 0, 0, 0))
		return t.tv_sec * 1000000000LL + t.tv_nsec;
	return from_schedstat(c, id, field);
}

/* The file has "running" if the task runs. A thread that was attached in a call goes on with it by
 * restart_syscall(), at any time after the event was posted. */
static ust_long system_call_of(const struct ust_ctx *c, ust_long id)
{
	const struct ust_subject *s = c ? event_subject(c) : NULL;
	char text[200] = "";

	if (s && id == s->tid && s->attach_syscall >= 0)
		return s->attach_syscall;
	read_file(id, "/syscall", text, sizeof text);
	return *text >= '0' && *text <= '9' ? number_at(text) : -1;
}

ust_long ust_task(struct ust_ctx *c, ust_long id, ust_long field)
{
	char text[FILE_SIZE];

	if (field == UST_TASK_CPU_TIME || field == UST_TASK_RUN_DELAY)
		return scheduled(c, id, field);
	if (field == UST_TASK_SYSCALL)
		return system_call_of(c, id);
	if (field > UST_TASK_DATA)
		return other_of(c, id, field);
	if (field <= UST_TASK_EGID)
		return read_file(id, "/status", text, sizeof text) ? from_status(text, field) : 0;
	if (field <= UST_TASK_START)
		return read_file(id, "/stat", text, sizeof text) ? from_stat(text, field) : 0;
	return read_file(id, "/statm", text, sizeof text) ? from_statm(text, field) : 0;
}

const char *ust_task_name(struct ust_ctx *c, char *dst, ust_long id)
{
	char text[FILE_SIZE] = "";
	size_t len;

	(void)c;
	if (read_file(id, "/comm", text, sizeof text)) {
		len = strlen(text);
		text[len - (len > 0)] = 0;
	}
	ust_strcpy(dst, text);
	return dst;
}

/* The user runtime has no addresses of kernel objects: tasks are identified by thread id. */
ust_long ust_task_current(struct ust_ctx *c) { return ust_tid(c); }
ust_long ust_task_of_id(struct ust_ctx *c, ust_long id)
{
	return ust_task(c, id, UST_TASK_PID) ? id : 0;
}
const char *ust_task_name_at(struct ust_ctx *c, char *dst, ust_long task)
{
	return ust_task_name(c, dst, task);
}

ust_long ust_task_at(struct ust_ctx *c, ust_long task, ust_long field)
{
	return field == UST_TASK_TID ? ust_task_of_id(c, task) : ust_task(c, task, field);
}

/* The signal is delivered when the handler has ended: until then signals are blocked. */
void ust_raise(struct ust_ctx *c, ust_long signal)
{
	if (c->hit->mode != MODE_PROBE || process.flags & UST_PROCESS_NO_SYSCALLS ||
	    system_call(__NR_tgkill, identity_pid(), identity_tid(), signal, 0, 0, 0))
		ctx_fail_number(c, "cannot raise signal ", (u64)signal, "");
}
