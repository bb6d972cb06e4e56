/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts of one program. With CAP_SYS_ADMIN the kernel asks before each exec of its file
 * (fanotify(7), FAN_OPEN_EXEC_PERM): the process is seized while it waits for the answer, and
 * traced from its first instruction. Otherwise inotify(7) reports that the file was opened, and
 * /proc is searched a few times, at growing intervals. A search each second finds what both have
 * missed. Processes are identified by pidfds, and examined again after they were stopped, so a
 * reused process id is never mistaken for a process of the program.
 */
#include "inject/injector.h"
#include "inject/patch/patched_file.h"
#include "inject/process/follow.h"
#include "inject/process/process.h"
#include "inject/process/program_starts.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* Times in ns. A search may take a quarter of the time at most. */
#define SEARCH_NS 1000000000ull
#define FIRST_NS  1000000ull
enum { SEARCH_SHARE = 4, EVENTS_SIZE = 4096 };

struct starts {
	struct injector *in;
	const char *path;
	dev_t dev; /* of the file at PATH */
	ino_t ino;
	int asked;          /* fanotify: execs that wait for an answer; -1 */
	int changed, watch; /* inotify: the file was opened or replaced; -1 */
	uint64_t due, step; /* CLOCK_MONOTONIC: the next search, and the time to the one after it */
	bool searched;
	unsigned late; /* number of processes that ran before they were traced */
};

/* ----------------------------------------------------------------- the file */

static void watch_file(struct starts *s)
{
	uint32_t mask = IN_ATTRIB | IN_MOVE_SELF | (s->asked < 0 ? IN_OPEN : 0);

	if (s->asked >= 0) {
		fanotify_mark(s->asked, FAN_MARK_FLUSH, 0, AT_FDCWD, NULL);
		if (fanotify_mark(s->asked, FAN_MARK_ADD, FAN_OPEN_EXEC_PERM, AT_FDCWD, s->path)) {
			close(s->asked);
			s->asked = -1;
			mask |= IN_OPEN;
		}
	}
	if (s->watch >= 0)
		inotify_rm_watch(s->changed, s->watch);
	s->watch = inotify_add_watch(s->changed, s->path, mask);
}

/* While the file is missing, the old one is watched further. */
static void examine_file(struct starts *s)
{
	struct stat st;

	if (stat(s->path, &st) || (st.st_dev == s->dev && st.st_ino == s->ino))
		return;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	watch_file(s);
	if (s->searched)
		files_refresh(s->in);
}

struct starts *starts_open(struct injector *in, const char *path)
{
	struct starts *s = xrealloc(NULL, sizeof *s);

	*s = (struct starts){.in = in,
			     .path = path,
			     .asked = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK |
							    FAN_REPORT_TID,
						    O_RDONLY | O_CLOEXEC),
			     .changed = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
			     .watch = -1,
			     .step = SEARCH_NS};
	examine_file(s);
	if (s->asked < 0)
		note("--follow: processes are found in /proc: to trace them from their first "
		     "instruction needs CAP_SYS_ADMIN");
	return s;
}

/* Closing the descriptor answers all execs that wait. */
void starts_close(struct starts *s)
{
	if (s->asked >= 0)
		close(s->asked);
	if (s->changed >= 0)
		close(s->changed);
	free(s);
}

int starts_fd(const struct starts *s, int which)
{
	return which == STARTS_ASKED ? s->asked : s->changed;
}

/* -------------------------------------------------------------------- execs */

static int seize(struct injector *in, pid_t pid, pid_t tid)
{
	int err;

	if (follow_has(in, pid))
		return 0;
	if (follow_is_used(in))
		return follow_process(in, pid, true);
	err = launch_seize(pid);
	if (!err)
		launches_add_exec(in, pid, tid);
	return err;
}

/* Thread TID waits in exec of the program. */
static void take_exec(struct starts *s, pid_t tid)
{
	pid_t pid = (pid_t)proc_status(tid, "Tgid", 10);
	int err;

	if (pid <= 0 || s->in->dismissing || fork_child_is_own(s->in, pid))
		return;
	err = exec_gains_privilege(pid, s->path) ? EPERM : seize(s->in, pid, tid);
	if (!err || err == ESRCH)
		return;
	exec_not_followed(pid, strerror(err));
	untraced_send(s->in, pid, s->path);
}

static void answer(const struct starts *s, int fd)
{
	struct fanotify_response r = {.fd = fd, .response = FAN_ALLOW};

	if (write(s->asked, &r, sizeof r) != sizeof r)
		note("--follow: cannot answer an exec: %s", strerror(errno));
	close(fd);
}

/* False if no file can be opened: from then on the kernel does not ask before execs. */
static bool may_take(struct starts *s)
{
	int spare = fcntl(s->asked, F_DUPFD_CLOEXEC, 0);

	if (spare >= 0) {
		close(spare);
		return true;
	}
	warning("--follow: too many files are open: processes are found after their start");
	close(s->asked);
	s->asked = -1;
	watch_file(s);
	return false;
}

/*
 * The kernel opens the file for each event that is read, and refuses the exec (EPERM) if it cannot.
 * So events are read one at a time, also since calls are nested: while a process is stopped, others
 * are answered.
 */
static void take_asked(struct starts *s)
{
	struct fanotify_event_metadata e;

	while (s->asked >= 0 && may_take(s) && read(s->asked, &e, sizeof e) == sizeof e) {
		if (e.pid > 0 && e.mask & FAN_OPEN_EXEC_PERM)
			take_exec(s, e.pid);
		if (e.fd >= 0)
			answer(s, e.fd);
	}
}

static void search_soon(struct starts *s)
{
	uint64_t soon = clock_ns() + FIRST_NS;

	s->step = FIRST_NS;
	if (s->due > soon)
		s->due = soon;
}

void starts_take(struct starts *s)
{
	char buf[EVENTS_SIZE];

	take_asked(s);
	while (s->changed >= 0 && read(s->changed, buf, sizeof buf) > 0)
		search_soon(s);
}

/* ------------------------------------------------------------------- search */

static bool is_file(const struct starts *s, const struct stat *st)
{
	const struct injector *in = s->in;
	bool is = st->st_dev == s->dev && st->st_ino == s->ino;

	/* a process may run what the file was before it was replaced */
	for (size_t i = 0; i < in->nfiles && !is; i++)
		is = in->files[i]->elf && !strcmp(in->files[i]->path, s->path) &&
		     in->files[i]->dev == st->st_dev && in->files[i]->ino == st->st_ino;
	return is;
}

bool starts_runs(const struct starts *s, pid_t pid)
{
	char name[40];
	struct stat st;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
	return !stat(name, &st) && is_file(s, &st);
}

/* True if it is traced, or an attempt to trace it has failed. */
static bool is_known(struct injector *in, pid_t pid)
{
	struct process *p = process_find(in, pid);

	if (p && process_ended(p)) {
		process_note_exit(in, p);
		p = NULL;
	}
	return p || follow_has(in, pid) || launches_has(in, pid) || fork_child_is_own(in, pid) ||
	       fork_child_maps_text(in->blob, pid);
}

static void attach(struct starts *s, pid_t pid, attach_fn fn, void *arg)
{
	if (fn(arg, pid)) {
		s->late += s->searched;
		return;
	}
	untraced_send(s->in, pid, s->path);
	if (!process_find(s->in, pid))
		process_new(s->in, pid);
}

static void search(struct starts *s, attach_fn fn, void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		pid_t pid = atoi(de->d_name);

		if (pid > 0 && starts_runs(s, pid) && !is_known(s->in, pid))
			attach(s, pid, fn, arg);
	}
	if (dir)
		closedir(dir);
}

int starts_wait(const struct starts *s)
{
	uint64_t now = clock_ns();

	return s->due <= now ? 0 : (int)((s->due - now) / 1000000 + 1);
}

void starts_search(struct starts *s, attach_fn fn, void *arg)
{
	uint64_t now = clock_ns(), end, least;

	if (now < s->due)
		return;
	examine_file(s);
	search(s, fn, arg);
	s->searched = true;
	end = clock_ns();
	least = (end - now) * SEARCH_SHARE;
	s->due = end + (s->step > least ? s->step : least);
	s->step = 2 * s->step < SEARCH_NS ? 2 * s->step : SEARCH_NS;
}

void starts_report(const struct starts *s)
{
	if (s->late)
		warning("--follow: %u process%s ran %s untraced for a moment before staprun "
			"attached",
			s->late, s->late == 1 ? "" : "es", s->path);
}
