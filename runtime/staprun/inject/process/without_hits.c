/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes in which probes have no hits although nothing fails: those that do not map the probed
 * files, and those whose program, valgrind, does not execute the code that they map but a
 * translation of it.
 */
#include "inject/injector.h"
#include "inject/patch/patched_file.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <fnmatch.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------ translated code */

/* valgrind executes its tools, one program for each: memcheck-amd64-linux and others, all in a
 * directory of its name. */
static bool is_valgrind(pid_t pid)
{
	char name[40], path[4096];
	ssize_t n;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)proc_live_thread(pid));
	n = readlink(name, path, sizeof path - 1);
	if (n < 0)
		return false;
	path[n] = 0;
	return !fnmatch("*/valgrind/*-linux", path, 0);
}

/* True if the script probes the program that PID executes. */
static bool probes_program(const struct injector *in, pid_t pid)
{
	char name[40];
	struct stat st;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)proc_live_thread(pid));
	if (stat(name, &st))
		return false;
	for (size_t i = 0; i < in->nfiles; i++)
		if (in->files[i]->probed && in->files[i]->dev == st.st_dev &&
		    in->files[i]->ino == st.st_ino)
			return true;
	return false;
}

void translated_warn(struct injector *in, const struct process *p)
{
	if (!is_valgrind(p->pid) || probes_program(in, p->pid))
		return;
	in->translated = true;
	warning("process %d (%s) runs under valgrind, which executes a translation of its code: "
		"probes of it have no hits",
		(int)p->pid, p->name);
	hint("trace the program without valgrind");
}

/* -------------------------------------------------------------- unmapped files */

/* A library that was loaded while its process could not be stopped is mapped as well. */
static bool maps_probed(const struct injector *in, pid_t pid)
{
	bool found = false;
	struct maps m;

	if (!maps_read(&m, pid))
		return false;
	for (size_t i = 0; i < m.n && !found; i++) {
		const struct file *f = m.v[i].exec && m.v[i].inode ? file_of(in, pid, &m.v[i])
								   : NULL;

		found = f && f->probed;
	}
	maps_free(&m);
	return found;
}

/* Mappings of a process that has ended are known as of the last look at them. */
static bool may_have_mapped(const struct injector *in)
{
	for (const struct process *p = in->processes; p; p = p->next)
		if (p->ended ? p->unprobed : maps_probed(in, p->pid))
			return true;
	return false;
}

void unmapped_report(const struct injector *in)
{
	const char *first = NULL;
	unsigned n = 0;

	if (!in->ran || in->translated || in->starts)
		return;
	for (size_t i = 0; i < in->nfiles; i++) {
		const struct file *f = in->files[i];

		if (!f->probed || f->retired)
			continue;
		if (f->mapped || !f->elf)
			return;
		if (!n++)
			first = f->path;
	}
	if (n && !may_have_mapped(in))
		unmapped_send(in, first, n);
}
