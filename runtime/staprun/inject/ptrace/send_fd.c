/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of the tracer, passed to a stopped process. */
#define _GNU_SOURCE
#include "inject/ptrace/ptrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

/* Fallback: kernels before 5.6 have no pidfd_getfd(). */
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

long remote_send_fd(struct tracee *t, int fd)
{
	long result = send_by_socket(t, fd), other;

	if (result >= 0 || result == -ESRCH || result == -EACCES)
		return result;
	other = open_by_name(t, fd);
	return other >= 0 ? other : result;
}
