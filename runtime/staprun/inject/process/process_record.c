/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of traced processes: found, created, freed after their end. */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/arm.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "report/report.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exited processes that are remembered for patches that their children inherited. */
enum { DEAD_MAX = 64 };

struct process *process_find(const struct injector *in, pid_t pid)
{
	for (struct process *p = in->processes; p; p = p->next)
		if (p->pid == pid && !p->ended)
			return p;
	return NULL;
}

/* Its id in the innermost of its pid namespaces. */
pid_t pid_inside(pid_t pid)
{
	char name[40], line[512], *p;
	pid_t inside = pid;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "NSpid:", 6)) {
			p = strrchr(line, '\t');
			inside = p ? atoi(p + 1) : pid;
			break;
		}
	if (f)
		fclose(f);
	return inside;
}

/* Descriptors that are kept for stopped processes and for files in /proc. */
enum { SPARE_FDS = 32 };

int process_descriptor(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct rlimit most;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &most) || (rlim_t)fd + SPARE_FDS < most.rlim_cur)
		return fd;
	close(fd);
	errno = EMFILE;
	return -1;
}

/* Warn once, with the error of process_descriptor(). */
static void warn_of_descriptors(int err)
{
	static bool warned;

	if (warned)
		return;
	warned = true;
	warning("not all processes can be opened (%s): how some of them end is not recorded",
		strerror(err));
	hint("raise the limit before the next run: ulimit -Hn");
}

struct process *process_new(struct injector *in, pid_t pid)
{
	struct process *p = xrealloc(NULL, sizeof *p);

	*p = (struct process){.pid = pid,
			      .pid_inside = pid_inside(pid),
			      .name = "process",
			      .next = in->processes};
	p->pidfd = process_descriptor(pid);
	p->ended = p->pidfd < 0 && (errno == ESRCH || errno == EINVAL);
	if (p->pidfd < 0 && !p->ended)
		warn_of_descriptors(errno);
	process_name(pid, p->name);
	in->processes = p;
	return p;
}

int stop_process(struct tracee *t, pid_t pid)
{
	int err = tracee_hold(t, pid);

	/* once more, in case another run traced it a moment before */
	for (int i = 0; err == EPERM && i < 10 && trace_permission_wait(pid); i++)
		err = tracee_hold(t, pid);
	return err;
}

void process_forget(struct process *p)
{
	for (size_t i = 0; i < p->nloaded; i++)
		patches_put(p->loaded[i].patches);
	plans_free(p);
	free(p->loaded);
	free(p->areas);
	free(p->mapped);
	p->loaded = NULL;
	p->areas = NULL;
	p->mapped = NULL;
	p->nloaded = p->nareas = p->nmapped = 0;
	p->nextents = 0;
	p->owner = 0;
	p->injected = p->unknown = p->sees_sigaction = p->catching = false;
	p->faults_unseen = p->faults_caught = p->looks_up = false;
	p->trapping = p->no_traps = p->unwatched = false;
}

static void process_free(struct injector *in, struct process *p)
{
	struct process **at = &in->processes;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	process_forget(p);
	if (p->pidfd >= 0)
		close(p->pidfd);
	free(p);
}

/* True if no other process shares the memory of P. */
static bool is_last(const struct process *p)
{
	for (size_t i = 0; i < p->nloaded; i++)
		if (p->loaded[i].patches->n && p->loaded[i].patches->refs == 1)
			return true;
	return false;
}

static bool free_oldest_dead(struct injector *in)
{
	struct process *oldest = NULL;
	unsigned n = 0;

	for (struct process *p = in->processes; p; p = p->next)
		if (p->ended) {
			oldest = p;
			n++;
		}
	if (n <= DEAD_MAX)
		return false;
	process_free(in, oldest);
	return true;
}

bool process_ended(const struct process *p)
{
	struct pollfd fd = {.fd = p->pidfd, .events = POLLIN};

	if (p->ended || p->pidfd < 0)
		return p->ended || pid_is_gone(p->pid);
	return poll(&fd, 1, 0) > 0;
}

bool pid_is_ending(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	bool ends = pid_ends_soon(pid, fd);

	if (fd >= 0)
		close(fd);
	return ends;
}

void death_of(const struct injector *in, struct process *p)
{
	int status;

	if (!p->injected || !process_ended(p) || p->pidfd < 0 ||
	    !death_status(p->pid, p->pidfd, &status))
		return;
	death_name(p->pid, p->pidfd, p->name);
	death_send(in, p->pid, p->name, status);
}

void process_note_exit(struct injector *in, struct process *p)
{
	death_of(in, p);
	if (!is_last(p)) {
		process_free(in, p);
		return;
	}
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
	p->ended = true;
}

void processes_tidy(struct injector *in)
{
	struct process *p = in->processes, *next;

	for (; p; p = next) {
		next = p->next;
		if (!p->ended && p->pidfd < 0 && process_ended(p))
			process_note_exit(in, p);
	}
	while (free_oldest_dead(in))
		;
}

void processes_free(struct injector *in)
{
	while (in->processes)
		process_free(in, in->processes);
}

bool process_has_agent(const struct blob *b, const struct maps *m)
{
	const struct mapping *text = maps_at(m, b->text);
	struct stat st;

	return text && text->start == b->text && text->exec && !fstat(b->code, &st) &&
	       text->inode == st.st_ino;
}

bool process_maps(const struct process *p, const struct maps *maps, const struct loaded *l)
{
	const struct mapping *m = maps_at(maps, l->start);

	return m && m->exec && l->start - m->start + m->offset == l->offset &&
	       file_is(l->file, p->pid, m);
}
