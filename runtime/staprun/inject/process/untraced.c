/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untraced descendants of traced processes that run a probed program. Existing ones are found in
 * /proc when the script starts and stops. Others send a request (UST_REQ_UNTRACED): a forked child
 * has the agent of its parent, though no handler runs in it.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/patched_file.h"
#include "inject/process/follow.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The script's own files come first; the path is the one in the script. */
static const char *probed_file(const struct injector *in, const struct stat *st)
{
	for (size_t i = 0; i < in->nfiles; i++) {
		const struct file *f = in->files[i];

		if (f->probed && f->elf && f->dev == st->st_dev && f->ino == st->st_ino)
			return f->path;
	}
	return NULL;
}

/* NAME is below /proc/PID. */
static const char *probed_name(const struct injector *in, const char *name)
{
	struct stat st;

	return stat(name, &st) || !S_ISREG(st.st_mode) ? NULL : probed_file(in, &st);
}

/* The probed program that PID runs; NULL if it runs another one. */
static const char *program_of(const struct injector *in, pid_t pid)
{
	char name[40];

	snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
	return probed_name(in, name);
}

static void send_program(void *arg, pid_t pid)
{
	const struct injector *in = arg;
	const char *path = program_of(in, pid);

	if (path)
		untraced_send(in, pid, path);
}

void untraced_serve(struct injector *in, pid_t pid, const char *path)
{
	char name[4200];

	if (pid <= 0 || in->blob->shared->children || fork_child_is_own(in, pid) ||
	    !fork_child_maps_text(in->blob, pid))
		return;
	if (!path) {
		send_program(in, pid);
		return;
	}
	snprintf(name, sizeof name, "/proc/%d/%s%s", (int)pid, *path == '/' ? "root" : "cwd/",
		 path);
	path = probed_name(in, name);
	if (path)
		untraced_send(in, pid, path);
}

/* ------------------------------------------------------------- those that live */

static bool is_known(const struct injector *in, pid_t pid)
{
	const struct process *p = process_find(in, pid);

	return (p && p->injected) || follow_has(in, pid);
}

/* Parents may change meanwhile: the number of steps is bounded by the number of possible process
 * ids. */
static bool descends(const struct injector *in, pid_t pid)
{
	enum { DEPTH_MAX = 1000 };

	for (int i = 0; i < DEPTH_MAX && pid > 1; i++) {
		pid = (pid_t)proc_status(pid, "PPid", 10);
		if (pid > 1 && is_known(in, pid))
			return true;
	}
	return false;
}

/* With --children, a process with the agent was forked by a traced one, and is traced. */
static bool is_traced(const struct injector *in, pid_t pid)
{
	return is_known(in, pid) ||
	       (in->blob->shared->children && fork_child_maps_text(in->blob, pid));
}

void descendants_visit(struct injector *in, bool probed, descendant_fn fn, void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		pid_t pid = atoi(de->d_name);

		/* the cheapest test comes first */
		if (pid > 0 && !fork_child_is_own(in, pid) && (!probed || program_of(in, pid)) &&
		    !is_traced(in, pid) && descends(in, pid))
			fn(arg, pid);
	}
	if (dir)
		closedir(dir);
}

void untraced_report_programs(struct injector *in)
{
	descendants_visit(in, true, send_program, in);
}
