/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target namespace: process ids as a container sees them (--target-namespaces).
 *
 * The numbers of a line NSpid of /proc/PID/status are the ids of the process in the namespaces from
 * that of staprun (index 0) to its own. The target namespace is at the same index for each process
 * in it or below it; whether a process is, ioctl_ns(2) says.
 */
#include "base/target_namespaces.h"

#include "base/message.h"
#include "wire.h"
#include "wire_agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 33 }; /* the kernel allows 32 nested namespaces */

static struct {
	bool given;
	unsigned level;
	struct stat id; /* of the file in /proc/PID/ns; an open descriptor keeps the inode */
} target;

/* The numbers of the line NSpid of PID; returns how many, 0 after an error. */
static unsigned read_ids(pid_t pid, pid_t ids[MAX_DEPTH])
{
	char name[40], line[512], *p, *end;
	unsigned n = 0;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof line, f)) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		for (p = line + 6; n < MAX_DEPTH; p = end) {
			long id = strtol(p, &end, 10);

			if (end == p)
				break;
			ids[n++] = (pid_t)id;
		}
		break;
	}
	if (f)
		fclose(f);
	return n;
}

static int open_namespace(pid_t pid)
{
	char name[40];

	snprintf(name, sizeof name, "/proc/%d/ns/pid", (int)pid);
	return open(name, O_RDONLY | O_CLOEXEC);
}

bool target_namespaces_set(pid_t pid)
{
	pid_t ids[MAX_DEPTH];
	int fd = open_namespace(pid);

	if (fd < 0 || fstat(fd, &target.id))
		return fail("--target-namespaces %d: %s", (int)pid,
			    errno == ENOENT ? "no such process" : strerror(errno));
	target.level = read_ids(pid, ids);
	if (!target.level--)
		return fail("--target-namespaces %d: no such process", (int)pid);
	target.given = true;
	return true;
}

/* Is the namespace FD, or the one UP levels above it, the target? */
static bool is_target(int fd, unsigned up)
{
	struct stat st;
	bool same;

	for (; fd >= 0 && up; up--) {
		int parent = ioctl(fd, NS_GET_PARENT);

		close(fd);
		fd = parent;
	}
	if (fd < 0)
		return false;
	same = !fstat(fd, &st) && st.st_ino == target.id.st_ino && st.st_dev == target.id.st_dev;
	close(fd);
	return same;
}

uint32_t target_namespaces_level(pid_t pid)
{
	pid_t ids[MAX_DEPTH];
	unsigned n;

	if (!target.given || !target.level)
		return 0;
	n = read_ids(pid, ids);
	return n > target.level && is_target(open_namespace(pid), n - 1 - target.level)
		       ? target.level
		       : UST_NOT_IN_NAMESPACE;
}

pid_t target_namespaces_id(pid_t pid)
{
	uint32_t level = target_namespaces_level(pid);
	pid_t ids[MAX_DEPTH];

	if (!level)
		return pid;
	return level != UST_NOT_IN_NAMESPACE && read_ids(pid, ids) > level ? ids[level] : 0;
}

bool target_namespaces_own(pid_t pid)
{
	pid_t ids[MAX_DEPTH];
	int fd = open_namespace(pid);

	if (!target.given)
		stat("/proc/self/ns/pid", &target.id);
	/* a process that may not be looked at is at most as deep as its number of ids */
	return fd < 0 ? read_ids(pid, ids) == target.level + 1 : is_target(fd, 0);
}
