/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Credentials of the processes that share the script's memory.
 *
 * Handlers follow pointers in that memory, so each process that maps it can take over every other
 * one. Therefore no process gets it that has more privileges than any process that has had it
 * before, nor one that has fewer than another one that has it now. A program that gives up
 * privileges between fork and exit, without exec, has the memory already: see doc/security.md.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/process/process.h"
#include "base/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool take_line(struct credentials *c, const char *line)
{
	unsigned long long caps;

	if (sscanf(line, "CapPrm: %llx", &caps) == 1)
		c->caps = caps;
	return sscanf(line, "Uid: %u %u %u %u", &c->uid[0], &c->uid[1], &c->uid[2], &c->uid[3]) ==
		       4 ||
	       sscanf(line, "Gid: %u %u %u %u", &c->gid[0], &c->gid[1], &c->gid[2], &c->gid[3]) ==
		       4 ||
	       !strncmp(line, "CapPrm:", 7);
}

static struct credentials credentials_of(pid_t pid)
{
	struct credentials c = {0};
	char path[40], line[256];
	unsigned found = 0;
	struct stat st;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
	if (!stat(path, &st))
		c.user_space = st.st_ino;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		found += take_line(&c, line);
	if (f)
		fclose(f);
	c.known = found == 3;
	return c;
}

/* True if all ids of both are the same one. */
static bool ids_within(const uint32_t a[4], const uint32_t b[4])
{
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			if (a[i] != b[k])
				return false;
	return true;
}

static bool equal(const struct credentials *a, const struct credentials *b)
{
	return !memcmp(a->uid, b->uid, sizeof a->uid) && !memcmp(a->gid, b->gid, sizeof a->gid) &&
	       a->caps == b->caps && a->user_space == b->user_space;
}

static uint64_t own_user_space(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) ? 0 : st.st_ino;
}

/* within() for processes in different user namespaces. Capabilities in one namespace mean nothing
 * in another, but those in staprun's exceed all in the namespaces below it, which are the only
 * others that it can trace. */
static bool within_other(const struct credentials *a, const struct credentials *b)
{
	uint64_t own = own_user_space();

	if (b->user_space == own && b->caps && b->uid[1] == 0)
		return true;
	return ids_within(a->uid, b->uid) && !b->caps && (a->user_space != own || !a->caps);
}

/* True if A has no privilege that B lacks. */
static bool within(const struct credentials *a, const struct credentials *b)
{
	bool root = b->caps && b->uid[1] == 0;

	if (!a->known || !b->known)
		return false;
	if (equal(a, b))
		return true;
	if (a->user_space != b->user_space)
		return within_other(a, b);
	return !(a->caps & ~b->caps) &&
	       (root || (ids_within(a->uid, b->uid) && ids_within(a->gid, b->gid)));
}

static bool holds(const struct process *q)
{
	return q->injected && q->pidfd >= 0 && !process_ended(q);
}

/* A process other than PID that shares the memory and has privileges that C lacks. */
static const struct process *find_above(struct injector *in, const struct credentials *c, pid_t pid)
{
	fork_children_find(in);
	for (const struct process *q = in->processes; q; q = q->next) {
		struct credentials have;

		if (q->pid == pid || !holds(q))
			continue;
		have = credentials_of(q->pid);
		if (have.known && !within(&have, c))
			return q;
	}
	return NULL;
}

/* OTHER: the process with more privileges; 0: P itself has them. */
static bool refuse(const struct process *p, pid_t other)
{
	if (other)
		warning("process %d is not traced: it has fewer privileges than process %d, with "
			"which it would share the script's memory",
			(int)p->pid, (int)other);
	else
		warning("process %d is not traced: it has more privileges than another process "
			"that shares the script's memory",
			(int)p->pid);
	return hint(
		"trace the processes of each user in a run of their own, or use --runtime=kernel");
}

bool credentials_admit(struct injector *in, const struct process *p)
{
	struct credentials c = credentials_of(p->pid);
	const struct process *above;

	if (!c.known)
		return true; /* it has ended: the next step fails */
	if (in->floor && equal(in->floor, &c))
		return true;
	if (in->floor && !within(&c, in->floor))
		return refuse(p, 0);
	above = in->floor ? find_above(in, &c, p->pid) : NULL;
	if (above)
		return refuse(p, above->pid);
	if (!in->floor)
		in->floor = xrealloc(NULL, sizeof *in->floor);
	*in->floor = c;
	return true;
}

void credentials_note(struct injector *in, pid_t pid)
{
	struct credentials c = credentials_of(pid);

	if (in->floor && c.known && within(&c, in->floor))
		*in->floor = c;
}

bool credentials_cover(struct injector *in, pid_t pid)
{
	struct credentials c = credentials_of(pid);

	if (!in->floor)
		return true; /* no process has had the memory yet */
	if (!c.known)
		return false;
	for (const struct process *q = in->processes; q; q = q->next)
		if (holds(q))
			credentials_note(in, q->pid);
	return within(&c, in->floor);
}
