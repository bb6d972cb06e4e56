/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Credentials of the processes that share the script's memory.
 *
 * Handlers follow pointers in that memory, so each process that maps it can take over every other
 * one. Therefore no process gets it that has more privileges than any process that has had it
 * before, nor one that has fewer than another one that has it now (admission.c). A program that
 * gives up privileges between fork and exit, without exec, has the memory already: see
 * doc/security.md.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/process/process.h"

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

struct credentials credentials_of(pid_t pid)
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

bool credentials_equal(const struct credentials *a, const struct credentials *b)
{
	return !memcmp(a->uid, b->uid, sizeof a->uid) && !memcmp(a->gid, b->gid, sizeof a->gid) &&
	       a->caps == b->caps && a->user_space == b->user_space;
}

static uint64_t own_user_space(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) ? 0 : st.st_ino;
}

/* credentials_within() for processes in different user namespaces. Capabilities in one namespace
 * mean nothing in another, but those in staprun's exceed all in the namespaces below it, which are
 * the only others that it can trace. */
static bool within_other(const struct credentials *a, const struct credentials *b)
{
	uint64_t own = own_user_space();

	if (b->user_space == own && b->caps && b->uid[1] == 0)
		return true;
	return ids_within(a->uid, b->uid) && !b->caps && (a->user_space != own || !a->caps);
}

bool credentials_within(const struct credentials *a, const struct credentials *b)
{
	bool root = b->caps && b->uid[1] == 0;

	if (!a->known || !b->known)
		return false;
	if (credentials_equal(a, b))
		return true;
	if (a->user_space != b->user_space)
		return within_other(a, b);
	return !(a->caps & ~b->caps) &&
	       (root || (ids_within(a->uid, b->uid) && ids_within(a->gid, b->gid)));
}

bool process_has_script_memory(const struct process *q) { return q->injected && !process_ended(q); }

void credentials_note(struct injector *in, pid_t pid)
{
	struct credentials c = credentials_of(pid);

	if (in->floor && c.known && credentials_within(&c, in->floor))
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
		if (process_has_script_memory(q))
			credentials_note(in, q->pid);
	return credentials_within(&c, in->floor);
}
