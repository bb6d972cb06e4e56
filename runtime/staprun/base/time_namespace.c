/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks of processes in other time namespaces, as in some containers. */
#include "base/time_namespace.h"
#include "base/proc_stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static ino_t namespace_of(pid_t pid, const char *name)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, name);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* The offset of PID's namespace from the first one. The kernel shows that of the namespace of its
 * future children, which is the same unless the process has called unshare(CLONE_NEWTIME). */
static int64_t offset_of(pid_t pid)
{
	int64_t seconds, ns, offset = 0;
	char path[64];
	FILE *f;

	if (namespace_of(pid, "time") != namespace_of(pid, "time_for_children"))
		return 0;
	snprintf(path, sizeof path, "/proc/%d/timens_offsets", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "monotonic %" SCNd64 "%" SCNd64, &seconds, &ns) == 2)
		offset = seconds * 1000000000 + ns;
	fclose(f);
	return offset;
}

int64_t time_namespace_offset(pid_t pid)
{
	pid_t tid = proc_live_thread(pid);
	ino_t theirs = namespace_of(tid, "time"), ours = namespace_of(getpid(), "time");

	return !theirs || !ours || theirs == ours ? 0 : offset_of(tid) - offset_of(getpid());
}
