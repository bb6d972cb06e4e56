/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of the process that an event is about, and files in /proc that describe it, for the script
 * process, which has no right to read them, or does not see them (hidepid).
 *
 * It is served only while the event is in progress, and only if every process that shares the
 * script's memory has the privileges of that process: otherwise a traced process that has taken
 * over the script process could read memory that it may not trace itself.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/process/process.h"
#include "inject/script/script_process.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns 0 or -errno. */
static int32_t transfer(pid_t tid, struct ust_memory_request *r)
{
	const struct iovec here = {r->bytes, r->size}, there = {(void *)r->addr, r->size};
	ssize_t n;

	if (r->size > sizeof r->bytes)
		return -EINVAL;
	n = r->kind == UST_MEMORY_READ ? process_vm_readv(tid, &here, 1, &there, 1, 0)
				       : process_vm_writev(tid, &here, 1, &there, 1, 0);
	return n == (ssize_t)r->size ? 0 : -EFAULT;
}

static int32_t strings(pid_t pid, struct ust_memory_request *r)
{
	struct process_strings s = process_strings(pid);

	memcpy(r->bytes, &s, sizeof s);
	r->size = sizeof s;
	return 0;
}

/* The start of a file of the event's thread in /proc. */
static int32_t read_file(const struct event *ev, struct ust_memory_request *r)
{
	char name[80];
	ssize_t n;
	int fd;

	if (r->addr >= UST_SUBJECT_FILES)
		return -EINVAL;
	snprintf(name, sizeof name, "/proc/%d/task/%d%s", (int)ev->subject.host_pid, (int)ev->tid,
		 ust_subject_files[r->addr]);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, r->bytes, sizeof r->bytes);
	if (fd >= 0)
		close(fd);
	r->size = n > 0 ? (uint32_t)n : 0;
	return n < 0 ? -ENOENT : 0;
}

static int32_t serve(struct injector *in, const struct event *ev, struct ust_memory_request *r)
{
	if (!ev || !credentials_cover(in, ev->tid))
		return -EPERM;
	if (r->kind == UST_MEMORY_STRINGS)
		return strings((pid_t)ev->subject.host_pid, r);
	if (r->kind == UST_MEMORY_FILE)
		return read_file(ev, r);
	if (r->kind == UST_MEMORY_WRITE && !(in->blob->made.uses & UST_USES_WRITE))
		return -EPERM;
	return r->kind == UST_MEMORY_READ || r->kind == UST_MEMORY_WRITE ? transfer(ev->tid, r)
									 : -EINVAL;
}

void broker_serve(struct injector *in, int socket, const struct event *ev)
{
	static struct ust_memory_request r;
	ssize_t n = recv(socket, &r, sizeof r, MSG_DONTWAIT);

	if (n < (ssize_t)offsetof(struct ust_memory_request, bytes))
		return;
	r.result = serve(in, ev, &r);
	if (r.result)
		r.size = 0;
	/* a process that does not receive the reply loses it */
	send(socket, &r, offsetof(struct ust_memory_request, bytes) + r.size,
	     MSG_NOSIGNAL | MSG_DONTWAIT);
}
