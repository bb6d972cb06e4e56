/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors of the tracer, passed to a stopped process: by a socket pair of that process, one end
 * of which the tracer duplicates. If the kernel or a seccomp filter refuses that, the process opens
 * the file by its name in /proc, or, if it is of another user, connects to a socket of the tracer.
 */
#define _GNU_SOURCE
#include "inject/ptrace/ptrace.h"
#include "base/proc_stat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* Data for recvmsg(), laid out as in the other process at AT. */
struct parcel {
	struct msghdr msg;
	struct iovec iov;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	int pair[2];
	char byte;
	struct sockaddr_un name;
};

static void parcel_address(struct parcel *p, uint64_t at)
{
	p->iov = (struct iovec){(void *)(at + offsetof(struct parcel, byte)), 1};
	p->msg = (struct msghdr){.msg_iov = (void *)(at + offsetof(struct parcel, iov)),
				 .msg_iovlen = 1,
				 .msg_control = (void *)(at + offsetof(struct parcel, control)),
				 .msg_controllen = sizeof p->control};
}

static bool send_here(int socket, int fd)
{
	struct parcel p = {0};

	parcel_address(&p, (uint64_t)&p);
	p.control.head = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&p.control.head), &fd, sizeof fd);
	return sendmsg(socket, &p.msg, MSG_NOSIGNAL) == 1;
}

static long receive_there(struct tracee *t, uint64_t at, int socket)
{
	struct parcel p = {0};
	long n;
	int fd;

	parcel_address(&p, at);
	if (!tracee_write(t, at, &p, sizeof p))
		return -EFAULT;
	n = remote_syscall(t, SYS_recvmsg, socket, (long)(at + offsetof(struct parcel, msg)),
			   MSG_CMSG_CLOEXEC | MSG_DONTWAIT, 0, 0, 0);
	if (n != 1)
		return n < 0 ? n : -EIO;
	if (!tracee_read(t, at, &p, sizeof p) || p.control.head.cmsg_type != SCM_RIGHTS)
		return -EMFILE; /* its descriptor table is full: the kernel leaves the message
				 * empty */
	memcpy(&fd, CMSG_DATA(&p.control.head), sizeof fd);
	return fd;
}

/* Duplicate descriptor NUMBER of the process; -1 if the kernel lacks the call, or the leader has
 * exited. */
static int borrow_fd(pid_t pid, int number)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), fd;

	if (pidfd < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	close(pidfd);
	return fd;
}

/* Through a socket pair of the process, the other end of which the tracer has duplicated. */
static long send_by_socket(struct tracee *t, int fd)
{
	struct parcel p = {0};
	long at = remote_scratch(t, sizeof p), result;
	int ours;

	if (at < 0)
		return at;
	result = remote_syscall(t, SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0,
				at + (long)offsetof(struct parcel, pair), 0, 0);
	if (result < 0)
		return result;
	if (!tracee_read(t, (uint64_t)at, &p, sizeof p))
		return -ESRCH;
	ours = borrow_fd(t->pid, p.pair[0]);
	if (ours >= 0) {
		result = send_here(ours, fd) ? receive_there(t, (uint64_t)at, p.pair[1]) : -errno;
		close(ours);
	} else {
		result = -EBADF;
	}
	remote_syscall(t, SYS_close, p.pair[0], 0, 0, 0, 0, 0);
	remote_syscall(t, SYS_close, p.pair[1], 0, 0, 0, 0, 0);
	return result;
}

/* Kernels before 5.6 have no pidfd_getfd(). */
static long open_by_name(struct tracee *t, int fd)
{
	char name[48];
	long at = remote_scratch(t, sizeof name);

	if (at < 0)
		return at;
	snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)getpid(), fd);
	if (!tracee_write(t, (uint64_t)at, name, sizeof name))
		return -EFAULT;
	return remote_syscall(t, SYS_openat, AT_FDCWD, at, O_RDWR | O_CLOEXEC, 0, 0, 0);
}

/* Enter the network namespace of PID, in which abstract names of sockets are looked up; returns a
 * descriptor of this thread's own, -1 if it is the same or cannot be entered. */
static int enter_network(pid_t pid)
{
	int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), there;
	struct stat a, b;
	char name[40];

	snprintf(name, sizeof name, "/proc/%d/ns/net", (int)proc_live_thread(pid));
	there = open(name, O_RDONLY | O_CLOEXEC);
	if (own >= 0 && (there < 0 || fstat(own, &a) || fstat(there, &b) || a.st_ino == b.st_ino ||
			 setns(there, CLONE_NEWNET))) {
		close(own);
		own = -1;
	}
	if (there >= 0)
		close(there);
	return own;
}

enum { BACKLOG = 8 };

/* A socket with a random abstract name; -1 on failure. */
static int listen_here(struct sockaddr_un *name)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memset(name, 0, sizeof *name);
	name->sun_family = AF_UNIX;
	if (s < 0)
		return -1;
	if (getrandom(name->sun_path + 1, 16, 0) == 16 &&
	    !bind(s, (const struct sockaddr *)name, sizeof *name) && !listen(s, BACKLOG))
		return s;
	close(s);
	return -1;
}

/* The connection that PID has made, which waits already; -1: it is missing. Any process of the
 * network namespace can connect, and go on to do so. */
static int accept_from(int listener, pid_t pid)
{
	struct ucred peer;

	/* the kernel queues one more than it is asked to */
	for (int i = 0; i <= BACKLOG; i++) {
		socklen_t size = sizeof peer;
		int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (s < 0)
			return -1;
		if (!getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.pid == pid)
			return s;
		close(s);
	}
	return -1;
}

static long connect_there(struct tracee *t, uint64_t at, const struct sockaddr_un *name)
{
	const long where = (long)(at + offsetof(struct parcel, name));
	long s = remote_syscall(t, SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
				0, 0, 0, 0);
	long result;

	if (s < 0)
		return s;
	result = tracee_write(t, (uint64_t)where, name, sizeof *name)
			 ? remote_syscall(t, SYS_connect, s, where, sizeof *name, 0, 0, 0)
			 : -EFAULT;
	if (!result)
		return s;
	remote_syscall(t, SYS_close, s, 0, 0, 0, 0, 0);
	return result;
}

static long send_by_address(struct tracee *t, int fd)
{
	struct sockaddr_un name;
	long at = remote_scratch(t, sizeof(struct parcel)), there, result = -EBADF;
	int own, listener, ours;

	if (at < 0)
		return at;
	own = enter_network(t->pid);
	listener = listen_here(&name);
	if (own >= 0) {
		setns(own, CLONE_NEWNET);
		close(own);
	}
	if (listener < 0)
		return -EBADF;
	there = connect_there(t, (uint64_t)at, &name);
	ours = there < 0 ? -1 : accept_from(listener, t->pid);
	if (ours >= 0 && send_here(ours, fd))
		result = receive_there(t, (uint64_t)at, (int)there);
	if (ours >= 0)
		close(ours);
	if (there >= 0)
		remote_syscall(t, SYS_close, there, 0, 0, 0, 0, 0);
	close(listener);
	return result;
}

static long send_by_any(struct tracee *t, int fd)
{
	static long (*const ways[])(struct tracee * t, int fd) = {send_by_socket, open_by_name,
								  send_by_address};
	long first = 0;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		long result = ways[i](t, fd);

		if (result >= 0 || result == -ESRCH)
			return result;
		first = first ? first : result;
	}
	return first;
}

/* The limit of a process that has leaked all its descriptors is raised for the moment. */
static long send_beyond_limit(struct tracee *t, int fd)
{
	enum { SPARE = 4 };
	struct rlimit old, more;
	long result;

	if (prlimit(t->pid, RLIMIT_NOFILE, NULL, &old))
		return -EMFILE;
	more = (struct rlimit){old.rlim_cur + SPARE, old.rlim_max};
	if (more.rlim_cur > more.rlim_max)
		more.rlim_max = more.rlim_cur;
	if (prlimit(t->pid, RLIMIT_NOFILE, &more, NULL))
		return -EMFILE;
	result = send_by_any(t, fd);
	prlimit(t->pid, RLIMIT_NOFILE, &old, NULL);
	return result;
}

long remote_send_fd(struct tracee *t, int fd)
{
	long result = remote_scratch(t, 1); /* of a process in which no call is possible: why */

	if (result >= 0)
		result = send_by_any(t, fd);
	return result == -EMFILE ? send_beyond_limit(t, fd) : result;
}
