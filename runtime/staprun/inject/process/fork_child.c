/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forked children inherit the agent, trampolines and patched code of their parent. The tracer
 * learns of them when they send a request, or searches for them at the end.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patched_file.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "inject/script/script_process.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Result of a comparison of the code of the child with patches, which many records share. */
struct comparison {
	const struct patches *patches;
	const struct file *file;
	uint64_t start;
	bool equal;
};

struct adoption {
	struct process *p;
	struct maps maps;
	struct tracee t; /* only to read its memory; the process is not stopped */
	struct comparison *comparisons;
	size_t ncomparisons;
};

/* Is the code of L, mapped at M, the file's and patched? */
static bool compare(struct adoption *a, const struct loaded *l, const struct mapping *m)
{
	struct comparison *c;

	for (size_t i = 0; i < a->ncomparisons; i++) {
		c = &a->comparisons[i];
		if (c->patches == l->patches && c->file == l->file && c->start == l->start)
			return c->equal;
	}
	a->comparisons = xrealloc(a->comparisons, (a->ncomparisons + 1) * sizeof *c);
	c = &a->comparisons[a->ncomparisons++];
	*c = (struct comparison){l->patches, l->file, l->start,
				 file_is(l->file, a->p->pid, m) &&
					 text_is_armed(&a->t, l->patches)};
	return c->equal;
}

static bool shares(struct adoption *a, const struct loaded *l)
{
	const struct mapping *m = maps_at(&a->maps, l->start);

	return m && m->exec && l->start - m->start + m->offset == l->offset && compare(a, l, m);
}

static size_t count_shared(struct adoption *a, const struct process *from)
{
	size_t n = 0;

	for (size_t i = 0; i < from->nloaded; i++)
		n += shares(a, &from->loaded[i]);
	return n;
}

static bool has_area(const struct adoption *a, const struct area *area)
{
	const struct mapping *m = maps_at(&a->maps, area->start);

	return m && m->exec && !m->inode;
}

static void copy(struct adoption *a, const struct process *from)
{
	struct process *p = a->p;

	p->loaded = xrealloc(NULL, (from->nloaded + 1) * sizeof *p->loaded);
	p->areas = xrealloc(NULL, (from->nareas + 1) * sizeof *p->areas);
	for (size_t i = 0; i < from->nloaded; i++)
		if (shares(a, &from->loaded[i])) {
			from->loaded[i].patches->refs++;
			p->loaded[p->nloaded++] = from->loaded[i];
		}
	for (size_t i = 0; i < from->nareas; i++)
		if (has_area(a, &from->areas[i]))
			p->areas[p->nareas++] = from->areas[i];
	p->nextents = from->nextents;
	p->sees_sigaction = from->sees_sigaction;
	p->catching = from->catching;
	p->faults_unseen = from->faults_unseen;
	p->looks_up = from->looks_up;
	p->faults_caught = from->faults_caught;
	p->trapping = from->trapping;
	p->no_traps = from->no_traps;
	p->unwatched = from->unwatched;
}

/* Copy from the process that has most in common with it: its parent, or one with the same
 * patches. */
static void copy_best(struct adoption *a, const struct injector *in)
{
	const struct process *best = NULL;
	size_t most = 0;

	for (const struct process *q = in->processes; q; q = q->next) {
		size_t n = q == a->p ? 0 : count_shared(a, q);

		if (n > most) {
			most = n;
			best = q;
		}
	}
	if (best)
		copy(a, best);
	a->p->unknown = !best;
}

bool process_unique(const struct injector *in, pid_t pid, uint64_t *to)
{
	uint64_t at = in->blob->base + in->blob->private_size - UST_PAGE +
		      offsetof(struct ust_local, unique);
	struct iovec here = {to, sizeof *to}, there = {(void *)at, sizeof *to};

	return process_vm_readv(proc_live_thread(pid), &here, 1, &there, 1, 0) ==
	       (ssize_t)sizeof *to;
}

/* A process that shares the memory of another one, as between vfork() and exec, reads the other's
 * identity there. 0: it has its own memory. */
static pid_t read_owner(const struct adoption *a, const struct injector *in)
{
	uint64_t at = in->blob->base + in->blob->private_size - UST_PAGE;
	struct ust_local local;
	uint64_t unique;

	if (!tracee_read(&a->t, at, &local, sizeof local) || !local.pid ||
	    (pid_t)local.pid == a->p->pid_inside)
		return 0;
	for (const struct process *q = in->processes; q; q = q->next)
		if (!q->ended && q->pid_inside == (pid_t)local.pid &&
		    process_unique(in, q->pid, &unique) && unique == local.unique)
			return q->pid;
	return (pid_t)local.pid; /* not known */
}

struct process *fork_child_find(struct injector *in, pid_t pid)
{
	struct adoption a = {0};

	if (!maps_read(&a.maps, pid))
		return NULL;
	if (process_has_agent(in->blob, &a.maps) && tracee_open_running(&a.t, pid)) {
		a.p = process_new(in, pid);
		a.p->injected = true;
		a.p->owner = read_owner(&a, in);
		credentials_note(in, pid);
		copy_best(&a, in);
		close(a.t.mem);
		free(a.comparisons);
	}
	maps_free(&a.maps);
	return a.p;
}

/* True for staprun, the tracer and the script process. They map the agent, too, and are not traced,
 * even if a request names them. */
bool fork_child_is_own(const struct injector *in, pid_t pid)
{
	return pid == getpid() || pid == getppid() || pid == in->script->pid;
}

static bool maps_text(const struct blob *b, pid_t tid)
{
	char name[80];
	struct stat st;

	snprintf(name, sizeof name, "/proc/%d/map_files/%llx-%llx", (int)tid,
		 (unsigned long long)b->text, (unsigned long long)(b->text + b->text_size));
	return !lstat(name, &st);
}

/* False for threads of the kernel, too. */
static bool has_program(pid_t pid)
{
	char name[40], first;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
	return readlink(name, &first, 1) >= 0 || errno != ENOENT;
}

/* Faster than reading all of its mappings, or its state: this is asked of all processes. */
bool fork_child_maps_text(const struct blob *b, pid_t pid)
{
	pid_t tid;

	if (maps_text(b, pid))
		return true;
	tid = has_program(pid) ? pid : proc_live_thread(pid);
	return tid != pid && maps_text(b, tid);
}

void fork_children_visit(struct injector *in, fork_child_fn fn, void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;
	bool enough = false;

	while (dir && !enough && (de = readdir(dir))) {
		pid_t pid = atoi(de->d_name);

		if (pid > 0 && !fork_child_is_own(in, pid) && !process_find(in, pid) &&
		    fork_child_maps_text(in->blob, pid))
			enough = fn(in, pid, arg);
	}
	if (dir)
		closedir(dir);
}

static bool adopt_one(struct injector *in, pid_t pid, void *arg)
{
	(void)arg;
	fork_child_find(in, pid);
	return false;
}

void fork_children_find(struct injector *in) { fork_children_visit(in, adopt_one, NULL); }
